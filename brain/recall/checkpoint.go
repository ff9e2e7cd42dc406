package recall

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// A checkpoint keeps what is slow to make again, so that opening reads instead of
// chunking, analysing and building: the spans of the chunks, their vectors, the
// segments of the lexical leg and the graphs. It holds the first documents in
// order of their commits; which ones are live, who may read them and what they
// are called always comes from primary data. A stamp says what made it. Another
// stamp, or damage, makes it void: everything is then made again.

// Sizes of the pages, in documents and in chunks.
const (
	pageDocs   = 1024
	pageChunks = 1024
)

const checkpointVersion = 1

// stamp is written last and makes the rest valid.
type stamp struct {
	V        uint8        `cbor:"0,keyasint"`
	Made     string       `cbor:"1,keyasint"` // ids of all that shaped the state
	Docs     uint32       `cbor:"2,keyasint"` // documents that it holds
	Chunks   uint32       `cbor:"3,keyasint"` // of these documents
	Segments []segmentRef `cbor:"4,keyasint"`
	Graphs   []string     `cbor:"5,keyasint,omitempty"` // names of the partitions with a graph
}

// segmentRef names a segment of the lexical leg by its ordinals.
type segmentRef struct {
	First uint32 `cbor:"0,keyasint"`
	Docs  uint32 `cbor:"1,keyasint"`
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
}

const (
	maxStamp = 1 << 20
	maxSpans = 256 << 20 // bytes: a document has 20,000 chunks at most
)

// Keys below store.Page: one byte for the kind, then what tells pages apart.
func stampKey() []byte { return store.Stamp.Key([]byte("recall")) }
func spansKey(page int) []byte {
	return store.Page.Key([]byte{'d'}, binary.BigEndian.AppendUint32(nil, uint32(page)))
}
func vectorsKey(page int) []byte {
	return store.Page.Key([]byte{'v'}, binary.BigEndian.AppendUint32(nil, uint32(page)))
}
func segmentKey(s segmentRef) []byte {
	return store.Page.Key([]byte{'s'}, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, s.First), s.Docs))
}
func graphKey(part string, n hnsw.Name) []byte {
	h := sha256.Sum256([]byte(part))
	at := []byte{0, byte(n.Level)}
	if n.Head {
		at[0] = 1
	}
	return store.Page.Key([]byte{'g'}, h[:16], at, binary.BigEndian.AppendUint32(nil, uint32(n.Index)))
}

// sealed puts a checksum before a page that has none of its own.
func sealed(data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))), data...)
}

// open returns the page behind the checksum.
func unsealed(data []byte) ([]byte, error) {
	if len(data) < 4 || binary.LittleEndian.Uint32(data) != crc32.Checksum(data[4:], crc32.MakeTable(crc32.Castagnoli)) {
		return nil, fmt.Errorf("%w: page of the index", codec.ErrCorrupt)
	}
	return data[4:], nil
}

// made names everything that shapes the stored state.
func (ix *Index) made() string {
	return fmt.Sprintf("%d %s %s %s %s", checkpointVersion, ix.opt.Chunk.ID(), ix.lex.ID(), ix.opt.Embedder.ID(), ix.graph)
}

// checkOf digests which revisions a page is about.
func checkOf(docs []doc) []byte {
	h := sha256.New()
	for i := range docs {
		d := &docs[i]
		h.Write([]byte(d.uri.Key()))
		h.Write(binary.BigEndian.AppendUint64([]byte{0}, d.rev))
		h.Write(d.digest[:])
	}
	return h.Sum(nil)
}

// saver is the state of the stored form. Its lock is taken before Index.mu and
// held while a checkpoint is made or read.
type saver struct {
	mu      sync.Mutex
	stored  stamp                // the zero stamp when there is none
	graphs  map[string]hnsw.View // of stored, by partition; what is not here is stored whole
	running atomic.Bool          // a checkpoint is made in the background
}

// due is how many new chunks make a checkpoint worth while: as many as a unit of
// the lexical leg.
const due = 4096

// maintain makes a checkpoint in the background when enough has come since the
// last one. It does not wait. A checkpoint that fails is reported to the log;
// losing it costs time at the next open, nothing else.
func (ix *Index) maintain(db *store.DB) {
	ix.mu.RLock()
	n := len(ix.view.chunks)
	ix.mu.RUnlock()
	if n < int(ix.kept.Load())+due || !ix.saver.running.CompareAndSwap(false, true) {
		return
	}
	ix.work.start(func() {
		defer ix.saver.running.Store(false)
		if err := ix.checkpoint(ix.work.ctx, db, false); err != nil && ix.work.ctx.Err() == nil {
			ix.opt.Log.Warn("the index was not kept; the next open makes more of it again", "error", err)
		}
	})
}

