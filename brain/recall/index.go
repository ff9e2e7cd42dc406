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
	"runtime"
	"sync"

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
	// Graph tunes the graphs of the vector leg. Workers is set to the number of
	// processors. Default: see hnsw.Options.
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
	depth  int    // candidates that each leg gives at first
	graph  string // what decides the bytes of graphs

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
	order []*part // by part.id

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
	ix.saver.batch = batchBytes
	ix.opt.Graph.Workers = min(runtime.GOMAXPROCS(0), 256)
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

// Committed brings the index to commit c. It implements store.Hook. Searches go
// on while it prepares what the commit brings and while it waits for a graph.
func (ix *Index) Committed(c store.Commit) {
	ix.mu.RLock()
	follows := ix.view.db != nil && ix.view.err == nil
	ix.mu.RUnlock()
	var news []arrival
	var err error
	if follows {
		news, err = ix.arrivals(c)
	}
	ix.take(c, news, err)
	ix.maintain()
}

// arrival is what one commit did to one revision.
type arrival struct {
	rev  document.Revision
	made *prepared // nil when the revision is not new
	part *part     // of a new one
}

// arrivals returns what commit c changed, with all that can be done before
// searches see it. Only the committer calls it.
func (ix *Index) arrivals(c store.Commit) ([]arrival, error) {
	var news []arrival
	for _, k := range c.Keys {
		rev, ok, err := document.Changed(c.Snapshot, k)
		if err != nil {
			return nil, err
		}
		a := arrival{rev: rev}
		if ok && rev.Seq == c.Seq {
			if a.made, err = ix.prepared(c.Snapshot, rev); err != nil {
				return nil, err
			}
		}
		if a.made != nil || ok && rev.Retired == c.Seq {
			news = append(news, a)
		}
	}
	for i := range news {
		a := &news[i]
		if a.made == nil {
			continue
		}
		var err error
		if a.part, err = ix.partition(a.rev.URI); err == nil {
			err = a.part.append(a.made.pieces)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range news {
		if p := news[i].part; p != nil {
			if err := p.settle(ix.work.ctx, ix.work); err != nil {
				return nil, err
			}
		}
	}
	return news, nil
}

// partition returns the partition of a document, made when there is none yet.
func (ix *Index) partition(u uri.URI) (*part, error) {
	ix.mu.RLock()
	p := ix.view.parts[partOf(u)]
	ix.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.view.partition(u)
}

// take shows searches what commit c brought; err is why that is not known.
func (ix *Index) take(c store.Commit, news []arrival, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	v := &ix.view
	if v.db == nil {
		return // not loaded yet; Load reads the store as it is then
	}
	for i := range news {
		a := &news[i]
		if err == nil && a.made != nil {
			err = v.add(a.rev, a.made, a.part)
		}
		if err == nil && a.rev.Retired == c.Seq {
			v.retire(a.rev)
		}
	}
	if err != nil && v.err == nil {
		v.err = fmt.Errorf("index stopped at commit %d: %w", c.Seq, err)
	}
	v.pin(c.Snapshot, c.Seq)
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

// put is add for a view that no search uses yet.
func (v *view) put(rev document.Revision, p *prepared) error {
	into, err := v.partition(rev.URI)
	if err != nil {
		return err
	}
	if err := into.append(p.pieces); err != nil {
		return err
	}
	if err := v.add(rev, p, into); err != nil {
		return err
	}
	if rev.Retired != 0 {
		v.retire(rev)
	}
	return nil
}

// add appends the chunks of a revision that has just become live, whose vectors
// its partition has. Words that the lexical leg holds already, from a checkpoint,
// are not added again.
func (v *view) add(rev document.Revision, p *prepared, into *part) error {
	d := doc{
		uri: rev.URI, title: rev.Title, rev: rev.N, digest: rev.Digest, born: rev.Seq, at: rev.Time.UnixMicro(),
		from: micros(rev.ValidFrom, minTime), to: micros(rev.ValidTo, maxTime), expires: micros(rev.Expires, maxTime),
		first: uint32(len(v.chunks)), part: into, local: uint32(len(into.ords)),
	}
	n := uint32(len(v.docs))
	for i := range p.pieces {
		c := &p.pieces[i]
		ord := uint32(len(v.chunks))
		if int(ord) >= v.lex.Docs() {
			if err := v.lex.Add(ord, c.terms); err != nil {
				return err
			}
		}
		into.ords = append(into.ords, ord)
		if c.pending {
			if v.pending == 0 {
				v.firstPending = int(n)
			}
			v.pending++
		}
		crumb := c.crumb
		if i > 0 && crumb == v.chunks[ord-1].crumb {
			crumb = v.chunks[ord-1].crumb // one string for all chunks below a heading
		}
		v.chunks = append(v.chunks, piece{doc: n, start: c.start, end: c.end, crumb: crumb})
	}
	into.publish()
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
	db := ix.view.db
	ix.mu.RUnlock()
	var err error
	if db != nil {
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
