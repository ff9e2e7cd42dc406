// Package vek holds int8 vectors and finds the nearest of them by cosine.
//
// A vector is quantised with a scale of its own that is not kept, so the cosine
// of a and b is Dot(a, b) / (|a|·|b|): an exact integer over a product of two
// correctly rounded square roots. The same vectors give the same bits on every
// machine, whatever instructions do the sum.
//
// The package scans exactly. It does not know texts, models or documents, and
// it keeps nothing on disk.
package vek

import (
	"math"
	"math/bits"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// Missing is what Score gives for an ordinal without a vector: below every
// cosine.
const Missing = -2.0

// blockRows is how many rows share one allocation: growing never copies rows,
// and a scan runs through memory in order.
const blockRows = 256

// Flat is a growing sequence of vectors of one dimension, addressed by ordinal
// from 0. Append is for one goroutine at a time; what View returns may be read
// by others meanwhile.
type Flat struct{ v View }

// View is the state of a Flat at one moment: immutable, safe for concurrent
// use, and not changed by later calls of Append. The zero value is empty.
type View struct {
	dim    int
	stride int       // dim rounded up to whole groups; the rest of a row is zero
	blocks [][]byte  // blockRows*stride bytes each, the bits of int8
	norms  []float64 // by ordinal; 0 = no vector
}

// NewFlat returns an empty Flat for vectors of dim components, 1 to MaxDim.
func NewFlat(dim int) (*Flat, error) {
	if dim < 1 || dim > MaxDim {
		return nil, &invalid.Error{Field: "dim", Reason: "must be 1 to 65536", Limit: MaxDim}
	}
	return &Flat{View{dim: dim, stride: (dim + group - 1) / group * group}}, nil
}

// View returns the vectors appended so far, in O(1).
func (f *Flat) View() View { return f.v }

// Append adds the vector of the next ordinal and returns that ordinal. q is
// copied. A nil q, and one that is all zero, is an ordinal without a vector; it
// keeps its place and is never a hit. Any other length than the dimension is an
// *invalid.Error and adds nothing.
func (f *Flat) Append(q []int8) (ord uint32, err error) {
	v := &f.v
	if q != nil && len(q) != v.dim {
		return 0, wrongDim(len(q), v.dim)
	}
	if uint64(len(v.norms)) >= math.MaxUint32 {
		return 0, invalid.TooLarge("ord", math.MaxUint32, math.MaxUint32-1)
	}
	n := len(v.norms)
	if n%blockRows == 0 {
		v.blocks = append(v.blocks, make([]byte, blockRows*v.stride))
	}
	row := v.row(n)
	for i, x := range q {
		row[i] = byte(x)
	}
	v.norms = append(v.norms, norm(sumSquares(q)))
	return uint32(n), nil
}

// Dim returns the number of components of every vector.
func (v View) Dim() int { return v.dim }

// Len returns how many ordinals there are, with a vector or without.
func (v View) Len() int { return len(v.norms) }

// Has reports whether ord has a vector.
func (v View) Has(ord uint32) bool {
	return uint64(ord) < uint64(len(v.norms)) && v.norms[ord] != 0
}

func (v View) row(i int) []byte {
	at := i % blockRows * v.stride
	return v.blocks[i/blockRows][at : at+v.stride]
}

// Search returns the min(k, matching) best ordinals by cosine with q, score
// descending, ordinal ascending among equals. An ordinal matches when it has a
// vector and its bit in filter is set (bit i&63 of word i>>6; nil = none). A
// zero q has no direction and finds nothing. Any other length than the
// dimension is an *invalid.Error. The cost is one dot product per matching
// ordinal; memory is O(k), and the scan itself does not allocate.
func (v View) Search(q []int8, filter []uint64, k int) ([]topk.Hit, error) {
	if len(q) != v.dim {
		return nil, wrongDim(len(q), v.dim)
	}
	p := newQuery(q)
	if p.norm == 0 || k <= 0 {
		return nil, nil
	}
	top := topk.New(k)
	worst := top.Threshold()
	for w, word := range filter[:min(len(filter), (len(v.norms)+63)/64)] {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if i >= len(v.norms) || v.norms[i] == 0 {
				continue
			}
			// Ordinals rise, so one that only equals the worst kept does not rank.
			if s := cosine(p.dot(v.row(i)), p.norm, v.norms[i]); s > worst {
				top.Push(uint32(i), s)
				worst = top.Threshold()
			}
		}
	}
	return top.Sorted(), nil
}

// Score writes the cosine of q with ords[i] to out[i], bit-equal to what Search
// gives, and Missing where an ordinal has no vector, does not exist, or q is
// zero. A q of another length than the dimension, or an out of another length
// than ords, is an *invalid.Error.
func (v View) Score(q []int8, ords []uint32, out []float64) error {
	if len(q) != v.dim {
		return wrongDim(len(q), v.dim)
	}
	if len(out) != len(ords) {
		return invalid.New("out", "has length %d for %d ordinals", len(out), len(ords))
	}
	p := newQuery(q)
	for i, ord := range ords {
		out[i] = Missing
		if p.norm != 0 && v.Has(ord) {
			out[i] = cosine(p.dot(v.row(int(ord))), p.norm, v.norms[ord])
		}
	}
	return nil
}

func cosine(dot int32, a, b float64) float64 {
	return float64(dot) / float64(a*b)
}

func wrongDim(got, want int) error {
	return invalid.New("vector", "has %d components, the index has %d", got, want)
}
