package bm25

import (
	"math/bits"
	"sync"
)

// counts remembers what was counted of one corpus, by segment: how many of its
// documents the corpus has and how many of them have a term. Safe for
// concurrent use.
type counts struct {
	mu   sync.Mutex
	segs []*segmentCount
}

// maxCounted bounds what is remembered of one segment; past it all is
// forgotten.
const maxCounted = 1 << 13

type segmentCount struct {
	seg     *Segment
	visible uint32

	mu sync.Mutex
	df map[uint32]uint32 // by term number
}

// of returns what is known of s over the set of c.
func (k *counts) of(s *Segment, c *Corpus) *segmentCount {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, have := range k.segs {
		if have.seg == s {
			return have
		}
	}
	n := &segmentCount{seg: s, df: map[uint32]uint32{}}
	first := int(s.first) >> 6
	for w := first; w < min(first+(int(s.docs)+63)/64, len(c.Bits)); w++ {
		n.visible += uint32(bits.OnesCount64(c.Bits[w] & below(c.docs, w)))
	}
	k.segs = append(k.segs, n)
	return n
}

// keep returns the counts whose segments hold no word of a bitmap for which
// changed is true.
func (k *counts) keep(changed []int) *counts {
	out := &counts{}
	if k == nil {
		return out
	}
	k.mu.Lock()
	defer k.mu.Unlock()
next:
	for _, s := range k.segs {
		first := int(s.seg.first) >> 6
		for _, w := range changed {
			if w >= first && w < first+int(s.seg.docs)>>6 {
				continue next
			}
		}
		out.segs = append(out.segs, s)
	}
	return out
}

// term returns how many documents of the set have the term of r.
func (n *segmentCount) term(r ref, c *Corpus) uint32 {
	switch n.visible {
	case 0:
		return 0
	case n.seg.docs:
		return r.df
	}
	if r.df == 1 {
		return count(c, n.seg.first, []uint32{r.doc})
	}
	n.mu.Lock()
	df, ok := n.df[r.num]
	n.mu.Unlock()
	if ok {
		return df
	}
	var l stream
	for l.open(n.seg, r); !l.done(); l.advance() {
		l.load()
		df += count(c, n.seg.first, l.docs[:l.n])
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.df) >= maxCounted {
		clear(n.df)
	}
	n.df[r.num] = df
	return df
}

// count returns how many of docs, counted from the ordinal first, are in c.
func count(c *Corpus, first uint32, docs []uint32) uint32 {
	n := uint32(0)
	for _, d := range docs {
		if o := first + d; int64(o) < int64(c.docs) && bit(c.Bits, o) {
			n++
		}
	}
	return n
}
