package vek

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func naiveDot(a, b []int8) int32 {
	var s int64
	for i := range a {
		s += int64(a[i]) * int64(b[i])
	}
	return int32(s)
}

func TestDotStopsAtTheShorterVector(t *testing.T) {
	if Dot(nil, nil) != 0 || Dot([]int8{1, 2, 3}, []int8{4, 5}) != 14 || Dot([]int8{1}, []int8{4, 5}) != 4 {
		t.Fatal("Dot does not stop at the shorter vector")
	}
}

func TestDots(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for dim := 1; dim <= 300; dim++ {
		f, err := NewFlat(dim)
		if err != nil {
			t.Fatal(err)
		}
		n, q := 1+r.IntN(40), randomVector(r, dim)
		rows := make([][]int8, n)
		for i := range rows {
			rows[i] = randomVector(r, dim)
			if _, err := f.Append(rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		v, ids := f.View(), make([]uint32, r.IntN(50))
		want := make([]int32, len(ids))
		for i := range ids {
			ids[i] = uint32(r.IntN(n))
			want[i] = naiveDot(q, rows[ids[i]])
			if !slices.Equal(v.Row(ids[i]), rows[ids[i]]) || v.Norm(ids[i]) != norm(sumSquares(rows[ids[i]])) {
				t.Fatalf("dim %d: row %d is another", dim, ids[i])
			}
		}
		got := make([]int32, len(ids))
		if v.Dots(q, ids, got); !slices.Equal(got, want) {
			t.Fatalf("dim %d, %d rows: %v, want %v", dim, n, got, want)
		}
	}
}

func TestDotsPanicsOutsideOfTheView(t *testing.T) {
	f, err := NewFlat(20)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := f.Append(make([]int8, 20)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		q, out int
		ids    []uint32
		panics bool
	}{
		{"last row", 20, 3, []uint32{0, 2, 1}, false},
		{"row beyond", 20, 3, []uint32{3, 0}, true},
		{"short query", 19, 3, []uint32{0}, true},
		{"nothing asked", 20, 0, nil, false},
		{"out too short", 20, 3, []uint32{0, 0, 0, 0}, true},
	} {
		func() {
			defer func() {
				if r := recover(); (r != nil) != tt.panics {
					t.Errorf("%s: panic %v, want one: %v", tt.name, r, tt.panics)
				}
			}()
			f.View().Dots(make([]int8, tt.q), tt.ids, make([]int32, tt.out))
		}()
	}
}
