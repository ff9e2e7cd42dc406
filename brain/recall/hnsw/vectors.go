package hnsw

import (
	"math"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// Vectors are the vectors of a partition, by ordinal from 0. Rows below a graph's
// end must be the ones that it was built from.
type Vectors struct {
	vek.View
	// Low is the optional second plane, see Split: as many rows of the same
	// dimension. When it is there, a search with a second plane of its own
	// re-ranks its last candidates with both; LowNorms then holds the lengths that
	// Split gave.
	Low      *vek.View
	LowNorms []float64
}

// Of returns the vectors of one plane.
func Of(v vek.View) Vectors { return Vectors{View: v} }

func (v *Vectors) check() error {
	switch n := v.Len(); {
	case v.Dim() < 1:
		return invalid.New("dim", "is 0")
	case n > MaxLen:
		return invalid.TooLarge("vectors", int64(n), MaxLen)
	case v.Low != nil && (v.Low.Len() != n || v.Low.Dim() != v.Dim() || len(v.LowNorms) != n):
		return invalid.New("low", "has another size than the first plane")
	}
	return nil
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
