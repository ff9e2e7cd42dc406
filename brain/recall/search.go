package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
	"github.com/seed70401ef0/brain-go/brain/recall/fuse"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// firstDepth is how many candidates each leg gives at first; a search that
// cannot prove its answer with them asks for more.
const firstDepth = 256

// Search answers q from what scope allows, as of the instant now. The answer
// has exactly min(q.Limit, matching) hits that reach q.MinScore, by score, then
// URI, then chunk. It is exact: candidates are taken from every leg until no
// chunk outside of them can be among the hits. Errors are *invalid.Error for a
// bad field, ctx.Err(), or that of a damaged store; there is no partial answer.
func (ix *Index) Search(ctx context.Context, q Query, scope policy.Scope, now time.Time) (Result, error) {
	if err := q.check(ix.embed.dim); err != nil {
		return Result{}, err
	}
	vector, err := ix.queryVector(ctx, &q)
	if err != nil {
		return Result{}, err
	}
	if q.Mode == Vector && vector == nil {
		q.Mode = Lexical
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	v := &ix.view
	if v.err != nil {
		return Result{}, v.err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if q.AsOf > v.seq {
		return Result{}, invalid.TooLarge("as_of", int64(min(q.AsOf, math.MaxInt64)), int64(v.seq))
	}
	c := ix.scopes.corpus(v, scope, q.AsOf)
	filter, err := v.filter(ctx, &q, c, now.UnixMicro())
	if err != nil {
		return Result{}, err
	}
	s := &search{
		v: v, c: c, filter: filter, mode: q.Mode, vector: vector,
		vec:   vectorLeg{v: v, c: c, query: vector, filter: filter, exact: q.AsOf != 0},
		first: ix.depth, lex: v.lex.Query(lexicalText(&q)), words: ix.scores.Get().(*bm25.Scores),
	}
	defer ix.scores.Put(s.words)
	switch q.Mode {
	case Lexical:
		s.weights = fuse.Weights{Lexical: 1}
	case Vector:
		s.weights = fuse.Weights{Vector: 1}
	default:
		s.weights = fuse.Hybrid
	}
	found, err := s.run(ctx, q.Limit)
	if err != nil {
		return Result{}, err
	}
	res := Result{Seq: v.seq, Stats: Stats{Corpus: c.n, Matching: count(filter), Depth: s.depth, Scored: s.scored}}
	kept := found
	for len(kept) > 0 && kept[len(kept)-1].score < q.MinScore {
		kept = kept[:len(kept)-1]
	}
	res.Stats.Below = len(found) - len(kept)
	res.Hits = make([]Hit, 0, len(kept))
	text := v.texts()
	for _, f := range kept {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		h, err := v.hit(f, text)
		if err != nil {
			return Result{}, err
		}
		if q.Explain {
			h.Legs = s.explain(f)
		}
		res.Hits = append(res.Hits, h)
	}
	return res, nil
}

// lexicalText is what the BM25 leg looks for.
func lexicalText(q *Query) string {
	if strings.TrimSpace(q.Text) != "" {
		return q.Text
	}
	return strings.Join(append(slices.Clone(q.Phrases), q.Code...), " ")
}

// queryVector returns what the vector leg looks for, nil for nothing.
func (ix *Index) queryVector(ctx context.Context, q *Query) ([]int8, error) {
	switch {
	case q.Mode == Lexical:
		return nil, nil
	case q.Vector != nil:
		v, _, err := vek.Quantize(q.Vector)
		return v, err
	case strings.TrimSpace(q.Hypothetical) != "":
		return ix.embed.query(ctx, q.Hypothetical)
	}
	return ix.embed.query(ctx, lexicalText(q))
}

// search is one run over one view.
type search struct {
	v       *view
	c       *corpus
	filter  []uint64
	mode    Mode
	weights fuse.Weights
	lex     bm25.Query
	vector  []int8 // nil = the query has no vector
	vec     vectorLeg

	words     *bm25.Scores // of every chunk that has a word of the query
	scale     fuse.Scale
	byText    []topk.Hit
	byMeaning []topk.Hit
	first     int // depth to begin with
	depth     int
	scored    int
}

// candidate is one scored chunk.
type candidate struct {
	ord   uint32
	raw   fuse.Scores
	score float64
}

// run returns the best limit chunks. Both legs give their best depth chunks and
// both score all of these. What neither list shows scores at most what the last
// of each list would together; when the limit-th candidate beats that, the
// answer is proven (Fagin's threshold algorithm), else the lists grow. A list that a
// graph gave may miss something whatever its depth, so that it does not grow for
// the sake of a proof.
func (s *search) run(ctx context.Context, limit int) ([]candidate, error) {
	if s.mode != Vector {
		s.v.lex.All(s.lex, s.c.lex, s.filter, s.words)
	}
	for s.depth = max(s.first, 2*limit); ; s.depth *= 4 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.ask(); err != nil {
			return nil, err
		}
		found, err := s.score()
		if err != nil {
			return nil, err
		}
		s.scored = len(found)
		if s.complete() || len(found) >= limit && (s.vec.walked || found[limit-1].score > s.bound()) {
			return found[:min(limit, len(found))], nil
		}
	}
}

// ask takes the best depth chunks of each leg and, from the best of each, the
// scale.
func (s *search) ask() error {
	if s.mode != Vector {
		s.byText = s.words.Top(s.depth)
	}
	if s.vector != nil {
		var err error
		if s.byMeaning, err = s.vec.search(s.depth); err != nil {
			return err
		}
	}
	s.scale = fuse.Scale{}
	if len(s.byText) > 0 {
		s.scale.BM25 = s.byText[0].Score
	}
	if len(s.byMeaning) > 0 {
		s.scale.Cosine = s.byMeaning[0].Score
	}
	return nil
}

// complete reports whether the lists show every chunk that matches.
func (s *search) complete() bool {
	return len(s.byText) < s.depth && len(s.byMeaning) < s.depth
}

// bound is the most that a chunk outside of both lists can score.
func (s *search) bound() float64 {
	var r fuse.Scores
	if n := len(s.byText); n == s.depth {
		r.BM25 = s.byText[n-1].Score
	}
	if n := len(s.byMeaning); n == s.depth {
		r.Cosine, r.HasVector = s.byMeaning[n-1].Score, true
	}
	return s.scale.Score(s.weights, r)
}

// score returns the union of the lists, scored by both legs, best first.
func (s *search) score() ([]candidate, error) {
	ords := make([]uint32, 0, len(s.byText)+len(s.byMeaning))
	for _, h := range s.byText {
		ords = append(ords, h.Ord)
	}
	for _, h := range s.byMeaning {
		ords = append(ords, h.Ord)
	}
	slices.Sort(ords)
	ords = slices.Compact(ords)
	cosines := make([]float64, len(ords))
	if s.vector != nil {
		if err := s.vec.score(ords, cosines); err != nil {
			return nil, err
		}
	}
	out := make([]candidate, len(ords))
	for i, ord := range ords {
		raw := fuse.Scores{}
		if s.mode != Vector {
			raw.BM25 = s.words.At(ord)
		}
		if s.vector != nil && cosines[i] != vek.Missing {
			raw.Cosine, raw.HasVector = cosines[i], true
		}
		out[i] = candidate{ord: ord, raw: raw, score: s.scale.Score(s.weights, raw)}
	}
	slices.SortFunc(out, s.compare)
	return out, nil
}

// compare orders candidates by score, then URI, then revision and chunk.
func (s *search) compare(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	x, y := &s.v.docs[s.v.chunks[a.ord].doc], &s.v.docs[s.v.chunks[b.ord].doc]
	return cmp.Or(cmp.Compare(x.uri.Key(), y.uri.Key()), cmp.Compare(x.rev, y.rev), cmp.Compare(a.ord, b.ord))
}
