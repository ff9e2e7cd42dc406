// Package recall finds what a brain knows: it cuts documents into chunks,
// indexes them by words and by meaning, and answers queries over one state of
// the store with the provenance of every hit.
//
// Prepare does the slow work of a write (chunks, words, vectors) outside the
// writer; what it returns only writes. Committed, the store's hook, brings the
// index to each commit before its caller is answered, so a session reads its
// own writes. Search runs all legs over one pinned view, inside the scope of
// the actor: what the scope does not allow enters no list, count, statistic or
// score.
//
// The index lives in memory and is a function of the store's primary data; the
// order of its ordinals is the order of commits, so a grown and a rebuilt index
// give the same bytes. Vectors are kept in the derived part of the store, by
// model and text, so that opening embeds nothing again.
//
// The package decides no rights and keeps no proposals.
package recall

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/chunk"
	"github.com/seed70401ef0/brain-go/brain/recall/embed"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Options of an Index. The zero value is useful.
type Options struct {
	// Embedder makes the vectors. Default: the model that is compiled in.
	Embedder embed.Embedder
	// Chunk tunes how documents are cut. Default: see chunk.Options.
	Chunk chunk.Options
	// DailyBytes is how much content one actor may write in a UTC day.
	// Default 0: no limit.
	DailyBytes int64
	// Graph tunes the graphs of the vector leg. Default: see hnsw.Options.
	Graph hnsw.Options
	// Log gets what goes wrong in the background. Default: discarded.
	Log *slog.Logger
	// Progress is called while the index is built from the store, from one
	// goroutine, with the revisions done so far and their total. Default nil.
	Progress func(done, total int)
}

// Index is the searchable state of one store. It is safe for concurrent use;
// Committed is called by the store's committer alone.
type Index struct {
	opt    Options
	embed  embedding
	lex    *bm25.Analyzer
	staged staged
	scopes scopeCache
	scores sync.Pool // of *bm25.Scores
	work   *background
	saver  saver
	depth  int           // candidates that each leg gives at first
	graph  string        // what decides the bytes of graphs
	kept   atomic.Uint32 // chunks that the checkpoint holds

	mu   sync.RWMutex // guards what follows
	view view
}

// view is the state of the index after one commit. Everything in it grows by
// appending or is replaced, under Index.mu.
type view struct {
	db   *store.DB
	snap *store.Snapshot // of the same commit or a later one; nil before the first
	seq  uint64          // the last commit that the view holds
	err  error           // why the view can no longer follow the store, nil = it does

	docs   []doc            // one per indexed revision, in order of commit
	chunks []piece          // by ordinal
	byRev  map[revID]uint32 // live revisions: position in docs

	lex   *bm25.Index
	dim   int
	graph hnsw.Options
	parts map[string]*part
	order []*part // by name

	live    *roaring.Bitmap          // ordinals of live revisions
	timed   *roaring.Bitmap          // ordinals whose revision has a validity or an expiry
	flagged *roaring.Bitmap          // ordinals released in spite of a finding
	by      map[attr]*roaring.Bitmap // ordinals by one attribute
	retired int                      // revisions that are no longer live
	pending int                      // chunks whose vector the embedder failed to make

	firstPending int // document of the first of them
}

// doc is one indexed revision.
type doc struct {
	uri         uri.URI
	title       string
	rev         uint64
	digest      document.Digest
	born, died  uint64 // commits; died 0 = live
	at          int64  // microseconds of the commit
	from, to    int64  // validity in microseconds, noTime = open
	expires     int64  // microseconds, noTime = never
	first, last uint32 // ordinals [first, last) of its chunks
	part        *part
	local       uint32 // ordinal of the first chunk in part
}

// piece is one chunk.
type piece struct {
	doc        uint32
	start, end uint32 // byte span in the revision
	crumb      string
}

type revID struct {
	uri string // key form
	n   uint64
}

// attr is one value of one attribute that a filter can name.
type attr struct {
	field byte // 'd' domain, 's' source, 'k' kind, 'o' owner, 't' tag
	value string
}

