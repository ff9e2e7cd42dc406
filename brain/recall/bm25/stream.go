package bm25

import "encoding/binary"

// stream reads one list of a segment by blocks, forward. It is reused: open
// sets all of it but the arrays.
type stream struct {
	df     int
	left   int    // postings of this block and later ones; 0 = at the end
	record []byte // of this block and later ones; empty for a list of one block
	set    []byte // maxima of the list
	blocks []byte // of the list, and what follows it
	at     int    // of this block in blocks
	base   uint32 // least document that this block may have
	last   uint32 // no document of this block is above it
	only   tf     // of the only posting
	one    bool   // has one posting

	n      int // postings of this block
	pos    int // of the next one to look at
	loaded bool
	full   bool // freqs are read
	view   blockView
	docs   [blockSize]uint32
	freqs  [blockSize]tf
}

// open sets l to the first block of a list that is not empty.
func (l *stream) open(s *Segment, r ref) {
	l.df, l.left = int(r.df), int(r.df)
	l.record, l.at, l.base, l.pos, l.full = nil, 0, 0, 0, false
	l.last = s.docs - 1
	l.one = r.df == 1
	if l.one {
		l.docs[0], l.freqs[0], l.only = r.doc, r.tf, r.tf
		l.last, l.n, l.loaded, l.full = r.doc, 1, true, true
		return
	}
	l.set, l.blocks = s.maxima(r)
	if r.df > blockSize {
		l.record = s.records(r)
		l.last = binary.LittleEndian.Uint32(l.record)
	}
	l.n, l.loaded = min(l.left, blockSize), false
}

// openLike sets l to the place of m, which was just opened.
func (l *stream) openLike(m *stream) {
	l.df, l.left, l.record, l.set, l.blocks, l.at = m.df, m.left, m.record, m.set, m.blocks, m.at
	l.base, l.last, l.only, l.one, l.n, l.pos, l.loaded, l.full = m.base, m.last, m.only, m.one, m.n, 0, m.loaded, m.full
	l.docs[0], l.freqs[0] = m.docs[0], m.freqs[0]
}

func (l *stream) done() bool { return l.left == 0 }

// advance goes to the next block.
func (l *stream) advance() {
	if l.left <= blockSize {
		l.left = 0
		return
	}
	l.left -= blockSize
	l.base = l.last + 1
	l.record = l.record[recordBytes:]
	l.last = binary.LittleEndian.Uint32(l.record)
	l.at = int(binary.LittleEndian.Uint32(l.record[4:]))
	l.n, l.pos, l.loaded, l.full = min(l.left, blockSize), 0, false, false
}

// seek goes to the first block that may have a document from doc on; false is
// the end.
func (l *stream) seek(doc uint32) bool {
	if doc <= l.last {
		return l.left > 0
	}
	if l.left <= blockSize {
		l.left = 0
		return false
	}
	blocks := len(l.record) / recordBytes
	lo, step := 0, 1
	for lo+step < blocks && binary.LittleEndian.Uint32(l.record[(lo+step)*recordBytes:]) < doc {
		lo += step
		step *= 2
	}
	// Block lo ends before doc; the one sought is after it.
	hi := min(lo+step, blocks)
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if binary.LittleEndian.Uint32(l.record[mid*recordBytes:]) < doc {
			lo = mid
		} else {
			hi = mid
		}
	}
	if hi == blocks {
		l.left = 0
		return false
	}
	l.left -= (hi - 1) * blockSize
	l.record = l.record[(hi-1)*recordBytes:]
	l.last = binary.LittleEndian.Uint32(l.record)
	l.advance()
	return true
}

// load reads the documents of the block.
func (l *stream) load() {
	if l.loaded {
		return
	}
	l.loaded = true
	l.view.open(l.blocks[l.at:], l.n)
	l.view.docs(&l.docs, l.n, l.base)
}

// loadAll reads the documents and frequencies of the block.
func (l *stream) loadAll() {
	l.load()
	if !l.full {
		l.full = true
		l.view.tfs(&l.freqs, l.n)
	}
}

// find returns the frequencies in doc, which is not before the one that was last
// looked for.
func (l *stream) find(doc uint32) (t tf, ok bool) {
	if !l.seek(doc) {
		return 0, false
	}
	l.load()
	i, hi := l.pos, l.n
	for step := 1; i < hi && l.docs[i] < doc; step *= 2 {
		if i+step >= hi || l.docs[i+step] >= doc {
			hi = min(hi, i+step)
			for i++; i < hi; {
				mid := int(uint(i+hi) / 2)
				if l.docs[mid] < doc {
					i = mid + 1
				} else {
					hi = mid
				}
			}
			break
		}
		i += step
	}
	l.pos = i
	if i == l.n || l.docs[i] != doc {
		return 0, false
	}
	if l.one {
		return l.only, true
	}
	return l.view.tf(i), true
}

// bound is at least the share of any posting of the list.
func (l *stream) bound(f *formula) float64 {
	if l.one {
		return f.bound([]byte{highCode(freqOf(&f.weights, l.only)), 0})
	}
	return f.bound(l.set)
}

// boundHere is at least the share of any posting of the block.
func (l *stream) boundHere(f *formula) float64 {
	if len(l.record) == 0 {
		return l.bound(f)
	}
	return f.bound(l.record[8:recordBytes])
}

// boundTo is at least the share of any posting from this block on whose
// document is before end.
func (l *stream) boundTo(end uint32, f *formula) float64 {
	if len(l.record) == 0 {
		return l.bound(f)
	}
	best := 0.0
	for rec := l.record; ; rec = rec[recordBytes:] {
		best = max(best, f.bound(rec[8:recordBytes]))
		if len(rec) == recordBytes || binary.LittleEndian.Uint32(rec)+1 >= end {
			return best
		}
	}
}
