package vek

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"pgregory.net/rapid"
)

func TestQuantize(t *testing.T) {
	tests := []struct {
		name string
		v    []float32
		want []int8
	}{
		{"empty", nil, nil},
		{"zero", []float32{0, float32(math.Copysign(0, -1))}, nil},
		{"one", []float32{-3}, []int8{-127}},
		{"half away from zero", []float32{127, .5, -.5, 1.5, .49}, []int8{127, 1, -1, 2, 0}},
		{"subnormal", []float32{math.SmallestNonzeroFloat32, 0}, []int8{127, 0}},
		{"largest", []float32{math.MaxFloat32, -math.MaxFloat32, 1}, []int8{127, -127, 0}},
	}
	for _, tt := range tests {
		q, length, err := Quantize(tt.v)
		if err != nil || !slices.Equal(q, tt.want) || length != norm(sumSquares(tt.want)) {
			t.Errorf("%s: %v, %v, %v; want %v", tt.name, q, length, err, tt.want)
		}
	}
}

func TestQuantizeNamesTheBadComponent(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		q, _, err := Quantize([]float32{1, 2, float32(x), 3})
		var bad *invalid.Error
		if q != nil || !errors.As(err, &bad) || bad.Field != "vector" {
			t.Errorf("%v: %v, %v", x, q, err)
		} else if !strings.HasPrefix(bad.Reason, "component 2 is") {
			t.Errorf("%v: %q does not name component 2", x, bad.Reason)
		}
	}
}

// naiveSums rounds with rational numbers.
func naiveSums(sums []int64) []int8 {
	most := new(big.Int)
	for _, s := range sums {
		if a := new(big.Int).Abs(big.NewInt(s)); a.Cmp(most) > 0 {
			most = a
		}
	}
	if most.Sign() == 0 {
		return nil
	}
	q := make([]int8, len(sums))
	for i, s := range sums {
		x := new(big.Int).Abs(big.NewInt(s))
		x.Mul(x, big.NewInt(254)).Add(x, most)
		x.Quo(x, new(big.Int).Lsh(most, 1))
		q[i] = int8(x.Int64())
		if s < 0 {
			q[i] = -q[i]
		}
	}
	return q
}

func TestQuantizeSumsIsExact(t *testing.T) {
	component := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-300, 300),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 0}))
	rapid.Check(t, func(t *rapid.T) {
		sums := rapid.SliceOfN(component, 0, 20).Draw(t, "sums")
		q, length := QuantizeSums(sums)
		want := naiveSums(sums)
		if !slices.Equal(q, want) || length != norm(sumSquares(want)) {
			t.Fatalf("got %v, %v; want %v", q, length, want)
		}
	})
}

// TestQuantizeAgreesWithSums: integers that a float32 holds quantise alike.
func TestQuantizeAgreesWithSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(rapid.Int32Range(-1<<24, 1<<24), 1, 20).Draw(t, "ints")
		v, sums := make([]float32, len(ints)), make([]int64, len(ints))
		for i, x := range ints {
			v[i], sums[i] = float32(x), int64(x)<<20
		}
		a, _, err := Quantize(v)
		b, _ := QuantizeSums(sums)
		if err != nil || !slices.Equal(a, b) {
			t.Fatalf("%v, %v; from sums %v", a, err, b)
		}
	})
}

func BenchmarkQuantizeSums256(b *testing.B) {
	sums := make([]int64, 256)
	for i := range sums {
		sums[i] = int64(i*7919%1009-500) << 24
	}
	b.ReportAllocs()
	for b.Loop() {
		QuantizeSums(sums)
	}
}
