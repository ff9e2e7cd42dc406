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

// rowAlign is what the distance of rows is a multiple of, in components, where
// that costs little memory: rows of whole loads are summed without a tail.
const rowAlign = 16

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
	stride := dim
	if dim >= 4*rowAlign {
		stride = (dim + rowAlign - 1) / rowAlign * rowAlign
	}
	shift := uint(bits.Len(uint(blockBytes/stride)) - 1)
	return &Flat{View{dim: dim, rows: rows{shift: shift, stride: stride}}}, nil
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
	if most := 1 << v.rows.shift; int(n) < most {
		v.growFirst(int(n), most)
	} else if int(n)&(most-1) == 0 {
		v.rows.blocks = append(v.rows.blocks, newBlock(v.rows.stride<<v.rows.shift))
	}
	copy(v.rows.row(n, v.dim), q)
	v.norms = append(v.norms, norm(sumSquares(q)))
	return n, nil
}

// growFirst makes room for row n in the first block, which doubles up to most rows,
// so that a few vectors cost little. Views that were given out keep the block that
// they have.
func (v *View) growFirst(n, most int) {
	var old []int8
	if len(v.rows.blocks) > 0 {
		old = v.rows.blocks[0]
	}
	if have := len(old) / v.rows.stride; n >= have {
		b := newBlock(min(most, max(firstRows, 2*have)) * v.rows.stride)
		copy(b, old)
		v.rows.blocks = [][]int8{b}
	}
}

// firstRows is how many rows the first block has room for at first.
const firstRows = 16

// Dim returns the number of components of every vector.
func (v View) Dim() int { return v.dim }

// Len returns how many ordinals there are, with a vector or without.
func (v View) Len() int { return len(v.norms) }

// Has reports whether ord has a vector.
func (v View) Has(ord uint32) bool {
	return uint64(ord) < uint64(len(v.norms)) && v.norms[ord] != 0
}

// Norm returns the Euclidean length of the vector of ord, 0 when it has none. ord
// is below Len.
func (v View) Norm(ord uint32) float64 { return v.norms[ord] }

// Row returns the components of ord, which is below Len; all are 0 when it has no
// vector. They must not be changed.
func (v View) Row(ord uint32) []int8 { return v.rows.row(ord, v.dim) }

// Dots writes the exact dot product of q with row ids[i] to out[i]. q has the
// dimension of the view, ids are below Len and may repeat, and out is as long as
// ids; anything else panics as an index out of range does. Rows that are scattered
// in memory are fetched ahead of their turn. It does not allocate.
func (v View) Dots(q []int8, ids []uint32, out []int32) {
	out = out[:len(ids)]
	if len(ids) == 0 {
		return
	}
	most := ids[0]
	for _, id := range ids {
		most = max(most, id)
	}
	if len(q) != v.dim || uint64(most) >= uint64(len(v.norms)) {
		panic("vek: an ordinal or a query is not of the view")
	}
	native.dots(q, &v.rows, ids, out)
}

func cosine(dot int32, a, b float64) float64 {
	return float64(dot) / float64(a*b)
}

func wrongDim(got, want int) error {
	return invalid.New("vector", "has %d components, the index has %d", got, want)
}
