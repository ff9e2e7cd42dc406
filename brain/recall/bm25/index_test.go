package bm25

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// newIndex indexes docs in order.
func newIndex(t testing.TB, o *Options, docs ...Doc) *Index {
	t.Helper()
	ix, err := New(shared(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range docs {
		if err := ix.Add(uint32(i), ix.an.Terms(d)); err != nil {
			t.Fatal(err)
		}
	}
	return ix
}

func bodies(texts ...string) []Doc {
	docs := make([]Doc, len(texts))
	for i, s := range texts {
		docs[i] = Doc{Body: s}
	}
	return docs
}

// everything is the bitmap of n ordinals.
func everything(n int) []uint64 {
	b := make([]uint64, (n+63)/64)
	for w := range b {
		b[w] = below(n, w)
	}
	return b
}

// find searches the whole index for text.
func find(ix *Index, text string, k int) []topk.Hit {
	c := ix.Corpus(everything(ix.Docs()))
	return ix.Search(ix.Query(text), c, c.Bits, k)
}

func ords(hits []topk.Hit) []uint32 {
	out := []uint32{}
	for _, h := range hits {
		out = append(out, h.Ord)
	}
	return out
}

var vocabulary = strings.Fields("cat dog cats running runs Haus Häuser maison the of C++ fooBar foo_bar foo bar 精排 排是 👍 ! _ is e.g. x-ray IL-2")

func genText(t *rapid.T, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, most).Draw(t, "words"), " ")
}

func genDocs(t *rapid.T) []Doc {
	docs := make([]Doc, rapid.IntRange(0, 90).Draw(t, "docs"))
	many := rapid.Bool().Draw(t, "languages")
	for i := range docs {
		docs[i] = Doc{Title: genText(t, 3), Headings: genText(t, 3), Body: genText(t, 12)}
		if many {
			docs[i].Lang = rapid.SampledFrom([]string{"", "de", "fr", "xx"}).Draw(t, "lang")
		}
	}
	return docs
}

func genBits(t *rapid.T, n int) []uint64 {
	b := make([]uint64, (n+63)/64)
	for w := range b {
		b[w] = rapid.SampledFrom([]uint64{0, 1, 0xF0F0F0F0F0F0F0F0, math.MaxUint64, 0x123456789ABCDEF}).Draw(t, "word")
	}
	return b[:rapid.IntRange(0, len(b)).Draw(t, "words of bitmap")]
}

func genOptions(t *rapid.T) *Options {
	return rapid.SampledFrom([]*Options{
		nil, {K1: 1.2, B: .75}, {Weights: [Fields]float64{2, 1.5, 1}}, {B: 1, Weights: [Fields]float64{.5, 3, 1}},
	}).Draw(t, "options")
}

// naive scores every document by the definition, from maps, without the index's
// data structures.
func naive(a *Analyzer, opt Options, docs []Doc, corpus, filter []uint64, text string) map[uint32]float64 {
	type counted struct {
		tf   map[string]tf
		t    Terms
		size float64
	}
	all := map[uint32]counted{}
	var total [Fields]uint64
	used := map[lang]bool{}
	for i, d := range docs {
		if !bit(corpus, uint32(i)) {
			continue
		}
		t := a.Terms(d)
		c := counted{tf: map[string]tf{}, t: t}
		start := uint32(0)
		for j, end := range t.ends {
			c.tf[string(t.text[start:end])] = t.tf[j]
			start = end
		}
		for f, w := range opt.Weights {
			c.size += w * float64(t.len[f])
			total[f] += uint64(t.len[f])
		}
		all[uint32(i)] = c
		used[t.lang] = true
	}
	mean := 0.0
	for f, w := range opt.Weights {
		mean += w * float64(total[f]) / float64(len(all))
	}
	df := func(term string) (n float64) {
		for _, c := range all {
			if _, ok := c.tf[term]; ok {
				n++
			}
		}
		return n
	}
	idf := func(n float64) float64 { return math.Log(1 + (float64(len(all))-n+.5)/(n+.5)) }
	scores := map[uint32]float64{}
	q := a.analyze(text)
	strong := slices.ContainsFunc(q.words, func(w queryWord) bool { return w.class != weak })
	for _, w := range q.words {
		if strong && w.class == weak {
			continue
		}
		for ord, c := range all {
			best := 0.0
			for l := range langs {
				term := w.text
				if w.class == stem || w.class == stemPart {
					if !used[l] {
						continue
					}
					if !digits([]byte(term)) {
						term = snowball(l, term)
					}
				}
				t, ok := c.tf[term]
				if !ok {
					continue
				}
				x := 0.0
				for f, n := range t.fields() {
					x += opt.Weights[f] * float64(n)
				}
				norm := opt.K1 * (1 - opt.B)
				if mean > 0 {
					norm += opt.K1 * opt.B * c.size / mean
				}
				best = max(best, float64(w.n)*idf(df(term))*x/(x+norm))
			}
			if best > 0 && bit(filter, ord) {
				scores[ord] += best
			}
		}
	}
	for i := range weakTerms {
		if strong || !q.common.has(i) {
			continue
		}
		n := 0.0
		for _, c := range all {
			if c.t.weak.has(i) {
				n++
			}
		}
		for ord, c := range all {
			if c.t.weak.has(i) && bit(filter, ord) {
				scores[ord] += idf(n) / (1 + opt.K1)
			}
		}
	}
	return scores
}

func TestScoresEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs, opt := genDocs(t), genOptions(t)
		ix := newIndexRapid(t, opt, docs)
		corpus, filter := genBits(t, len(docs)), genBits(t, len(docs))
		text := genText(t, 6)
		want := naive(ix.an, ix.opt, docs, corpus, filter, text)
		q, c := ix.Query(text), ix.Corpus(corpus)

		var got Scores
		ix.All(q, c, filter, &got)
		if got.Len() != len(want) {
			t.Fatalf("%q: %d documents, want %d", text, got.Len(), len(want))
		}
		best := 0.0
		got.Each(func(ord uint32, score float64) {
			if math.Abs(score-want[ord]) > 1e-12*(1+score) {
				t.Fatalf("%q: document %d has %v, want %v", text, ord, score, want[ord])
			}
			best = max(best, score)
		})
		if got.Max() != best {
			t.Fatalf("max %v, want %v", got.Max(), best)
		}

		k := rapid.IntRange(0, 20).Draw(t, "k")
		hits := ix.Search(q, c, filter, k)
		if len(hits) != min(k, len(want)) {
			t.Fatalf("%d hits of %d for k = %d", len(hits), len(want), k)
		}
		full := got.Top(len(docs))
		if !slices.Equal(hits, full[:len(hits)]) {
			t.Fatalf("top %d is %v, of all %v", k, hits, full)
		}
		if !slices.IsSortedFunc(full, func(a, b topk.Hit) int {
			if a.Score > b.Score || a.Score == b.Score && a.Ord < b.Ord {
				return -1
			}
			return 1
		}) {
			t.Fatalf("out of order: %v", full)
		}

		var some []uint32
		for range rapid.IntRange(0, 10).Draw(t, "ords") {
			some = append(some, rapid.Uint32Range(0, 100).Draw(t, "ord"))
		}
		out := make([]float64, len(some))
		ix.Score(q, c, some, out)
		ix.All(q, c, c.Bits, &got)
		for i, ord := range some {
			if out[i] != got.At(ord) {
				t.Fatalf("Score of %d is %v, All %v", ord, out[i], got.At(ord))
			}
			sum := 0.0
			for _, part := range ix.Explain(q, c, ord) {
				sum += part.Score
			}
			if sum != out[i] {
				t.Fatalf("Explain of %d adds to %v, want %v", ord, sum, out[i])
			}
		}
	})
}

// shared is one analyser for tests that make many indexes.
var shared = sync.OnceValue(NewAnalyzer)

