package chunk

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// tables turns paragraphs that hold a GFM table into a table node without rows
// or cells. goldmark's own transformer pads every row to the width of the
// header, so that 100,000 columns over 100,000 short rows become 10^10 nodes;
// the cutter needs only to know where the table starts.
type tables struct{}

// Transform implements parser.ParagraphTransformer.
func (tables) Transform(p *ast.Paragraph, r gtext.Reader, _ parser.Context) {
	lines, src := p.Lines(), r.Source()
	for i := 1; i < lines.Len(); i++ {
		delim, head := lines.At(i), lines.At(i-1)
		if !isTable(src[head.Start:head.Stop], src[delim.Start:delim.Stop]) {
			continue
		}
		t := east.NewTable()
		t.SetPos(head.Start)
		lines.SetSliced(0, i-1)
		p.Parent().InsertAfter(p.Parent(), p, t)
		if i == 1 {
			p.Parent().RemoveChild(p.Parent(), p)
		}
		return
	}
}

// isTable reports whether two lines are the header and the delimiter row of a
// GFM table (GFM spec 4.10): as many columns in both.
func isTable(head, delim []byte) bool {
	n := delimiterColumns(delim)
	return n > 0 && columns(head) == n
}

// delimiterColumns returns the number of columns of a delimiter row, 0 when the
// line is none.
func delimiterColumns(line []byte) int {
	line = trim(line)
	if len(line) == 0 || line[0] != '|' && line[0] != ':' && line[0] != '-' {
		return 0
	}
	marked := false // a row of dashes alone is a rule or an underline
	if line[0] == '|' {
		line, marked = line[1:], true
	}
	n := 0
	for i := 0; ; n++ {
		i = skipBlanks(line, i)
		if i == len(line) {
			break
		}
		if line[i] == ':' {
			marked = true
			i++
		}
		dashes := i
		for i < len(line) && line[i] == '-' {
			i++
		}
		if i == dashes {
			return 0
		}
		if i < len(line) && line[i] == ':' {
			marked = true
			i++
		}
		i = skipBlanks(line, i)
		if i < len(line) {
			if line[i] != '|' {
				return 0
			}
			marked = true
			i++
		}
	}
	if !marked {
		return 0
	}
	return n
}

// columns returns the number of cells of a row: pieces between pipes that are
// not escaped, without the empty ones outside of the outer pipes.
func columns(line []byte) int {
	line = trim(line)
	if len(line) > 0 && line[0] == '|' {
		line = line[1:]
	}
	n, open := 0, len(line) > 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
			open = true
		case '|':
			n++
			open = false
		default:
			open = true
		}
	}
	if open {
		n++
	}
	return n
}

func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}
