package hnsw

import (
	"math"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// Vectors is a read-only view of the vectors of a partition, by ordinal from 0.
// The memory is the caller's and must not change while a call or a search uses
// it; rows below a graph's end must be the ones that it was built from.
type Vectors struct {
	Base   []int8    // row i is Base[i*Stride : i*Stride+Dim]
	Dim    int       // components of a vector, 1 to vek.MaxDim
	Stride int       // distance of two rows, at least Dim
	Norms  []float64 // Euclidean length by ordinal; 0 = no vector
	// Low is the optional second plane, laid out like Base, see Split. When it is
	// there, a search with a second plane of its own re-ranks its last candidates
	// with both; LowNorms then holds the lengths that Split gave.
	Low      []int8
	LowNorms []float64
}

// Len returns the number of ordinals.
func (v *Vectors) Len() int { return len(v.Norms) }

func (v *Vectors) check() error {
	switch n := len(v.Norms); {
	case v.Dim < 1 || v.Dim > vek.MaxDim:
		return &invalid.Error{Field: "dim", Reason: "must be 1 to 65536", Limit: vek.MaxDim}
	case v.Stride < v.Dim:
		return invalid.New("stride", "%d is less than the dimension, %d", v.Stride, v.Dim)
	case n > MaxLen:
		return invalid.TooLarge("vectors", int64(n), MaxLen)
	case n > 0 && (len(v.Base)-v.Dim)/v.Stride < n-1 || n > 0 && len(v.Base) < v.Dim:
		return invalid.New("vectors", "%d components are too few for %d rows", len(v.Base), n)
	case v.Low != nil && (len(v.Low) != len(v.Base) || len(v.LowNorms) != n):
		return invalid.New("low", "has another size than the first plane")
	}
	return nil
}

func (v *Vectors) row(i uint32) []int8 {
	at := int(i) * v.Stride
	return v.Base[at : at+v.Dim : at+v.Dim]
}

func (v *Vectors) low(i uint32) []int8 {
	at := int(i) * v.Stride
	return v.Low[at : at+v.Dim : at+v.Dim]
}

// inverse is the factor of a row in keys: 1/norm rounded to float32, 0 for a
// missing vector.
func inverse(norm float64) float32 {
	if norm == 0 {
		return 0
	}
	return float32(1 / norm)
}

// length is the Euclidean length of q.
func length(q []int8) float64 { return math.Sqrt(float64(vek.Dot(q, q))) }

// cosine has the same bits as the scores of package vek.
func cosine(dot int32, a, b float64) float64 { return float64(dot) / float64(a*b) }