func newIndexRapid(t *rapid.T, o *Options, docs []Doc) *Index {
	ix, err := New(shared(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range docs {
		if err := ix.Add(uint32(i), ix.an.Terms(d)); err != nil {
			t.Fatal(err)
		}
	}
	return ix
}

// Documents outside the corpus change no bit of a score: an index with hidden
// documents answers like one that never held them.
func TestHiddenDocumentsDoNotExist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs, opt := genDocs(t), genOptions(t)
		hidden := genBits(t, len(docs))
		with := newIndexRapid(t, opt, docs)
		var seen []uint64
		var left []Doc
		var ordOf []uint32
		for i, d := range docs {
			if !bit(hidden, uint32(i)) {
				seen = setBit(seen, uint32(i))
				left = append(left, d)
				ordOf = append(ordOf, uint32(i))
			}
		}
		without := newIndexRapid(t, opt, left)
		text := genText(t, 6)
		cw, co := with.Corpus(seen), without.Corpus(everything(len(left)))
		a := with.Search(with.Query(text), cw, cw.Bits, len(docs))
		b := without.Search(without.Query(text), co, co.Bits, len(docs))
		for i := range b {
			b[i].Ord = ordOf[b[i].Ord]
		}
		if !slices.Equal(a, b) {
			t.Fatalf("%q: %v with hidden documents, %v without", text, a, b)
		}
	})
}

// With weights of 1, fields do not matter: BM25F is BM25 over the fields as one
// text.
func TestEqualWeightsAreOneField(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := genDocs(t)
		flat := make([]Doc, len(docs))
		for i, d := range docs {
			flat[i] = Doc{Body: d.Title + "\n" + d.Headings + "\n" + d.Body, Lang: d.Lang}
		}
		text := genText(t, 6)
		o := &Options{Weights: [Fields]float64{1, 1, 1}}
		a, b := find(newIndexRapid(t, o, docs), text, 100), find(newIndexRapid(t, o, flat), text, 100)
		if !slices.Equal(a, b) {
			t.Fatalf("%q: %v in fields, %v in one", text, a, b)
		}
	})
}

// Statistics kept up to date equal statistics counted anew.
func TestRecountEqualsCorpus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := genDocs(t)
		ix := newIndexRapid(t, nil, nil)
		c := ix.Corpus(nil)
		for i, d := range docs {
			if err := ix.Add(uint32(i), ix.an.Terms(d)); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "recount") {
				set := genBits(t, len(docs)+64) // may name ordinals still to come
				c = ix.Recount(c, set)
				if want := ix.Corpus(set); !sameStatistics(c, want) {
					t.Fatalf("%+v, counted anew %+v", c, want)
				}
			}
		}
	})
}

func sameStatistics(a, b Corpus) bool {
	return a.N == b.N && a.Len == b.Len && a.langs == b.langs && a.docs == b.docs
}

// A corpus counted before documents came does not know them.
func TestOldCorpusDoesNotSeeNewDocuments(t *testing.T) {
	ix := newIndex(t, nil, bodies("cat", "dog")...)
	c := ix.Corpus(everything(64))
	q := ix.Query("cat")
	before := ix.Search(q, c, c.Bits, 10)
	for i := range 50 {
		if err := ix.Add(uint32(i+2), ix.an.Terms(Doc{Body: "cat"})); err != nil {
			t.Fatal(err)
		}
	}
	if after := ix.Search(q, c, c.Bits, 10); !slices.Equal(before, after) || len(after) != 1 {
		t.Errorf("%v, then %v", before, after)
	}
}

func TestRepeatedWordsCount(t *testing.T) {
	ix := newIndex(t, nil, bodies("cat dog", "cat", "dog", "bird")...)
	c := ix.Corpus(everything(4))
	var one, three Scores
	ix.All(ix.Query("cat"), c, c.Bits, &one)
	ix.All(ix.Query("cat CATS cat"), c, c.Bits, &three)
	if got, want := three.At(1), 3*one.At(1); math.Abs(got-want) > 1e-12 {
		t.Errorf("three times %v, want %v", got, want)
	}
}

func TestTiesGoByOrdinal(t *testing.T) {
	ix := newIndex(t, nil, bodies("a", "cat", "b", "cat", "cat")...)
	if got := ords(find(ix, "cat", 2)); !slices.Equal(got, []uint32{1, 3}) {
		t.Errorf("%v, want 1 and 3", got)
	}
}

