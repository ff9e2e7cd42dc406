package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/fuse"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

var vocabulary = strings.Fields("tide harbour pilot buoy rope knot storm coast island ferry crew engine oil pump valve chart depth anchor bread soup lentil price list order invoice client meeting note plan the of and in")

func sentence(t *rapid.T, name string) string {
	words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 25).Draw(t, name)
	return strings.Join(words, " ")
}

// oracle ranks by brute force: every matching chunk, scored by both legs.
func (w *world) oracle(q Query, scope []string) []string {
	v := &w.ix.view
	c := w.ix.scopes.corpus(v, reader(w.t, scope...), q.AsOf)
	filter, err := v.filter(context.Background(), &q, c, w.now.UnixMicro())
	if err != nil {
		w.t.Fatal(err)
	}
	var words bm25.Scores
	v.lex.All(v.lex.Query(q.Text), c.lex, filter, &words)
	vec, err := w.ix.embed.query(context.Background(), q.Text)
	if err != nil {
		w.t.Fatal(err)
	}
	type scored struct {
		name  string
		raw   fuse.Scores
		score float64
	}
	var all []scored
	scale := fuse.Scale{BM25: words.Max(), Cosine: -2}
	for ord := range v.chunks {
		if filter == nil || ord>>6 >= len(filter) || filter[ord>>6]>>(ord&63)&1 == 0 {
			continue
		}
		cos := []float64{0}
		leg := vectorLeg{v: v, c: c, query: vec}
		if err := leg.score([]uint32{uint32(ord)}, cos); err != nil {
			w.t.Fatal(err)
		}
		raw := fuse.Scores{BM25: words.At(uint32(ord)), Cosine: cos[0], HasVector: cos[0] != vek.Missing}
		if raw.HasVector {
			scale.Cosine = max(scale.Cosine, cos[0])
		}
		if raw.HasVector || raw.BM25 > 0 {
			d := v.docs[v.chunks[ord].doc]
			all = append(all, scored{name: uri.Chunk{URI: d.uri, Revision: d.rev, N: uint32(ord) - d.first}.String(), raw: raw})
		}
	}
	for i := range all {
		all[i].score = scale.Score(fuse.Hybrid, all[i].raw)
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, s := range all[:min(q.Limit, len(all))] {
		out = append(out, s.name)
	}
	return out
}

func TestSearchEqualsBruteForce(t *testing.T) {
	w := newWorld(t, nil)
	rng := rapid.Custom(func(t *rapid.T) string { return sentence(t, "body") })
	for i := range 1500 {
		w.note(fmt.Sprintf("brain://%s/%04d", []string{"a", "b", "c"}[i%3], i), rng.Example(i))
	}
	for i := range 60 {
		for _, scope := range [][]string{{"brain://**"}, {"brain://a/**"}} {
			q := Query{Text: rng.Example(5000 + i), Limit: 1 + i}
			var got []string
			for _, h := range w.search(q, scope...).Hits {
				got = append(got, h.Chunk.String())
			}
			if want := w.oracle(q, scope); !slices.Equal(got, want) {
				t.Fatalf("%q in %v:\n got %v\nwant %v", q.Text, scope, got, want)
			}
		}
	}
}

// What an actor may not read does not exist for it: the answer over a store has
// the same bytes as over one that never held the hidden part.
func TestNonInterference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		full, part := newWorld(t, nil), newWorld(t, nil)
		for i := range rapid.IntRange(1, 30).Draw(rt, "documents") {
			domain := rapid.SampledFrom([]string{"open", "secret"}).Draw(rt, "domain")
			name := fmt.Sprintf("brain://%s/%02d", domain, rapid.IntRange(0, 12).Draw(rt, "name"))
			body := sentence(rt, fmt.Sprint("body", i))
			full.note(name, body)
			if domain == "open" {
				part.note(name, body)
			}
		}
		// The clocks differ by the hidden commits; times are not compared.
		for _, mode := range []Mode{Lexical, Vector, Hybrid} {
			q := Query{Text: sentence(rt, "query"), Mode: mode, Limit: rapid.IntRange(1, 20).Draw(rt, "k"), Explain: true}
			a, b := answer(full.search(q, "brain://open/**")), answer(part.search(q, "brain://open/**"))
			if a != b {
				rt.Fatalf("%s: with a hidden part\n%s\nwithout\n%s", mode, a, b)
			}
		}
	})
}

