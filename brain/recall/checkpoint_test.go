package recall

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// tiny lets a few dozen vectors reach the graph.
var tiny = hnsw.Options{M: 6, EfConstruction: 40, Batch: 16, Lag: 32, MinLen: 64, ScanBelow: -1}

// reopen loads the world's store into a new index, which then follows it no
// further.
func (w *world) reopen(o *Options) *world {
	w.t.Helper()
	again := &world{t: w.t, db: w.db, now: w.now}
	var err error
	if again.ix, err = New(context.Background(), o); err != nil {
		w.t.Fatal(err)
	}
	again.ix.depth = w.ix.depth
	if err := again.ix.Load(context.Background(), w.db); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { again.ix.work.stop() })
	return again
}

func (w *world) checkpoint(final bool) {
	w.t.Helper()
	if err := w.ix.checkpoint(context.Background(), w.db, final); err != nil {
		w.t.Fatal(err)
	}
}

// questions are searches whose answers say whether two indexes are the same.
func (w *world) questions() []string {
	var out []string
	for i, text := range []string{"tide harbour pilot", "engine oil pump valve", "the of and"} {
		for _, mode := range []Mode{Lexical, Vector, Hybrid} {
			out = append(out,
				bytesOf(w.search(Query{Text: text, Mode: mode, Limit: 20, Explain: true})),
				bytesOf(w.search(Query{Text: text, Mode: mode, Limit: 5, AsOf: w.ix.Seq()/2 + uint64(i) + 1})),
				bytesOf(w.search(Query{Text: text, Mode: mode, Limit: 9, Kinds: []string{"note"}}, "brain://a/**")))
		}
	}
	return out
}

func (w *world) mustEqual(rt *rapid.T, what string, want []string) {
	for i, got := range w.questions() {
		if got != want[i] {
			rt.Fatalf("%s, question %d:\n%s\nwant\n%s", what, i, got, want[i])
		}
	}
}

// Whatever was kept and whatever came after it: an index that was read back, one
// that was made from nothing and one that grew give the same bytes, also where a
// graph answers.
func TestReadBackEqualsGrown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := &Options{Graph: tiny}
		w := newWorld(t, o)
		w.ix.depth = 8
		words := rapid.Custom(func(t *rapid.T) string { return sentence(t, "text") })
		seed := rapid.IntRange(0, 1<<20).Draw(rt, "seed")
		n := rapid.IntRange(20, 140).Draw(rt, "notes")
		kept := map[int]bool{rapid.IntRange(0, n).Draw(rt, "kept at"): true, rapid.IntRange(0, n).Draw(rt, "and at"): true}
		final := rapid.Bool().Draw(rt, "final")
		for i := range n {
			if kept[i] {
				w.checkpoint(final)
			}
			name := fmt.Sprintf("brain://%s/%03d", []string{"a", "a", "a", "b"}[i%4], i*7%100)
			w.note(name, words.Example(seed+i))
			if i%11 == 10 {
				w.forget(name)
			}
		}
		grown := w.questions()
		w.reopen(o).mustEqual(rt, "read back", grown)
		if err := w.ix.Drop(context.Background(), w.db); err != nil {
			rt.Fatal(err)
		}
		w.reopen(o).mustEqual(rt, "made from nothing", grown)
	})
}

