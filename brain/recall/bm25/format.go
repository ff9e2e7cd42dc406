package bm25

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// SegmentFormat names the form of a segment's bytes, for the stamp of derived
// state: another name means that stored segments are to be built again.
const SegmentFormat = "bm25 segment 1"

// ErrCorrupt is wrapped by the errors of [Decode]; the message names the
// section.
var ErrCorrupt = errors.New("corrupt segment")

// A segment is a header and six sections, one after the other. Numbers are
// little-endian; a uvarint is that of encoding/binary.
//
//	header    magic, version, first ordinal, documents, terms, postings, field
//	          weights, then length and CRC-32C of each section and of the header
//	documents length of each field, then language: columns of packed blocks
//	weak      documents of each common weak term, as gaps or as a bitmap
//	index     per 16 terms: where they begin in terms, postings and blocks
//	terms     sorted, front-coded in groups of 16, each with its df
//	blocks    per block of a list longer than a block: last document, address,
//	          maxima
//	postings  maxima of each list, then its blocks of 128 packed gaps and
//	          frequencies by field
const (
	sectionDocs = iota
	sectionWeak
	sectionIndex
	sectionTerms
	sectionBlocks
	sectionPostings
	sections
)

const (
	segmentMagic   = "brnbm25s"
	segmentVersion = 1

	headerAt    = 8 // after the magic
	headerBytes = 8 + 4*4 + 8 + 8*Fields + 8*sections + 4

	// maxSegmentBytes bounds a segment, so that addresses fit 32 bits on every
	// machine.
	maxSegmentBytes = 1 << 30

	groupTerms  = 16 // terms that are front-coded together
	indexBytes  = 12 // of one group in the index
	recordBytes = 8 + 2*blockMaxima
)

func sectionName(i int) string {
	return [sections]string{"documents", "weak terms", "index", "terms", "blocks", "postings"}[i]
}

// layout is the header in memory.
type layout struct {
	first    uint32
	docs     uint32
	terms    uint32
	postings uint64
	weights  [Fields]float64
}

// seal returns the bytes of a segment.
func (l layout) seal(parts [sections][]byte) ([]byte, error) {
	total := headerBytes
	for _, p := range parts {
		total += len(p)
	}
	if total > maxSegmentBytes {
		return nil, fmt.Errorf("bm25: a segment of %d bytes is over the limit of %d", total, maxSegmentBytes)
	}
	le := binary.LittleEndian
	out := append(make([]byte, 0, total), segmentMagic...)
	out = le.AppendUint32(out, segmentVersion)
	out = le.AppendUint32(out, l.first)
	out = le.AppendUint32(out, l.docs)
	out = le.AppendUint32(out, l.terms)
	out = le.AppendUint64(out, l.postings)
	for _, w := range l.weights {
		out = le.AppendUint64(out, math.Float64bits(w))
	}
	for _, p := range parts {
		out = le.AppendUint32(out, uint32(len(p)))
		out = le.AppendUint32(out, checksum(p))
	}
	out = le.AppendUint32(out, checksum(out))
	for _, p := range parts {
		out = append(out, p...)
	}
	return out, nil
}

// open reads the header and checks all checksums.
func (l *layout) open(data []byte) (parts [sections][]byte, err error) {
	le := binary.LittleEndian
	if len(data) < headerBytes || len(data) > maxSegmentBytes || string(data[:headerAt]) != segmentMagic {
		return parts, corrupt("header", "no segment of %d bytes", len(data))
	}
	if checksum(data[:headerBytes-4]) != le.Uint32(data[headerBytes-4:]) {
		return parts, corrupt("header", "checksum")
	}
	h := data[headerAt:]
	if v := le.Uint32(h); v != segmentVersion {
		return parts, corrupt("header", "version %d", v)
	}
	l.first, l.docs, l.terms, l.postings = le.Uint32(h[4:]), le.Uint32(h[8:]), le.Uint32(h[12:]), le.Uint64(h[16:])
	if l.docs == 0 || l.docs > maxSegmentDocs || uint64(l.first)+uint64(l.docs) > math.MaxUint32 {
		return parts, corrupt("header", "%d documents from %d", l.docs, l.first)
	}
	h = h[24:]
	for f := range l.weights {
		l.weights[f] = math.Float64frombits(le.Uint64(h))
		if w := l.weights[f]; !(w > 0 && w <= maxWeight) {
			return parts, corrupt("header", "weight %v", w)
		}
		h = h[8:]
	}
	rest := data[headerBytes:]
	for i := range parts {
		n := le.Uint32(h)
		if uint64(n) > uint64(len(rest)) {
			return parts, corrupt(sectionName(i), "%d bytes of %d", n, len(rest))
		}
		parts[i], rest = rest[:n], rest[n:]
		if checksum(parts[i]) != le.Uint32(h[4:]) {
			return parts, corrupt(sectionName(i), "checksum")
		}
		h = h[8:]
	}
	if len(rest) > 0 {
		return parts, corrupt("postings", "%d bytes after it", len(rest))
	}
	return parts, nil
}

func checksum(p []byte) uint32 { return crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)) }

func corrupt(section, format string, args ...any) error {
	return fmt.Errorf("bm25: %w: %s: %s", ErrCorrupt, section, fmt.Sprintf(format, args...))
}
