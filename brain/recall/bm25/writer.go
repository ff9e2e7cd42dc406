package bm25

import "encoding/binary"

// docTable is what an index keeps of each document of a range besides its
// postings. The slices are of the range, the weak bitmaps may end early.
type docTable struct {
	lens   [][Fields]uint32
	weight []float64
	langs  []lang
	common [weakTerms][]uint64
}

// segmentWriter makes the bytes of a segment from its terms in order. What it
// writes is a function of the documents alone, so a segment that was merged and
// one that was built at once are equal.
type segmentWriter struct {
	layout
	table   docTable
	lengths []uint8 // codes of the weighted lengths

	parts   [sections][]byte
	last    []byte // the term before
	block   blockWriter
	freqs   [maxBodyTF + 1]uint8 // frequency codes of postings of the body alone
	ofBlock pareto
	ofList  pareto
}

func newSegmentWriter(first uint32, weights [Fields]float64, table docTable) *segmentWriter {
	w := &segmentWriter{
		layout: layout{first: first, docs: uint32(len(table.lens)), weights: weights},
		table:  table,
	}
	w.lengths = lengthCodes(table.weight)
	for t := range w.freqs {
		w.freqs[t] = highCode(freqOf(&weights, tf(t)))
	}
	return w
}

func lengthCodes(weight []float64) []uint8 {
	codes := make([]uint8, len(weight))
	for i, x := range weight {
		codes[i] = lowCode(x)
	}
	return codes
}

// add writes the next term, which sorts after the one before. docs are the
// documents counted from the first of the segment, rising, at least one.
func (w *segmentWriter) add(term []byte, docs []uint32, tfs []tf) {
	p := &w.parts
	if w.terms%groupTerms == 0 {
		for _, n := range []int{len(p[sectionTerms]), len(p[sectionPostings]), len(p[sectionBlocks]) / recordBytes} {
			p[sectionIndex] = binary.LittleEndian.AppendUint32(p[sectionIndex], uint32(n))
		}
		w.last = w.last[:0]
	}
	shared := commonPrefix(w.last, term)
	terms := binary.AppendUvarint(p[sectionTerms], uint64(shared))
	terms = binary.AppendUvarint(terms, uint64(len(term)-shared))
	terms = append(terms, term[shared:]...)
	terms = binary.AppendUvarint(terms, uint64(len(docs)))
	w.last = append(w.last[:0], term...)
	if len(docs) == 1 {
		terms = binary.AppendUvarint(terms, uint64(docs[0]))
		terms = binary.AppendUvarint(terms, uint64(tfs[0]))
	} else {
		n := len(p[sectionPostings])
		w.list(docs, tfs)
		terms = binary.AppendUvarint(terms, uint64(len(p[sectionPostings])-n))
	}
	p[sectionTerms] = terms
	w.terms++
	w.postings += uint64(len(docs))
}

// list writes the postings of one term.
func (w *segmentWriter) list(docs []uint32, tfs []tf) {
	out := &w.parts[sectionPostings]
	for i := 0; i < len(docs); i += blockSize {
		end := min(i+blockSize, len(docs))
		for _, m := range w.maxima(docs[i:end], tfs[i:end]) {
			w.ofList.add(m)
		}
	}
	set := w.ofList.reduce(listMaxima)
	*out = append(*out, byte(len(set)))
	for _, m := range set {
		*out = append(*out, m.freq, m.length)
	}
	start, base := len(*out), uint32(0)
	for i := 0; i < len(docs); i += blockSize {
		end := min(i+blockSize, len(docs))
		if len(docs) > blockSize {
			w.record(docs[end-1], uint32(len(*out)-start), w.maxima(docs[i:end], tfs[i:end]))
		}
		*out = w.block.append(*out, docs[i:end], tfs[i:end], base)
		base = docs[end-1] + 1
	}
}

// maxima returns the set of one block, valid until the next call.
func (w *segmentWriter) maxima(docs []uint32, tfs []tf) []maximum {
	for i, d := range docs {
		w.ofBlock.add(maximum{w.freqCode(tfs[i]), w.lengths[d]})
	}
	return w.ofBlock.reduce(blockMaxima)
}

func (w *segmentWriter) freqCode(t tf) uint8 {
	if t <= maxBodyTF {
		return w.freqs[t]
	}
	return highCode(freqOf(&w.weights, t))
}

// record describes one block of a list of several.
func (w *segmentWriter) record(last, at uint32, set []maximum) {
	out := &w.parts[sectionBlocks]
	*out = binary.LittleEndian.AppendUint32(*out, last)
	*out = binary.LittleEndian.AppendUint32(*out, at)
	for i := range blockMaxima {
		m := set[min(i, len(set)-1)]
		*out = append(*out, m.freq, m.length)
	}
}

// bytes finishes the segment.
func (w *segmentWriter) bytes() ([]byte, error) {
	n := len(w.table.lens)
	docs := &w.parts[sectionDocs]
	for f := range Fields {
		*docs = appendColumn(*docs, n, func(i int) uint32 { return w.table.lens[i][f] })
	}
	*docs = appendColumn(*docs, n, func(i int) uint32 { return uint32(w.table.langs[i]) })
	weak := &w.parts[sectionWeak]
	for i := range w.table.common {
		*weak = appendWeak(*weak, w.table.common[i], n, &w.block)
	}
	for _, i := range []int{sectionDocs, sectionWeak, sectionPostings} {
		w.parts[i] = append(w.parts[i], make([]byte, padding)...)
	}
	return w.seal(w.parts)
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
