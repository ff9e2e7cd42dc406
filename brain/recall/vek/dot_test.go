package vek

import (
	"math"
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

func TestDotBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for dim := 1; dim <= 300; dim++ {
		stride, n := dim+r.IntN(3), 1+r.IntN(40)
		base, q := randomVector(r, (n-1)*stride+dim), randomVector(r, dim)
		ids := make([]uint32, r.IntN(50))
		want := make([]int32, len(ids))
		for i := range ids {
			ids[i] = uint32(r.IntN(n))
			at := int(ids[i]) * stride
			want[i] = naiveDot(q, base[at:at+dim])
		}
		got := make([]int32, len(ids))
		if DotBatch(q, base, stride, ids, got); !slices.Equal(got, want) {
			t.Fatalf("dim %d, stride %d, %d rows: %v, want %v", dim, stride, n, got, want)
		}
	}
}

func TestDotBatchPanicsOutsideOfBase(t *testing.T) {
	q, out := make([]int8, 20), make([]int32, 3)
	tests := []struct {
		name   string
		base   int
		stride int
		ids    []uint32
		panics bool
	}{
		{"last row", 60, 20, []uint32{0, 2, 1}, false},
		{"last row without the rest of its stride", 62, 21, []uint32{2}, false},
		{"row beyond", 60, 20, []uint32{3, 0}, true},
		{"row cut", 59, 20, []uint32{0, 2}, true},
		{"product wraps", 60, math.MaxInt/2 + 1, []uint32{0, 4}, true},
		{"rows overlap", 60, 19, []uint32{0}, true},
		{"stride is negative", 60, -20, []uint32{0}, true},
		{"no rows", 0, 20, []uint32{0}, true},
		{"nothing asked of nothing", 0, 20, nil, false},
		{"out too short", 60, 20, []uint32{0, 0, 0, 0}, true},
	}
	for _, tt := range tests {
		func() {
			defer func() {
				if r := recover(); (r != nil) != tt.panics {
					t.Errorf("%s: panic %v, want one: %v", tt.name, r, tt.panics)
				}
			}()
			DotBatch(q, make([]int8, tt.base), tt.stride, tt.ids, out)
		}()
	}
}
