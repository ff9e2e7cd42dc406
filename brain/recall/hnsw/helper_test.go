package hnsw

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// small has thresholds that let a few hundred vectors reach the graph.
func small() Options {
	return Options{M: 8, EfConstruction: 40, Batch: 32, Lag: 64, MinLen: 128, ScanBelow: -1}
}

func ident(ord uint32) uint64 { return uint64(ord) }

// pack quantises rows; an empty one is an ordinal without a vector.
func pack(t testing.TB, dim int, rows [][]float32) Vectors {
	t.Helper()
	hi, err := vek.NewFlat(dim)
	if err != nil {
		t.Fatal(err)
	}
	low, err := vek.NewFlat(dim)
	if err != nil {
		t.Fatal(err)
	}
	v := Vectors{LowNorms: make([]float64, len(rows))}
	for i, row := range rows {
		q, l, norm, err := Split(row)
		if err != nil {
			t.Fatal(err)
		}
		v.LowNorms[i] = norm
		if _, err := hi.Append(q); err != nil {
			t.Fatal(err)
		}
		if _, err := low.Append(l); err != nil {
			t.Fatal(err)
		}
	}
	v.View = hi.View()
	lows := low.View()
	v.Low = &lows
	return v
}

// first returns the first n vectors.
func (v Vectors) first(n int) Vectors {
	cut := func(from vek.View) vek.View {
		f, err := vek.NewFlat(from.Dim())
		for i := 0; i < n && err == nil; i++ {
			_, err = f.Append(from.Row(uint32(i)))
		}
		if err != nil {
			panic(err)
		}
		return f.View()
	}
	low := cut(*v.Low)
	return Vectors{View: cut(v.View), Low: &low, LowNorms: v.LowNorms[:n]}
}

// without takes the vectors of some rows away.
func without(rows [][]float32, ords ...int) [][]float32 {
	for _, i := range ords {
		rows[i] = nil
	}
	return rows
}

func gauss(r *rand.Rand, dim int) []float32 {
	row := make([]float32, dim)
	for i := range row {
		row[i] = float32(r.NormFloat64())
	}
	return row
}

// clustered returns n rows around the given number of centres; 0 centres means
// plain noise.
func clustered(seed uint64, n, dim, centres int) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 99))
	var middle [][]float32
	for range centres {
		middle = append(middle, gauss(r, dim))
	}
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = gauss(r, dim)
		if centres > 0 {
			for j, x := range middle[r.IntN(centres)] {
				rows[i][j] = x + .4*rows[i][j]
			}
		}
	}
	return rows
}

func full(n int) []uint64 {
	b := make([]uint64, (n+63)/64)
	for i := range n {
		b[i>>6] |= 1 << (i & 63)
	}
	return b
}

// exact is the slow truth: every matching ordinal, sorted.
func exact(v Vectors, q []int8, k int, match []uint64) []topk.Hit {
	var hits []topk.Hit
	norm := length(q)
	for i := range v.Len() {
		if n := v.Norm(uint32(i)); n != 0 && norm != 0 && has(match, uint32(i)) {
			hits = append(hits, topk.Hit{Ord: uint32(i), Score: float64(vek.Dot(q, v.Row(uint32(i)))) / float64(norm*n)})
		}
	}
	sort.Slice(hits, func(i, j int) bool {
		return hits[i].Score > hits[j].Score || hits[i].Score == hits[j].Score && hits[i].Ord < hits[j].Ord
	})
	return hits[:min(k, len(hits))]
}

func mustNew(t testing.TB, o Options) *Graph {
	t.Helper()
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func grow(t testing.TB, g *Graph, v Vectors) {
	t.Helper()
	if err := g.Grow(context.Background(), v, g.Options().End(v.Len()), ident); err != nil {
		t.Fatal(err)
	}
}

func search(t testing.TB, view View, v Vectors, q Query) ([]topk.Hit, Stats) {
	t.Helper()
	hits, stats, err := view.Search(v, q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return hits, stats
}

// stored returns all blobs of a view, by name.
func stored(v View) map[Name][]byte {
	m := map[Name][]byte{}
	for b := range v.Pages() {
		m[b.Name] = b.Data
	}
	return m
}

func sameGraph(t testing.TB, a, b View, what string) {
	t.Helper()
	x, y := stored(a), stored(b)
	if len(x) != len(y) {
		t.Fatalf("%s: %d blobs and %d", what, len(x), len(y))
	}
	for name, data := range x {
		if !slices.Equal(data, y[name]) {
			t.Fatalf("%s: %s differs", what, name)
		}
	}
}

func overlap(got, want []topk.Hit) int {
	n := 0
	for _, h := range want {
		if slices.ContainsFunc(got, func(x topk.Hit) bool { return x.Ord == h.Ord }) {
			n++
		}
	}
	return n
}
