package topk

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// naive sorts everything and cuts.
func naive(hits []Hit, k int) []Hit {
	var all []Hit
	for _, h := range hits {
		if !math.IsNaN(h.Score) {
			all = append(all, h)
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Score != all[j].Score {
			return all[i].Score > all[j].Score
		}
		return all[i].Ord < all[j].Ord
	})
	return all[:min(max(k, 0), len(all))]
}

func TestSortedEqualsFullSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1),
			rapid.SampledFrom([]float64{0, 1, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1)}))
		scores := rapid.SliceOfN(score, 0, 300).Draw(t, "scores")
		k := rapid.IntRange(-1, 310).Draw(t, "k")
		hits := make([]Hit, len(scores))
		for i, s := range scores {
			hits[i] = Hit{Ord: uint32(i), Score: s}
		}
		want := naive(hits, k)
		rand.New(rand.NewPCG(1, uint64(len(hits)))).Shuffle(len(hits), func(i, j int) {
			hits[i], hits[j] = hits[j], hits[i]
		})
		top := New(k)
		for _, h := range hits {
			top.Push(h.Ord, h.Score)
		}
		for range 2 { // Sorted leaves the heap as it was
			if got := top.Sorted(); !slices.Equal(got, want) {
				t.Fatalf("k=%d: got %v, want %v", k, got, want)
			}
		}
		if top.Len() != len(want) {
			t.Fatalf("Len %d, want %d", top.Len(), len(want))
		}
	})
}

func TestPushAfterSorted(t *testing.T) {
	top := New(2)
	top.Push(1, .1)
	top.Push(2, .2)
	_ = top.Sorted()
	top.Push(3, .3)
	top.Push(0, .2)
	want := []Hit{{3, .3}, {0, .2}}
	if got := top.Sorted(); !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestThreshold(t *testing.T) {
	top := New(2)
	check := func(want float64) {
		t.Helper()
		if got := top.Threshold(); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	check(math.Inf(-1))
	top.Push(5, 3)
	check(math.Inf(-1))
	top.Push(6, 2)
	check(2)
	top.Push(7, 2) // equal, later ordinal: not kept
	check(2)
	if got := top.Sorted()[1].Ord; got != 6 {
		t.Fatalf("kept ordinal %d, want 6", got)
	}
	top.Push(8, 4)
	check(3)
	for _, none := range []*Top{New(0), New(-1), {}} {
		none.Push(1, 1)
		if none.Threshold() != math.Inf(1) || none.Len() != 0 {
			t.Fatal("k = 0 keeps something")
		}
	}
}

func TestPushDoesNotAllocate(t *testing.T) {
	top := New(100)
	for i := range 100 {
		top.Push(uint32(i), 0)
	}
	x := 0.0
	if n := testing.AllocsPerRun(100, func() { x++; top.Push(1, x) }); n != 0 {
		t.Fatalf("%v allocations per Push", n)
	}
}

func BenchmarkPush(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	scores := make([]float64, 10_000)
	for i := range scores {
		scores[i] = r.Float64()
	}
	b.ReportAllocs()
	for b.Loop() {
		top := New(100)
		for i, s := range scores {
			top.Push(uint32(i), s)
		}
	}
}
