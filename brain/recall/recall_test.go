package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// world is a store in memory with an index that follows it.
type world struct {
	t   testing.TB
	db  *store.DB
	ix  *Index
	now time.Time
}

func newWorld(t testing.TB, o *Options) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	var err error
	if w.ix, err = New(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	w.db, err = store.Open(t.TempDir(), &store.Options{
		Primary: new(store.Memory).Open(), Derived: new(store.Memory).Open(),
		MinFreeBytes: -1, BallastBytes: -1, Hooks: []store.Hook{w.ix},
		Now: func() time.Time { w.now = w.now.Add(time.Minute); return w.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.ix.Close(context.Background()), w.db.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := w.ix.Load(context.Background(), w.db); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) change(fn func(*store.Tx) error) uint64 {
	w.t.Helper()
	r, err := w.db.Update(context.Background(), store.Event{Actor: "person:ana", Op: "test", Class: audit.Change}, fn)
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Seq
}

// put stores a draft and returns its commit.
func (w *world) put(d document.Draft) uint64 {
	w.t.Helper()
	p, err := w.ix.Prepare(context.Background(), d)
	if err != nil {
		w.t.Fatal(err)
	}
	seq := w.change(func(tx *store.Tx) error { _, _, err := p.Write(tx, "person:ana"); return err })
	if err := w.ix.Save(context.Background(), w.db, p); err != nil {
		w.t.Fatal(err)
	}
	return seq
}

func (w *world) note(name, body string) uint64 {
	w.t.Helper()
	return w.put(document.Draft{URI: uri.MustParse(name), Body: []byte(body)})
}

func (w *world) forget(name string) uint64 {
	w.t.Helper()
	return w.change(func(tx *store.Tx) error {
		_, err := document.Forget(tx, uri.MustParse(name), nil, "")
		return err
	})
}

// reader returns the scope of somebody who may read what the patterns match.
func reader(t testing.TB, patterns ...string) policy.Scope {
	t.Helper()
	set, err := policy.New(policy.Document{Version: 1, Paths: []policy.Rule{
		{ID: "r", Effect: "allow", Who: []string{"any"}, Do: []policy.Action{policy.Read}, On: patterns},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return set.Scope(policy.Actor{ID: "ana", Kind: policy.Person}, time.Now())
}

var everything = []string{"brain://**", "notes://**"}

func (w *world) search(q Query, patterns ...string) Result {
	w.t.Helper()
	if len(patterns) == 0 {
		patterns = everything
	}
	r, err := w.ix.Search(context.Background(), q, reader(w.t, patterns...), w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// names returns the URIs of the hits, shortened to their last segment.
func names(r Result) string {
	var out []string
	for _, h := range r.Hits {
		s := h.Chunk.URI.String()
		out = append(out, s[strings.LastIndexByte(s, '/')+1:])
	}
	return strings.Join(out, " ")
}

func TestReadsItsOwnWrites(t *testing.T) {
	w := newWorld(t, nil)
	for _, mode := range []Mode{Lexical, Vector, Hybrid} {
		if r := w.search(Query{Text: "harbour pilots", Mode: mode}); len(r.Hits) != 0 {
			t.Fatalf("%s: an empty brain has %d hits", mode, len(r.Hits))
		}
	}
	seq := w.note("brain://a/pilots", "# Pilots\n\nHarbour pilots board at the outer buoy.")
	w.note("brain://a/bread", "# Bread\n\nRye needs a long rest.")
	for _, mode := range []Mode{Lexical, Vector, Hybrid} {
		r := w.search(Query{Text: "harbour pilots", Mode: mode, Explain: true})
		if len(r.Hits) == 0 || names(Result{Hits: r.Hits[:1]}) != "pilots" {
			t.Fatalf("%s: %s", mode, names(r))
		}
		h := r.Hits[0]
		if h.Seq != seq || h.Title != "Pilots" || h.Actor != "person:ana" || h.Score <= 0 || h.Score > 1 || len(h.Legs) == 0 {
			t.Errorf("%s: %+v", mode, h)
		}
		snap := w.db.Snapshot()
		rev, err := document.Get(snap, h.Chunk.URI, h.Chunk.Revision)
		if err != nil {
			t.Fatal(err)
		}
		body, err := document.Content(snap, rev)
		snap.Close()
		if err != nil || string(body[h.Start:h.End]) != h.Text || document.DigestOf(body) != h.Digest {
			t.Errorf("%s: span [%d, %d) of %q is not %q", mode, h.Start, h.End, body, h.Text)
		}
		sum := 0.0
		for i, l := range h.Legs {
			sum += l.Share
			if l.Rank != 1 || l.Name == "bm25" && len(l.Terms) == 0 {
				t.Errorf("%s: leg %d %+v", mode, i, l)
			}
		}
		if math.Abs(sum-h.Score) > 1e-12 {
			t.Errorf("%s: shares sum to %v, the score is %v", mode, sum, h.Score)
		}
	}
}

func TestExactlyMinOfLimitAndMatching(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 400 {
		w.put(document.Draft{URI: uri.MustParse(fmt.Sprintf("brain://a/near%d", i)), Body: []byte("tide table for the north quay"), Tags: []string{"a"}})
	}
	for i := range 25 {
		w.put(document.Draft{URI: uri.MustParse(fmt.Sprintf("brain://a/far%d", i)), Body: []byte(fmt.Sprintf("recipe number %d for soup", i)), Tags: []string{"b"}})
	}
	var last Result
	for _, k := range []int{1, 2, 24, 25, 26, 96, 384, 1000} {
		r := w.search(Query{Text: "tide table north quay", Limit: k, Tags: []string{"b"}})
		if len(r.Hits) != min(k, 25) || r.Stats.Matching != 25 || r.Stats.Corpus != 425 {
			t.Errorf("k %d: %d hits, %+v", k, len(r.Hits), r.Stats)
		}
		for i := range min(len(last.Hits), len(r.Hits)) {
			if last.Hits[i].Chunk != r.Hits[i].Chunk || last.Hits[i].Score != r.Hits[i].Score {
				t.Errorf("k %d: hit %d is another than with a smaller k", k, i)
			}
		}
		last = r
	}
	if r := w.search(Query{Text: "tide table", Limit: 1000}); len(r.Hits) != 425 {
		t.Errorf("%d hits of 425", len(r.Hits))
	}
}

func TestFilters(t *testing.T) {
	w := newWorld(t, nil)
	day := func(d int) time.Time { return time.Date(2026, 3, d, 0, 0, 0, 0, time.UTC) }
	w.put(document.Draft{URI: uri.MustParse("brain://sales/a"), Body: []byte("quarterly price list of ropes"), Kind: "fact", Tags: []string{"x", "y"}})
	w.put(document.Draft{URI: uri.MustParse("brain://ops/b"), Body: []byte("rope inspection checklist"), Owner: "person:bo", Tags: []string{"x"}})
	w.put(document.Draft{URI: uri.MustParse("notes://c"), Body: []byte("old price list of ropes, in src/rope.go"), ValidTo: day(1)})
	w.put(document.Draft{URI: uri.MustParse("brain://ops/d"), Body: []byte("coming price list of ropes"), ValidFrom: day(20)})
	mid := w.now
	w.put(document.Draft{URI: uri.MustParse("brain://ops/e"), Body: []byte("expired rope rumour"), Expires: mid})
	w.put(document.Draft{URI: uri.MustParse("brain://ops/f"), Body: []byte("flagged rope note"), Flags: []string{"bidi"}})
	tests := []struct {
		name string
		edit func(*Query)
		want string
	}{
		{"none", func(*Query) {}, "a b f"},
		{"domain", func(q *Query) { q.Domains = []string{"sales"} }, "a"},
		{"domains", func(q *Query) { q.Domains = []string{"sales", "ops"} }, "a b f"},
		{"unknown domain", func(q *Query) { q.Domains = []string{"nope"} }, ""},
		{"source", func(q *Query) { q.Sources = []string{"notes"}; q.At = day(1).Add(-time.Hour) }, "c"},
		{"kind", func(q *Query) { q.Kinds = []string{"fact"} }, "a"},
		{"owner", func(q *Query) { q.Owners = []string{"person:bo"} }, "b"},
		{"tag", func(q *Query) { q.Tags = []string{"x"} }, "a b"},
		{"all tags", func(q *Query) { q.Tags = []string{"x", "y"} }, "a"},
		{"before", func(q *Query) { q.At = day(1).Add(-time.Second) }, "a b c f"},
		{"after", func(q *Query) { q.At = day(21) }, "a b d f"},
		{"since", func(q *Query) { q.Since = mid }, "f"},
		{"until", func(q *Query) { q.Until = mid }, "a b"},
		{"flags excluded", func(q *Query) { q.Flags = FlagsExcluded }, "a b"},
		{"flags only", func(q *Query) { q.Flags = FlagsOnly }, "f"},
		{"phrase", func(q *Query) { q.Phrases = []string{"price list"} }, "a"},
		{"phrase over case and marks", func(q *Query) { q.Phrases = []string{"Price, LIST!"} }, "a"},
		{"phrase in another order", func(q *Query) { q.Phrases = []string{"list price"} }, ""},
		{"exclude", func(q *Query) { q.Exclude = []string{"price"} }, "b f"},
		{"exclude a phrase", func(q *Query) { q.Exclude = []string{"rope inspection"} }, "a f"},
		{"code", func(q *Query) { q.Code = []string{"src/rope.go"}; q.At = day(1).Add(-time.Hour) }, "c"},
	}
	for _, tt := range tests {
		q := Query{Text: "ropes price"}
		tt.edit(&q)
		got := strings.Fields(names(w.search(q)))
		if strings.Join(sorted(got), " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
}

func sorted(s []string) []string {
	for i := range s {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
	return s
}

func TestAsOfShowsWhatWasLive(t *testing.T) {
	w := newWorld(t, nil)
	first := w.note("brain://a/price", "Ropes cost 12 euro.")
	second := w.note("brain://a/price", "Ropes cost 14 euro.")
	third := w.forget("brain://a/price")
	for seq, want := range map[uint64]string{first: "Ropes cost 12 euro.", second: "Ropes cost 14 euro.", third: ""} {
		for _, mode := range []Mode{Lexical, Vector, Hybrid} {
			r := w.search(Query{Text: "what do ropes cost", AsOf: seq, Mode: mode})
			if got := ""; len(r.Hits) > 1 || len(r.Hits) == 1 && r.Hits[0].Text != want || len(r.Hits) == 0 && want != got {
				t.Errorf("as of %d, %s: %+v, want %q", seq, mode, r.Hits, want)
			}
		}
	}
	if r := w.search(Query{Text: "ropes"}); len(r.Hits) != 0 {
		t.Errorf("forgotten, still a hit: %s", names(r))
	}
	var bad *invalid.Error
	_, err := w.ix.Search(context.Background(), Query{Text: "ropes", AsOf: third + 1}, reader(t, everything...), w.now)
	if !errors.As(err, &bad) || bad.Field != "as_of" {
		t.Errorf("as of a commit to come: %v", err)
	}
}

// A deleted vector must not shape the ranking: A, B, C, delete A, as if A never
// had been (chroma#4275); written again, it is one record (hnswlib#309).
func TestForgottenIsAsNeverStored(t *testing.T) {
	with, without := newWorld(t, nil), newWorld(t, nil)
	with.note("brain://a/a", "storm warning for the coast and for the islands")
	for _, w := range []*world{with, without} {
		w.note("brain://a/b", "storm damage report of the coast road")
		w.note("brain://a/c", "insurance after a storm")
	}
	with.forget("brain://a/a")
	for _, mode := range []Mode{Lexical, Vector, Hybrid} {
		q := Query{Text: "storm on the coast", Mode: mode, Explain: true}
		if a, b := answer(with.search(q)), answer(without.search(q)); a != b {
			t.Errorf("%s:\n%s\nnever stored:\n%s", mode, a, b)
		}
	}
	with.note("brain://a/a", "bread recipe")
	if r := with.search(Query{Text: "bread recipe"}); names(Result{Hits: r.Hits[:1]}) != "a" || r.Stats.Corpus != 3 {
		t.Errorf("%s, %+v", names(r), r.Stats)
	}
}

// answer is a result as bytes, without what counts hidden commits.
func answer(r Result) string {
	r.Seq = 0
	for i := range r.Hits {
		r.Hits[i].Seq, r.Hits[i].Time, r.Hits[i].Chunk.Revision = 0, time.Time{}, 0
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestQueryFieldsAreChecked(t *testing.T) {
	w := newWorld(t, nil)
	w.note("brain://a/b", "text")
	many := make([]string, MaxFilters+1)
	for i := range many {
		many[i] = "x"
	}
	nan := make([]float32, w.ix.embed.dim)
	nan[3] = float32(math.NaN())
	inf := make([]float32, w.ix.embed.dim)
	inf[0] = float32(math.Inf(1))
	tests := []struct {
		field string
		q     Query
	}{
		{"text", Query{}},
		{"text", Query{Text: " \n\t"}},
		{"text", Query{Text: "\xff\xfe"}},
		{"text", Query{Text: "a\x00b"}},
		{"text", Query{Text: strings.Repeat("x", MaxText+1)}},
		{"text", Query{Text: strings.Repeat("x", 10<<20)}},
		{"limit", Query{Text: "x", Limit: -1}},
		{"limit", Query{Text: "x", Limit: MaxLimit + 1}},
		{"mode", Query{Text: "x", Mode: "graph"}},
		{"flags", Query{Text: "x", Flags: "maybe"}},
		{"min_score", Query{Text: "x", MinScore: 1.5}},
		{"min_score", Query{Text: "x", MinScore: math.NaN()}},
		{"vector", Query{Text: "x", Vector: []float32{1}}},
		{"vector", Query{Text: "x", Vector: nan}},
		{"vector", Query{Text: "x", Vector: inf}},
		{"vector", Query{Vector: make([]float32, w.ix.embed.dim)}},
		{"mode", Query{Text: "x", Mode: Lexical, Hypothetical: "y"}},
		{"hypothetical", Query{Text: "x", Hypothetical: "\xff"}},
		{"phrases", Query{Text: "x", Phrases: []string{""}}},
		{"domains", Query{Text: "x", Domains: []string{"\xff"}}},
		{"filters", Query{Text: "x", Tags: many}},
		{"until", Query{Text: "x", Since: w.now, Until: w.now}},
	}
	for _, tt := range tests {
		_, err := w.ix.Search(context.Background(), tt.q, reader(t, everything...), w.now)
		var bad *invalid.Error
		if !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%s: %v", tt.field, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.ix.Search(ctx, Query{Text: "x"}, reader(t, everything...), w.now); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := w.ix.Prepare(ctx, document.Draft{URI: uri.MustParse("brain://a/c"), Body: []byte("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled prepare: %v", err)
	}
}

// A query without a vector, such as an identifier in no vocabulary, is answered
// by its words in every mode.
func TestQueryWithoutVector(t *testing.T) {
	w := newWorld(t, nil)
	w.note("brain://a/b", "ticket 👩‍🚒 closed")
	for mode, want := range map[Mode]string{Hybrid: "b", Lexical: "b", Vector: "b"} {
		if r := w.search(Query{Text: "👩‍🚒", Mode: mode}); names(r) != want {
			t.Errorf("%s: %q, want %q", mode, names(r), want)
		}
	}
}

func TestMinScoreAndOwnVector(t *testing.T) {
	w := newWorld(t, nil)
	w.note("brain://a/b", "tide tables of the harbour")
	w.note("brain://a/c", "soup with lentils")
	all := w.search(Query{Text: "tide tables"})
	if len(all.Hits) != 2 || all.Hits[0].Score != 1 {
		t.Fatalf("%+v", all.Hits)
	}
	cut := w.search(Query{Text: "tide tables", MinScore: (all.Hits[0].Score + all.Hits[1].Score) / 2})
	if len(cut.Hits) != 1 || cut.Stats.Below != 1 {
		t.Errorf("%d hits, %+v", len(cut.Hits), cut.Stats)
	}
	vs, err := w.ix.opt.Embedder.Embed(context.Background(), []string{"lentil soup"})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.search(Query{Vector: vs[0], Mode: Vector}); names(r) != "c b" {
		t.Errorf("own vector: %s", names(r))
	}
	if r := w.search(Query{Text: "x", Hypothetical: "lentil soup", Mode: Vector}); names(r) != "c b" {
		t.Errorf("hypothetical answer: %s", names(r))
	}
}

func draftOf(i int) document.Draft {
	return document.Draft{URI: uri.MustParse(fmt.Sprintf("brain://a/%05d", i)), Body: []byte(fmt.Sprintf("note number %d about rope %d", i, i%97))}
}
