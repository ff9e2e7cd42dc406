package vek

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDotBatchEqualsNaive(t *testing.T) {
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
		DotBatch(q, base, stride, ids, got)
		if !slices.Equal(got, want) {
			t.Fatalf("dim %d, stride %d, %d rows: %v, want %v", dim, stride, n, got, want)
		}
	}
}
