package hnsw

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/internal/race"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

func TestRecall(t *testing.T) {
	const dim, n, queries = 24, 6000, 100
	for _, centres := range []int{0, 30} {
		for _, share := range []float64{1, .5, .2, .05} {
			t.Run(fmt.Sprintf("centres=%d/share=%v", centres, share), func(t *testing.T) {
				rows := clustered(7, n+queries, dim, centres)
				v := pack(t, dim, rows[:n])
				g := mustNew(t, Options{EfConstruction: 100, Lag: 64, MinLen: 128, ScanBelow: -1, Workers: 2})
				grow(t, g, v)
				r := rand.New(rand.NewPCG(8, 8))
				match := full(n)
				for i := range n {
					if r.Float64() >= share {
						match[i>>6] &^= 1 << (i & 63)
					}
				}
				found, plans := 0, map[Plan]int{}
				for _, row := range rows[n:] {
					q, _, err := vek.Quantize(row)
					if err != nil {
						t.Fatal(err)
					}
					got, stats := search(t, g.View(), v, Query{Vector: q, K: 10, Match: match})
					plans[stats.Plan]++
					found += overlap(got, exact(v, q, 10, match))
				}
				recall := float64(found) / (10 * queries)
				t.Logf("recall %.3f, plans %v", recall, plans)
				if recall < .95 {
					t.Errorf("recall %.3f", recall)
				}
				// Along few matching nodes a cluster can be cut off: then it is
				// scanned.
				if plans[PlanScan] > 0 || plans[PlanBack] > queries/10 {
					t.Errorf("not walked: %v", plans)
				}
			})
		}
	}
}

// Whatever the plan: as many hits as match, in order, with exact scores, all of
// them matching.
func TestCountsAndOrder(t *testing.T) {
	const dim, n = 6, 700
	v := pack(t, dim, without(clustered(9, n, dim, 4), 0, 63, 64, 500, 699))
	g := mustNew(t, small())
	grow(t, g, v)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		at := rapid.IntRange(g.View().End(), n).Draw(t, "vectors")
		vecs := v.first(at)
		match := make([]uint64, rapid.IntRange(0, n/64+3).Draw(t, "words"))
		share := rapid.SampledFrom([]float64{0, .01, .1, .3, .7, 1}).Draw(t, "share")
		for i := range len(match) * 64 {
			if r.Float64() < share {
				match[i>>6] |= 1 << (i & 63)
			}
		}
		q := Query{
			K: rapid.IntRange(0, 800).Draw(t, "k"), Ef: rapid.IntRange(0, 60).Draw(t, "ef"),
			Match: match, Vector: v.Row(uint32(r.IntN(n))),
		}
		hits, stats, err := g.View().Search(vecs, q, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := exact(vecs, q.Vector, n, match)
		if len(hits) != min(q.K, len(want)) {
			t.Fatalf("%d hits (%s), want %d", len(hits), stats.Plan, min(q.K, len(want)))
		}
		for i, h := range hits {
			if !slices.Contains(want, h) {
				t.Fatalf("hit %v is none of the matching, or has another score", h)
			}
			if i > 0 && !before(hits[i-1], h) {
				t.Fatalf("%v before %v", hits[i-1], h)
			}
		}
		if stats.Plan <= PlanScan || stats.Plan == PlanBack {
			if !slices.Equal(hits, want[:len(hits)]) {
				t.Fatalf("plan %s is not exact", stats.Plan)
			}
		}
	})
}

