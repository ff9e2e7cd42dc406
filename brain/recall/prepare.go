package recall

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/chunk"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// prepared is what indexing needs of one revision: a function of its bytes,
// title and language alone, made outside the writer.
type prepared struct {
	digest document.Digest
	title  string
	lang   string
	pieces []preparedPiece
}

type preparedPiece struct {
	start, end uint32
	crumb      string
	terms      bm25.Terms
	text       [sha256.Size]byte // digest of what was embedded
	vector     []int8            // nil = none
	pending    bool              // the embedder failed
	stored     bool              // the vector came from the store
}

// Prepared is a draft ready to be written: chunked, analysed and embedded.
type Prepared struct {
	Draft    document.Draft // with title, tags, language and validity of its front matter
	Warnings []string       // about the content, for its author
	Pending  bool           // the embedder failed: the text is found, the meaning not yet
	Write    func(tx *store.Tx, actor string) (document.Revision, document.Outcome, error)

	made *prepared
}

// Prepare does the slow part of storing d: it checks the draft, takes title,
// tags, language and validity from the front matter where the draft names none,
// cuts, analyses and embeds. Nothing is changed until Write runs inside a
// transaction. The cost is about 100 µs for a page of text. A failing embedder
// is not an error; it leaves the vectors pending.
func (ix *Index) Prepare(ctx context.Context, d document.Draft) (*Prepared, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	cut, err := chunk.Split(chunk.Input{Body: d.Body, MediaType: d.MediaType}, &ix.opt.Chunk)
	if err != nil {
		return nil, err
	}
	warnings := describe(&d, cut)
	if err := d.Check(); err != nil { // what the front matter brought in
		return nil, fmt.Errorf("front matter: %w", err)
	}
	p, err := ix.prepare(ctx, document.DigestOf(d.Body), d.Title, d.Lang, cut, nil)
	if err != nil {
		return nil, err
	}
	out := &Prepared{Draft: d, Warnings: warnings, made: p}
	for i := range p.pieces {
		out.Pending = out.Pending || p.pieces[i].pending
	}
	out.Write = func(tx *store.Tx, actor string) (document.Revision, document.Outcome, error) {
		rev, outcome, err := document.Put(tx, actor, d, ix.opt.DailyBytes)
		if err == nil && ix.embed.primary && p.fresh() {
			err = ix.embed.save(tx, p)
		}
		if err == nil && outcome != document.Repeated {
			ix.staged.put(revID{rev.URI.Key(), rev.N}, p)
		}
		return rev, outcome, err
	}
	return out, nil
}

// prepare analyses and embeds the chunks of one body. vectors, when not nil,
// holds stored vectors to use in place of embedding.
func (ix *Index) prepare(ctx context.Context, digest document.Digest, title, lang string, cut chunk.Document, vectors vectorReader) (*prepared, error) {
	p := &prepared{digest: digest, title: title, lang: lang, pieces: make([]preparedPiece, len(cut.Chunks))}
	texts := make([]string, len(cut.Chunks))
	for i, c := range cut.Chunks {
		pc := &p.pieces[i]
		pc.start, pc.end, pc.crumb = uint32(c.Start), uint32(c.End), c.Breadcrumb
		pc.terms = ix.lex.Terms(bm25.Doc{Title: title, Headings: joinHeadings(c.Headings), Body: c.Text, Lang: lang})
		texts[i] = embedText(title, c)
		pc.text = sha256.Sum256([]byte(texts[i]))
	}
	return p, ix.embed.fill(ctx, p.pieces, texts, vectors)
}

// prepared returns what was prepared for rev, or prepares it from its stored bytes.
func (ix *Index) prepared(r store.Reader, rev document.Revision) (*prepared, error) {
	if p := ix.staged.take(revID{rev.URI.Key(), rev.N}); p != nil &&
		p.digest == rev.Digest && p.title == rev.Title && p.lang == rev.Lang {
		return p, nil
	}
	var vectors vectorReader
	if ix.embed.primary {
		vectors = storedVectors{r} // Write has kept them
	}
	return ix.reprepare(ix.work.ctx, r, rev, vectors)
}

// reprepare prepares a stored revision again.
func (ix *Index) reprepare(ctx context.Context, r store.Reader, rev document.Revision, vectors vectorReader) (*prepared, error) {
	body, err := document.Content(r, rev)
	if err != nil {
		return nil, fmt.Errorf("%s revision %d: %w", rev.URI, rev.N, err)
	}
	cut, err := chunk.Split(chunk.Input{Body: body, MediaType: rev.MediaType}, &ix.opt.Chunk)
	if err != nil {
		return nil, fmt.Errorf("%s revision %d: %w", rev.URI, rev.N, err)
	}
	return ix.prepare(ctx, rev.Digest, rev.Title, rev.Lang, cut, vectors)
}

// staged keeps prepared revisions from their Write to their commit. It is a
// cache: what a failed commit leaves behind is dropped when it is full.
type staged struct {
	mu sync.Mutex
	m  map[revID]*prepared
}

const maxStaged = 4096

func (s *staged) put(id revID, p *prepared) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil || len(s.m) >= maxStaged {
		s.m = map[revID]*prepared{}
	}
	s.m[id] = p
}

func (s *staged) take(id revID) *prepared {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.m[id]
	delete(s.m, id)
	return p
}
