package bm25

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/seed70401ef0/brain-go/brain/internal/detmath"
)

// group is one word of the query as a corpus sees it: the terms that it may be,
// one per language at most. A document's share is the best of them.
type group struct {
	from, to uint32 // members
	n        int    // occurrences in the query
	word     string // the first word of the query that led here
}

// member is one term of a group.
type member struct {
	term uint32 // number in resolved.terms
	df   int
	idf  float64
	n    int // occurrences of its group
}

// resolved is a query as a corpus sees it, in memory that is used again.
type resolved struct {
	groups  []group
	members []member
	parts   int
	terms   dict  // terms looked up
	refs    []ref // of term t in part p at t·parts + p
	keys    dict  // groups by the numbers of their terms
	key     []byte
	stems   []uint32
}

func newResolved(seed maphash.Seed) resolved {
	return resolved{terms: newDict(seed, 64), keys: newDict(seed, 64)}
}

// start empties r for a query of ix.
func (r *resolved) start(ix *Index) {
	r.groups, r.members, r.refs = r.groups[:0], r.members[:0], r.refs[:0]
	r.terms.reset()
	r.keys.reset()
	r.parts = ix.parts()
}

// ref returns where part p has member m.
func (r *resolved) ref(m uint32, p int) *ref {
	return &r.refs[int(r.members[m].term)*r.parts+p]
}

// scale is the factor of the share of member m.
func (r *resolved) scale(m uint32) float64 {
	return float64(float64(r.members[m].n) * r.members[m].idf)
}

// resolve sets r to the groups of q: the terms that documents of c have, under
// each language that documents of c are in.
func (ix *Index) resolve(r *resolved, q Query, c *Corpus) {
	r.start(ix)
	for i := range q.words {
		w := &q.words[i]
		from := uint32(len(r.members))
		r.key = r.key[:0]
		for _, t := range ix.variants(r, w, &c.langs) {
			df := ix.df(r, t, c)
			if df == 0 {
				continue
			}
			r.members = append(r.members, member{term: t, df: df, idf: idf(c.N, df)})
			r.key = binary.LittleEndian.AppendUint32(r.key, t)
		}
		if len(r.key) == 0 {
			continue
		}
		id, fresh := r.keys.add(r.key)
		if !fresh {
			r.members = r.members[:from]
			r.groups[id].n += w.n
			continue
		}
		r.groups = append(r.groups, group{from: from, to: uint32(len(r.members)), n: w.n, word: w.text})
	}
	for i := range r.groups {
		g := &r.groups[i]
		for m := g.from; m < g.to; m++ {
			r.members[m].n = g.n
		}
	}
}

// variants returns the distinct terms of the index that w is under the
// languages with documents, by their numbers in r, valid until the next call.
func (ix *Index) variants(r *resolved, w *queryWord, docs *[langs]uint32) []uint32 {
	r.stems = r.stems[:0]
	if w.class != stem && w.class != stemPart {
		ix.variant(r, w.text)
		return r.stems
	}
	for l, n := range docs {
		if n > 0 {
			ix.variant(r, ix.an.stems.stem(lang(l), []byte(w.text)))
		}
	}
	return r.stems
}

// variant looks term up and appends its number to r.stems, unless no part has it
// or it is there.
func (ix *Index) variant(r *resolved, term string) {
	id, fresh := r.terms.add([]byte(term))
	if fresh {
		t := r.terms.term(id)
		for p := range r.parts {
			r.refs = append(r.refs, ix.find(p, t))
		}
	}
	for _, have := range r.stems {
		if have == id {
			return
		}
	}
	for _, x := range r.refs[int(id)*r.parts:][:r.parts] {
		if x.df > 0 {
			r.stems = append(r.stems, id)
			return
		}
	}
}

// df returns how many documents of c have term t.
func (ix *Index) df(r *resolved, t uint32, c *Corpus) int {
	whole, n := ix.whole(*c), 0
	for p := range r.parts {
		x := r.refs[int(t)*r.parts+p]
		switch {
		case x.df == 0:
		case whole:
			n += int(x.df)
		case p < len(ix.segs):
			n += int(c.counts.of(ix.segs[p], c).term(x, c))
		default:
			m := ix.mem[p-len(ix.segs)]
			var cur cursor
			cur.read(&m.post, m.lists[x.num])
			for ords, _ := cur.next(); len(ords) > 0; ords, _ = cur.next() {
				n += int(count(c, 0, ords))
			}
		}
	}
	return n
}

// idf is the inverse document frequency of Lucene's BM25Similarity, which is
// never negative: ln(1 + (N − n + ½)/(n + ½)).
func idf(docs, df int) float64 {
	n := float64(df)
	return detmath.Log(1 + (float64(docs)-n+0.5)/(n+0.5))
}
