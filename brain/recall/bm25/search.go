package bm25

import "github.com/seed70401ef0/brain-go/brain/recall/topk"

// search is the scratch memory of one search.
type search struct {
	cur    cursor
	out    Scores
	one    Scores   // a group with several terms, before it joins out
	filter []uint64 // of Score
	allow  []uint64
	every  bool // allow would be all documents
}

// Search returns the best k documents of corpus ∧ filter for q, exactly: score
// descending, ties by ordinal ascending. A nil filter is the empty set; give
// c.Bits for no filter. The statistics are those of c, never of filter.
func (ix *Index) Search(q Query, c Corpus, filter []uint64, k int) []topk.Hit {
	if k <= 0 {
		return nil
	}
	s := ix.scratch.Get().(*search)
	defer ix.scratch.Put(s)
	ix.all(s, q, c, filter, &s.out)
	return s.out.Top(k)
}

// All sets out to the score of every document of corpus ∧ filter that has a
// term of q. The cost is one step per posting of the query's terms.
func (ix *Index) All(q Query, c Corpus, filter []uint64, out *Scores) {
	s := ix.scratch.Get().(*search)
	defer ix.scratch.Put(s)
	ix.all(s, q, c, filter, out)
}

// Score sets out[i] to the score of ords[i], 0 where it has no term of q or is
// not in c. It is the score that Search gives, bit by bit; out must be as long
// as ords. The cost is that of All.
func (ix *Index) Score(q Query, c Corpus, ords []uint32, out []float64) {
	s := ix.scratch.Get().(*search)
	defer ix.scratch.Put(s)
	clear(s.filter)
	for _, o := range ords {
		if int64(o) < int64(ix.Docs()) {
			s.filter = setBit(s.filter, o)
		}
	}
	ix.all(s, q, c, s.filter, &s.out)
	for i, o := range ords {
		out[i] = s.out.At(o)
	}
}

func (ix *Index) all(s *search, q Query, c Corpus, filter []uint64, out *Scores) {
	out.reset(ix.Docs())
	s.permit(ix, c, filter)
	f := ix.formula(c)
	for _, g := range ix.resolve(&s.cur, q, c) {
		if len(g.terms) == 1 {
			ix.addTerm(s, f, g.terms[0], g.n, out)
			continue
		}
		s.one.reset(ix.Docs())
		for _, t := range g.terms {
			ix.maxTerm(s, f, t, g.n, &s.one)
		}
		s.one.Each(func(ord uint32, x float64) {
			out.acc[ord] += x
			out.hit[ord>>6] |= 1 << (ord & 63)
		})
	}
	for _, t := range ix.resolveCommon(q, c) {
		x := float64(t.idf * f.flat())
		docs := ix.common[t.id]
		for w := range min(len(docs), len(s.allow)) {
			word := docs[w] & s.allow[w]
			out.hit[w] |= word
			each(w, word, func(ord uint32) { out.acc[ord] += x })
		}
	}
}

// permit sets the documents that may match.
func (s *search) permit(ix *Index, c Corpus, filter []uint64) {
	s.allow = s.allow[:0]
	s.every = true
	for w := range min(len(c.Bits), len(filter), (c.docs+63)/64) {
		word := c.Bits[w] & filter[w] & below(c.docs, w)
		s.every = s.every && word == below(ix.Docs(), w)
		s.allow = append(s.allow, word)
	}
	s.every = s.every && len(s.allow) == (ix.Docs()+63)/64
}

// addTerm adds the share of a term to every permitted document that has it.
func (ix *Index) addTerm(s *search, f formula, t groupTerm, n int, out *Scores) {
	scale := float64(float64(n) * t.idf)
	s.cur.read(&ix.post, ix.lists[t.id])
	acc, hit := out.acc, out.hit
	for ords, tfs := s.cur.next(); len(ords) > 0; ords, tfs = s.cur.next() {
		for i, o := range ords {
			if !s.every && !bit(s.allow, o) {
				continue
			}
			acc[o] += float64(scale * f.share(tfs[i], ix.weight[o]))
			hit[o>>6] |= 1 << (o & 63)
		}
	}
}

// maxTerm is addTerm for one of several terms of a word: the best counts.
func (ix *Index) maxTerm(s *search, f formula, t groupTerm, n int, out *Scores) {
	scale := float64(float64(n) * t.idf)
	s.cur.read(&ix.post, ix.lists[t.id])
	for ords, tfs := s.cur.next(); len(ords) > 0; ords, tfs = s.cur.next() {
		for i, o := range ords {
			if bit(s.allow, o) {
				out.acc[o] = max(out.acc[o], float64(scale*f.share(tfs[i], ix.weight[o])))
				out.hit[o>>6] |= 1 << (o & 63)
			}
		}
	}
}

// resolveCommon returns the common weak terms of q that documents of c have; id
// is the place in Index.common.
func (ix *Index) resolveCommon(q Query, c Corpus) []groupTerm {
	var terms []groupTerm
	for i := range ix.common {
		if !q.common.has(i) {
			continue
		}
		if df := ix.dfCommon(ix.common[i], c); df > 0 {
			terms = append(terms, groupTerm{uint32(i), df, idf(c.N, df)})
		}
	}
	return terms
}

// formula is BM25F with its corpus filled in. Robertson, Zaragoza and Taylor,
// Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004: term
// frequencies and lengths are summed over the fields with their weights, and
// the sums go into BM25. With equal weights of 1 it is BM25 over the fields as
// one text. The constant factor k1 + 1 is left out.
type formula struct {
	weights [Fields]float64
	k1      float64
	fixed   float64 // k1·(1−b)
	slope   float64 // k1·b / mean length
}

func (ix *Index) formula(c Corpus) formula {
	o := ix.opt
	f := formula{weights: o.Weights, k1: o.K1, fixed: float64(o.K1 * (1 - o.B))}
	if mean := ix.meanLen(c); mean > 0 {
		f.slope = float64(o.K1*o.B) / mean
	}
	return f
}

// share is the part of the idf that a document gets: tf/(tf + k1·(1−b+b·len/mean)).
func (f *formula) share(t tf, length float64) float64 {
	sum := float64(f.weights[Body] * float64(t&maxBodyTF))
	if t > maxBodyTF {
		sum += float64(f.weights[Headings] * float64(t>>8&maxHeadTF))
		sum += float64(f.weights[Title] * float64(t>>12))
	}
	return sum / (sum + f.fixed + float64(f.slope*length))
}

// flat is share for a weak term, which has neither frequency nor length: one
// occurrence in a document of mean length.
func (f *formula) flat() float64 { return 1 / (1 + f.k1) }
