package recall

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// A checkpoint keeps what is slow to make again, so that opening reads instead of
// chunking, analysing and building: the spans of the chunks, their vectors, the
// segments of the lexical leg and the graphs. It holds the first documents in
// order of their commits; which ones are live, who may read them and what they
// are called always comes from primary data. A stamp says what made it. Another
// stamp, or damage, makes it void: everything is then made again.
//
// It is written in several transactions, of which a crash leaves any number of
// the first. So a page that the stamp in the store relies on is only written over
// by one that begins with the same documents. Graphs have no such pages: while
// they are written, the stamp names none of them. And what no stamp is to be
// believed about any more is removed before anything else is written.

// Sizes of the pages, in documents and in chunks.
const (
	pageDocs   = 256
	pageChunks = 1024
)

const checkpointVersion = 2

// stamp is written last and makes the rest valid.
type stamp struct {
	V        uint8        `cbor:"0,keyasint"`
	Made     string       `cbor:"1,keyasint"`           // ids of all that shaped the state
	Docs     uint32       `cbor:"2,keyasint"`           // documents that it holds
	Chunks   uint32       `cbor:"3,keyasint"`           // of these documents
	Segments []segmentRef `cbor:"4,keyasint"`           // of the lexical leg; they may reach beyond Chunks
	Graphs   []string     `cbor:"5,keyasint,omitempty"` // names of the partitions with a graph
	More     uint32       `cbor:"6,keyasint,omitempty"` // documents after Docs that the segments reach into
	Check    []byte       `cbor:"7,keyasint,omitempty"` // over these
}

// segmentRef names a segment of the lexical leg by its ordinals.
type segmentRef struct {
	First uint32 `cbor:"0,keyasint"`
	Docs  uint32 `cbor:"1,keyasint"`
	Bytes uint32 `cbor:"2,keyasint"`
}

// spans are the chunks of one page of documents.
type spans struct {
	V     uint8    `cbor:"0,keyasint"`
	Check []byte   `cbor:"1,keyasint"` // over the revisions that the page is about
	Docs  [][]span `cbor:"2,keyasint"`
}

type span struct {
	Start uint32 `cbor:"0,keyasint"`
	End   uint32 `cbor:"1,keyasint"`
	Crumb string `cbor:"2,keyasint,omitempty"`
	Same  bool   `cbor:"3,keyasint,omitempty"` // Crumb is that of the chunk before
}

// made names everything that shapes the stored state.
func (ix *Index) made() string {
	return fmt.Sprintf("%d %s %s %s %s %d %s", checkpointVersion, ix.opt.Chunk.ID(), ix.lex.ID(), bm25.SegmentFormat, ix.opt.Embedder.ID(), ix.embed.dim, ix.graph)
}

// saver is the state of the stored form. Its lock is taken before Index.mu and
// held while a checkpoint is made or read.
type saver struct {
	mu     sync.Mutex
	stored stamp                // the zero stamp when there is none of use
	graphs map[string]hnsw.View // of stored, by partition
	batch  int                  // bytes that are written together

	running atomic.Bool  // a checkpoint is made in the background
	next    atomic.Int64 // number of chunks that makes another one worth while
}

// read notes that the store holds what s says, from which v was restored.
func (s *saver) read(st stamp, v *view) {
	s.stored, s.graphs = st, map[string]hnsw.View{}
	for _, name := range st.Graphs {
		s.graphs[name] = v.parts[name].next
	}
	s.next.Store(nextDue(int(st.Chunks)))
}

// due is how many new chunks make a checkpoint worth while: a unit of the lexical
// leg, which is stored when it is full.
const due = 4096

func nextDue(chunks int) int64 { return int64(chunks/due+1) * due }

// graphShare is how much a graph grows, as a part of itself, before it is stored
// again: a batch changes pages all over it. After a crash, opening builds what is
// missing.
const graphShare = 16

