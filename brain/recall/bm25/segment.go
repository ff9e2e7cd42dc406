package bm25

import (
	"encoding/binary"
	"unsafe"
)

// Segment is an immutable part of an index: the postings of a range of
// ordinals, in the bytes that are stored. It is made by [Task.Run] or [Decode].
// Safe for concurrent use.
type Segment struct {
	layout
	data   []byte
	parts  [sections][]byte
	prefix []uint64 // first eight bytes of the first term of each group
}

// First returns the first ordinal of s.
func (s *Segment) First() uint32 { return s.first }

// Docs returns how many ordinals s has.
func (s *Segment) Docs() int { return int(s.docs) }

// Bytes returns the stored form of s, to be read only. Equal documents at equal
// ordinals give equal bytes, however the index came to them.
func (s *Segment) Bytes() []byte { return s.data }

// end is the ordinal after the last.
func (s *Segment) end() uint32 { return s.first + s.docs }

// size is the memory of s.
func (s *Segment) size() int {
	return len(s.data) + 8*cap(s.prefix) + int(unsafe.Sizeof(*s))
}

// newSegment reads what a writer made.
func newSegment(data []byte) (*Segment, error) {
	s := &Segment{data: data}
	var err error
	if s.parts, err = s.open(data); err != nil {
		return nil, err
	}
	groups := (int(s.terms) + groupTerms - 1) / groupTerms
	if len(s.parts[sectionIndex]) != groups*indexBytes {
		return nil, corrupt("index", "%d bytes for %d terms", len(s.parts[sectionIndex]), s.terms)
	}
	s.prefix = make([]uint64, groups)
	for g := range s.prefix {
		at, _, _ := s.group(g)
		if int64(at) >= int64(len(s.parts[sectionTerms])) {
			return nil, corrupt("index", "group %d", g)
		}
		e := entries{data: s.parts[sectionTerms][at:]}
		if !e.next() || e.shared != 0 {
			return nil, corrupt("terms", "group %d", g)
		}
		s.prefix[g] = prefixOf(e.suffix)
	}
	return s, nil
}

// group returns where the terms of a group begin in the sections of terms,
// postings and blocks (records).
func (s *Segment) group(g int) (terms, postings, records uint32) {
	b := s.parts[sectionIndex][g*indexBytes:]
	le := binary.LittleEndian
	return le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])
}

// prefixOf returns the first eight bytes of a term as a number that sorts like
// it.
func prefixOf(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.BigEndian.Uint64(term)
	}
	var b [8]byte
	copy(b[:], term)
	return binary.BigEndian.Uint64(b[:])
}

// ref is where one part of an index has the postings of a term.
type ref struct {
	df     uint32 // postings; 0 = the part does not have the term
	num    uint32 // number of the term in its part
	doc    uint32 // of the only posting, from the first of the segment
	tf     tf     // of the only posting
	at     uint32 // of the list in the section of postings
	record uint32 // of the first block
}

// find looks a term up.
func (s *Segment) find(term []byte) ref {
	p := prefixOf(term)
	// The last group that may begin at or before the term.
	lo, n := 0, len(s.prefix)
	for n > 0 {
		half := n / 2
		if s.prefix[lo+half] <= p {
			lo += n - half
		}
		n = half
	}
	g := lo - 1
	for ; g >= 0 && s.prefix[g] == p; g-- {
		at, _, _ := s.group(g)
		e := entries{data: s.parts[sectionTerms][at:]}
		e.next()
		if string(e.suffix) <= string(term) {
			break
		}
	}
	if g < 0 {
		return ref{}
	}
	at, postings, record := s.group(g)
	e := entries{data: s.parts[sectionTerms][at:], at: postings, record: record}
	same := 0 // bytes that the entry before shares with term, which sorts after it
	for i := range min(groupTerms, int(s.terms)-g*groupTerms) {
		if !e.next() || e.shared < same {
			break
		}
		if e.shared > same {
			continue // like the entry before
		}
		n := commonPrefix(e.suffix, term[same:])
		switch {
		case n == len(e.suffix) && same+n == len(term):
			e.ref.num = uint32(g*groupTerms + i)
			return e.ref
		case n < len(e.suffix) && (same+n == len(term) || e.suffix[n] > term[same+n]):
			return ref{}
		}
		same += n
	}
	return ref{}
}

// entries walks the terms of a group.
type entries struct {
	data   []byte // what is left
	at     uint32 // of the postings of the next entry
	record uint32 // of the blocks of the next entry

	shared int // bytes of the entry before that this one begins with
	suffix []byte
	ref    ref
}

