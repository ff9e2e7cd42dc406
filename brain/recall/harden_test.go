package recall

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

var text = rapid.Custom(func(t *rapid.T) string { return sentence(t, "text") })

// runsOut is a context that ends after it was asked n times.
type runsOut struct {
	context.Context
	n int
}

func (c *runsOut) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// derived returns what the store holds of the checkpoint.
func (w *world) derived() map[string][]byte {
	w.t.Helper()
	out := map[string][]byte{}
	derived := w.db.Derived()
	defer derived.Close()
	for _, p := range []store.Prefix{store.Page, store.Stamp} {
		lo, hi := p.Range()
		if err := derived.Scan(lo, hi, func(k, v []byte) (bool, error) {
			out[string(k)] = slices.Clone(v)
			return true, nil
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

// hold makes the store hold exactly this checkpoint.
func (w *world) hold(keys map[string][]byte) {
	w.t.Helper()
	if err := drop(context.Background(), w.db, store.Page, store.Stamp); err != nil {
		w.t.Fatal(err)
	}
	if err := w.db.Derive(context.Background(), func(tx *store.DeriveTx) error {
		for k, v := range keys {
			if err := tx.Set([]byte(k), v); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) same(what string, want []string) {
	w.t.Helper()
	for i, got := range w.questions() {
		if got != want[i] {
			w.t.Fatalf("%s, question %d:\n%s\nwant\n%s", what, i, got, want[i])
		}
	}
}

// steady is an embedder that can fail, of which there are several that give other
// vectors of the same dimension.
type steady struct {
	moody
	id string
}

func (s *steady) ID() string          { return s.id }
func (s *steady) Deterministic() bool { return true }

func (s *steady) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := s.moody.Embed(ctx, texts)
	for i := range out {
		for j := range out[i] {
			out[i][j] = float32(len(texts[i])*(j+3)%(7+len(s.id))) - 3
		}
	}
	return out, err
}

// A checkpoint that breaks off after any of its transactions leaves a store that
// opens to the same answers, whether the process ends there or tries again; and
// whatever checkpoint was there before: none, an older one, a damaged one, one of
// another make.
func TestCheckpointBreaksOff(t *testing.T) {
	o := &Options{Graph: tiny, Embedder: &steady{id: "one"}}
	other := &Options{Graph: tiny, Embedder: &steady{id: "another"}}
	w := newWorld(t, o)
	w.ix.saver.batch = 1000
	grow := func(from, to int) {
		for i := from; i < to; i++ {
			w.note(fmt.Sprintf("brain://%s/%03d", []string{"a", "a", "b"}[i%3], i*7%120), text.Example(i))
		}
	}
	grow(0, 110)
	w.forget("brain://a/007")
	w.checkpoint(true)
	old := w.derived()
	oldStamp, oldGraphs := w.ix.saver.stored, w.ix.saver.graphs
	grow(110, 160)
	w.checkpoint(true)
	all := w.derived()
	grown := w.questions()
	damaged := map[string][]byte{}
	for k, v := range old {
		if damaged[k] = v; k[1] == 'v' {
			damaged[k] = flip(v, len(v)/2)
		}
	}
	foreign := w.reopen(other).questions()
	for name, was := range map[string]map[string][]byte{"none": {}, "older": old, "damaged": damaged, "another make": all} {
		make, asks, want := o, o, grown
		if name == "another make" {
			make = other
		}
		for n := 0; ; n++ {
			w.hold(was)
			it := w
			if name == "older" {
				w.ix.saver.stored, w.ix.saver.graphs = oldStamp, oldGraphs
			} else {
				it = w.reopen(make)
			}
			it.ix.saver.batch = w.ix.saver.batch
			err := it.ix.checkpoint(&runsOut{context.Background(), n}, w.db, true)
			w.reopen(asks).same(fmt.Sprintf("%s, opened after %d", name, n), want)
			if err == nil {
				if n < 5 {
					t.Fatalf("%s: all was written after %d", name, n)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			it.checkpoint(true)
			again := w.reopen(make)
			if got := again.ix.saver.stored.Docs; int(got) != len(w.ix.view.docs) {
				t.Fatalf("%s, tried again after %d: %d documents kept of %d", name, n, got, len(w.ix.view.docs))
			}
			if make == o {
				again.same(fmt.Sprintf("%s, tried again after %d", name, n), grown)
			} else {
				again.same(fmt.Sprintf("%s, tried again after %d", name, n), foreign)
			}
		}
	}
}

// What was kept of another history, as after the primary data alone were put
// back, is noticed, also behind what the stamp counts.
func TestCheckpointOfAnotherHistory(t *testing.T) {
	e := &steady{id: "e"}
	o := &Options{Graph: tiny, Embedder: e}
	w, other := newWorld(t, o), newWorld(t, o)
	var own map[string][]byte
	for i := range 130 {
		name, from := fmt.Sprintf("brain://a/%03d", i), 1000
		if i < 80 {
			from = 0
		}
		if i == 100 {
			w.checkpoint(true)
			own = w.derived()
		}
		w.note(name, text.Example(i))
		e.down = i == 80
		other.note(name, text.Example(from+i))
		e.down = false
	}
	other.checkpoint(true)
	if s := other.ix.saver.stored; s.Docs != 80 || s.More != 50 {
		t.Fatalf("%+v", s)
	}
	grown := w.questions()
	w.hold(other.derived())
	w.reopen(o).same("words behind the documents", grown)

	if err := other.ix.Load(context.Background(), other.db); err != nil {
		t.Fatal(err)
	}
	other.checkpoint(true)
	w.hold(other.derived())
	w.reopen(o).same("all of another history", grown)
	mixed := other.derived()
	for k, v := range own {
		if k[0] == byte(store.Stamp) || k[1] == 's' || k[1] == 'g' {
			mixed[k] = v
		}
	}
	w.hold(mixed)
	w.reopen(o).same("longer pages", grown)

	few := newWorld(t, o)
	for i := range 10 {
		few.note(fmt.Sprintf("brain://a/%03d", i), text.Example(i))
	}
	grown = few.questions()
	few.hold(own)
	few.reopen(o).same("more documents than there are", grown)
}

// dice gives another vector for the same text every time.
type dice struct{ moody }

func (d *dice) ID() string { return "dice/1" }

func (d *dice) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out, err := d.moody.Embed(ctx, texts)
	for i := range out {
		for j := range out[i] {
			out[i][j] = rand.Float32() - .5
		}
	}
	return out, err
}

// Vectors that cannot be made again are data: one per text, the same in the index
// that grew, the one that was built from the store and the one that was read back.
// What an embedder failed on is found by its words and filled in later, with
// checkpoints before and after.
func TestVectorsThatAreData(t *testing.T) {
	e := &dice{}
	o := &Options{Embedder: e, Graph: tiny}
	w := newWorld(t, o)
	ask := func(w *world) []string {
		var out []string
		for i := range 6 {
			q := Query{Text: text.Example(i), Limit: 30, Explain: true, Vector: []float32{1, float32(i) - 3, .5}}
			out = append(out, bytesOf(w.search(q)))
		}
		return out
	}
	write := func(from, to int) {
		for i := from; i < to; i++ {
			w.note(fmt.Sprintf("brain://a/%03d", i), text.Example(i%70)) // twice the same text
		}
	}
	equal := func(what string, want []string) {
		t.Helper()
		if got := ask(w.reopen(o)); !slices.Equal(got, want) {
			t.Errorf("%s: not the answers of the index that grew", what)
		}
	}
	write(0, 120)
	equal("built", ask(w))
	w.checkpoint(true)
	equal("read back", ask(w))
	e.down = true
	w.note("brain://a/pending", "lighthouse")
	e.down = false
	write(120, 140)
	w.checkpoint(true)
	if got := w.reopen(o); got.ix.saver.stored.Docs != 120 || got.ix.Size().Pending != 0 || len(got.search(Query{Text: "lighthouse", Mode: Vector, Limit: 1}).Hits) != 1 {
		t.Errorf("%+v, %+v", got.ix.saver.stored, got.ix.Size())
	}
	if err := w.ix.Load(context.Background(), w.db); err != nil {
		t.Fatal(err)
	}
	equal("filled", ask(w))
	w.checkpoint(true)
	if got := w.ix.saver.stored.Docs; got != 141 {
		t.Errorf("%d documents kept", got)
	}
	equal("filled and read back", ask(w))
	if err := w.ix.Drop(context.Background(), w.db); err != nil {
		t.Fatal(err)
	}
	equal("without what is derived", ask(w))
}

// A revision that comes and goes in one commit is live nowhere.
func TestBornAndRetiredInOneCommit(t *testing.T) {
	w := newWorld(t, nil)
	w.change(func(tx *store.Tx) error {
		for _, body := range []string{"tide tables", "soup"} {
			d := document.Draft{URI: uri.MustParse("brain://a/b"), Body: []byte(body)}
			if _, _, err := document.Put(tx, "person:ana", d, 0); err != nil {
				return err
			}
		}
		return nil
	})
	grown := bytesOf(w.search(Query{Text: "tide soup"}))
	if got := bytesOf(w.reopen(nil).search(Query{Text: "tide soup"})); got != grown {
		t.Errorf("grown\n%s\nbuilt\n%s", grown, got)
	}
}

// What a scope sees, followed from commit to commit, is what it sees counted anew:
// the statistics, the local form of its bits, and which partitions hold what it
// may not read, forgotten or not.
func TestScopeIsFollowed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, nil)
		scope := reader(t, "brain://a/**", "brain://b/open/**")
		for i := range rapid.IntRange(1, 30).Draw(rt, "steps") {
			name := fmt.Sprintf("brain://%s/%s/%d", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "domain"),
				rapid.SampledFrom([]string{"open", "closed"}).Draw(rt, "place"), rapid.IntRange(0, 4).Draw(rt, "name"))
			_, there := w.liveAt(name)
			if there && rapid.Bool().Draw(rt, "forget") {
				w.forget(name)
			} else {
				w.note(name, text.Example(i))
			}
			if rapid.IntRange(0, 3).Draw(rt, "skip") == 0 {
				continue
			}
			v := &w.ix.view
			got := w.ix.scopes.corpus(v, scope, 0)
			var fresh scopeCache
			fresh.clear()
			want := fresh.corpus(v, scope, 0)
			if !slices.Equal(got.bits, want.bits) || got.n != want.n || got.lex.N != want.lex.N || got.lex.Len != want.lex.Len ||
				!slices.Equal(got.hidden, want.hidden) {
				rt.Fatalf("followed %+v, counted %+v", got, want)
			}
			for i, p := range v.order {
				slow := make([]uint64, (len(p.ords)+63)/64)
				hidden := false
				for l, ord := range p.ords {
					if int(ord>>6) < len(got.bits) && got.bits[ord>>6]>>(ord&63)&1 != 0 {
						slow[l>>6] |= 1 << (l & 63)
					}
					hidden = hidden || !scope.Allows(v.docs[v.chunks[ord].doc].uri)
				}
				for _, set := range [][]uint64{got.local[i], want.local[i], p.local(got.bits)} {
					if !slices.Equal(append(slices.Clone(set), make([]uint64, len(slow)-len(set))...), slow) {
						rt.Fatalf("%s: %x, want %x", p.name, set, slow)
					}
				}
				if got.hidden[i] != hidden {
					rt.Fatalf("%s: hidden %v, want %v", p.name, got.hidden[i], hidden)
				}
			}
		}
	})
}

func (w *world) liveAt(name string) (uint32, bool) {
	for id, n := range w.ix.view.byRev {
		if id.uri == name {
			return n, true
		}
	}
	return 0, false
}

// A list may be longer than a graph gives, as when all of a large store is alike.
func TestListLongerThanGraphsGive(t *testing.T) {
	ix, err := New(context.Background(), &Options{Embedder: &moody{}, Graph: tiny})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.work.stop()
	v, n := &ix.view, hnsw.MaxK+50
	p, err := v.partition(uri.MustParse("brain://a/b"))
	if err != nil {
		t.Fatal(err)
	}
	all := roaring.New()
	all.AddRange(0, uint64(n))
	for ord := range n {
		if err := p.append([]preparedPiece{{vector: []int8{1, 2, 3}}}); err != nil {
			t.Fatal(err)
		}
		p.ords = append(p.ords, uint32(ord))
	}
	if err := p.grow(context.Background(), p.vec.View(), 64); err != nil {
		t.Fatal(err)
	}
	p.next = p.graph.View()
	p.publish()
	c := &corpus{bits: dense(all), local: [][]uint64{dense(all)}, hidden: []bool{false}}
	l := &vectorLeg{v: v, c: c, query: []int8{1, 0, 0}, filter: c.bits}
	if hits, err := l.search(1 << 20); err != nil || len(hits) != n {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

// Many small partitions are one corpus.
func TestManyPartitions(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 300 {
		w.note(fmt.Sprintf("brain://d%d/n", i%100), text.Example(i)+fmt.Sprint(" ", i))
	}
	q := Query{Text: "tide harbour", Limit: 20}
	var got []string
	for _, h := range w.search(q).Hits {
		got = append(got, h.Chunk.String())
	}
	if want := w.oracle(q, everything); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if r := w.search(Query{Text: "tide harbour", Domains: []string{"d7"}, Mode: Vector}); len(r.Hits) != 1 {
		t.Errorf("%d hits of one domain", len(r.Hits))
	}
	w.checkpoint(true)
	grown := w.questions()
	w.reopen(nil).same("read back", grown)
}

// Searches, commits, checkpoints and rows that change nothing run beside each
// other; every answer is of one commit.
func TestSearchesBesideCommits(t *testing.T) {
	w := newWorld(t, &Options{Graph: tiny})
	scope := reader(t, everything...)
	now := w.now
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				q := Query{Text: text.Example(i), Mode: Vector, Limit: 5, Kinds: []string{"note"}}
				r, err := w.ix.Search(context.Background(), q, scope, now)
				if err != nil || len(r.Hits) != min(5, r.Stats.Matching) || r.Stats.Matching != r.Stats.Corpus {
					t.Errorf("%d hits, %+v, %v", len(r.Hits), r.Stats, err)
					return
				}
			}
		})
	}
	keep := make(chan struct{}, 1)
	wg.Go(func() {
		for range keep {
			if err := w.ix.checkpoint(context.Background(), w.db, false); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 160 {
		w.note(fmt.Sprintf("brain://a/%d", i), text.Example(i))
		if i%8 == 7 {
			w.forget(fmt.Sprintf("brain://a/%d", i/2))
			keep <- struct{}{}
		}
	}
	close(keep)
	close(done)
	wg.Wait()
	w.checkpoint(true)
	grown := w.questions()
	w.reopen(&Options{Graph: tiny}).same("read back", grown)
}

// After Close nothing starts, and a Close that comes upon a checkpoint in the
// background waits for it.
func TestCloseEndsTheBackground(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 3 {
		w.note(fmt.Sprintf("brain://a/%d", i), text.Example(i))
	}
	w.ix.saver.next.Store(0)
	w.note("brain://a/last", "tide")
	if err := w.ix.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if w.ix.work.start(func() { t.Error("started") }) {
		t.Error("work after Close")
	}
	if got := w.ix.saver.stored.Docs; got != 4 {
		t.Errorf("%d documents kept", got)
	}
}

// An index that has stopped is not kept.
func TestStoppedIndexIsNotKept(t *testing.T) {
	w := newWorld(t, nil)
	w.note("brain://a/b", "tide")
	w.ix.view.err = errors.New("stopped")
	w.note("brain://a/c", "soup")
	w.checkpoint(true)
	if n := len(w.derived()); n != 0 || len(w.ix.view.docs) != 1 {
		t.Errorf("%d keys, %d documents", n, len(w.ix.view.docs))
	}
}