// Scores have the bits of package vek.
func TestScoresAreThoseOfVek(t *testing.T) {
	const dim, n = 10, 400
	v := pack(t, dim, clustered(10, n, dim, 0))
	flat, err := vek.NewFlat(dim)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := flat.Append(v.Row(uint32(i))); err != nil {
			t.Fatal(err)
		}
	}
	g := mustNew(t, small())
	grow(t, g, v)
	for i := range uint32(20) {
		// A width that holds every node: the walk is exact.
		got, _ := search(t, g.View(), v, Query{Vector: v.Row(i), K: 15, Match: full(n), Ef: n})
		want, err := flat.View().Search(v.Row(i), full(n), 15)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// Retired nodes, the entry among them, are walked but not returned.
func TestRetired(t *testing.T) {
	const dim, n = 8, 1000
	v := pack(t, dim, clustered(11, n, dim, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	view := g.View()
	st := view.st
	entry := st.layers[st.top].ord(st.entry)
	live := full(n)
	r := rand.New(rand.NewPCG(3, 3))
	for i := range n {
		if r.IntN(2) == 0 {
			live[i>>6] &^= 1 << (i & 63)
		}
	}
	live[entry>>6] &^= 1 << (entry & 63)
	found := 0
	for i := range uint32(50) {
		got, stats := search(t, view, v, Query{Vector: v.Row(i), K: 10, Match: live, Ef: 20})
		if stats.Plan != PlanWalk || len(got) != 10 {
			t.Fatalf("%s: %v", stats.Plan, got)
		}
		for _, h := range got {
			if !has(live, h.Ord) {
				t.Fatalf("%d is retired", h.Ord)
			}
		}
		found += overlap(got, exact(v, v.Row(i), 10, live))
	}
	if found < 450 {
		t.Errorf("recall %v", float64(found)/500)
	}
}

// Members of one batch find each other, as do equal vectors.
func TestBatchMembersAreLinked(t *testing.T) {
	const dim, n = 16, 1024
	r := rand.New(rand.NewPCG(12, 1))
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = gauss(r, dim)
		if i%4 != 0 { // four in a row are nearly the same
			for j := range rows[i] {
				rows[i][j] = rows[i-i%4][j] + .05*rows[i][j]
			}
		}
	}
	v := pack(t, dim, rows)
	o := small()
	o.Batch, o.Lag, o.MinLen = 128, -1, -1
	g := mustNew(t, o)
	grow(t, g, v)
	found := 0
	for i := range uint32(n) {
		got, _ := search(t, g.View(), v, Query{Vector: v.Row(i), K: 4, Match: full(n), Ef: 20})
		for _, h := range got {
			if h.Ord/4 == i/4 {
				found++
			}
		}
	}
	if found < 4*n*97/100 {
		t.Fatalf("%d of %d neighbours found", found, 4*n)
	}
}

func TestEqualVectors(t *testing.T) {
	rows := make([][]float32, 600)
	for i := range rows {
		rows[i] = []float32{1, float32(i / 300), 3}
	}
	v := pack(t, 3, rows)
	g := mustNew(t, small())
	grow(t, g, v)
	for _, k := range []int{1, 10, 299, 301, 500} {
		got, stats := search(t, g.View(), v, Query{Vector: v.Row(0), K: k, Match: full(600), Ef: 600})
		if want := exact(v, v.Row(0), k, full(600)); !slices.Equal(got, want) {
			t.Fatalf("k=%d (%s): the lowest ordinals of equal scores come first: %v", k, stats.Plan, got)
		}
	}
}

func TestSecondPlane(t *testing.T) {
	const dim, n = 32, 3000
	rows := clustered(13, n+50, dim, 0)
	v := pack(t, dim, rows[:n])
	g := mustNew(t, small())
	grow(t, g, v)
	coarse, fine := 0, 0
	for _, row := range rows[n:] {
		var truth []topk.Hit
		for i, b := range rows[:n] {
			var dot, aa, bb float64
			for j := range b {
				dot, aa, bb = dot+float64(row[j])*float64(b[j]), aa+float64(row[j])*float64(row[j]), bb+float64(b[j])*float64(b[j])
			}
			truth = append(truth, topk.Hit{Ord: uint32(i), Score: dot / math.Sqrt(aa*bb)})
		}
		slices.SortFunc(truth, func(a, b topk.Hit) int {
			if a.Score > b.Score {
				return -1
			}
			return 1
		})
		q, low, norm, err := Split(row)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := search(t, g.View(), v, Query{Vector: q, K: 10, Match: full(n), Ef: 200})
		b, _ := search(t, g.View(), v, Query{Vector: q, Low: low, LowNorm: norm, K: 10, Match: full(n), Ef: 200})
		coarse, fine = coarse+overlap(a, truth[:10]), fine+overlap(b, truth[:10])
		for _, h := range b {
			at := slices.IndexFunc(truth, func(x topk.Hit) bool { return x.Ord == h.Ord })
			if math.Abs(truth[at].Score-h.Score) > 2e-4 {
				t.Fatalf("score %v, exact %v", h.Score, truth[at].Score)
			}
		}
	}
	if fine <= coarse || fine < 480 {
		t.Errorf("%d of 500 with the second plane, %d without", fine, coarse)
	}
}

func TestSearchRefuses(t *testing.T) {
	v := pack(t, 8, clustered(6, 300, 8, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	q := v.Row(0)
	for _, c := range []struct {
		v     Vectors
		q     Query
		field string
	}{
		{v, Query{Vector: q[:7], K: 1}, "vector"},
		{v, Query{Vector: q, K: -1}, "k"},
		{v, Query{Vector: q, K: MaxK + 1}, "k"},
		{v, Query{Vector: q, K: 1, Ef: -1}, "ef"},
		{v, Query{Vector: q, K: 1, Low: q[:2], LowNorm: 1}, "low"},
		{v, Query{Vector: q, K: 1, Low: q, LowNorm: math.NaN()}, "low"},
		{v.first(100), Query{Vector: q, K: 1}, "vectors"},
		{pack(t, 7, clustered(6, 300, 7, 5)), Query{Vector: q[:7], K: 1}, "dim"},
	} {
		var e *invalid.Error
		if _, _, err := g.View().Search(c.v, c.q, nil); !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%v, want field %s", err, c.field)
		}
	}
	if hits, _ := search(t, g.View(), v, Query{Vector: make([]int8, 8), K: 5, Match: full(300)}); len(hits) != 0 {
		t.Error("a zero vector finds something")
	}
	if hits, _ := search(t, View{}, v, Query{Vector: q, K: 5, Match: full(300)}); !slices.Equal(hits, exact(v, q, 5, full(300))) {
		t.Error("the zero view does not scan")
	}
}

func TestSearchDoesNotAllocate(t *testing.T) {
	const dim, n = 8, 2000
	v := pack(t, dim, clustered(14, n, dim, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	view := g.View()
	sets := map[string][]uint64{"all": full(n), "half": full(n), "few": full(n)}
	for i := range sets["half"] {
		sets["half"][i] &= 0x5555555555555555
		sets["few"][i] &= 0x1111
	}
	_, low, norm, _ := Split([]float32{1, 2, 3, 4, 5, 6, 7, 8})
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	for name, match := range sets {
		hits := make([]topk.Hit, 0, 16)
		q := Query{Vector: v.Row(5), Low: low, LowNorm: norm, K: 10, Match: match, Ef: 10}
		if _, _, err := view.Search(v, q, hits); err != nil { // grows the scratch
			t.Fatal(err)
		}
		if a := testing.AllocsPerRun(50, func() { _, _, _ = view.Search(v, q, hits) }); a != 0 && !race.Enabled {
			t.Errorf("%s: %v allocations", name, a)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	const dim, n = 64, 20_000
	v := pack(b, dim, clustered(15, n, dim, 200))
	g := mustNew(b, Options{Workers: 2, EfConstruction: 100})
	grow(b, g, v)
	match := full(n)
	hits := make([]topk.Hit, 0, 10)
	for _, ef := range []int{10, 50, 200} {
		b.Run(fmt.Sprint("ef=", ef), func(b *testing.B) {
			b.ReportAllocs()
			i := uint32(0)
			for b.Loop() {
				i = (i + 7919) % n
				_, _, _ = g.View().Search(v, Query{Vector: v.Row(i), K: 10, Match: match, Ef: ef}, hits)
			}
		})
	}
}
