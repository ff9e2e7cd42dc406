package bm25

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/internal/race"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// many returns n documents in which words have very different frequencies.
func many(seed uint64, n int) []Doc {
	rng := rand.New(rand.NewPCG(seed, 7))
	text := func(most int) string {
		var b strings.Builder
		for range rng.IntN(most + 1) {
			switch x := rng.IntN(100); {
			case x < 60:
				b.WriteString(vocabulary[min(rng.IntN(len(vocabulary)), rng.IntN(len(vocabulary)))])
			case x < 90:
				fmt.Fprintf(&b, "word%d", int(math.Exp(rng.Float64()*6)))
			default:
				fmt.Fprintf(&b, "rare%dx", rng.IntN(1e6))
			}
			b.WriteByte(' ')
		}
		return b.String()
	}
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = Doc{Body: text(1 + rng.IntN(20))}
		if rng.IntN(3) == 0 {
			docs[i].Title, docs[i].Headings = text(4), text(4)
		}
		if rng.IntN(300) == 0 {
			docs[i].Body = strings.Repeat("cat ", rng.IntN(400))
		}
		switch rng.IntN(20) {
		case 0:
			docs[i].Lang = "de"
		case 1:
			docs[i].Lang = "xx"
		}
	}
	return docs
}

// small are sizes at which a few hundred documents have several segments of
// several blocks and windows.
var small = shape{unit: 64, most: 512, step: 64}

