package detmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const prec = 320 // bits of the reference

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

// bigExp returns e**x to more than 200 bits: Taylor after halving, then squaring.
func bigExp(x float64) *big.Float {
	const halvings, terms = 20, 22
	r := num(x)
	r.SetMantExp(r, -halvings)
	sum, term := num(1), num(1)
	for i := 1; i <= terms; i++ {
		term.Mul(term, r)
		term.Quo(term, num(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog returns log(v), given an approximation y of it: with d = v*e**-y - 1,
// log(v) = y + d - d*d/2 + d*d*d/3.
func bigLog(v *big.Float, y float64) float64 {
	d := bigExp(-y)
	d.Mul(d, v)
	d.Sub(d, num(1))
	d2 := num(0).Mul(d, d)
	d3 := num(0).Mul(d2, d)
	sum := num(y)
	sum.Add(sum, d)
	sum.Sub(sum, d2.Quo(d2, num(2)))
	sum.Add(sum, d3.Quo(d3, num(3)))
	f, _ := sum.Float64()
	return f
}

func TestWithinOneUlpOfTruth(t *testing.T) {
	check := func(name string, x, got, want float64) {
		t.Helper()
		if d := ulps(got, want); d > 1 {
			t.Fatalf("%s(%v) = %v, want %v: %d ulp", name, x, got, want, d)
		}
	}
	inputs(1500, 11, func(x float64) {
		if x > 0 && !math.IsInf(x, 0) {
			check("Log", x, Log(x), bigLog(num(x), Log(x)))
		}
		if a := math.Abs(x); x > -1 && a > 0x1p-60 && !math.IsInf(x, 0) {
			check("Log1p", x, Log1p(x), bigLog(num(0).Add(num(1), num(x)), Log1p(x)))
		}
		if math.Abs(x) < 760 {
			want, _ := bigExp(x).Float64()
			check("Exp", x, Exp(x), want)
		}
	})
	for _, x := range []float64{math.SmallestNonzeroFloat64, 0x3p-1074, 0x0.fffffp-1022} {
		check("Log", x, Log(x), bigLog(num(x), Log(x)))
	}
	for _, x := range []float64{709.5, 709.7827, -745, -744.9, -708.4} {
		want, _ := bigExp(x).Float64()
		check("Exp", x, Exp(x), want)
	}
}

func TestLogisticWithinTwoUlpOfTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		x := (r.Float64() - .5) * 80
		e := bigExp(-x)
		want, _ := num(0).Quo(num(1), e.Add(e, num(1))).Float64()
		if d := ulps(Logistic(x), want); d > 2 {
			t.Fatalf("Logistic(%v) = %v, want %v: %d ulp", x, Logistic(x), want, d)
		}
	}
	for x, want := range map[float64]float64{
		0: .5, math.Inf(1): 1, math.Inf(-1): 0, 800: 1, -800: 0, 40: 1,
	} {
		if got := Logistic(x); got != want {
			t.Errorf("Logistic(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(Logistic(math.NaN())) {
		t.Error("Logistic(NaN) is a number")
	}
}
