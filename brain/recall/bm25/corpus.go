package bm25

import "math/bits"

// Corpus is the statistics of a set of documents: what a ranking over them may
// know. It is made by [Index.Corpus] and [Index.Recount], and is immutable: a
// caller may keep it as long as the set stays the same. How many documents of the
// set have a term is counted by the first search for it, from the same bits, and
// remembered in the Corpus, in bounded memory. Copies share that; safe for
// concurrent use.
//
// No statistic ever includes a document outside Bits, so a store that hides
// documents and one that never held them give the same scores, bit by bit.
type Corpus struct {
	Bits  []uint64       // the set: bit i&63 of word i>>6 is ordinal i; not to be changed
	N     int            // documents in it
	Len   [Fields]uint64 // sum of their lengths by field, in words
	langs [langs]uint32  // how many are in each language
	docs  int            // documents of the index when it was counted

	counts *counts // what searches counted of the set
}

// Corpus counts the documents of bits once. It keeps bits. Ordinals that the
// index does not hold are not counted. The cost is one step per document.
func (ix *Index) Corpus(bits []uint64) Corpus {
	return ix.Recount(Corpus{}, bits)
}

// Recount returns the statistics of bits from those of c, at the cost of one
// step per document in which the two sets differ: new ones that came, retired
// ones that left. It keeps bits and does not change c. c must come from the
// same index and hold every ordinal of c.Bits that was in the index when c was
// counted; ordinals that c.Bits named before the index had them must not be in
// it.
func (ix *Index) Recount(c Corpus, set []uint64) Corpus {
	old, oldDocs := c.Bits, c.docs
	c.Bits, c.docs = set, ix.Docs()
	var changed []int // words
	for w := range max(len(old), len(set)) {
		var was, is uint64
		if w < len(old) {
			was = old[w] & below(oldDocs, w)
		}
		if w < len(set) {
			is = set[w] & below(c.docs, w)
		}
		if is == was {
			continue
		}
		if c.counts != nil {
			changed = append(changed, w)
		}
		each(w, is&^was, func(o uint32) { ix.count(&c, o, 1) })
		each(w, was&^is, func(o uint32) { ix.count(&c, o, -1) })
	}
	c.counts = c.counts.keep(changed)
	return c
}

func (ix *Index) count(c *Corpus, ord uint32, by int) {
	c.N += by
	for f, n := range ix.table.lens[ord] {
		c.Len[f] += uint64(int64(by) * int64(n))
	}
	c.langs[ix.table.langs[ord]] += uint32(by)
}

// whole reports whether c is every document of the index.
func (ix *Index) whole(c Corpus) bool { return c.N == ix.Docs() }

// meanLen returns the mean weighted length.
func (ix *Index) meanLen(c Corpus) float64 {
	if c.N == 0 {
		return 0
	}
	sum := 0.0
	for f, w := range ix.opt.Weights {
		sum += float64(w * float64(c.Len[f]))
	}
	return sum / float64(c.N)
}

// dfCommon returns how many documents of c have a common weak term.
func (ix *Index) dfCommon(docs []uint64, c Corpus) int {
	n := 0
	for w := range min(len(docs), len(c.Bits)) {
		n += bits.OnesCount64(docs[w] & c.Bits[w] & below(c.docs, w))
	}
	return n
}
