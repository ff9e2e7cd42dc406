package detmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

type function struct {
	name   string
	f, ref func(float64) float64
}

func functions() []function {
	return []function{
		{"Log", Log, math.Log},
		{"Log1p", Log1p, math.Log1p},
		{"Exp", Exp, math.Exp},
	}
}

// ulps is the distance of a and b in representable numbers.
func ulps(a, b float64) uint64 {
	order := func(f float64) int64 {
		b := int64(math.Float64bits(f))
		if b < 0 {
			return math.MinInt64 - b
		}
		return b
	}
	if math.IsNaN(a) || math.IsNaN(b) {
		if math.IsNaN(a) && math.IsNaN(b) {
			return 0
		}
		return math.MaxUint64
	}
	x, y := order(a), order(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// inputs yields n values of several kinds: any bit pattern, the neighbourhood
// of 0 and ±1, and the ranges that scores live in.
func inputs(n int, seed uint64, check func(x float64)) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		check(math.Float64frombits(r.Uint64()))
		check(r.NormFloat64())
		check(r.Float64() * 1e6)
		check((r.Float64() - .5) * 1500)
		tiny := math.Ldexp(r.Float64()-.5, -r.IntN(60))
		check(tiny)
		check(1 + tiny)
		check(tiny - 1)
	}
}

// mathIsOff reports where the assembly of package math is itself far from the
// truth: Log of subnormals and Exp just below its overflow (amd64), Exp of the
// last value above its underflow (arm64). The truth tests cover those.
func mathIsOff(name string, x float64) bool {
	return name == "Log" && x > 0 && x < 0x1p-1022 || name == "Exp" && (x > 709 && x < 710 || x < -745)
}

func TestWithinTwoUlpOfMath(t *testing.T) {
	for _, fn := range functions() {
		var worst uint64
		var at float64
		inputs(100_000, 7, func(x float64) {
			if mathIsOff(fn.name, x) {
				return
			}
			if d := ulps(fn.f(x), fn.ref(x)); d > worst {
				worst, at = d, x
			}
		})
		t.Logf("%s: at most %d ulp", fn.name, worst)
		if worst > 2 {
			t.Errorf("%s(%v) = %v, math has %v: %d ulp", fn.name, at, fn.f(at), fn.ref(at), worst)
		}
	}
}

func TestSpecialValuesEqualMath(t *testing.T) {
	values := []float64{
		0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 0x0.fffffp-1022,
		math.MaxFloat64, -math.MaxFloat64, math.Nextafter(-1, 0), math.Nextafter(-1, -2),
		709, 709.7827128933841, 710, -745.1332191019411, -745.1332191019412, -708.5, -740,
		0x1p-28, 0x1p-29, 0x1p-54, 2, 1 << 53,
	}
	for _, fn := range functions() {
		for _, x := range values {
			if mathIsOff(fn.name, x) {
				continue
			}
			got, want := fn.f(x), fn.ref(x)
			exact := want == 0 || math.IsInf(want, 0) || math.IsNaN(want) || x == 1
			switch d := ulps(got, want); {
			case exact && (d != 0 || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(want)):
				t.Errorf("%s(%v) = %v, want %v", fn.name, x, got, want)
			case d > 1:
				t.Errorf("%s(%v) = %v, want %v: %d ulp", fn.name, x, got, want, d)
			}
		}
	}
}

func BenchmarkLog(b *testing.B)   { bench(b, Log) }
func BenchmarkLog1p(b *testing.B) { bench(b, Log1p) }
func BenchmarkExp(b *testing.B)   { bench(b, Exp) }

func bench(b *testing.B, f func(float64) float64) {
	b.ReportAllocs()
	x, sum := .1, 0.0
	for b.Loop() {
		x += .37
		if x > 30 {
			x = .1
		}
		sum += f(x)
	}
	if math.IsNaN(sum) {
		b.Fatal("NaN")
	}
}
