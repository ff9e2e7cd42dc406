package vek

import (
	"math"
	"math/bits"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// norm is the Euclidean length for a sum of squares. The square root is
// correctly rounded on every machine.
func norm(sumSquares int64) float64 { return math.Sqrt(float64(sumSquares)) }

// Quantize returns v scaled so that its largest magnitude is 127 and rounded
// half away from zero, and the Euclidean length of the result. The scale itself
// is not kept, because it cancels in a cosine. The zero vector and the empty
// one give nil and 0: no vector. NaN or an infinity is an *invalid.Error that
// names the index. The slice is the caller's; the result has the same bits on
// every machine.
func Quantize(v []float32) (q []int8, length float64, err error) {
	var most float64
	for i, x := range v {
		a := math.Abs(float64(x))
		if !(a <= math.MaxFloat32) {
			return nil, 0, invalid.New("vector", "component %d is %v", i, x)
		}
		most = max(most, a)
	}
	if most == 0 {
		return nil, 0, nil
	}
	q = make([]int8, len(v))
	for i, x := range v {
		// The product is exact (24 + 7 bits), the quotient correctly rounded.
		q[i] = int8(math.Round(float64(float64(x)*127) / most))
	}
	return q, norm(sumSquares(q)), nil
}

// QuantizeSums is Quantize for exact integer sums, in integer arithmetic alone:
// round(sums[i]*127/max|sums|), half away from zero, for the whole range of
// int64. All zero or empty gives nil and 0.
func QuantizeSums(sums []int64) (q []int8, length float64) {
	var most uint64
	for _, s := range sums {
		most = max(most, magnitude(s))
	}
	if most == 0 {
		return nil, 0
	}
	q = make([]int8, len(sums))
	for i, s := range sums {
		hi, lo := bits.Mul64(magnitude(s), 127)
		quo, rem := bits.Div64(hi, lo, most) // hi < most, as magnitude(s) <= most
		if rem >= most-rem {
			quo++
		}
		if s < 0 {
			quo = -quo
		}
		q[i] = int8(quo)
	}
	return q, norm(sumSquares(q))
}

func magnitude(s int64) uint64 {
	if s < 0 {
		return -uint64(s)
	}
	return uint64(s)
}
