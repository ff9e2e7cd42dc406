package bm25

import "encoding/binary"

// Decode reads a stored segment and checks all of it: checksums, and the
// structure of every term and posting, so that damage is an error that wraps
// [ErrCorrupt] and names the section, and never a wrong answer. It keeps data,
// which must not change. The cost is some ten nanoseconds a posting; segments are
// independent, so an owner may read several at once.
func Decode(data []byte) (*Segment, error) {
	s, err := newSegment(data)
	if err != nil {
		return nil, err
	}
	table, section, ok := s.table(func(l [Fields]uint32) float64 { return combine(&s.weights, l) })
	if !ok {
		return nil, corrupt(section, "%d documents", s.docs)
	}
	c := checker{s: s, w: newSegmentWriter(s.first, s.weights, table)}
	if err := c.run(); err != nil {
		return nil, err
	}
	return s, nil
}

// checker walks a segment whose documents are read.
type checker struct {
	s    *Segment
	w    *segmentWriter // what a writer would have made
	docs [blockSize]uint32
	tfs  [blockSize]tf
	view blockView
	term []byte // before the one at hand
}

func (c *checker) run() error {
	s := c.s
	e := entries{data: s.parts[sectionTerms]}
	total := uint64(0)
	for i := range int(s.terms) {
		if i%groupTerms == 0 {
			terms, postings, records := s.group(i / groupTerms)
			if int(terms) != len(s.parts[sectionTerms])-len(e.data) || postings != e.at || records != e.record {
				return corrupt("index", "group %d", i/groupTerms)
			}
		}
		if !e.next() || !c.order(&e, i) {
			return corrupt("terms", "term %d", i)
		}
		if section := c.list(e.ref, e.at); section != "" {
			return corrupt(section, "term %d", i)
		}
		total += uint64(e.ref.df)
	}
	switch {
	case len(e.data) != 0:
		return corrupt("terms", "%d bytes after the last", len(e.data))
	case total != s.postings:
		return corrupt("header", "%d postings of %d", total, s.postings)
	case int(e.record)*recordBytes != len(s.parts[sectionBlocks]):
		return corrupt("blocks", "%d records", e.record)
	case int(e.at)+padding != len(s.parts[sectionPostings]):
		return corrupt("postings", "%d bytes", e.at)
	}
	return nil
}

// order reports whether e is the next term: longer than nothing, after the one
// before, and shortened by all that it shares.
func (c *checker) order(e *entries, i int) bool {
	first := i%groupTerms == 0
	before, n := c.term, e.shared
	switch {
	case first && n != 0, !first && n > len(before), len(e.suffix) == 0, n+len(e.suffix) > maxStored:
		return false
	case i > 0 && string(before[n:]) >= string(e.suffix):
		return false
	case !first && n < len(before) && before[n] == e.suffix[0]:
		return false
	}
	c.term = append(before[:n], e.suffix...)
	return true
}

// list checks the postings of one term, which end at end, and returns the
// section that is damaged.
func (c *checker) list(r ref, end uint32) string {
	s := c.s
	if r.df == 1 {
		if r.doc >= s.docs || r.tf == 0 {
			return "terms"
		}
		return ""
	}
	all := s.parts[sectionPostings]
	if int64(end)+padding > int64(len(all)) || end < r.at+1 {
		return "postings"
	}
	data := all[r.at:end]
	sets := int(data[0])
	if r.df > s.docs || sets == 0 || sets > listMaxima || len(data) < 1+2*sets {
		return "postings"
	}
	start := int(r.at) + 1 + 2*sets
	at, next := start, uint32(0)
	for i := 0; i < int(r.df); i += blockSize {
		n := min(blockSize, int(r.df)-i)
		if at+blockHeader > int(end) {
			return "postings"
		}
		c.view = blockView{wg: all[at], wb: all[at+1] & 15, wh: all[at+2] & 7, wt: all[at+2] >> 3, least: tf(all[at+1] >> 4)}
		size := c.view.size(n)
		if !c.view.valid() || at+size > int(end) || !c.block(all[at:], n, next) {
			return "postings"
		}
		set := c.w.maxima(c.docs[:n], c.tfs[:n])
		for _, m := range set {
			c.w.ofList.add(m)
		}
		if r.df > blockSize && !c.record(int(r.record)+i/blockSize, c.docs[n-1], uint32(at-start), set) {
			return "blocks"
		}
		next = c.docs[n-1] + 1
		at += size
	}
	set := c.w.ofList.reduce(listMaxima)
	if at != int(end) || sets != len(set) {
		return "postings"
	}
	for i, m := range set {
		if data[1+2*i] != m.freq || data[2+2*i] != m.length {
			return "postings"
		}
	}
	return ""
}

// block reads a block and reports whether its documents are of the segment and
// its frequencies are some.
func (c *checker) block(data []byte, n int, base uint32) bool {
	c.view.open(data, n)
	unpack(&c.docs, c.view.gaps, n, int(c.view.wg))
	next := uint64(base)
	for i, gap := range c.docs[:n] {
		d := next + uint64(gap)
		if d >= uint64(c.s.docs) {
			return false
		}
		c.docs[i] = uint32(d)
		next = d + 1
	}
	if c.view.wb == 8 && c.view.least == 1 {
		for i := range n {
			if unpackOne(c.view.body, i, 8) == maxBodyTF {
				return false // one more than fits
			}
		}
	}
	c.view.tfs(&c.tfs, n)
	for _, t := range c.tfs[:n] {
		if t == 0 {
			return false
		}
	}
	return true
}

// record reports whether a record says what its block holds.
func (c *checker) record(i int, last, at uint32, set []maximum) bool {
	b := c.s.parts[sectionBlocks]
	if (i+1)*recordBytes > len(b) {
		return false
	}
	b = b[i*recordBytes : (i+1)*recordBytes]
	if binary.LittleEndian.Uint32(b) != last || binary.LittleEndian.Uint32(b[4:]) != at {
		return false
	}
	for j := range blockMaxima {
		m := set[min(j, len(set)-1)]
		if b[8+2*j] != m.freq || b[9+2*j] != m.length {
			return false
		}
	}
	return true
}
