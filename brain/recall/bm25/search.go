package bm25

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// search is the scratch memory of one search. It is kept and used again.
type search struct {
	f formula
	resolved

	cur    cursor
	stream stream
	out    Scores
	one    Scores   // a group with several terms, before it joins out
	allow  []uint64 // documents that may match
	own    []uint64 // memory for allow
	every  bool     // allow would be all documents
	wanted []uint64 // of Score: ordinal, place

	ranking
}

func newSearch(seed maphash.Seed) *search {
	return &search{resolved: newResolved(seed)}
}

// scratchLists is how many lists a kept search may have: more were those of a
// query of hundreds of words, whose memory is given back.
const scratchLists = 256

func (ix *Index) release(s *search) {
	if len(s.refs) <= 16*scratchLists && len(s.lists) <= scratchLists {
		ix.scratch.Put(s)
	}
}

// Search returns the best k documents of corpus ∧ filter for q, exactly: score
// descending, ties by ordinal ascending. A nil filter is the empty set; give
// c.Bits for no filter. The statistics are those of c, never of filter. Blocks
// and documents that cannot be among the best are passed over (MAXSCORE: Turtle
// and Flood, Query Evaluation: Strategies and Optimizations, 1995; with block
// maxima: Ding and Suel, SIGIR 2011).
func (ix *Index) Search(q Query, c Corpus, filter []uint64, k int) []topk.Hit {
	if k <= 0 || c.N == 0 {
		return nil
	}
	s := ix.scratch.Get().(*search)
	defer ix.release(s)
	if (q.common != weakSet{}) {
		ix.all(s, q, c, filter, &s.out)
		return s.out.Top(k)
	}
	s.permit(ix, c, filter)
	s.f = ix.formula(c)
	ix.resolve(&s.resolved, q, &c)
	top := topk.New(min(k, c.N))
	for p := range ix.parts() {
		if p < len(ix.segs) {
			ix.rankSegment(s, p, top)
		} else {
			ix.rankMemory(s, p, top)
		}
	}
	return top.Sorted()
}

// All sets out to the score of every document of corpus ∧ filter that has a
// term of q. The cost is one step per posting of the query's terms.
func (ix *Index) All(q Query, c Corpus, filter []uint64, out *Scores) {
	s := ix.scratch.Get().(*search)
	defer ix.release(s)
	ix.all(s, q, c, filter, out)
}

func (ix *Index) all(s *search, q Query, c Corpus, filter []uint64, out *Scores) {
	out.reset(ix.Docs())
	s.permit(ix, c, filter)
	s.f = ix.formula(c)
	ix.resolve(&s.resolved, q, &c)
	for i := range s.groups {
		g := &s.groups[i]
		if g.to-g.from == 1 {
			ix.addTerm(s, g.from, out, false)
			continue
		}
		s.one.reset(ix.Docs())
		for m := g.from; m < g.to; m++ {
			ix.addTerm(s, m, &s.one, true)
		}
		s.one.Each(func(ord uint32, x float64) {
			out.acc[ord] += x
			out.hit[ord>>6] |= 1 << (ord & 63)
		})
	}
	for i := range ix.table.common {
		df := 0
		if q.common.has(i) {
			df = ix.dfCommon(ix.table.common[i], c)
		}
		if df == 0 {
			continue
		}
		x := float64(idf(c.N, df) * s.f.flat())
		docs := ix.table.common[i]
		for w := range min(len(docs), (ix.Docs()+63)/64) {
			word := docs[w] & s.allowed(ix, w)
			out.hit[w] |= word
			each(w, word, func(ord uint32) { out.acc[ord] += x })
		}
	}
}

// permit sets the documents that may match. It copies no bitmap when corpus or
// filter alone says which.
func (s *search) permit(ix *Index, c Corpus, filter []uint64) {
	n := ix.Docs()
	words := (n + 63) / 64
	whole, current := ix.whole(c), c.docs == n
	same := len(filter) == len(c.Bits) && len(filter) > 0 && &filter[0] == &c.Bits[0]
	s.every = whole && same
	switch {
	case s.every:
		s.allow = nil
	case same && current:
		s.allow = filter[:min(len(filter), words)]
	case whole:
		s.allow = filter[:min(len(filter), words)]
	default:
		s.own = s.own[:0]
		for w := range min(len(c.Bits), len(filter), (c.docs+63)/64) {
			s.own = append(s.own, c.Bits[w]&filter[w]&below(c.docs, w))
		}
		s.allow = s.own
	}
}

// allowed returns word w of the documents that may match.
func (s *search) allowed(ix *Index, w int) uint64 {
	switch {
	case s.every:
		return below(ix.Docs(), w)
	case w < len(s.allow):
		return s.allow[w]
	}
	return 0
}

// may reports whether ord may match.
func (s *search) may(ord uint32) bool { return s.every || bit(s.allow, ord) }

