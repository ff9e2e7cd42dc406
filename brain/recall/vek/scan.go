package vek

import (
	"math"
	"math/bits"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// batch is how many rows at least go to a kernel at once, while there are that
// many: one word of a filter.
const batch = 64

// Search returns the min(k, matching) best ordinals by cosine with q, score
// descending, ordinal ascending among equals. An ordinal matches when it has a
// vector and its bit in filter is set (bit i&63 of word i>>6; nil = none). A
// zero q has no direction and finds nothing. Any other length than the
// dimension is an *invalid.Error. The cost is one dot product per matching
// ordinal; memory is O(k), and the scan itself does not allocate.
func (v View) Search(q []int8, filter []uint64, k int) ([]topk.Hit, error) {
	return v.search(native, q, filter, k)
}

func (v *View) search(kern kernel, q []int8, filter []uint64, k int) ([]topk.Hit, error) {
	if len(q) != v.dim {
		return nil, wrongDim(len(q), v.dim)
	}
	s := scan{view: v, kernel: kern, query: q, norm: norm(sumSquares(q)), top: topk.New(k)}
	if s.norm == 0 || k <= 0 {
		return nil, nil
	}
	s.raise()
	var ids [2 * batch]uint32 // less than batch of them wait
	n := 0
	for w, word := range filter[:min(len(filter), (len(v.norms)+batch-1)/batch)] {
		first := w * batch
		if rest := len(v.norms) - first; rest < batch {
			word &= 1<<rest - 1
		}
		n += spread(word, uint32(first), ids[n:])
		if n >= batch {
			s.take(ids[:n])
			n = 0
		}
	}
	s.take(ids[:n])
	return s.top.Sorted(), nil
}

// spread writes the ordinals of the bits of word, the first of which is first, to
// ids and returns how many there are.
func spread(word uint64, first uint32, ids []uint32) (n int) {
	if word == math.MaxUint64 {
		ids = ids[:batch]
		for i := range ids {
			ids[i] = first + uint32(i)
		}
		return batch
	}
	for ; word != 0; word &= word - 1 {
		ids[n] = first + uint32(bits.TrailingZeros64(word))
		n++
	}
	return n
}

// scan is one run of Search.
type scan struct {
	view   *View
	kernel kernel
	query  []int8
	norm   float64 // of the query, not 0
	top    *topk.Top
	bound  float64 // see raise
}

// raise takes the threshold over from top: bound is threshold*norm and a little
// less. A cosine that reaches the threshold belongs to a dot product above bound
// times the norm of the row, whichever way the roundings in between went: there
// are four, each within 2^-53, and the slack is 2^-48. So one multiplication
// refuses almost every row, and the exact division decides on the others.
func (s *scan) raise() {
	b := float64(s.top.Threshold() * s.norm)
	s.bound = b - float64(math.Abs(b)*0x1p-48)
}

// take scores at most 2*batch ordinals, all below the view's length.
func (s *scan) take(ids []uint32) {
	var dots [2 * batch]int32
	s.kernel.dots(s.query, &s.view.rows, ids, dots[:len(ids)])
	for i, dot := range dots[:len(ids)] {
		n := s.view.norms[ids[i]]
		// False without a vector: 0 is not above 0, nor above -Inf*0 = NaN.
		if float64(dot) > float64(s.bound*n) {
			s.top.Push(ids[i], cosine(dot, s.norm, n))
			s.raise()
		}
	}
}

// Score writes the cosine of q with ords[i] to out[i], bit-equal to what Search
// gives, and Missing where an ordinal has no vector, does not exist, or q is
// zero. A q of another length than the dimension, or an out of another length
// than ords, is an *invalid.Error. It does not allocate.
func (v View) Score(q []int8, ords []uint32, out []float64) error {
	return v.score(native, q, ords, out)
}

func (v *View) score(kern kernel, q []int8, ords []uint32, out []float64) error {
	if len(q) != v.dim {
		return wrongDim(len(q), v.dim)
	}
	if len(out) != len(ords) {
		return invalid.New("out", "has length %d for %d ordinals", len(out), len(ords))
	}
	length := norm(sumSquares(q))
	for len(ords) > 0 {
		var ids [batch]uint32
		var at, dots [batch]int32
		m := 0
		part := ords[:min(len(ords), batch)]
		for i, ord := range part {
			out[i] = Missing
			if length != 0 && v.Has(ord) {
				ids[m], at[m] = ord, int32(i)
				m++
			}
		}
		kern.dots(q, &v.rows, ids[:m], dots[:m])
		for j, ord := range ids[:m] {
			out[at[j]] = cosine(dots[j], length, v.norms[ord])
		}
		ords, out = ords[len(part):], out[len(part):]
	}
	return nil
}