// New returns an empty index. It is to be a hook of the store, and Load fills it.
func New(ctx context.Context, o *Options) (*Index, error) {
	ix := &Index{depth: firstDepth}
	if o != nil {
		ix.opt = *o
	}
	if ix.opt.Log == nil {
		ix.opt.Log = slog.New(slog.DiscardHandler)
	}
	if ix.opt.Embedder == nil {
		ix.opt.Embedder = embed.Default()
	}
	if _, err := chunk.Split(chunk.Input{}, &ix.opt.Chunk); err != nil {
		return nil, err
	}
	dim, err := dimension(ctx, ix.opt.Embedder)
	if err != nil {
		return nil, err
	}
	ix.embed = newEmbedding(ix.opt.Embedder, dim)
	ix.lex = bm25.NewAnalyzer()
	ix.scores.New = func() any { return new(bm25.Scores) }
	ix.scopes.clear()
	ix.work = newBackground()
	g, err := hnsw.New(ix.opt.Graph)
	if err != nil {
		return nil, err
	}
	ix.graph = g.Options().String()
	ix.view, err = ix.empty()
	return ix, err
}

func (ix *Index) empty() (view, error) {
	lex, err := bm25.New(ix.lex, nil)
	if err != nil {
		return view{}, err
	}
	return view{
		byRev: map[revID]uint32{}, lex: lex, dim: ix.embed.dim, graph: ix.opt.Graph, parts: map[string]*part{},
		live: roaring.New(), timed: roaring.New(), flagged: roaring.New(), by: map[attr]*roaring.Bitmap{},
	}, nil
}