// A damaged page, of whatever kind, is noticed and made again.
func TestDamagedCheckpointIsMadeAgain(t *testing.T) {
	o := &Options{Graph: tiny}
	w := newWorld(t, o)
	words := rapid.Custom(func(t *rapid.T) string { return sentence(t, "text") })
	for i := range 150 {
		w.note(fmt.Sprintf("brain://a/%03d", i), words.Example(i))
	}
	w.checkpoint(true)
	grown := w.questions()
	keys := map[string][]byte{}
	for _, p := range []store.Prefix{store.Page, store.Stamp} {
		derived := w.db.Derived()
		lo, hi := p.Range()
		if err := derived.Scan(lo, hi, func(k, v []byte) (bool, error) {
			keys[string(k)] = append([]byte(nil), v...)
			return true, nil
		}); err != nil {
			t.Fatal(err)
		}
		derived.Close()
	}
	if len(keys) < 6 {
		t.Fatalf("only %d pages", len(keys))
	}
	write := func(k string, v []byte) {
		if err := w.db.Derive(context.Background(), func(tx *store.DeriveTx) error {
			if v == nil {
				return tx.Delete([]byte(k))
			}
			return tx.Set([]byte(k), v)
		}); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range keys {
		for name, bad := range map[string][]byte{
			"flipped": flip(v, len(v)/2), "flipped first": flip(v, 0), "cut": v[:len(v)-1], "empty": {}, "gone": nil,
		} {
			write(k, bad)
			again := w.reopen(o)
			for i, got := range again.questions() {
				if got != grown[i] {
					t.Fatalf("page %q %s: question %d:\n%s\nwant\n%s", k[:2], name, i, got, grown[i])
				}
			}
		}
		write(k, v)
	}
}

func flip(b []byte, at int) []byte {
	c := append([]byte(nil), b...)
	c[at] ^= 0x10
	return c
}

// Another make of chunks, words or vectors does not read what this one kept.
func TestAnotherMakeIsMadeAgain(t *testing.T) {
	w := newWorld(t, nil)
	w.note("brain://a/b", "tide tables\n\nNOISE and more of it")
	w.checkpoint(true)
	o := &Options{}
	o.Chunk.SkipPrefixes = []string{"NOISE"}
	again := w.reopen(o)
	if r := again.search(Query{Text: "noise", Mode: Lexical}); len(r.Hits) != 0 {
		t.Errorf("%d hits for what is not indexed", len(r.Hits))
	}
	if got := again.ix.saver.stored.Docs; got != 0 {
		t.Errorf("%d documents taken over", got)
	}
}

// A graph answers only who may read all of its partition, and only about the
// live view; everybody else is answered exactly, from what they may read.
func TestGraphOnlyForWholePartitions(t *testing.T) {
	w := newWorld(t, &Options{Graph: tiny})
	words := rapid.Custom(func(t *rapid.T) string { return sentence(t, "text") })
	for i := range 200 {
		w.note(fmt.Sprintf("brain://a/%s/%03d", []string{"open", "open", "open", "secret"}[i%4], i), words.Example(i))
	}
	v := &w.ix.view
	ask := func(asOf uint64, patterns ...string) *vectorLeg {
		c := w.ix.scopes.corpus(v, reader(t, patterns...), asOf)
		q, err := w.ix.embed.query(context.Background(), "tide harbour")
		if err != nil {
			t.Fatal(err)
		}
		l := &vectorLeg{v: v, c: c, query: q, filter: c.bits, exact: asOf != 0}
		if _, err := l.search(3); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := ask(0, "brain://**"); !l.walked {
		t.Error("no graph for a scope of the whole partition")
	}
	if l := ask(0, "brain://a/open/**"); l.walked {
		t.Error("a graph that holds hidden nodes answered")
	}
	if l := ask(w.ix.Seq(), "brain://**"); l.walked {
		t.Error("a graph answered about another commit")
	}
	for i := 3; i < 200; i += 4 {
		w.forget(fmt.Sprintf("brain://a/secret/%03d", i))
	}
	if l := ask(0, "brain://a/open/**"); l.walked {
		t.Error("a graph that holds hidden nodes answered once they were forgotten")
	}
	// The hidden quarter does not exist for the partial scope.
	part := newWorld(t, &Options{Graph: tiny})
	for i := range 200 {
		if i%4 != 3 {
			part.note(fmt.Sprintf("brain://a/open/%03d", i), words.Example(i))
		}
	}
	for _, text := range []string{"tide harbour pilot", "soup price", "storm"} {
		q := Query{Text: text, Limit: 20, Explain: true}
		if a, b := answer(w.search(q, "brain://a/open/**")), answer(part.search(q, "brain://a/open/**")); a != b {
			t.Errorf("%q: with a hidden part\n%s\nwithout\n%s", text, a, b)
		}
	}
}

// The graph finds nearly what an exact scan finds.
func TestGraphFindsTheNearest(t *testing.T) {
	w := newWorld(t, &Options{Graph: hnsw.Options{Batch: 64, Lag: 128, MinLen: 256, ScanBelow: -1}})
	w.ix.depth = 32
	words := rapid.Custom(func(t *rapid.T) string { return sentence(t, "text") })
	for i := range 1200 {
		w.note(fmt.Sprintf("brain://a/%04d", i), words.Example(i))
	}
	scope := func() policy.Scope { return reader(t, everything...) }
	found, total := 0, 0
	for i := range 40 {
		text := words.Example(9000 + i)
		exact, err := w.ix.Search(context.Background(), Query{Text: text, Mode: Vector, AsOf: w.ix.Seq()}, scope(), w.now)
		if err != nil {
			t.Fatal(err)
		}
		near := map[string]bool{}
		for _, h := range exact.Hits {
			near[h.Chunk.String()] = true
		}
		got := w.search(Query{Text: text, Mode: Vector})
		if len(got.Hits) != 10 {
			t.Fatalf("%d hits", len(got.Hits))
		}
		for _, h := range got.Hits {
			total++
			if near[h.Chunk.String()] {
				found++
			}
		}
	}
	if share := float64(found) / float64(total); share < .97 {
		t.Errorf("recall@10 %.3f", share)
	}
}

// A checkpoint is made by itself once enough has come.
func TestCheckpointInTheBackground(t *testing.T) {
	w := newWorld(t, nil)
	for i := 0; i < due+10; i += 128 { // many documents in one commit
		w.change(func(tx *store.Tx) error {
			for j := i; j < min(i+128, due+10); j++ {
				p, err := w.ix.Prepare(context.Background(), draftOf(j))
				if err != nil {
					return err
				}
				if _, _, err := p.Write(tx, "person:ana"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	w.ix.work.wg.Wait()
	if got := w.ix.saver.stored.Chunks; got != due {
		t.Errorf("%d chunks kept, want %d", got, due)
	}
	if got := w.reopen(nil).ix.saver.stored.Chunks; got != due {
		t.Errorf("%d chunks read back, want %d", got, due)
	}
}
