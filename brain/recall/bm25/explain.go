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
// document that does not match or is not in c. The cost is that of All.
func (ix *Index) Explain(q Query, c Corpus, ord uint32) []Contribution {
	if int64(ord) >= int64(c.docs) || !bit(c.Bits, ord) {
		return nil
	}
	var out []Contribution
	var cur cursor
	f := ix.formula(c)
	for _, g := range ix.resolve(&cur, q, c) {
		best := Contribution{Word: g.word, Count: g.n}
		for _, t := range g.terms {
			freq, ok := ix.posting(&cur, t.id, ord)
			if !ok {
				continue
			}
			scale := float64(float64(g.n) * t.idf)
			if x := float64(scale * f.share(freq, ix.weight[ord])); x > best.Score {
				best.Term, best.TF = string(ix.dict.term(t.id)), freq.fields()
				best.DF, best.IDF, best.Score = t.df, t.idf, x
			}
		}
		if best.Score > 0 {
			out = append(out, best)
		}
	}
	for _, t := range ix.resolveCommon(q, c) {
		if bit(ix.common[t.id], ord) {
			name := commonName(int(t.id))
			out = append(out, Contribution{
				Word: name, Term: name, Count: 1, DF: t.df, IDF: t.idf, Score: float64(t.idf * f.flat()),
			})
		}
	}
	return out
}

// posting returns the frequencies of term id in ord.
func (ix *Index) posting(cur *cursor, id, ord uint32) (tf, bool) {
	cur.read(&ix.post, ix.lists[id])
	for ords, tfs := cur.next(); len(ords) > 0; ords, tfs = cur.next() {
		if ords[len(ords)-1] < ord {
			continue
		}
		for i, o := range ords {
			if o == ord {
				return tfs[i], true
			}
		}
		break
	}
	return 0, false
}
