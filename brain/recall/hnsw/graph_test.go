package hnsw

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"pgregory.net/rapid"
)

// A graph that grew in any steps, with any number of workers, equals the one
// that was built at once.
func TestGrownEqualsBuilt(t *testing.T) {
	v := pack(t, 12, without(clustered(1, 700, 12, 9), 17, 300))
	whole := mustNew(t, small())
	grow(t, whole, v)
	if whole.View().End() != 608 {
		t.Fatalf("end %d", whole.View().End())
	}
	rapid.Check(t, func(rt *rapid.T) {
		o := small()
		o.Workers = rapid.IntRange(1, 4).Draw(rt, "workers")
		g := mustNew(t, o)
		for n := 0; n < v.Len(); {
			n = min(n+rapid.IntRange(1, 300).Draw(rt, "step"), v.Len())
			grow(t, g, v.first(n))
			if got, want := g.View().End(), g.Options().End(n); got != want {
				rt.Fatalf("end %d after %d vectors, want %d", got, n, want)
			}
		}
		sameGraph(t, whole.View(), g.View(), "grown")
	})
}

func TestLinksAreSound(t *testing.T) {
	v := pack(t, 8, clustered(2, 900, 8, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	st := g.View().st
	if st.top < 1 {
		t.Fatal("no upper level: the test tests nothing")
	}
	for l := range st.layers {
		layer := &st.layers[l]
		for i := range layer.n {
			links := layer.links(uint32(i))
			if !slices.IsSorted(links) {
				t.Fatalf("level %d node %d: %v", l, i, links)
			}
			for j, x := range links {
				if int(x) >= layer.n || int(x) == i || j > 0 && x == links[j-1] {
					t.Fatalf("level %d node %d: %v", l, i, links)
				}
			}
			if l > 0 && st.layers[l-1].ord(layer.down[i]) != layer.ord(uint32(i)) {
				t.Fatalf("level %d node %d leads down to another ordinal", l, i)
			}
			if layer.n > 1 && len(links) == 0 {
				t.Fatalf("level %d node %d has no link", l, i)
			}
		}
	}
}

// A published view does not change while the graph grows on.
func TestViewStays(t *testing.T) {
	v := pack(t, 8, clustered(3, 1200, 8, 5))
	g := mustNew(t, small())
	grow(t, g, v.first(600))
	old := g.View()
	before := stored(old)
	grow(t, g, v)
	if g.View().End() == old.End() {
		t.Fatal("did not grow")
	}
	for name, data := range stored(old) {
		if !slices.Equal(data, before[name]) {
			t.Fatalf("%s of an old view changed", name)
		}
	}
	// What Changed leaves out is what did not change.
	merged := before
	for b := range g.View().Changed(old) {
		merged[b.Name] = b.Data
	}
	for name, data := range stored(g.View()) {
		if !slices.Equal(data, merged[name]) {
			t.Fatalf("%s is stale after writing what changed", name)
		}
	}
}

func TestChangedLeavesOutOldPages(t *testing.T) {
	// Two far groups: the second does not touch the links of the first.
	r := rand.New(rand.NewPCG(5, 5))
	rows := make([][]float32, 2048)
	for i := range rows {
		rows[i] = gauss(r, 8)
		rows[i][0] += 40
		if i >= 1024 {
			rows[i][0] -= 80
		}
	}
	v := pack(t, 8, rows)
	o := small()
	o.Lag, o.Batch = -1, 256
	g := mustNew(t, o)
	grow(t, g, v.first(1792))
	old := g.View()
	grow(t, g, v)
	n := 0
	for range g.View().Changed(old) {
		n++
	}
	if all := len(stored(g.View())); n >= all {
		t.Fatalf("all %d blobs changed", all)
	}
}

// Reading while growing: run with -race.
func TestSearchWhileGrowing(t *testing.T) {
	const dim, n = 8, 1500
	v := pack(t, dim, clustered(4, n, dim, 6))
	o := small()
	o.Workers = 2
	g := mustNew(t, o)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			match := full(n)
			for {
				view := g.View()
				vecs := v.first(max(view.End(), 200))
				q := v.Row(uint32(r.IntN(vecs.Len())))
				a, _, err := view.Search(vecs, Query{Vector: q, K: 5, Match: match}, nil)
				b, _, err2 := view.Search(vecs, Query{Vector: q, K: 5, Match: match}, nil)
				if err != nil || err2 != nil || len(a) != 5 || !slices.Equal(a, b) {
					t.Errorf("%v %v: %v, then %v", err, err2, a, b)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for at := 100; at <= n; at += 100 {
		grow(t, g, v.first(at))
	}
	close(done)
	wg.Wait()
}

func TestGrowStopsWithContext(t *testing.T) {
	v := pack(t, 8, clustered(6, 600, 8, 5))
	g := mustNew(t, small())
	ctx, cancel := context.WithCancel(context.Background())
	err := g.Grow(ctx, v, 512, func(ord uint32) uint64 {
		if ord == 100 {
			cancel()
		}
		return uint64(ord)
	})
	if !errors.Is(err, context.Canceled) || g.View().End() != 128 {
		t.Fatalf("%v at %d", err, g.View().End())
	}
	grow(t, g, v)
	whole := mustNew(t, small())
	grow(t, whole, v)
	sameGraph(t, whole.View(), g.View(), "resumed")
}

func TestGrowRefuses(t *testing.T) {
	v := pack(t, 8, clustered(6, 300, 8, 5))
	other := pack(t, 9, clustered(6, 300, 9, 5))
	g := mustNew(t, small())
	grow(t, g, v)
	bad := v
	bad.LowNorms = bad.LowNorms[1:]
	for _, c := range []struct {
		v     Vectors
		end   int
		field string
	}{
		{other, 256, "dim"}, {v, 257, "end"}, {v, 320, "end"}, {v, -32, "end"},
		{bad, 256, "low"}, {Vectors{}, 0, "dim"},
	} {
		var e *invalid.Error
		if err := g.Grow(context.Background(), c.v, c.end, ident); !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%v, want field %s", err, c.field)
		}
	}
	for _, o := range []Options{{M: 3}, {M: 65}, {EfConstruction: 3}, {M: 32, EfConstruction: 16}, {Batch: -2}, {Workers: 257}, {Lag: -5}} {
		if _, err := New(o); !errors.Is(err, invalid.Err) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestEnd(t *testing.T) {
	o := mustNew(t, Options{}).Options()
	for n, want := range map[int]int{0: 0, 4095: 0, 4096: 0, 4351: 0, 4352: 256, 8192: 4096, 8447: 4096, 8448: 4352, 100_000: 95_744} {
		if got := o.End(n); got != want {
			t.Errorf("End(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestLevel(t *testing.T) {
	const n = 1 << 20
	var reach [8]int
	for id := range uint64(n) {
		for l := range min(Level(id, 16), 7) + 1 {
			reach[l]++
		}
	}
	for l, got := range reach[:4] {
		want := n >> (4 * l)
		if got < want*9/10-20 || got > want*11/10+20 {
			t.Errorf("%d nodes reach level %d, want about %d", got, l, want)
		}
	}
	// The hash is part of the format.
	if splitmix(0) != 0xe220a8397b1dcdaf || splitmix(1) != 0x910a2dec89025cc1 {
		t.Errorf("splitmix(0) = %#x, splitmix(1) = %#x", splitmix(0), splitmix(1))
	}
}

func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float32Range(-2, 2).Draw(t, "a")+0, rapid.Float32Range(-2, 2).Draw(t, "b")+0
		x, y := rapid.Uint32Range(0, MaxLen-1).Draw(t, "x"), rapid.Uint32Range(0, MaxLen-1).Draw(t, "y")
		ka, kb := keyOf(a, x), keyOf(b, y)
		if scoreOf(ka) != a || nodeOf(ka) != x || ka&3 != 0 {
			t.Fatalf("%v %d comes back as %v %d", a, x, scoreOf(ka), nodeOf(ka))
		}
		if a != b && (ka > kb) != (a > b) || a == b && x != y && (ka > kb) != (x < y) {
			t.Fatalf("keys of %v %d and %v %d are in the wrong order", a, x, b, y)
		}
	})
}
