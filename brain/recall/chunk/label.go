package chunk

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxLabel       = 200  // bytes of a heading in breadcrumbs and Headings; the rest is in the text
	maxLabelSource = 1024 // bytes of a heading that are read for its label
)

// inlineParser parses the emphasis, code, links and HTML of one heading. It is
// immutable and safe for concurrent use.
var inlineParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100)),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	)
})

// nodeLabel returns the label of a heading node.
func nodeLabel(n *ast.Heading, src []byte) string {
	lines := n.Lines()
	if lines.Len() == 1 {
		s := lines.At(0)
		return label(src[s.Start:s.Stop])
	}
	var buf []byte
	for i := 0; i < lines.Len() && len(buf) < maxLabelSource; i++ {
		s := lines.At(i)
		line := src[s.Start:s.Stop]
		buf = append(buf, line[:min(len(line), maxLabelSource)]...)
	}
	return label(buf)
}

// label returns the plain text of a heading's source: without markup, white
// space runs as one blank, at most maxLabel bytes with an ellipsis. Wiki links
// stay as written.
func label(raw []byte) string {
	cut := len(raw) > maxLabelSource
	if cut {
		raw = raw[:graphemeBefore(raw, 0, maxLabelSource)]
	}
	s := string(raw)
	if bytes.ContainsAny(raw, "*_`[<\\&~") {
		s = plainText(raw)
	}
	if strings.ContainsAny(s, "\t\n\v\f\r") || strings.Contains(s, "  ") || !utf8.ValidString(s) ||
		s != strings.TrimSpace(s) {
		s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	}
	if len(s) > maxLabel {
		s, cut = s[:graphemeBefore([]byte(s), 0, maxLabel)], true
	}
	if cut {
		s += "…"
	}
	return s
}

// plainText returns what a reader sees of inline Markdown; the source itself
// when it cannot be parsed.
func plainText(raw []byte) string {
	s, ok := guard(func() string {
		var buf strings.Builder
		appendText(&buf, inlineParser().Parse(gtext.NewReader(raw)), raw)
		return buf.String()
	})
	if !ok {
		return string(raw)
	}
	return s
}

func appendText(buf *strings.Builder, n ast.Node, src []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			v := c.Segment.Value(src)
			if _, inCode := n.(*ast.CodeSpan); !inCode {
				v = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(v)))
			}
			buf.Write(v)
			if c.SoftLineBreak() || c.HardLineBreak() {
				buf.WriteByte(' ')
			}
		case *ast.AutoLink:
			buf.Write(c.Label(src))
		case *ast.RawHTML:
			// Tags are no words.
		default:
			appendText(buf, c, src)
		}
	}
}
