package embed

import (
	"encoding/binary"
	"math"

	"github.com/seed70401ef0/brain-go/brain/recall/embed/safetensors"
)

const (
	group  = 8                  // int8 components per machine word
	lane   = 0x000000ff000000ff // two components, 32 bits apart
	offset = 0x8080808080808080 // int8 to uint8, +128 each
)

// packed sums weighted int8 rows exactly. Two components share a 64-bit word,
// 32 bits apart, so that one multiplication weights both; rows enter as x+128
// and the excess is taken off when the lanes are emptied into sum, which
// happens before a lane can leave 31 bits.
type packed struct {
	lanes  []uint64 // per group of 8: components 0|4, 1|5, 2|6, 3|7
	sum    []int64  // in units of 2**-20
	excess int64    // sum of the weights in the lanes
	held   int      // tokens in the lanes
}

// packed returns an empty accumulator from the pool.
func (s *Static) packed() *packed {
	if p, ok := s.scratch.Get().(*packed); ok {
		clear(p.sum)
		return p
	}
	groups := (s.dim + group - 1) / group
	return &packed{lanes: make([]uint64, 4*groups), sum: make([]int64, s.dim)}
}

// add sums the tokens of text and returns their number.
func (p *packed) add(s *Static, text string) int {
	dim := s.dim
	n := s.tokens(text, func(id int32) {
		w := int32(1)
		if s.units != nil {
			w = s.units[id]
		}
		at := s.row(id) * dim
		p.row(s.rows.Data[at:at+dim], w)
		if p.held == s.flush {
			p.empty()
		}
	})
	p.empty()
	if s.units == nil {
		for j := range p.sum {
			p.sum[j] <<= unitBits
		}
	}
	return n
}

func (p *packed) row(row []byte, weight int32) {
	w := uint64(int64(weight))
	lanes := p.lanes
	for len(row) >= group && len(lanes) >= 4 {
		x := binary.LittleEndian.Uint64(row) ^ offset
		lanes[0] += (x & lane) * w
		lanes[1] += (x >> 8 & lane) * w
		lanes[2] += (x >> 16 & lane) * w
		lanes[3] += (x >> 24 & lane) * w
		row, lanes = row[group:], lanes[4:]
	}
	if len(row) > 0 {
		var last [group]byte
		copy(last[:], row)
		x := binary.LittleEndian.Uint64(last[:]) ^ offset
		for j := range lanes[:4] {
			lanes[j] += (x >> (8 * j) & lane) * w
		}
	}
	p.excess += int64(weight)
	p.held++
}

// empty moves the lanes into sum.
func (p *packed) empty() {
	excess := 128 * p.excess
	for i, x := range p.lanes {
		// Two's complement: a negative low lane has borrowed from the high one.
		low := int64(int32(x))
		high := (int64(x) - low) >> 32
		j := i/4*group + i%4
		if j < len(p.sum) {
			p.sum[j] += low - excess
		}
		if j += 4; j < len(p.sum) {
			p.sum[j] += high - excess
		}
		p.lanes[i] = 0
	}
	p.excess, p.held = 0, 0
}

// lanesHold returns how many tokens a lane holds for the largest weight, 0 when
// not even one.
func lanesHold(units []int32) int {
	most := int64(1)
	for _, w := range units {
		most = max(most, int64(w), -int64(w))
	}
	return int(math.MaxInt32 / (255 * most))
}

// addFloats is the sum for tables that are not of integers: float64 in token
// order, every product rounded on its own.
func (s *Static) addFloats(sum []float64, text string) int {
	return s.tokens(text, func(id int32) {
		w := 1.0
		if s.weights != nil {
			w = s.weights[id]
		}
		at := s.row(id) * s.dim
		if s.rows.DType == safetensors.F32 {
			data := s.rows.Data[4*at : 4*(at+s.dim)]
			for j := range sum {
				x := math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:]))
				sum[j] += float64(float64(x) * w)
			}
			return
		}
		for j := range sum {
			sum[j] += float64(s.rows.Float(at+j) * w)
		}
	})
}
