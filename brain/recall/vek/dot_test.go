package vek

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func naiveDot(a, b []int8) int32 {
	var s int64
	for i := range a {
		s += int64(a[i]) * int64(b[i])
	}
	return int32(s)
}

// preparedDot is the dot product as a scan does it.
func preparedDot(t interface{ Fatal(...any) }, a, b []int8) int32 {
	f, err := NewFlat(len(a))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Append(a); err != nil {
		t.Fatal(err)
	}
	p := newQuery(b)
	return p.dot(f.v.row(0))
}

func TestDotEqualsNaiveOnAllDims(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for dim := 1; dim <= 520; dim++ {
		a, b := randomVector(r, dim), randomVector(r, dim)
		want := naiveDot(a, b)
		if got := Dot(a, b); got != want {
			t.Fatalf("dim %d: Dot %d, want %d", dim, got, want)
		}
		if got := preparedDot(t, a, b); got != want {
			t.Fatalf("dim %d: prepared %d, want %d", dim, got, want)
		}
	}
	if Dot(nil, nil) != 0 || Dot([]int8{1, 2, 3}, []int8{4, 5}) != 14 {
		t.Fatal("Dot does not stop at the shorter vector")
	}
}

func TestDotAtTheLimits(t *testing.T) {
	for _, dim := range []int{1, 8, 256, 257, MaxDim - 3, MaxDim} {
		for _, x := range []int8{-128, -127, -1, 0, 1, 127} {
			for _, y := range []int8{-128, -127, -1, 0, 1, 127} {
				a, b := make([]int8, dim), make([]int8, dim)
				for i := range a {
					a[i], b[i] = x, y
				}
				want := naiveDot(a, b)
				if got := Dot(a, b); got != want {
					t.Fatalf("dim %d, %d·%d: Dot %d, want %d", dim, x, y, got, want)
				}
				if got := preparedDot(t, a, b); got != want {
					t.Fatalf("dim %d, %d·%d: prepared %d, want %d", dim, x, y, got, want)
				}
			}
		}
	}
}

func TestDotProperties(t *testing.T) {
	component := rapid.OneOf(rapid.Int8(), rapid.SampledFrom([]int8{-128, 127, 0}))
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(component, 1, 600).Draw(t, "a")
		b := rapid.SliceOfN(component, len(a), len(a)).Draw(t, "b")
		want := naiveDot(a, b)
		if got := Dot(a, b); got != want || Dot(b, a) != want {
			t.Fatalf("Dot %d and %d, want %d", got, Dot(b, a), want)
		}
		if got := preparedDot(t, a, b); got != want {
			t.Fatalf("prepared %d, want %d", got, want)
		}
	})
}

func BenchmarkDot256(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := randomVector(r, 256), randomVector(r, 256)
	b.ReportAllocs()
	var sum int32
	for b.Loop() {
		sum += Dot(x, y)
	}
	_ = sum
}

// BenchmarkScan is the size of the four judged collections in one index.
func BenchmarkScan9076x256(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([][]int8, 9076)
	for i := range rows {
		rows[i] = randomVector(r, 256)
	}
	v := mustFlat(b, 256, rows)
	q, filter := randomVector(r, 256), allBits(len(rows))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Search(q, filter, 100); err != nil {
			b.Fatal(err)
		}
	}
}