func TestAddRefusesGaps(t *testing.T) {
	ix := newIndex(t, nil)
	for _, ord := range []uint32{1, math.MaxUint32} {
		var e *invalid.Error
		if err := ix.Add(ord, Terms{}); !errors.As(err, &e) || e.Field != "ord" {
			t.Errorf("ordinal %d: %v", ord, err)
		}
	}
	if ix.Docs() != 0 {
		t.Error("a refused document was counted")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for field, o := range map[string]Options{
		"k1": {K1: -1}, "b": {B: 1.5}, "weights": {Weights: [Fields]float64{1, 0, 1}},
		"K1": {K1: math.NaN()}, "B": {B: math.Inf(1)}, "Weights": {Weights: [Fields]float64{1, math.NaN(), 1}},
	} {
		var e *invalid.Error
		if _, err := New(NewAnalyzer(), &o); !errors.As(err, &e) || e.Field != strings.ToLower(field) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// A list comes back as it was written, whatever its length.
func TestPostingsRoundTrip(t *testing.T) {
	var p postings
	rng := rand.New(rand.NewPCG(1, 2))
	lists := make([]list, 50)
	want := make([][]uint32, len(lists))
	for ord := range uint32(30000) {
		i := rng.IntN(rng.IntN(len(lists)) + 1)
		p.add(&lists[i], ord, tf(ord))
		want[i] = append(want[i], ord)
	}
	for i, l := range lists {
		var got []uint32
		var c cursor
		c.read(&p, l)
		for ords, tfs := c.next(); len(ords) > 0; ords, tfs = c.next() {
			for j, o := range ords {
				if tfs[j] != tf(o) {
					t.Fatalf("list %d: ordinal %d has tf %d", i, o, tfs[j])
				}
			}
			got = append(got, ords...)
		}
		if !slices.Equal(got, want[i]) {
			t.Fatalf("list %d: %d postings, want %d", i, len(got), len(want[i]))
		}
	}
}

// Documents are analysed and searches run side by side.
func TestConcurrentUse(t *testing.T) {
	ix := newIndex(t, nil, bodies("the cat runs", "die Häuser", "精排 cat", "dogs !")...)
	c := ix.Corpus(everything(4))
	want := ix.Search(ix.Query("cats running 精排"), c, c.Bits, 4)
	terms := ix.an.Terms(Doc{Body: "cats running"})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := ix.Search(ix.Query("cats running 精排"), c, c.Bits, 4); !slices.Equal(got, want) {
					t.Errorf("%v, alone %v", got, want)
				}
				if got := ix.an.Terms(Doc{Body: "cats running"}); string(got.text) != string(terms.text) {
					t.Errorf("%q, alone %q", got.text, terms.text)
				}
				ix.Explain(ix.Query("cat"), c, 0)
				ix.Candidates("cat runs")
			}
		})
	}
	wg.Wait()
}

func TestQueryIsBounded(t *testing.T) {
	ix := newIndex(t, nil, bodies("w1 w4200")...)
	var b strings.Builder
	for i := range MaxQueryWords + 100 {
		fmt.Fprintf(&b, "%d ", i)
	}
	q := ix.Query(b.String() + "7 5000")
	if len(q.words) != MaxQueryWords || q.Skipped() != 101 {
		t.Errorf("%d words, %d skipped", len(q.words), q.Skipped())
	}
	if long := ix.Query(strings.Repeat("a", 10<<20)); len(long.words) != 1 || len(long.words[0].text) != MaxTerm {
		t.Errorf("%d words of one letter", len(long.words))
	}
}

// Scores are the same bits on every machine.
func TestGoldenBits(t *testing.T) {
	ix := newIndex(t, &Options{Weights: [Fields]float64{2.3, 1.7, 1.1}},
		Doc{Title: "cats", Headings: "cats and dogs", Body: "the cat runs after the dog, the dog runs after the cat"},
		Doc{Title: "Häuser", Body: "die Häuser der Katze", Lang: "de"},
		Doc{Body: "a dog house"}, Doc{Body: "birds"}, Doc{Body: "cat C++ 精排"})
	var got []string
	for _, h := range find(ix, "cat dogs C++ Haus 精排 cat", 5) {
		got = append(got, fmt.Sprintf("%d %016x", h.Ord, math.Float64bits(h.Score)))
	}
	want := []string{"4 4013f584b8755236", "0 4000798e5582d9c5", "1 3ff14ebeb85cbe15", "2 3fe157752cad2850"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
