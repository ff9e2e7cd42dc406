package vek

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"pgregory.net/rapid"
)

func randomVector(r *rand.Rand, dim int) []int8 {
	q := make([]int8, dim)
	for i := range q {
		q[i] = int8(r.Uint32())
	}
	return q
}

func allBits(n int) []uint64 {
	f := make([]uint64, (n+63)/64)
	for i := range f {
		f[i] = math.MaxUint64
	}
	return f
}

func mustFlat(t testing.TB, dim int, rows [][]int8) View {
	t.Helper()
	f, err := NewFlat(dim)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range rows {
		if ord, err := f.Append(q); err != nil || ord != uint32(i) {
			t.Fatalf("Append: ordinal %d, %v; want %d", ord, err, i)
		}
	}
	return f.View()
}

// naive is Search without any cleverness.
func naive(rows [][]int8, q []int8, filter []uint64, k int) []topk.Hit {
	hits := []topk.Hit{}
	for i, row := range rows {
		set := i/64 < len(filter) && filter[i/64]>>(i%64)&1 == 1
		var dot, aa, bb int64
		for j := range row {
			dot += int64(row[j]) * int64(q[j])
			aa += int64(q[j]) * int64(q[j])
			bb += int64(row[j]) * int64(row[j])
		}
		if !set || aa == 0 || bb == 0 {
			continue
		}
		s := float64(dot) / float64(math.Sqrt(float64(aa))*math.Sqrt(float64(bb)))
		hits = append(hits, topk.Hit{Ord: uint32(i), Score: s})
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].Score > hits[j].Score })
	return hits[:min(max(k, 0), len(hits))]
}

func TestSearchEqualsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 40).Draw(t, "dim")
		n := rapid.IntRange(0, 700).Draw(t, "n")
		k := rapid.IntRange(-1, 30).Draw(t, "k")
		words := rapid.IntRange(0, 14).Draw(t, "words")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		narrow := rapid.Bool().Draw(t, "narrow") // many ties and zero vectors
		draw := func() []int8 {
			q := randomVector(r, dim)
			for i := range q {
				if narrow {
					q[i] %= 2
				}
			}
			return q
		}
		rows := make([][]int8, n)
		for i := range rows {
			if r.IntN(5) != 0 {
				rows[i] = draw()
			}
		}
		filter := make([]uint64, words)
		for i := range filter {
			filter[i] = r.Uint64() | r.Uint64()
		}
		q := draw()
		f, err := NewFlat(dim)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if _, err := f.Append(row); err != nil {
				t.Fatal(err)
			}
		}
		v := f.View()
		got, err := v.Search(q, filter, k)
		if want := naive(rows, q, filter, k); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v, %v; want %v", got, err, want)
		}
		all := naive(rows, q, allBits(n), n)
		ords, want := []uint32{uint32(n), math.MaxUint32}, []float64{Missing, Missing}
		for i := range rows {
			ords, want = append(ords, uint32(i)), append(want, Missing)
		}
		for _, h := range all {
			want[h.Ord+2] = h.Score
		}
		out := make([]float64, len(ords))
		if err := v.Score(q, ords, out); err != nil || !slices.Equal(out, want) {
			t.Fatalf("Score: got %v, %v; want %v", out, err, want)
		}
		for i := range rows {
			if v.Has(uint32(i)) != (rows[i] != nil && sumSquares(rows[i]) > 0) {
				t.Fatalf("Has(%d) is wrong", i)
			}
		}
	})
}

