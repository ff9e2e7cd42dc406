package vek

// MaxDim is the largest dimension taken: up to it every sum of products of int8
// components fits in an int32.
const MaxDim = 1 << 16

// Dot returns the exact sum of a[i]*b[i] over the shorter of both lengths, for
// components in the full range -128 to 127. It wraps only beyond MaxDim
// components. Safe for concurrent use; it does not allocate.
func Dot(a, b []int8) int32 {
	n := min(len(a), len(b))
	return native.dot(a[:n], b[:n])
}

// DotBatch writes the exact dot product of q with row ids[i] of base to out[i];
// row r is the len(q) components from base[r*stride]. Rows that are scattered in
// memory are fetched ahead of their turn, so one long list costs less than many
// short ones. ids may repeat. An id whose row does not end within base, a stride
// below len(q) and an out shorter than ids panic as an index out of range does.
// Safe for concurrent use; it does not allocate.
func DotBatch(q, base []int8, stride int, ids []uint32, out []int32) {
	out = out[:len(ids)]
	if len(ids) == 0 {
		return
	}
	most := ids[0]
	for _, id := range ids {
		most = max(most, id)
	}
	if room := len(base) - len(q); stride < len(q) || room < 0 || uint64(most) > uint64(room/max(stride, 1)) {
		panic("vek: a row is not within base")
	}
	block := [1][]int8{base}
	native.dots(q, &rows{block[:], 32, stride}, ids, out)
}

// sumSquares returns the exact sum of q[i]*q[i] for any length.
func sumSquares(q []int8) int64 {
	var s int64
	for len(q) > 0 {
		n := min(len(q), MaxDim)
		s += int64(Dot(q[:n], q[:n]))
		q = q[n:]
	}
	return s
}
