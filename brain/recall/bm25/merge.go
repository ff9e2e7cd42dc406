package bm25

import (
	"bytes"
	"slices"
)

// source yields the terms of one part in order.
type source interface {
	next() bool
	term() []byte // valid until next
	// postings appends those of the term, documents counted from the ordinal
	// first.
	postings(first uint32, docs []uint32, tfs []tf) ([]uint32, []tf)
}

// segmentSource walks a segment.
type segmentSource struct {
	s   *Segment
	e   entries
	i   uint32
	buf []byte
}

func newSegmentSource(s *Segment) *segmentSource {
	return &segmentSource{s: s, e: entries{data: s.parts[sectionTerms]}}
}

func (s *segmentSource) next() bool {
	if s.i == s.s.terms || !s.e.next() {
		return false
	}
	s.i++
	s.buf = append(s.buf[:s.e.shared], s.e.suffix...)
	return true
}

func (s *segmentSource) term() []byte { return s.buf }

func (s *segmentSource) postings(first uint32, docs []uint32, tfs []tf) ([]uint32, []tf) {
	return s.s.list(s.e.ref, s.s.first-first, docs, tfs)
}

// memorySource walks a part in memory.
type memorySource struct {
	m   *memory
	ids []uint32 // by term
	i   int
	cur cursor
}

func newMemorySource(m *memory) *memorySource {
	s := &memorySource{m: m, ids: make([]uint32, m.dict.len()), i: -1}
	type keyed struct {
		prefix uint64
		id     uint32
	}
	keys := make([]keyed, len(s.ids))
	for i := range keys {
		keys[i] = keyed{prefixOf(m.dict.term(uint32(i))), uint32(i)}
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		switch {
		case a.prefix < b.prefix:
			return -1
		case a.prefix > b.prefix:
			return 1
		}
		return bytes.Compare(m.dict.term(a.id), m.dict.term(b.id))
	})
	for i, k := range keys {
		s.ids[i] = k.id
	}
	return s
}

func (s *memorySource) next() bool {
	s.i++
	return s.i < len(s.ids)
}

func (s *memorySource) term() []byte { return s.m.dict.term(s.ids[s.i]) }

func (s *memorySource) postings(first uint32, docs []uint32, tfs []tf) ([]uint32, []tf) {
	s.cur.read(&s.m.post, s.m.lists[s.ids[s.i]])
	for o, t := s.cur.next(); len(o) > 0; o, t = s.cur.next() {
		for _, ord := range o {
			docs = append(docs, ord-first)
		}
		tfs = append(tfs, t...)
	}
	return docs, tfs
}

// merger yields the terms of all sources in order, each once.
type merger struct {
	heap []ranked // least term first, and of equal ones the lowest ordinals
	at   []ranked // that have the term at hand, in the order of their ordinals
	text []byte
}

// ranked is a source at its next term.
type ranked struct {
	source
	prefix uint64 // of the term
	place  int    // among the sources
}

func (a *ranked) before(b *ranked) bool {
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	c := bytes.Compare(a.term(), b.term())
	return c < 0 || c == 0 && a.place < b.place
}

// newMerger returns a merger of sources in the order of their ordinals.
func newMerger(sources []source) *merger {
	m := &merger{}
	for i, s := range sources {
		m.push(ranked{source: s, place: i})
	}
	return m
}

// push moves r to its next term and puts it into the heap, if it has one.
func (m *merger) push(r ranked) {
	if !r.next() {
		return
	}
	r.prefix = prefixOf(r.term())
	m.heap = append(m.heap, r)
	h := m.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (m *merger) pop() ranked {
	h := m.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	m.heap = h[:last]
	h = m.heap
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return top
		}
		if c+1 < len(h) && h[c+1].before(&h[c]) {
			c++
		}
		if !h[c].before(&h[i]) {
			return top
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// next goes to the next term.
func (m *merger) next() bool {
	for _, r := range m.at {
		m.push(r)
	}
	m.at = m.at[:0]
	if len(m.heap) == 0 {
		return false
	}
	m.text = append(m.text[:0], m.heap[0].term()...)
	for len(m.heap) > 0 && bytes.Equal(m.heap[0].term(), m.text) {
		m.at = append(m.at, m.pop())
	}
	return true
}

// postings appends those of the term at hand.
func (m *merger) postings(first uint32, docs []uint32, tfs []tf) ([]uint32, []tf) {
	for _, r := range m.at {
		docs, tfs = r.postings(first, docs, tfs)
	}
	return docs, tfs
}