// TestSearchTellsTheLastBitApart: multiples of one vector have one cosine but for
// the rounding of their norms, so the best of them differ in the last bits, and
// what decides must not be the cheap test of the threshold.
func TestSearchTellsTheLastBitApart(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	differ := false
	for range 200 {
		one, q := randomVector(r, 5), randomVector(r, 5)
		var rows [][]int8
		for m := range int8(31) {
			row := make([]int8, len(one))
			for i, x := range one {
				row[i] = x % 5 * (m + 1)
			}
			rows = append(rows, row)
		}
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		v := mustFlat(t, len(one), rows)
		for k := 1; k <= 8; k++ {
			got, err := v.Search(q, allBits(len(rows)), k)
			want := naive(rows, q, allBits(len(rows)), k)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("k %d: got %v, %v; want %v", k, got, err, want)
			}
			differ = differ || k > 1 && want[0].Score != want[k-1].Score
		}
	}
	if !differ {
		t.Fatal("all cosines were equal: the test shows nothing")
	}
}

func TestNilFilterFindsNothing(t *testing.T) {
	v := mustFlat(t, 2, [][]int8{{1, 2}, {3, 4}})
	if hits, err := v.Search([]int8{1, 1}, nil, 5); err != nil || len(hits) != 0 {
		t.Fatalf("%v, %v", hits, err)
	}
}

func TestViewIsNotChangedByAppend(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	f, err := NewFlat(9)
	if err != nil {
		t.Fatal(err)
	}
	q := randomVector(r, 9)
	done := make(chan bool)
	for range 600 {
		if _, err := f.Append(randomVector(r, 9)); err != nil {
			t.Fatal(err)
		}
		v := f.View()
		go func() { // races with the next Append under -race
			n := v.Len()
			hits, err := v.Search(q, allBits(4096), 4096)
			done <- err == nil && len(hits) == n
		}()
	}
	for range 600 {
		if !<-done {
			t.Fatal("a view saw other rows than its own")
		}
	}
}

func TestWrongLengthsAreNamed(t *testing.T) {
	v := mustFlat(t, 3, [][]int8{{1, 2, 3}})
	f := &Flat{v}
	check := func(name, field string, err error) {
		t.Helper()
		var bad *invalid.Error
		if !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%s: %v, want an error of field %s", name, err, field)
		}
	}
	for _, dim := range []int{-1, 0, MaxDim + 1} {
		_, err := NewFlat(dim)
		check("NewFlat", "dim", err)
	}
	_, err := f.Append([]int8{1})
	check("Append short", "vector", err)
	_, err = f.Append([]int8{})
	check("Append empty", "vector", err)
	_, err = v.Search([]int8{1, 2}, allBits(1), 1)
	check("Search", "vector", err)
	check("Score vector", "vector", v.Score(nil, nil, nil))
	check("Score out", "out", v.Score([]int8{1, 2, 3}, []uint32{0}, nil))
	if f.View().Len() != 1 {
		t.Error("a refused Append added an ordinal")
	}
	if _, err := (View{}).Search(nil, nil, 1); err != nil {
		t.Errorf("zero View: %v", err)
	}
}

// TestScanDoesNotAllocate: a hundred times the rows, not one allocation more.
func TestScanDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([][]int8, 5000)
	for i := range rows {
		rows[i] = randomVector(r, 64)
	}
	v := mustFlat(t, 64, rows)
	q := randomVector(r, 64)
	few, all := []uint64{1<<50 - 1}, allBits(5000)
	count := func(filter []uint64) float64 {
		return testing.AllocsPerRun(20, func() {
			if _, err := v.Search(q, filter, 10); err != nil {
				t.Fatal(err)
			}
		})
	}
	if a, b := count(few), count(all); a != b || b > 2 {
		t.Fatalf("%v allocations for 50 rows, %v for 5000; want the same, at most 2", a, b)
	}
	scores, ords, dots := make([]float64, 50), make([]uint32, 50), make([]int32, 50)
	if n := testing.AllocsPerRun(20, func() { _ = v.Score(q, ords, scores) }); n != 0 {
		t.Fatalf("%v allocations in Score", n)
	}
	if n := testing.AllocsPerRun(20, func() { v.Dots(q, ords, dots) }); n != 0 {
		t.Fatalf("%v allocations in Dots", n)
	}
}
