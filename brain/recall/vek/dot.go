package vek

import "encoding/binary"

// MaxDim is the largest dimension taken: up to it every sum of products of int8
// components fits in an int32 and in the packed sums of query.dot.
const MaxDim = 1 << 16

// Dot returns the exact sum of a[i]*b[i] over the shorter of both lengths, for
// components in the full range -128 to 127. It wraps only beyond MaxDim
// components. Safe for concurrent use; it does not allocate.
func Dot(a, b []int8) int32 {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	var s0, s1, s2, s3 int32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += int32(a[0]) * int32(b[0])
		s1 += int32(a[1]) * int32(b[1])
		s2 += int32(a[2]) * int32(b[2])
		s3 += int32(a[3]) * int32(b[3])
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += int32(x) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

// sumSquares returns the exact sum of q[i]*q[i].
func sumSquares(q []int8) int64 {
	var s int64
	for _, x := range q {
		s += int64(x) * int64(x)
	}
	return s
}

const (
	group  = 8                  // components per machine word
	lane   = 0x000000ff000000ff // two components, 32 bits apart
	offset = 0x8080808080808080 // turns eight int8 into eight uint8, +128 each
)

// query is a vector prepared for many dot products against stored rows.
//
// One 64-bit multiplication does two of the products: with X = 2**32,
//
//	(a0 + a4·X) · (b4 + b0·X) = a0·b4 + (a0·b0 + a4·b4)·X  (mod X²)
//
// so the wanted sum of two products collects in the upper half of a 64-bit sum
// and the cross terms in the lower. Rows enter as a+128, which keeps the lanes
// of a word apart; the excess 128·Σb is known beforehand. Both halves stay
// within 31 bits up to MaxDim. It needs half the multiplications of one product
// after the other and is exact, so bit-equal to any other way of summing.
type query struct {
	lanes  [][4]uint64 // per group: {b4 + b0·X, b5 + b1·X, b6 + b2·X, b7 + b3·X}
	excess int32       // 128·Σb
	norm   float64     // Euclidean length, 0 for the zero vector
}

func newQuery(q []int8) query {
	n := (len(q) + group - 1) / group
	p := query{lanes: make([][4]uint64, n), norm: norm(sumSquares(q))}
	for i := range n {
		var g [group]int8
		copy(g[:], q[i*group:])
		for j := range p.lanes[i] {
			// Two's complement: a negative low component borrows from the upper.
			p.lanes[i][j] = uint64(int64(g[j+4]) + int64(g[j])<<32)
		}
	}
	for _, x := range q {
		p.excess += 128 * int32(x)
	}
	return p
}

// dot returns the dot product with a row of len(q.lanes)*group bytes, each the
// bits of an int8, zero padded.
func (q *query) dot(row []byte) int32 {
	var s0, s1, s2, s3 uint64
	for i := range q.lanes {
		if len(row) < group {
			break
		}
		x := binary.LittleEndian.Uint64(row) ^ offset
		row = row[group:]
		b := &q.lanes[i]
		s0 += (x & lane) * b[0]
		s1 += (x >> 8 & lane) * b[1]
		s2 += (x >> 16 & lane) * b[2]
		s3 += (x >> 24 & lane) * b[3]
	}
	sum := int64(s0 + s1 + s2 + s3)
	return int32((sum+1<<31)>>32) - q.excess // rounds the cross terms away
}
