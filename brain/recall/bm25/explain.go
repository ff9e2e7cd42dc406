package bm25

// Contribution is the share of one word of a query in the score of one
// document.
type Contribution struct {
	Word  string      // the query's word in compare form, the first one if several have this term
	Term  string      // the term of the index that matched
	Count int         // occurrences in the query
	TF    [Fields]int // occurrences in the document, at most 15, 15 and 255; all 0 for a common weak term
	DF    int         // documents of the corpus that have the term
	IDF   float64
	Score float64 // what it adds to the document's score
}

// Explain returns what each word of q adds to the score of ord among c, in the
// order of q; the sum in that order is the score, bit by bit. It is empty for a
// document that does not match or is not in c. The cost is that of Score.
func (ix *Index) Explain(q Query, c Corpus, ord uint32) []Contribution {
	if int64(ord) >= int64(c.docs) || !bit(c.Bits, ord) {
		return nil
	}
	s := ix.scratch.Get().(*search)
	defer ix.release(s)
	s.f = ix.formula(c)
	ix.resolve(&s.resolved, q, &c)
	var out []Contribution
	for _, g := range s.groups {
		best := Contribution{Word: g.word, Count: g.n}
		for m := g.from; m < g.to; m++ {
			freq, ok := ix.posting(s, m, ord)
			if !ok {
				continue
			}
			if x := float64(s.scale(m) * s.f.share(freq, ix.table.weight[ord])); x > best.Score {
				t := s.members[m]
				best.Term, best.TF = string(s.terms.term(t.term)), freq.fields()
				best.DF, best.IDF, best.Score = t.df, t.idf, x
			}
		}
		if best.Score > 0 {
			out = append(out, best)
		}
	}
	for i, docs := range ix.table.common {
		if !q.common.has(i) || !bit(docs, ord) {
			continue
		}
		df := ix.dfCommon(docs, c)
		name, weight := commonName(i), idf(c.N, df)
		out = append(out, Contribution{
			Word: name, Term: name, Count: 1, DF: df, IDF: weight, Score: float64(weight * s.f.flat()),
		})
	}
	return out
}

// posting returns the frequencies of member m in ord.
func (ix *Index) posting(s *search, m, ord uint32) (tf, bool) {
	for p := range ix.parts() {
		r := s.ref(m, p)
		first, end := ix.span(p)
		if ord < first || ord >= end || r.df == 0 {
			continue
		}
		if p < len(ix.segs) {
			s.stream.open(ix.segs[p], *r)
			return s.stream.find(ord - first)
		}
		part := ix.mem[p-len(ix.segs)]
		s.cur.read(&part.post, part.lists[r.num])
		for ords, tfs := s.cur.next(); len(ords) > 0; ords, tfs = s.cur.next() {
			for i, o := range ords {
				if o == ord {
					return tfs[i], true
				}
			}
		}
	}
	return 0, false
}