// Committed brings the index to commit c. It implements store.Hook.
func (ix *Index) Committed(c store.Commit) {
	var revs []document.Revision
	var err error
	for _, k := range c.Keys {
		rev, ok, e := document.Changed(c.Snapshot, k)
		if e != nil {
			err = e
			break
		}
		if ok && (rev.Seq == c.Seq || rev.Retired == c.Seq) {
			revs = append(revs, rev)
		}
	}
	made := make([]*prepared, len(revs))
	for i, rev := range revs {
		if err == nil && rev.Seq == c.Seq {
			made[i], err = ix.take(c.Snapshot, rev)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.view.db == nil {
		return // not loaded yet; Load reads the store as it is then
	}
	for i, rev := range revs {
		if err == nil && rev.Retired == c.Seq {
			ix.view.retire(rev)
		}
		if err == nil && rev.Seq == c.Seq {
			if err = ix.view.add(rev, made[i]); err == nil {
				err = ix.view.docs[len(ix.view.docs)-1].part.settle(ix.work)
			}
		}
	}
	if err != nil && ix.view.err == nil {
		ix.view.err = fmt.Errorf("index stopped at commit %d: %w", c.Seq, err)
	}
	ix.view.pin(c.Snapshot, c.Seq)
}

// pin moves the view to a snapshot that holds commit seq.
func (v *view) pin(s *store.Snapshot, seq uint64) {
	v.seq = seq
	if v.snap != nil {
		if v.snap.Seq() == s.Seq() {
			return
		}
		v.snap.Close()
	}
	v.snap = s.Retain()
}

// add appends the chunks of a revision that has just become live. Words and
// vectors that the legs hold already, from a checkpoint, are not added again.
func (v *view) add(rev document.Revision, p *prepared) error {
	d := doc{
		uri: rev.URI, title: rev.Title, rev: rev.N, digest: rev.Digest, born: rev.Seq, at: rev.Time.UnixMicro(),
		from: micros(rev.ValidFrom, minTime), to: micros(rev.ValidTo, maxTime), expires: micros(rev.Expires, maxTime),
		first: uint32(len(v.chunks)),
	}
	var err error
	if d.part = v.parts[partOf(rev.URI)]; d.part == nil {
		if d.part, err = v.newPart(partOf(rev.URI)); err != nil {
			return err
		}
	}
	d.local = uint32(len(d.part.ords))
	n := uint32(len(v.docs))
	for i := range p.pieces {
		c := &p.pieces[i]
		ord := uint32(len(v.chunks))
		if int(ord) >= v.lex.Docs() {
			if err := v.lex.Add(ord, c.terms); err != nil {
				return err
			}
		}
		if _, err := d.part.vec.Append(c.vector); err != nil {
			return err
		}
		d.part.ords = append(d.part.ords, ord)
		if c.pending {
			if v.pending == 0 {
				v.firstPending = int(n)
			}
			v.pending++
		}
		v.chunks = append(v.chunks, piece{doc: n, start: c.start, end: c.end, crumb: c.crumb})
	}
	d.last = uint32(len(v.chunks))
	v.docs = append(v.docs, d)
	v.byRev[revID{rev.URI.Key(), rev.N}] = n
	v.live.AddRange(uint64(d.first), uint64(d.last))
	if d.from != minTime || d.to != maxTime || d.expires != maxTime {
		v.timed.AddRange(uint64(d.first), uint64(d.last))
	}
	if len(rev.Flags) > 0 {
		v.flagged.AddRange(uint64(d.first), uint64(d.last))
	}
	for _, a := range attrsOf(rev) {
		b := v.by[a]
		if b == nil {
			b = roaring.New()
			v.by[a] = b
		}
		b.AddRange(uint64(d.first), uint64(d.last))
	}
	return nil
}

func attrsOf(rev document.Revision) []attr {
	out := []attr{{'s', rev.URI.Scheme()}, {'k', rev.Kind}, {'o', rev.Owner}}
	if d := rev.URI.Domain(); d != "" {
		out = append(out, attr{'d', d})
	}
	for _, t := range rev.Tags {
		out = append(out, attr{'t', t})
	}
	return out
}

// retire takes a revision out of the live view.
func (v *view) retire(rev document.Revision) {
	id := revID{rev.URI.Key(), rev.N}
	n, ok := v.byRev[id]
	if !ok {
		return
	}
	d := &v.docs[n]
	d.died = rev.Retired
	v.live.RemoveRange(uint64(d.first), uint64(d.last))
	v.retired++
	delete(v.byRev, id)
}

// Seq returns the last commit that a search sees.
func (ix *Index) Seq() uint64 {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.view.seq
}

// Model returns the id of the embedder.
func (ix *Index) Model() string { return ix.opt.Embedder.ID() }

// Err returns why the index can no longer follow the store, or nil. Load makes
// it whole again.
func (ix *Index) Err() error {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.view.err
}

// Size says how much an index holds.
type Size struct {
	Revisions int `json:"revisions"` // indexed, live and retired
	Retired   int `json:"retired"`   // of these, no longer live
	Chunks    int `json:"chunks"`    // live and retired
	Terms     int `json:"terms"`     // distinct
	Postings  int `json:"postings"`
	Pending   int `json:"pending"` // chunks without the vector they should have
	Bytes     int `json:"bytes"`   // of memory, about
}

// Size returns the size of the index.
func (ix *Index) Size() Size {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	v := &ix.view
	lex := v.lex.Stats()
	bytes := int(lex.Bytes) + len(v.chunks)*(ix.embed.dim+8)
	for i := range v.chunks {
		bytes += 32 + len(v.chunks[i].crumb)
	}
	for i := range v.docs {
		bytes += 160 + 2*len(v.docs[i].uri.String())
	}
	return Size{
		Revisions: len(v.docs), Retired: v.retired, Chunks: len(v.chunks),
		Terms: lex.Terms, Postings: lex.Postings, Pending: v.pending, Bytes: bytes,
	}
}

// Close ends the work in the background, keeps the index in the store that it was
// loaded from, unless that takes no writes, and releases the snapshot that it
// holds. Nothing may be committed any more, and searches fail afterwards.
func (ix *Index) Close(ctx context.Context) error {
	ix.work.stop()
	ix.mu.RLock()
	db, docs, broken := ix.view.db, len(ix.view.docs), ix.view.err
	ix.mu.RUnlock()
	var err error
	if db != nil && broken == nil && docs != int(ix.saver.stored.Docs) {
		if err = ix.checkpoint(ctx, db, true); errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrStoreFailed) {
			err = nil // the next open makes it again
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.view.snap != nil {
		ix.view.snap.Close()
		ix.view.snap = nil
	}
	ix.view.db = nil
	ix.view.err = store.ErrClosed
	return err
}