// An index that grew and one that was built from the store give the same bytes.
func TestRebuiltEqualsGrown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, nil)
		for i := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			name := fmt.Sprintf("brain://a/%d", rapid.IntRange(0, 8).Draw(rt, "name"))
			if rapid.IntRange(0, 4).Draw(rt, "op") == 0 {
				snap := w.db.Snapshot()
				_, err := document.Get(snap, uri.MustParse(name), 0)
				snap.Close()
				if err == nil {
					w.forget(name)
				}
				continue
			}
			w.note(name, sentence(rt, fmt.Sprint("body", i)))
		}
		q := Query{Text: sentence(rt, "query"), Limit: 50, Explain: true}
		w.note("brain://a/last", "storm")
		then := rapid.Uint64Range(1, w.db.Head().Seq).Draw(rt, "as of")
		old := Query{Text: q.Text, Limit: 50, AsOf: then}
		grown, grownThen := bytesOf(w.search(q)), bytesOf(w.search(old))
		if rapid.Bool().Draw(rt, "without vectors") {
			if err := w.ix.Drop(context.Background(), w.db); err != nil {
				rt.Fatal(err)
			}
		}
		if err := w.ix.Load(context.Background(), w.db); err != nil {
			rt.Fatal(err)
		}
		if rebuilt := bytesOf(w.search(q)); rebuilt != grown {
			rt.Fatalf("grown\n%s\nrebuilt\n%s", grown, rebuilt)
		}
		if rebuilt := bytesOf(w.search(old)); rebuilt != grownThen {
			rt.Fatalf("as of %d, grown\n%s\nrebuilt\n%s", then, grownThen, rebuilt)
		}
	})
}

func bytesOf(r Result) string {
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A write while the embedder is down is found by text at once and by meaning
// after the next Load, without becoming another revision.
func TestFailingEmbedder(t *testing.T) {
	e := &moody{}
	w := newWorld(t, &Options{Embedder: e})
	e.down = true
	seq := w.note("brain://a/b", "tide tables")
	if n := w.ix.Size().Pending; n != 1 {
		t.Errorf("%d pending", n)
	}
	if r := w.search(Query{Text: "tide", Mode: Lexical}); names(r) != "b" {
		t.Errorf("by text: %s", names(r))
	}
	if _, err := w.ix.Search(context.Background(), Query{Text: "tide"}, reader(t, everything...), w.now); err == nil {
		t.Error("a query without a vector was answered in hybrid mode")
	}
	e.down = false
	if err := w.ix.Load(context.Background(), w.db); err != nil {
		t.Fatal(err)
	}
	r := w.search(Query{Text: "tide", Mode: Vector})
	if names(r) != "b" || r.Hits[0].Seq != seq || w.ix.Size().Pending != 0 {
		t.Errorf("%+v", r.Hits)
	}
}

func TestForeignVectorsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		bad  func([][]float32) [][]float32
	}{
		{"too few", func(v [][]float32) [][]float32 { return nil }},
		{"another dimension", func(v [][]float32) [][]float32 { v[0] = append(v[0], 1); return v }},
		{"not a number", func(v [][]float32) [][]float32 { v[0][0] /= (v[0][1] - v[0][1]); return v }},
	} {
		e := &moody{}
		w := newWorld(t, &Options{Embedder: e})
		e.bad = tt.bad
		if _, err := w.ix.Prepare(context.Background(), document.Draft{URI: uri.MustParse("brain://a/b"), Body: []byte("tide")}); err == nil {
			t.Errorf("%s: taken", tt.name)
		}
	}
}

// moody is an embedder of three dimensions that fails on demand.
type moody struct {
	down bool
	bad  func([][]float32) [][]float32
}

func (m *moody) ID() string { return "moody/1" }

func (m *moody) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.down {
		return nil, errors.New("down")
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{float32(len(s)), float32(strings.Count(s, "t")) + 1, 1}
	}
	if m.bad != nil {
		out = m.bad(out)
	}
	return out, nil
}

// A commit whose records cannot be read stops the index by name, not silently.
func TestBrokenRecordStopsTheIndex(t *testing.T) {
	w := newWorld(t, nil)
	w.note("brain://a/b", "tide")
	w.change(func(tx *store.Tx) error {
		return tx.Set(append(append([]byte{byte(store.Revision)}, "brain://a/c\x00"...), 0, 0, 0, 0, 0, 0, 0, 1), []byte("no record"))
	})
	if _, err := w.ix.Search(context.Background(), Query{Text: "tide"}, reader(t, everything...), w.now); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("%v", err)
	}
	if !errors.Is(w.ix.Err(), store.ErrCorrupt) {
		t.Errorf("%v", w.ix.Err())
	}
}