// maintain makes a checkpoint in the background when enough has come since the
// last attempt. It does not wait. A checkpoint that fails is reported to the log;
// losing it costs time at the next open, nothing else.
func (ix *Index) maintain() {
	ix.mu.RLock()
	db, n := ix.view.db, len(ix.view.chunks)
	ix.mu.RUnlock()
	if db == nil || int64(n) < ix.saver.next.Load() || !ix.saver.running.CompareAndSwap(false, true) {
		return
	}
	ix.saver.next.Store(nextDue(n))
	if !ix.work.start(func() {
		defer ix.saver.running.Store(false)
		if err := ix.checkpoint(ix.work.ctx, db, false); err != nil && ix.work.ctx.Err() == nil {
			ix.opt.Log.Warn("the index was not kept; the next open makes more of it again", "error", err)
		}
	}) {
		ix.saver.running.Store(false)
	}
}

// checkpoint merges what is due in the lexical leg and stores the index as
// derived data. With final nothing may be committed meanwhile, and the youngest
// documents and graphs are stored too. An index that has stopped is not stored.
// Index.mu is held for moments only; memory is that of the largest page and of
// one batch.
func (ix *Index) checkpoint(ctx context.Context, db *store.DB, final bool) error {
	sv := &ix.saver
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if err := ix.merge(ctx); err != nil {
		return err
	}
	s := ix.still(final)
	graphs := sv.outdated(s.graphs, final)
	if s.docs == nil || s.stamp.Docs < sv.stored.Docs || s.stamp.Docs == sv.stored.Docs && len(graphs) == 0 {
		return nil
	}
	if s.tail != nil {
		seg, err := s.tail.Run(ctx)
		if err != nil {
			return err
		}
		s.segs = append(s.segs, seg)
	}
	w := &pageWriter{ctx: ctx, db: db, limit: sv.batch}
	old := sv.graphs
	if err := sv.distrust(w, graphs); err != nil {
		return err
	}
	if err := s.write(w, &sv.stored, graphs, old); err != nil {
		return err
	}
	next, views := s.stamp, maps.Clone(sv.graphs)
	for _, g := range graphs {
		views[g.name] = g.view
	}
	next.Graphs = slices.Sorted(maps.Keys(views))
	if err := w.put(stampKey(), codec.Marshal(next)); err != nil {
		return err
	}
	for _, ref := range sv.stored.Segments {
		if !slices.Contains(next.Segments, ref) {
			w.drop(segmentKey(ref), int(ref.Bytes))
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	sv.stored, sv.graphs = next, views
	return nil
}

// distrust takes from the stored stamp what is going to be written over: some
// graphs, or all that another make or a damaged checkpoint left.
func (s *saver) distrust(w *pageWriter, graphs []stillGraph) error {
	if s.stored.Docs == 0 {
		w.drop(stampKey(), 0)
		if err := w.flush(); err != nil {
			return err
		}
		return drop(w.ctx, w.db, store.Page)
	}
	st, views := s.stored, maps.Clone(s.graphs)
	for _, g := range graphs {
		delete(views, g.name)
	}
	if len(views) == len(s.graphs) {
		return nil
	}
	st.Graphs = slices.Sorted(maps.Keys(views))
	if err := w.put(stampKey(), codec.Marshal(st)); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	s.stored, s.graphs = st, views
	return nil
}

// outdated returns the graphs that are worth to be stored again.
func (s *saver) outdated(graphs []stillGraph, final bool) []stillGraph {
	var out []stillGraph
	for _, g := range graphs {
		had := s.graphs[g.name].End()
		if grown := g.view.End() - had; grown > 0 && (final || grown*graphShare >= had) {
			out = append(out, g)
		}
	}
	return out
}

// merge brings the lexical leg into as few segments as can be.
func (ix *Index) merge(ctx context.Context) error {
	for {
		ix.mu.RLock()
		lex := ix.view.lex
		task := lex.Plan()
		ix.mu.RUnlock()
		if task == nil {
			return nil
		}
		seg, err := task.Run(ctx)
		if err != nil {
			return err
		}
		ix.mu.Lock()
		if ix.view.lex == lex {
			err = lex.Install(seg)
		}
		ix.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// still is a state of an index that stays as it is while the index goes on.
type still struct {
	stamp  stamp
	docs   []doc // what changes in them, died, is not looked at
	chunks []piece
	rows   []vek.View // by part.id
	graphs []stillGraph
	segs   []*bm25.Segment
	tail   *bm25.Task // what is in no segment yet; nil = nothing that is to be stored
	dim    int
}

type stillGraph struct {
	name string
	view hnsw.View
}

// still returns the state to be stored; no documents when there are none.
func (ix *Index) still(final bool) *still {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	v := &ix.view
	s := &still{dim: v.dim, segs: v.lex.Segments(), stamp: stamp{V: checkpointVersion, Made: ix.made()}}
	if v.err != nil {
		return s
	}
	end := uint32(0) // of what the segments hold
	for _, g := range s.segs {
		end = g.First() + uint32(g.Docs())
	}
	if final {
		s.tail, end = v.lex.Tail(), uint32(v.lex.Docs())
	}
	docs, more := len(v.docs), len(v.docs)
	if v.pending > 0 {
		docs = v.firstPending
	}
	for more > 0 && v.docs[more-1].first >= end {
		more--
	}
	for docs > 0 && v.docs[docs-1].last > end {
		docs--
	}
	if docs == 0 {
		return s
	}
	s.docs, s.chunks = v.docs[:docs], v.chunks[:v.docs[docs-1].last]
	s.stamp.Docs, s.stamp.Chunks = uint32(docs), uint32(len(s.chunks))
	if more > docs {
		s.stamp.More, s.stamp.Check = uint32(more-docs), checkOf(v.docs[docs:more])
	}
	for _, p := range v.order {
		s.rows = append(s.rows, p.rows)
		if n := p.view.End(); n > 0 && int(p.ords[n-1]) < len(s.chunks) {
			s.graphs = append(s.graphs, stillGraph{p.name, p.view})
		}
	}
	return s
}

// write writes the pages that are not in old, the stored stamp, and all that
// changed in graphs since those of the stored pages.
func (s *still) write(w *pageWriter, old *stamp, graphs []stillGraph, stored map[string]hnsw.View) error {
	for _, g := range s.segs {
		data := g.Bytes()
		ref := segmentRef{g.First(), uint32(g.Docs()), uint32(len(data))}
		s.stamp.Segments = append(s.stamp.Segments, ref)
		if slices.Contains(old.Segments, ref) {
			continue
		}
		if err := w.put(segmentKey(ref), data); err != nil {
			return err
		}
	}
	for page := int(old.Docs) / pageDocs; page*pageDocs < len(s.docs); page++ {
		if err := w.put(spansKey(page), codec.Marshal(s.spans(page))); err != nil {
			return err
		}
	}
	for page := int(old.Chunks) / pageChunks; page*pageChunks < len(s.chunks); page++ {
		if err := w.put(vectorsKey(page), s.vectors(page)); err != nil {
			return err
		}
	}
	for _, g := range graphs {
		for b := range g.view.Changed(stored[g.name]) {
			if err := w.set(graphKey(g.name, b.Name), b.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *still) spans(page int) spans {
	docs := s.docs[page*pageDocs : min((page+1)*pageDocs, len(s.docs))]
	out := spans{V: checkpointVersion, Check: checkOf(docs), Docs: make([][]span, len(docs))}
	for i := range docs {
		list := make([]span, 0, docs[i].last-docs[i].first)
		before := ""
		for _, c := range s.chunks[docs[i].first:docs[i].last] {
			x := span{Start: c.start, End: c.end, Crumb: c.crumb}
			if c.crumb == before {
				x.Crumb, x.Same = "", c.crumb != ""
			}
			list, before = append(list, x), c.crumb
		}
		out.Docs[i] = list
	}
	return out
}

// vectors returns the rows of a page of chunks; a row of zeros is no vector.
func (s *still) vectors(page int) []byte {
	first, last := page*pageChunks, min((page+1)*pageChunks, len(s.chunks))
	out := make([]byte, 0, (last-first)*s.dim)
	for ord := first; ord < last; ord++ {
		d := &s.docs[s.chunks[ord].doc]
		for _, x := range s.rows[d.part.id].Row(d.local + uint32(ord) - d.first) {
			out = append(out, byte(x))
		}
	}
	return out
}
