package recall

import (
	"fmt"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// texts returns a function that gives the stored bytes of a chunk's span. It
// keeps the body of the last revision asked for, since chunks of one document
// are mostly asked for together.
func (v *view) texts() func(ord uint32) (string, error) {
	last, body := -1, []byte(nil)
	return func(ord uint32) (string, error) {
		c := &v.chunks[ord]
		d := &v.docs[c.doc]
		if last != int(c.doc) {
			b, err := document.Content(v.snap, document.Revision{URI: d.uri, N: d.rev, Digest: d.digest})
			if err != nil {
				return "", fmt.Errorf("%s revision %d: %w", d.uri, d.rev, err)
			}
			last, body = int(c.doc), b
		}
		if int(c.end) > len(body) {
			return "", fmt.Errorf("%w: chunk of %s revision %d lies outside of its bytes", codec.ErrCorrupt, d.uri, d.rev)
		}
		return string(body[c.start:c.end]), nil
	}
}

// hit completes a candidate from the store.
func (v *view) hit(f candidate, text func(uint32) (string, error)) (Hit, error) {
	c := &v.chunks[f.ord]
	d := &v.docs[c.doc]
	rev, err := document.Get(v.snap, d.uri, d.rev)
	if err != nil {
		return Hit{}, fmt.Errorf("%s revision %d: %w", d.uri, d.rev, err)
	}
	t, err := text(f.ord)
	if err != nil {
		return Hit{}, err
	}
	return Hit{
		Chunk: uri.Chunk{URI: rev.URI, Revision: rev.N, N: f.ord - d.first},
		Start: int(c.start), End: int(c.end), Title: rev.Title, Breadcrumb: c.crumb, Text: t,
		Digest: rev.Digest, Seq: rev.Seq, Time: rev.Time, Actor: rev.Actor, Kind: rev.Kind, Owner: rev.Owner,
		Tags: rev.Tags, ValidFrom: rev.ValidFrom, ValidTo: rev.ValidTo, Flags: rev.Flags, Score: f.score,
	}, nil
}

// explain says what each leg thought of a candidate.
func (s *search) explain(f candidate) []Leg {
	lexical, vector := s.scale.Shares(f.raw)
	var legs []Leg
	if f.raw.BM25 > 0 {
		l := Leg{Name: "bm25", Rank: rank(s.byText, f.ord), Score: f.raw.BM25, Share: s.weights.Lexical * lexical}
		for _, t := range s.v.lex.Explain(s.lex, s.c.lex, f.ord) {
			l.Terms = append(l.Terms, Term{Text: t.Word, Score: t.Score})
		}
		legs = append(legs, l)
	}
	if f.raw.HasVector {
		legs = append(legs, Leg{Name: "vector", Rank: rank(s.byMeaning, f.ord), Score: f.raw.Cosine, Share: s.weights.Vector * vector})
	}
	return legs
}

// rank returns the place of ord in a leg's list, from 1; 0 when it is not there.
func rank(list []topk.Hit, ord uint32) int {
	for i, h := range list {
		if h.Ord == ord {
			return i + 1
		}
	}
	return 0
}