// checkpoint merges what is due in the lexical leg and stores the index as
// derived data. With final nothing may be committed meanwhile, and the youngest
// documents are stored too. The stamp is written after all else; while the pages
// of a graph change, it names no graph.
func (ix *Index) checkpoint(ctx context.Context, db *store.DB, final bool) error {
	ix.saver.mu.Lock()
	defer ix.saver.mu.Unlock()
	if err := ix.merge(ctx); err != nil {
		return err
	}
	w := &pageWriter{ctx: ctx, db: db}
	if old := ix.saver.stored; len(old.Graphs) > 0 {
		old.Graphs = nil
		w.set(stampKey(), codec.Marshal(old))
		if err := w.flush(); err != nil {
			return err
		}
	}
	next, graphs, err := ix.collect(w, final)
	if err != nil || next.Docs == 0 {
		return err
	}
	w.set(stampKey(), codec.Marshal(next))
	for _, s := range ix.saver.stored.Segments {
		if !slices.Contains(next.Segments, s) {
			w.drop(segmentKey(s))
		}
	}
	if err := w.flush(); err != nil {
		ix.saver.graphs = nil
		return err
	}
	ix.saver.stored, ix.saver.graphs = next, graphs
	ix.kept.Store(next.Chunks)
	return nil
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

// collect writes the pages that changed and returns the stamp to write after
// them, with the graphs that it is about. Nothing to keep is a stamp of no
// documents.
func (ix *Index) collect(w *pageWriter, final bool) (stamp, map[string]hnsw.View, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	v, old := &ix.view, &ix.saver.stored
	segs := v.lex.Segments()
	if final {
		if tail := v.lex.Tail(); tail != nil {
			s, err := tail.Run(w.ctx)
			if err != nil {
				return stamp{}, nil, err
			}
			segs = append(segs, s)
		}
	}
	next, end := stamp{V: checkpointVersion, Made: ix.made()}, uint32(0)
	for _, s := range segs {
		ref := segmentRef{s.First(), uint32(s.Docs())}
		next.Segments = append(next.Segments, ref)
		end = ref.First + ref.Docs
		if !slices.Contains(old.Segments, ref) {
			w.set(segmentKey(ref), s.Bytes())
		}
	}
	docs := len(v.docs)
	if v.pending > 0 {
		docs = v.firstPending
	}
	for docs > 0 && v.docs[docs-1].last > end {
		docs--
	}
	if docs == 0 {
		return stamp{}, nil, nil
	}
	next.Docs, next.Chunks = uint32(docs), v.docs[docs-1].last
	for page := int(old.Docs) / pageDocs; page*pageDocs < docs; page++ {
		w.set(spansKey(page), sealed(codec.Marshal(v.spans(page, docs))))
	}
	for page := int(old.Chunks) / pageChunks; page*pageChunks < int(next.Chunks); page++ {
		w.set(vectorsKey(page), sealed(v.vectors(page, int(next.Chunks))))
	}
	graphs := map[string]hnsw.View{}
	for _, p := range v.order {
		if p.view.End() == 0 || int(p.ords[p.view.End()-1]) >= int(next.Chunks) {
			continue
		}
		next.Graphs, graphs[p.name] = append(next.Graphs, p.name), p.view
		for b := range p.view.Changed(ix.saver.graphs[p.name]) {
			w.set(graphKey(p.name, b.Name), b.Data)
		}
	}
	return next, graphs, w.err
}

func (v *view) spans(page, docs int) spans {
	first, last := page*pageDocs, min((page+1)*pageDocs, docs)
	s := spans{V: checkpointVersion, Check: checkOf(v.docs[first:last]), Docs: make([][]span, 0, last-first)}
	for i := first; i < last; i++ {
		var list []span
		for _, c := range v.chunks[v.docs[i].first:v.docs[i].last] {
			list = append(list, span{c.start, c.end, c.crumb})
		}
		s.Docs = append(s.Docs, list)
	}
	return s
}

// vectors returns the rows of a page of chunks; a row of zeros is no vector.
func (v *view) vectors(page, chunks int) []byte {
	first, last := page*pageChunks, min((page+1)*pageChunks, chunks)
	out := make([]byte, 0, (last-first)*v.dim)
	for ord := first; ord < last; ord++ {
		d := &v.docs[v.chunks[ord].doc]
		for _, x := range d.part.rows.Row(d.local + uint32(ord) - d.first) {
			out = append(out, byte(x))
		}
	}
	return out
}

// pageWriter writes derived keys in batches that stay far below the limit of one
// transaction. Keys of the last batch are written together.
type pageWriter struct {
	ctx  context.Context
	db   *store.DB
	sets [][2][]byte
	gone [][]byte
	size int
	err  error
}

const batchBytes = 16 << 20

func (w *pageWriter) set(key, value []byte) {
	w.sets = append(w.sets, [2][]byte{key, value})
	if w.size += len(key) + len(value); w.size >= batchBytes {
		w.err = errors.Join(w.err, w.flush())
	}
}

func (w *pageWriter) drop(key []byte) { w.gone = append(w.gone, key) }

func (w *pageWriter) flush() error {
	if w.err != nil {
		return w.err
	}
	err := w.db.Derive(w.ctx, func(tx *store.DeriveTx) error {
		for _, kv := range w.sets {
			if err := tx.Set(kv[0], kv[1]); err != nil {
				return err
			}
		}
		for _, k := range w.gone {
			if err := tx.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
	w.sets, w.gone, w.size = nil, nil, 0
	return err
}

// restore fills the empty view v from the checkpoint and returns its stamp, which
// says how many of revs, in order of their commits, it holds. A checkpoint of
// another make holds none. The error says what is damaged; v is of no use then.
func (ix *Index) restore(r store.Reader, v *view, revs []document.Revision) (stamp, error) {
	data, err := r.Get(stampKey())
	if errors.Is(err, store.ErrNotFound) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	var s stamp
	if err := codec.Unmarshal(data, &s, maxStamp); err != nil {
		return stamp{}, err
	}
	if s.V != checkpointVersion || s.Made != ix.made() || int(s.Docs) > len(revs) {
		return stamp{}, nil
	}
	return s, ix.restoreAll(r, v, revs, s)
}

func (ix *Index) restoreAll(r store.Reader, v *view, revs []document.Revision, s stamp) error {
	for _, ref := range s.Segments {
		data, err := r.Get(segmentKey(ref))
		if err != nil {
			return err
		}
		seg, err := bm25.Decode(data)
		if err != nil {
			return err
		}
		if err := v.lex.Append(seg); err != nil {
			return err
		}
	}
	if err := v.restoreDocs(r, revs[:s.Docs]); err != nil {
		return err
	}
	if len(v.chunks) != int(s.Chunks) {
		return fmt.Errorf("%w: the checkpoint has %d chunks, its stamp says %d", codec.ErrCorrupt, len(v.chunks), s.Chunks)
	}
	for _, name := range s.Graphs {
		p := v.parts[name]
		if p == nil {
			return fmt.Errorf("%w: the checkpoint has a graph of no partition", codec.ErrCorrupt)
		}
		g, err := hnsw.Load(v.graph, hnsw.Of(p.vec.View()), func(n hnsw.Name) ([]byte, error) {
			return r.Get(graphKey(name, n))
		})
		if err != nil {
			return err
		}
		p.graph, p.next = g, g.View()
	}
	return nil
}

// restoreDocs adds the documents of a checkpoint: their description from
// primary data, their chunks from its pages.
func (v *view) restoreDocs(r store.Reader, revs []document.Revision) error {
	var page []byte // vectors
	for done := 0; done < len(revs); done += pageDocs {
		data, err := r.Get(spansKey(done / pageDocs))
		if err != nil {
			return err
		}
		if data, err = unsealed(data); err != nil {
			return err
		}
		var s spans
		if err := codec.Unmarshal(data, &s, maxSpans); err != nil {
			return err
		}
		batch := revs[done:min(done+pageDocs, len(revs))]
		if s.V != checkpointVersion || len(s.Docs) < len(batch) {
			return fmt.Errorf("%w: spans of page %d", codec.ErrCorrupt, done/pageDocs)
		}
		for i, rev := range batch {
			p := &prepared{pieces: make([]preparedPiece, len(s.Docs[i]))}
			for j, c := range s.Docs[i] {
				ord := len(v.chunks) + j
				if ord%pageChunks == 0 || page == nil {
					if data, err = r.Get(vectorsKey(ord / pageChunks)); err != nil {
						return err
					}
					if page, err = unsealed(data); err != nil {
						return err
					}
				}
				at := ord % pageChunks * v.dim
				if int(c.End) > rev.Size || c.Start > c.End || at+v.dim > len(page) {
					return fmt.Errorf("%w: chunk %d lies outside of its revision or page", codec.ErrCorrupt, ord)
				}
				p.pieces[j] = preparedPiece{start: c.Start, end: c.End, crumb: c.Crumb, vector: rowOf(page[at : at+v.dim])}
			}
			if err := v.put(rev, p); err != nil {
				return err
			}
		}
		if len(s.Docs) == len(batch) && !bytes.Equal(s.Check, checkOf(v.docs[done:])) {
			return fmt.Errorf("%w: page %d is about other revisions", codec.ErrCorrupt, done/pageDocs)
		}
	}
	return nil
}

// rowOf copies a stored row.
func rowOf(b []byte) []int8 {
	q := make([]int8, len(b))
	for i, x := range b {
		q[i] = int8(x)
	}
	return q
}