// next reads one entry; false is damage.
func (e *entries) next() bool {
	d := e.data
	var shared, n, df uint64
	if len(d) >= 2 && d[0]|d[1] < 0x80 {
		shared, n, d = uint64(d[0]), uint64(d[1]), d[2:]
	} else {
		var k int
		if shared, k = binary.Uvarint(d); k <= 0 {
			return false
		}
		d = d[k:]
		if n, k = binary.Uvarint(d); k <= 0 {
			return false
		}
		d = d[k:]
	}
	if shared > maxStored || n > maxStored || n > uint64(len(d)) {
		return false
	}
	e.shared, e.suffix, d = int(shared), d[:n:n], d[n:]
	df, k := binary.Uvarint(d)
	if k <= 0 || df == 0 || df > maxSegmentDocs {
		return false
	}
	d = d[k:]
	e.ref = ref{df: uint32(df), at: e.at, record: e.record}
	x, k := binary.Uvarint(d)
	if k <= 0 || x > maxSegmentBytes {
		return false
	}
	d = d[k:]
	if df > 1 {
		e.at += uint32(x)
		if df > blockSize {
			e.record += uint32(blocksOf(int(df)))
		}
		e.data = d
		return true
	}
	t, k := binary.Uvarint(d)
	if k <= 0 || t > 1<<16-1 {
		return false
	}
	e.ref.doc, e.ref.tf = uint32(x), tf(t)
	e.data = d[k:]
	return true
}

// maxStored bounds the length of a stored term: a pair of ideographs with marks
// is the longest.
const maxStored = 2 * MaxTerm

// blocksOf is how many blocks n postings have.
func blocksOf(n int) int { return (n + blockSize - 1) / blockSize }

// table reads the documents of s from its bytes; ok is false for damage.
func (s *Segment) table(weigh func([Fields]uint32) float64) (t docTable, section string, ok bool) {
	n := int(s.docs)
	t.lens, t.weight, t.langs = make([][Fields]uint32, n), make([]float64, n), make([]lang, n)
	data := s.parts[sectionDocs]
	for f := range Fields {
		if data, ok = readColumn(data, n, func(i int, v uint32) { t.lens[i][f] = v }); !ok {
			return t, "documents", false
		}
	}
	known := true
	data, ok = readColumn(data, n, func(i int, v uint32) {
		known = known && v < uint32(langs)
		t.langs[i] = lang(v)
	})
	if !ok || !known || len(data) != padding {
		return t, "documents", false
	}
	for i, l := range t.lens {
		t.weight[i] = weigh(l)
	}
	data = s.parts[sectionWeak]
	for i := range t.common {
		set := make([]uint64, (n+63)/64)
		if data, ok = readWeak(data, set, n); !ok {
			return t, "weak terms", false
		}
		for len(set) > 0 && set[len(set)-1] == 0 {
			set = set[:len(set)-1]
		}
		t.common[i] = set
	}
	return t, "weak terms", len(data) == padding
}

// records returns the records of the blocks of a list of several.
func (s *Segment) records(r ref) []byte {
	b := s.parts[sectionBlocks][int(r.record)*recordBytes:]
	return b[: blocksOf(int(r.df))*recordBytes : blocksOf(int(r.df))*recordBytes]
}

// maxima returns the pairs of codes of a list of several postings and what
// follows them, its blocks.
func (s *Segment) maxima(r ref) (set, blocks []byte) {
	b := s.parts[sectionPostings][r.at:]
	n := 1 + 2*int(b[0])
	return b[1:n], b[n:]
}

// list appends all postings of a term, documents counted from the first of
// s, shifted by base.
func (s *Segment) list(r ref, base uint32, docs []uint32, tfs []tf) ([]uint32, []tf) {
	if r.df == 1 {
		return append(docs, base+r.doc), append(tfs, r.tf)
	}
	var d [blockSize]uint32
	var t [blockSize]tf
	var v blockView
	_, data := s.maxima(r)
	next := uint32(0)
	for left := int(r.df); left > 0; left -= blockSize {
		n := min(left, blockSize)
		v.open(data, n)
		v.docs(&d, n, next)
		v.tfs(&t, n)
		next = d[n-1] + 1
		for i := range d[:n] {
			docs = append(docs, base+d[i])
		}
		tfs = append(tfs, t[:n]...)
		data = data[v.size(n):]
	}
	return docs, tfs
}
