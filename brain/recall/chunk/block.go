package chunk

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// kind is what a block is to the cutter.
type kind uint8

const (
	text      kind = iota // paragraph, HTML, rule: cut at lines
	heading               // heading of the document, not of a quote or list
	code                  // fenced or indented code
	table                 // GFM table: cut at rows
	container             // list, list item or quote: cut at its children
)

// block is one block of the source. The blocks of a level tile their parent: a
// block ends where the next one starts, so nothing falls between two of them.
type block struct {
	start, end int
	kind       kind
	level      int      // heading: 1 to 6
	label      string   // heading: its plain text
	node       ast.Node // container: where its children are
}

// span is the byte range [start, end).
type span struct{ start, end int }

func (s span) empty() bool { return s.start >= s.end }

const asciiSpace = " \t\n\v\f\r"

func isSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

// lineStart returns the offset of the first byte of the line that holds pos.
func lineStart(src []byte, pos int) int {
	if pos <= 0 {
		return 0
	}
	return bytes.LastIndexByte(src[:pos], '\n') + 1
}

// lineEnd returns the offset after the line that starts at pos, its line feed
// included, and at most end.
func lineEnd(src []byte, pos, end int) int {
	if i := bytes.IndexByte(src[pos:end], '\n'); i >= 0 {
		return pos + i + 1
	}
	return end
}

// unixLines returns src with lone carriage returns as line feeds and those of a
// CRLF as blanks: the same offsets, and one kind of line end for every parser.
func unixLines(src []byte) []byte {
	i := bytes.IndexByte(src, '\r')
	if i < 0 {
		return src
	}
	out := bytes.Clone(src)
	for ; i < len(out); i++ {
		if out[i] != '\r' {
			continue
		}
		if i+1 < len(out) && out[i+1] == '\n' {
			out[i] = ' '
		} else {
			out[i] = '\n'
		}
	}
	return out
}

// maxBlocks bounds the blocks that line rules find, and with them the memory of
// a body of tiny paragraphs. What follows is one block of text.
const maxBlocks = 1 << 18

// plainBlocks returns the paragraphs of plain text: runs of lines between blank
// lines.
func plainBlocks(src []byte) []block {
	var out []block
	blank := true
	for pos := 0; pos < len(src) && len(out) < maxBlocks; {
		end := lineEnd(src, pos, len(src))
		b := len(bytes.Trim(src[pos:end], asciiSpace)) == 0
		if blank && !b {
			out = append(out, block{start: pos})
		}
		blank, pos = b, end
	}
	return tile(out, 0, len(src))
}

// tile sets the ends of blocks so that they cover [start, end) without a gap. No
// block at all becomes one block of text.
func tile(bs []block, start, end int) []block {
	if len(bs) == 0 {
		bs = append(bs, block{})
	}
	bs[0].start = start
	for i := range bs[1:] {
		bs[i].end = bs[i+1].start
	}
	bs[len(bs)-1].end = end
	return bs
}

// runes returns the number of characters in src; an invalid byte counts as one.
func runes(src []byte) int { return utf8.RuneCount(src) }
