package chunk

import (
	"bytes"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// splitter is the state of one Split. Its offsets count from the first byte
// after the front matter.
type splitter struct {
	raw []byte // the content as given
	src []byte // the same with one kind of line end, at the same offsets
	lim limits

	blocks []block
	heads  []head // headings of the document that are indexed, in order
	holes  []span // what hygiene strips, in order, apart
	pieces []piece

	title    string
	chunks   []Chunk
	warnings []Warning
}

// piece is a chunk to be.
type piece struct {
	span        // without white space around it
	chars  int  // characters of its text, at most limits.max
	level  int  // level of the heading it starts with, noLevel when with none
	header span // table header to repeat before the text
	entry  *Entry
}

const noLevel = 7

func (s *splitter) warn(k WarningKind, offset int, detail string) {
	s.warnings = append(s.warnings, Warning{Kind: k, Offset: offset, Detail: detail})
}

func (s *splitter) run(markdown bool) error {
	if s.short() {
		return s.emit()
	}
	return s.long(markdown)
}

// long is the way of every body that short does not take.
func (s *splitter) long(markdown bool) error {
	s.src = unixLines(s.raw)
	s.parse(markdown)
	s.strip(markdown)
	return s.finish()
}

// finish makes chunks of blocks and holes.
func (s *splitter) finish() error {
	s.index()
	s.cut()
	s.pieces = joinSmall(s, s.pieces)
	return s.emit()
}

// short handles bodies that are one chunk by their look: under the cap, without
// a heading, a tag or a configured prefix. It gives what the long way gives, and
// reports whether it did.
func (s *splitter) short() bool {
	n := len(s.raw)
	if n > s.lim.max || len(s.lim.prefixes) > 0 || bytes.IndexByte(s.raw, '<') >= 0 || bytes.IndexByte(s.raw, '\r') >= 0 {
		return false
	}
	for pos := 0; pos < n; {
		end := lineEnd(s.raw, pos, n)
		line := trim(s.raw[pos:end])
		if len(line) > 0 && (line[0] == '#' || underline(line) > 0) {
			return false
		}
		pos = end
	}
	s.src, s.blocks = s.raw, []block{{end: n}}
	if at, chars := s.measure(0, n); !at.empty() {
		s.pieces = append(s.pieces, piece{span: at, chars: chars, level: noLevel})
	}
	return true
}

// parse finds the blocks. Line rules serve where they say what the tree says,
// since the tree is half of the time of a note, and where no tree can be made.
func (s *splitter) parse(markdown bool) {
	if !markdown {
		s.blocks = plainBlocks(s.src)
		return
	}
	if len(s.lim.prefixes) == 0 && onlyHeadings(s.src) {
		if s.blocks = outlineBlocks(s.src); sectionsFit(s.blocks, s.lim.max) {
			return
		}
	}
	s.parseTree()
}

func (s *splitter) parseTree() {
	if len(s.src) <= maxTree && bytes.Count(s.src, []byte("\n")) <= maxTreeLines {
		var ok bool
		if s.blocks, ok = treeBlocks(s.src); ok {
			return
		}
		s.warn(OutlineOnly, -1, "the syntax tree could not be made")
	} else {
		s.warn(OutlineOnly, -1, fmt.Sprintf("over %d bytes or %d lines", maxTree, maxTreeLines))
	}
	s.blocks = outlineBlocks(s.src)
}

// measure returns the bounds of [start, end) and the number of its characters
// outside of holes.
func (s *splitter) measure(start, end int) (span, int) {
	at := s.bounds(start, end)
	return at, s.chars(at.start, at.end)
}

// bounds returns [start, end) without the white space and the holes at its ends,
// keeping the indentation of the first line.
func (s *splitter) bounds(start, end int) span {
	first := start
	for h := s.hole(start); start < end; {
		if h < len(s.holes) && s.holes[h].start <= start {
			start = s.holes[h].end
			first = start
			h++
		} else if c := s.src[start]; isSpace(c) {
			start++
			if c == '\n' {
				first = start
			}
		} else {
			break
		}
	}
	if start >= end {
		return span{}
	}
	h := s.hole(end) - 1 // the last hole that starts before end
	if h+1 < len(s.holes) && s.holes[h+1].start < end {
		h++
	}
	for { // src[start] stays, so this ends
		if h >= 0 && s.holes[h].end >= end {
			end = s.holes[h].start
			h--
		} else if isSpace(s.src[end-1]) {
			end--
		} else {
			return span{first, end}
		}
	}
}

// hole returns the index of the first hole that ends after pos.
func (s *splitter) hole(pos int) int {
	if len(s.holes) == 0 {
		return 0
	}
	return sort.Search(len(s.holes), func(i int) bool { return s.holes[i].end > pos })
}

// chars returns the number of characters of [start, end) outside of holes.
func (s *splitter) chars(start, end int) int {
	n := 0
	for h := s.hole(start); h < len(s.holes) && s.holes[h].start < end; h++ {
		if a := s.holes[h].start; a > start {
			n += utf8.RuneCount(s.src[start:a])
		}
		start = min(end, s.holes[h].end)
	}
	return n + utf8.RuneCount(s.src[start:end])
}

// cut makes the pieces of all sections.
func (s *splitter) cut() {
	for lo := 0; lo < len(s.blocks); {
		hi := lo + 1
		for hi < len(s.blocks) && !(s.blocks[hi].kind == heading && s.blocks[hi].level <= 2) {
			hi++
		}
		first := len(s.pieces)
		s.cutSection(lo, hi)
		if b := s.blocks[lo]; b.kind == heading && b.level == 2 {
			if e := parseEntry(b.label); e != nil {
				for i := first; i < len(s.pieces); i++ {
					s.pieces[i].entry = e
				}
			}
		}
		lo = hi
	}
}

// cutSection makes the pieces of blocks [lo, hi): one when it fits, else those
// of its parts at the shallowest heading inside, else runs of smaller units.
func (s *splitter) cutSection(lo, hi int) {
	at, chars := s.measure(s.blocks[lo].start, s.blocks[hi-1].end)
	if at.empty() {
		return
	}
	level := noLevel
	if s.blocks[lo].kind == heading {
		level = s.blocks[lo].level
	}
	if chars <= s.lim.max {
		s.pieces = append(s.pieces, piece{span: at, chars: chars, level: level})
		return
	}
	deeper := noLevel
	for _, b := range s.blocks[lo+1 : hi] {
		if b.kind == heading {
			deeper = min(deeper, b.level)
		}
	}
	if deeper == noLevel {
		p := packer{s: s, level: level, left: chars}
		for _, b := range s.blocks[lo:hi] {
			p.block(b)
		}
		p.flush()
		return
	}
	for part := lo; part < hi; {
		next := part + 1
		for next < hi && !(s.blocks[next].kind == heading && s.blocks[next].level == deeper) {
			next++
		}
		s.cutSection(part, next)
		part = next
	}
}

func (s *splitter) emit() error {
	if n := len(s.pieces); n > s.lim.chunks {
		return invalid.TooLarge("chunks", int64(n), int64(s.lim.chunks))
	}
	s.label()
	return nil
}