// plan runs all tasks that there are.
func plan(t testing.TB, ix *Index) {
	t.Helper()
	for task := ix.Plan(); task != nil; task = ix.Plan() {
		s, err := task.Run(context.Background())
		if err == nil {
			err = ix.Install(s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func analyzed(docs []Doc) []Terms {
	out := make([]Terms, len(docs))
	for i, d := range docs {
		out[i] = shared().Terms(d)
	}
	return out
}

// fill indexes terms; with segments, tasks are planned, run and installed at
// random points.
func fill(t testing.TB, o *Options, terms []Terms, segments *rand.Rand) *Index {
	t.Helper()
	ix, err := New(shared(), o)
	if err != nil {
		t.Fatal(err)
	}
	if segments != nil {
		ix.shape = small
	}
	var task *Task
	for i, x := range terms {
		if err := ix.Add(uint32(i), x); err != nil {
			t.Fatal(err)
		}
		if segments == nil || segments.IntN(40) > 0 {
			continue
		}
		if task == nil {
			task = ix.Plan()
			continue
		}
		s, err := task.Run(context.Background())
		if err == nil {
			err = ix.Install(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		task = nil
	}
	return ix
}

// wordsOf returns queries of different kinds over docs.
func wordsOf(rng *rand.Rand, docs []Doc) string {
	if rng.IntN(8) == 0 {
		return []string{"the", "of the !", "is _ ?", "«"}[rng.IntN(4)] // weak terms alone
	}
	var words []string
	for range 1 + rng.IntN(6) {
		switch d := docs[rng.IntN(len(docs))]; rng.IntN(4) {
		case 0:
			words = append(words, vocabulary[rng.IntN(len(vocabulary))])
		case 1:
			words = append(words, fmt.Sprintf("word%d", 1+rng.IntN(100)))
		default:
			if f := strings.Fields(d.Body); len(f) > 0 {
				words = append(words, f[rng.IntN(len(f))])
			}
		}
	}
	return strings.Join(words, " ")
}

func randomBits(rng *rand.Rand, n int) []uint64 {
	b := make([]uint64, (n+63)/64)
	density := []float64{0, .01, .3, .9, 1}[rng.IntN(5)]
	for i := range n {
		if rng.Float64() < density {
			b[i>>6] |= 1 << (i & 63)
		}
	}
	if rng.IntN(4) == 0 { // whole segments in and out
		for i := range b {
			if i/2%2 == 0 {
				b[i] = 0
			} else {
				b[i] = below(n, i)
			}
		}
	}
	return b
}

// sameAnswers compares two indexes of the same documents, bit by bit.
func sameAnswers(t testing.TB, a, b *Index, docs []Doc, rng *rand.Rand) {
	t.Helper()
	n := len(docs)
	corpus := everything(n)
	if rng.IntN(3) > 0 {
		corpus = randomBits(rng, n)
	}
	ca, cb := a.Corpus(corpus), b.Corpus(corpus)
	for range 4 {
		text := wordsOf(rng, docs)
		filter := corpus
		if rng.IntN(2) == 0 {
			filter = randomBits(rng, n)
		}
		qa, qb := a.Query(text), b.Query(text)
		var sa, sb Scores
		a.All(qa, ca, filter, &sa)
		b.All(qb, cb, filter, &sb)
		if !reflect.DeepEqual(sa.Top(n), sb.Top(n)) {
			t.Fatalf("All %q: %v, %v", text, sa.Top(n), sb.Top(n))
		}
		k := 1 + rng.IntN(12)
		if rng.IntN(4) == 0 {
			k = 1 + rng.IntN(n)
		}
		want := sa.Top(k)
		for i, got := range [][]topk.Hit{a.Search(qa, ca, filter, k), b.Search(qb, cb, filter, k)} {
			if !slices.Equal(got, want) {
				t.Fatalf("Search %q in index %d, k %d: %v, want %v", text, i, k, got, want)
			}
		}
		a.All(qa, ca, corpus, &sa)
		ords := make([]uint32, rng.IntN(20))
		for i := range ords {
			ords[i] = uint32(rng.IntN(n + 10))
		}
		for i, ix := range []*Index{a, b} {
			out := make([]float64, len(ords))
			ix.Score(ix.Query(text), []Corpus{ca, cb}[i], ords, out)
			for j, o := range ords {
				if out[j] != sa.At(o) {
					t.Fatalf("Score %q of %d in index %d: %v, want %v", text, o, i, out[j], sa.At(o))
				}
			}
		}
		if len(ords) > 0 {
			if x, y := a.Explain(qa, ca, ords[0]), b.Explain(qb, cb, ords[0]); !reflect.DeepEqual(x, y) {
				t.Fatalf("Explain %q of %d: %+v, %+v", text, ords[0], x, y)
			}
		}
		if x, y := a.Candidates(text), b.Candidates(text); !slices.Equal(x, y) {
			t.Fatalf("Candidates %q: %x, %x", text, x, y)
		}
	}
}

// Segments change no answer: an index that made some at random points, one that
// has none, and one that read them from their bytes give the same bits.
func TestSegmentsChangeNoAnswer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		docs := many(rng.Uint64(), 1+rng.IntN(900))
		opt := genOptions(rt)
		terms := analyzed(docs)
		live := fill(t, opt, terms, nil)
		grown := fill(t, opt, terms, rng)
		sameAnswers(t, live, grown, docs, rng)
		plan(t, grown)
		sameAnswers(t, live, grown, docs, rng)
		sameAnswers(t, live, reopened(t, grown), docs, rng)
		if a, b := live.Stats(), grown.Stats(); a.Docs != b.Docs || a.Terms != b.Terms || a.Postings != b.Postings {
			t.Fatalf("%+v, %+v", a, b)
		}
	})
}

// reopened returns an index of the stored bytes of ix.
func reopened(t testing.TB, ix *Index) *Index {
	t.Helper()
	out, err := New(ix.an, &ix.opt)
	if err != nil {
		t.Fatal(err)
	}
	out.shape = ix.shape
	stored := ix.Segments()
	if task := ix.Tail(); task != nil {
		s, err := task.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, s)
	}
	for _, s := range stored {
		s, err := Decode(s.Bytes())
		if err == nil {
			err = out.Append(s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// The bytes of the segments are a function of the documents, not of how the
// index came to them.
func TestSegmentsHaveEqualBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		terms := analyzed(many(rng.Uint64(), rng.IntN(700)))
		grown := fill(t, nil, terms, rng)
		plan(t, grown)
		built := fill(t, nil, terms, nil)
		built.mem, built.shape = nil, small
		built.table = docTable{}
		for i, x := range terms {
			if err := built.Add(uint32(i), x); err != nil {
				t.Fatal(err)
			}
		}
		plan(t, built)
		a, b := grown.Segments(), built.Segments()
		if len(a) != len(b) || len(a) == 0 != (len(terms) < small.unit) {
			t.Fatalf("%d and %d segments of %d documents", len(a), len(b), len(terms))
		}
		for i := range a {
			if !bytes.Equal(a[i].Bytes(), b[i].Bytes()) {
				t.Fatalf("segment %d of %d differs", i, len(a))
			}
		}
		// Those of a reopened index that goes on are the same again.
		n := rng.IntN(len(terms) + 1)
		half := fill(t, nil, terms[:n], rng)
		plan(t, half)
		half = reopened(t, half)
		for i, x := range terms[n:] {
			if err := half.Add(uint32(n+i), x); err != nil {
				t.Fatal(err)
			}
		}
		plan(t, half)
		for i, s := range half.Segments() {
			if !bytes.Equal(a[i].Bytes(), s.Bytes()) {
				t.Fatalf("segment %d of %d differs after reopening at %d", i, len(a), n)
			}
		}
	})
}

// What n documents are in follows from n.
func TestSegmentBoundaries(t *testing.T) {
	terms := make([]Terms, 64*27+5)
	for i, tt := range []struct {
		n    int
		want []int
	}{
		{0, nil}, {63, nil}, {64, []int{64}}, {64*3 + 1, []int{128, 64}}, {64 * 8, []int{512}},
		{64*27 + 5, []int{512, 512, 512, 128, 64}},
	} {
		ix := fill(t, nil, terms[:tt.n], rand.New(rand.NewPCG(uint64(i), 3)))
		plan(t, ix)
		var got []int
		at := 0
		for _, s := range ix.Segments() {
			if int(s.First()) != at {
				t.Errorf("%d documents: a segment begins at %d, not at %d", tt.n, s.First(), at)
			}
			at += s.Docs()
			got = append(got, s.Docs())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d documents are in segments of %v, want %v", tt.n, got, tt.want)
		}
	}
}

func TestInstallAndAppendRefuse(t *testing.T) {
	terms := analyzed(many(1, 200))
	ix := fill(t, nil, terms, rand.New(rand.NewPCG(1, 1)))
	plan(t, ix)
	segs := ix.Segments()
	other := fill(t, &Options{Weights: [Fields]float64{3, 1, 1}}, terms, rand.New(rand.NewPCG(1, 1)))
	empty := fill(t, nil, nil, rand.New(rand.NewPCG(1, 1)))
	for name, err := range map[string]error{
		"other weights":    other.Install(segs[0]),
		"nothing there":    empty.Install(segs[0]),
		"not next":         empty.Append(segs[1]),
		"already there":    ix.Append(segs[0]),
		"other weights 2":  fill(t, &Options{Weights: [Fields]float64{3, 1, 1}}, nil, nil).Append(segs[0]),
		"cut off the part": fill(t, nil, terms[:150], rand.New(rand.NewPCG(1, 1))).Install(segs[1]),
	} {
		var e *invalid.Error
		if !errors.As(err, &e) || e.Field != "segment" {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := fill(t, nil, terms, nil).Tail().Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a task after its context: %v", err)
	}
}

// Segments are made and put in place while others search and add.
func TestSearchWhileSegmentsAreMade(t *testing.T) {
	docs := many(5, 1500)
	terms := analyzed(docs)
	live := fill(t, nil, terms, nil)
	ix := fill(t, nil, terms[:100], nil)
	ix.mem, ix.table, ix.shape = nil, docTable{}, small
	var mu sync.RWMutex
	var wg sync.WaitGroup
	added := make(chan struct{})
	wg.Go(func() {
		defer close(added)
		for i, x := range terms {
			mu.Lock()
			if err := ix.Add(uint32(i), x); err != nil {
				t.Error(err)
			}
			mu.Unlock()
		}
	})
	wg.Go(func() {
		for done := false; ; {
			mu.RLock()
			task := ix.Plan()
			mu.RUnlock()
			if task == nil && done {
				return
			}
			if task == nil {
				select {
				case <-added:
					done = true
				default:
				}
				continue
			}
			s, err := task.Run(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			if err := ix.Install(s); err != nil {
				t.Error(err)
			}
			mu.Unlock()
		}
	})
	for g := range 2 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 9))
			var c Corpus
			for range 300 {
				text := wordsOf(rng, docs)
				mu.RLock()
				n := ix.Docs()
				set := everything(n)
				if g == 1 {
					for w := range set {
						set[w] &= 0xFFFF0F0F0F0F00FF
					}
				}
				c = ix.Recount(c, set)
				got := ix.Search(ix.Query(text), c, set, 10)
				mu.RUnlock()
				lc := live.Corpus(set)
				if want := live.Search(live.Query(text), lc, set, 10); !slices.Equal(got, want) {
					t.Errorf("%q of %d documents: %v, want %v", text, n, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
	if s := ix.Stats(); s.Segments != 5 {
		t.Errorf("%+v", s)
	}
}

// A corpus that was counted step by step over changing segments counts words as
// one that was counted at once.
func TestRecountKeepsWhatIsTrue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 4))
		docs := many(rng.Uint64(), 500)
		terms := analyzed(docs)
		ix := fill(t, nil, nil, rng)
		var c Corpus
		set := []uint64{}
		for i, x := range terms {
			if err := ix.Add(uint32(i), x); err != nil {
				t.Fatal(err)
			}
			set = append(set, make([]uint64, (i+64)/64-len(set))...)
			set[i>>6] |= 1 << (i & 63)
			if rng.IntN(30) > 0 {
				continue
			}
			plan(t, ix)
			set = slices.Clone(set)
			set[rng.IntN(len(set))] &= rng.Uint64()
			c = ix.Recount(c, set)
			fresh := ix.Corpus(set)
			for range 3 {
				q := ix.Query(wordsOf(rng, docs))
				if a, b := ix.Search(q, c, set, 5), ix.Search(q, fresh, set, 5); !slices.Equal(a, b) {
					t.Fatalf("%v, counted anew %v", a, b)
				}
			}
		}
	})
}

// What a search allocates does not grow with the index: its hits, and nothing
// for scores of given documents.
func TestAllocations(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	docs := many(8, 900)
	ix := fill(t, nil, analyzed(docs), rand.New(rand.NewPCG(1, 1)))
	plan(t, ix)
	for name, set := range map[string][]uint64{"whole": everything(900), "partial": {0xFFFFFFFF, 0xF0F0F0F0F0F0F0F0, 1}} {
		c := ix.Corpus(set)
		q := ix.Query("cat dogs word3 C++ foo_bar")
		ords, out := []uint32{1, 5, 70, 130, 600}, make([]float64, 5)
		var s Scores
		for _, tt := range []struct {
			what string
			most float64
			fn   func()
		}{
			{"Search", 4, func() { ix.Search(q, c, set, 10) }},
			{"Score", 0, func() { ix.Score(q, c, ords, out) }},
			{"All", 0, func() { ix.All(q, c, set, &s) }},
		} {
			tt.fn()
			if n := testing.AllocsPerRun(50, tt.fn); n > tt.most && !race.Enabled {
				t.Errorf("%s over %s: %v allocations", tt.what, name, n)
			}
		}
	}
}
