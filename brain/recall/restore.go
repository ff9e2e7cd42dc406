package recall

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"unsafe"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// maxRecord bounds a stamp and a page of spans: a document has 20,000 chunks at
// most.
const maxRecord = 256 << 20

// restore fills the empty view v from the checkpoint and returns its stamp, which
// says how many of revs, in order of their commits, it holds. A checkpoint of
// another make holds none. The error says what is damaged; v is of no use then.
func (ix *Index) restore(r store.Reader, v *view, revs []document.Revision) (stamp, error) {
	data, err := readPage(r, stampKey())
	if errors.Is(err, store.ErrNotFound) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	var s stamp
	if err := codec.Unmarshal(data, &s, maxRecord); err != nil {
		return stamp{}, err
	}
	if s.V != checkpointVersion || s.Made != ix.made() {
		return stamp{}, nil
	}
	return s, ix.restoreAll(r, v, revs, s)
}

func (ix *Index) restoreAll(r store.Reader, v *view, revs []document.Revision, s stamp) error {
	wrong := func(f string, args ...any) error {
		return fmt.Errorf("%w: checkpoint: %s", codec.ErrCorrupt, fmt.Sprintf(f, args...))
	}
	all := int(s.Docs) + int(s.More)
	if all > len(revs) {
		return wrong("%d documents of %d", all, len(revs))
	}
	if s.More > 0 && !bytes.Equal(s.Check, checkOfRevisions(revs[s.Docs:all])) {
		return wrong("words of other revisions")
	}
	for _, ref := range s.Segments {
		data, err := readPage(r, segmentKey(ref))
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
	if v.lex.Docs() < int(s.Chunks) {
		return wrong("words of %d chunks of %d", v.lex.Docs(), s.Chunks)
	}
	if err := v.restoreDocs(r, revs, int(s.Docs)); err != nil {
		return err
	}
	if len(v.chunks) != int(s.Chunks) {
		return wrong("%d chunks of %d", len(v.chunks), s.Chunks)
	}
	for _, name := range s.Graphs {
		p := v.parts[name]
		if p == nil {
			return wrong("a graph of no partition")
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

// restoreDocs adds the first n of revs: their description from primary data, their
// chunks from the pages.
func (v *view) restoreDocs(r store.Reader, revs []document.Revision, n int) error {
	vectors := vectorPages{r: r, dim: v.dim}
	for done := 0; done < n; done += pageDocs {
		data, err := readPage(r, spansKey(done/pageDocs))
		if err != nil {
			return err
		}
		var s spans
		if err := codec.Unmarshal(data, &s, maxRecord); err != nil {
			return err
		}
		// The page may be younger than the stamp and hold more documents.
		last := done + len(s.Docs)
		if s.V != checkpointVersion || len(s.Docs) > pageDocs || last > len(revs) || last < min(done+pageDocs, n) ||
			!bytes.Equal(s.Check, checkOfRevisions(revs[done:last])) {
			return fmt.Errorf("%w: spans of page %d are of other revisions", codec.ErrCorrupt, done/pageDocs)
		}
		for i, rev := range revs[done:min(last, n)] {
			p := &prepared{pieces: make([]preparedPiece, len(s.Docs[i]))}
			for j, c := range s.Docs[i] {
				if c.Same && j > 0 {
					c.Crumb = p.pieces[j-1].crumb
				}
				vector, err := vectors.row(len(v.chunks) + j)
				if err != nil {
					return err
				}
				if int64(c.End) > int64(rev.Size) || c.Start > c.End {
					return fmt.Errorf("%w: chunk %d of %s lies outside of its bytes", codec.ErrCorrupt, j, rev.URI)
				}
				p.pieces[j] = preparedPiece{start: c.Start, end: c.End, crumb: c.Crumb, vector: vector}
			}
			if err := v.put(rev, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// vectorPages reads the stored vectors in order.
type vectorPages struct {
	r    store.Reader
	dim  int
	n    int // of the page after the one at hand
	page []int8
}

// row returns the vector of an ordinal, which rises by one from 0 on; it is not
// to be changed.
func (p *vectorPages) row(ord int) ([]int8, error) {
	if ord == p.n*pageChunks {
		data, err := readPage(p.r, vectorsKey(p.n))
		if err != nil {
			return nil, err
		}
		p.page = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(data))), len(data))
		p.n++
	}
	at := ord % pageChunks * p.dim
	if at+p.dim > len(p.page) {
		return nil, fmt.Errorf("%w: vector %d lies outside of its page", codec.ErrCorrupt, ord)
	}
	return p.page[at : at+p.dim : at+p.dim], nil
}

// checkOf digests which revisions a page is about.
func checkOf(docs []doc) []byte {
	h := sha256.New()
	for i := range docs {
		d := &docs[i]
		check(h, d.uri.Key(), d.rev, d.digest)
	}
	return h.Sum(nil)
}

func checkOfRevisions(revs []document.Revision) []byte {
	h := sha256.New()
	for i := range revs {
		r := &revs[i]
		check(h, r.URI.Key(), r.N, r.Digest)
	}
	return h.Sum(nil)
}

func check(h hash.Hash, key string, n uint64, d document.Digest) {
	h.Write([]byte(key))
	h.Write(binary.BigEndian.AppendUint64([]byte{0}, n))
	h.Write(d[:])
}
