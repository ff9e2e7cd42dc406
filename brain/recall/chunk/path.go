package chunk

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// separator stands between the headings of a breadcrumb.
const separator = " › "

// head is one heading of the document.
type head struct {
	start, level int
	label        string
	up           int // index of the heading it is under, -1 at the top
}

// index collects the headings that are not stripped and the title. A heading
// that a skip prefix strips still starts a section, but has no label: its words
// must not come back through a breadcrumb.
func (s *splitter) index() {
	up := -1
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.kind != heading {
			continue
		}
		if h := s.hole(b.start); h < len(s.holes) && s.holes[h].start < b.end {
			if s.holes[h].start <= b.start {
				b.label = ""
				continue
			}
			b.label = s.keptLabel(*b)
		}
		for up >= 0 && s.heads[up].level >= b.level {
			up = s.heads[up].up
		}
		s.heads = append(s.heads, head{b.start, b.level, b.label, up})
		up = len(s.heads) - 1
		if s.title == "" && b.level == 1 {
			s.title = b.label
		}
	}
}

// keptLabel returns the label of a heading without what hygiene strips from its
// first line.
func (s *splitter) keptLabel(b block) string {
	line := trim(s.keep(nil, span{b.start, lineEnd(s.src, b.start, b.end)}))
	if l := atxLevel(line); l > 0 {
		return label(atxText(line, l))
	}
	return label(line)
}

// label makes the chunks of the pieces: breadcrumb, headings and text.
func (s *splitter) label() {
	s.chunks = make([]Chunk, 0, len(s.pieces))
	b, above := 0, -1 // first block that ends after the piece's start; heading in force there
	h := 0            // first heading at or after the piece's start
	invalidAt := -1
	for _, p := range s.pieces {
		txt, valid := s.text(p)
		if !valid && invalidAt < 0 {
			invalidAt = p.start
		}
		if strings.TrimFunc(txt, unicode.IsSpace) == "" {
			continue
		}
		for s.blocks[b].end <= p.start {
			b++
		}
		for h < len(s.heads) && s.heads[h].start < s.blocks[b].start {
			above = h
			h++
		}
		c := Chunk{N: uint32(len(s.chunks)), Start: p.start, End: p.end, Text: txt, Entry: p.entry}
		s.headings(&c, p, b, above, h)
		s.chunks = append(s.chunks, c)
	}
	if invalidAt >= 0 {
		s.warn(InvalidUTF8, invalidAt, "")
	}
}

// headings sets the breadcrumb and the headings of a chunk. b is the first block
// of the piece, above the heading in force before that block, next the first
// heading that is not above it.
func (s *splitter) headings(c *Chunk, p piece, b, above, next int) {
	if len(s.heads) == 0 {
		return
	}
	common, any := -1, false // common path of the content
	bare, anyBare := -1, false
	cur, h := above, next
	for ; b < len(s.blocks) && s.blocks[b].start < p.end; b++ {
		if h < len(s.heads) && s.heads[h].start == s.blocks[b].start {
			cur = h
			h++
			bare, anyBare = s.common(bare, cur, anyBare), true
			continue
		}
		if at := s.bounds(max(p.start, s.blocks[b].start), min(p.end, s.blocks[b].end)); !at.empty() {
			common, any = s.common(common, cur, any), true
		}
	}
	if !any {
		common, any = bare, anyBare
	}
	if any {
		c.Breadcrumb = s.breadcrumb(common)
	}
	if next < h && s.heads[next].start <= p.start {
		above = s.heads[next].up // the chunk opens with a heading: the section before it is closed
	}
	for i := above; i >= 0; i = s.heads[i].up {
		if s.heads[i].label != "" {
			c.Headings = append(c.Headings, s.heads[i].label)
		}
	}
	for i, j := 0, len(c.Headings)-1; i < j; i, j = i+1, j-1 {
		c.Headings[i], c.Headings[j] = c.Headings[j], c.Headings[i]
	}
	for _, x := range s.heads[next:h] {
		if x.label != "" {
			c.Headings = append(c.Headings, x.label)
		}
	}
}

// common returns the deepest heading that a and b are both under; b when there
// is no a yet.
func (s *splitter) common(a, b int, have bool) int {
	if !have {
		return b
	}
	for a != b {
		if a > b {
			a = s.heads[a].up
		} else {
			b = s.heads[b].up
		}
	}
	return a
}

func (s *splitter) breadcrumb(h int) string {
	var path [6]string
	n := len(path)
	for ; h >= 0; h = s.heads[h].up {
		if s.heads[h].label != "" {
			n--
			path[n] = s.heads[h].label
		}
	}
	return strings.Join(path[n:], separator)
}

// text returns the text of a piece and whether its bytes were valid UTF-8.
func (s *splitter) text(p piece) (string, bool) {
	var raw []byte
	if p.header.empty() && s.whole(p.span) {
		raw = s.raw[p.start:p.end]
	} else {
		if !p.header.empty() {
			raw = append(s.keep(raw, p.header), '\n')
		}
		raw = bytes.TrimRight(s.keep(raw, p.span), asciiSpace)
	}
	if utf8.Valid(raw) {
		return string(raw), true
	}
	return string(bytes.ToValidUTF8(raw, []byte("\ufffd"))), false
}

// whole reports whether no hole touches a span.
func (s *splitter) whole(p span) bool {
	h := s.hole(p.start)
	return h == len(s.holes) || s.holes[h].start >= p.end
}

// keep appends the bytes of a span outside of holes.
func (s *splitter) keep(dst []byte, p span) []byte {
	for h := s.hole(p.start); h < len(s.holes) && s.holes[h].start < p.end; h++ {
		if a := s.holes[h].start; a > p.start {
			dst = append(dst, s.raw[p.start:a]...)
		}
		p.start = min(p.end, s.holes[h].end)
	}
	return append(dst, s.raw[p.start:p.end]...)
}