// addTerm adds the share of a term to every permitted document that has it; with
// best, a document keeps the larger of what it had and that.
func (ix *Index) addTerm(s *search, m uint32, out *Scores, best bool) {
	scale := s.scale(m)
	for p := range ix.parts() {
		r := s.ref(m, p)
		if r.df == 0 {
			continue
		}
		if p < len(ix.segs) {
			l, first := &s.stream, ix.segs[p].first
			for l.open(ix.segs[p], *r); !l.done(); l.advance() {
				l.loadAll()
				ix.addPostings(s, scale, first, l.docs[:l.n], l.freqs[:l.n], out, best)
			}
			continue
		}
		part := ix.mem[p-len(ix.segs)]
		s.cur.read(&part.post, part.lists[r.num])
		for ords, tfs := s.cur.next(); len(ords) > 0; ords, tfs = s.cur.next() {
			ix.addPostings(s, scale, 0, ords, tfs, out, best)
		}
	}
}

// addPostings is addTerm for some postings, documents counted from first.
func (ix *Index) addPostings(s *search, scale float64, first uint32, docs []uint32, tfs []tf, out *Scores, best bool) {
	acc, hit := out.acc, out.hit
	for i, d := range docs {
		o := first + d
		if !s.every && !bit(s.allow, o) {
			continue
		}
		x := float64(scale * s.f.share(tfs[i], ix.table.weight[o]))
		if best {
			acc[o] = max(acc[o], x)
		} else {
			acc[o] += x
		}
		hit[o>>6] |= 1 << (o & 63)
	}
}

// Score sets out[i] to the score of ords[i], 0 where it has no term of q or is
// not in c. It is the score that Search gives, bit by bit; out must be as long
// as ords. The cost is some steps for each ordinal and term, and for the
// documents that are in no segment yet one per posting.
func (ix *Index) Score(q Query, c Corpus, ords []uint32, out []float64) {
	clear(out[:len(ords)])
	if c.N == 0 {
		return
	}
	s := ix.scratch.Get().(*search)
	defer ix.release(s)
	s.f = ix.formula(c)
	ix.resolve(&s.resolved, q, &c)
	s.wanted = s.wanted[:0]
	for i, o := range ords {
		if int64(o) < int64(c.docs) && bit(c.Bits, o) {
			s.wanted = append(s.wanted, uint64(o)<<32|uint64(i))
		}
	}
	slices.Sort(s.wanted)
	left := s.wanted
	for p := range ix.parts() {
		first, end := ix.span(p)
		n := 0
		for n < len(left) && uint32(left[n]>>32) < end {
			n++
		}
		here := left[:n]
		left = left[n:]
		if n == 0 {
			continue
		}
		for i := range s.groups {
			ix.scoreGroup(s, &s.groups[i], p, first, here, out)
		}
	}
	for i := range ix.table.common {
		df := 0
		if q.common.has(i) {
			df = ix.dfCommon(ix.table.common[i], c)
		}
		if df == 0 {
			continue
		}
		x := float64(idf(c.N, df) * s.f.flat())
		for _, w := range s.wanted {
			if bit(ix.table.common[i], uint32(w>>32)) {
				out[uint32(w)] += x
			}
		}
	}
}

// scoreGroup adds the share of one word to documents of part p, which begins at
// first.
func (ix *Index) scoreGroup(s *search, g *group, p int, first uint32, wanted []uint64, out []float64) {
	several := g.to-g.from > 1
	if several {
		s.best = append(s.best[:0], make([]float64, len(wanted))...)
	}
	for m := g.from; m < g.to; m++ {
		r := s.ref(m, p)
		if r.df == 0 {
			continue
		}
		scale := s.scale(m)
		give := func(i int, t tf) {
			x := float64(scale * s.f.share(t, ix.table.weight[uint32(wanted[i]>>32)]))
			if several {
				s.best[i] = max(s.best[i], x)
			} else {
				out[uint32(wanted[i])] += x
			}
		}
		if p < len(ix.segs) {
			l := &s.stream
			l.open(ix.segs[p], *r)
			for i, w := range wanted {
				if t, ok := l.find(uint32(w>>32) - first); ok {
					give(i, t)
				}
			}
			continue
		}
		part := ix.mem[p-len(ix.segs)]
		s.cur.read(&part.post, part.lists[r.num])
		i := 0
		for ords, tfs := s.cur.next(); len(ords) > 0 && i < len(wanted); ords, tfs = s.cur.next() {
			for j := 0; j < len(ords) && i < len(wanted); {
				switch o := uint32(wanted[i] >> 32); {
				case ords[j] < o:
					j++
				case ords[j] > o:
					i++
				default:
					give(i, tfs[j])
					i++
				}
			}
		}
	}
	if several {
		for i, w := range wanted {
			out[uint32(w)] += s.best[i]
		}
	}
}

// least is the score that a document must be above to be kept, after room for
// rounding.
func least(top *topk.Top) (exact, rough float64) {
	exact = top.Threshold()
	if math.IsInf(exact, 0) {
		return exact, exact
	}
	return exact, exact * (1 - slack)
}
