// Package vek holds int8 vectors and finds the nearest of them by cosine.
//
// A vector is quantised with a scale of its own that is not kept, so the cosine
// of a and b is Dot(a, b) / (|a|·|b|): an exact integer over a product of two
// correctly rounded square roots. The same vectors give the same bits on every
// machine, whatever instructions do the sum.
//
// The sums are computed by the fastest kernel of the machine: AVX-512 VNNI, AVX2,
// NEON with or without SDOT, else Go, which the build tag purego leaves alone.
// The package scans exactly. It does not know texts, models or documents, and
// it keeps nothing on disk.
package vek

import (
	"math"
	"math/bits"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Missing is what Score gives for an ordinal without a vector: below every
// cosine.
const Missing = -2.0

// blockBytes is the most that one allocation of rows takes: growing never copies
// rows, a scan runs through memory in order, and the table of blocks of a million
// vectors stays in the cache.
const blockBytes = 1 << 18

// Flat is a growing sequence of vectors of one dimension, addressed by ordinal
// from 0. Append is for one goroutine at a time; what View returns may be read
// by others meanwhile.
type Flat struct{ v View }

// View is the state of a Flat at one moment: immutable, safe for concurrent
// use, and not changed by later calls of Append. The zero value is empty.
type View struct {
	dim   int
	rows  rows      // of stride dim
	norms []float64 // by ordinal; 0 = no vector
}

// NewFlat returns an empty Flat for vectors of dim components, 1 to MaxDim.
func NewFlat(dim int) (*Flat, error) {
	if dim < 1 || dim > MaxDim {
		return nil, &invalid.Error{Field: "dim", Reason: "must be 1 to 65536", Limit: MaxDim}
	}
	shift := uint(bits.Len(uint(blockBytes/dim)) - 1)
	return &Flat{View{dim: dim, rows: rows{shift: shift, stride: dim}}}, nil
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
	n := uint32(len(v.norms))
	if n&(1<<v.rows.shift-1) == 0 {
		v.rows.blocks = append(v.rows.blocks, newBlock(v.dim<<v.rows.shift))
	}
	copy(v.rows.row(n, v.dim), q)
	v.norms = append(v.norms, norm(sumSquares(q)))
	return n, nil
}

// Dim returns the number of components of every vector.
func (v View) Dim() int { return v.dim }

// Len returns how many ordinals there are, with a vector or without.
func (v View) Len() int { return len(v.norms) }

// Has reports whether ord has a vector.
func (v View) Has(ord uint32) bool {
	return uint64(ord) < uint64(len(v.norms)) && v.norms[ord] != 0
}

func cosine(dot int32, a, b float64) float64 {
	return float64(dot) / float64(a*b)
}

func wrongDim(got, want int) error {
	return invalid.New("vector", "has %d components, the index has %d", got, want)
}
