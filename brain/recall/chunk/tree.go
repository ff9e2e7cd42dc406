package chunk

import (
	"sync"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxTree and maxTreeLines bound the Markdown that goes through the syntax
	// tree, in bytes and lines: a tree takes about 600 bytes for a line, and
	// goldmark notes every open block of every line until the outermost closes.
	maxTree      = 1 << 20
	maxTreeLines = 50_000

	// maxDepth bounds the nesting of blocks. goldmark visits every open block
	// for every line and recurses once per level, so without a bound a line of
	// 100,000 '>' costs quadratic time and a line of 10 million the stack.
	maxDepth = 16
)

// blockParser parses block structure only: no cut depends on emphasis or links,
// and the inline phase is the part of goldmark that hostile input slows down.
// Link reference definitions stay text, since a reader may search for their
// titles and addresses. It is immutable and safe for concurrent use.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(shallow{parser.NewListItemParser()}, 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)),
	)
})

// shallow opens no container deeper than maxDepth; the rest is a paragraph.
type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, r gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	// A list item may always follow its list, or the list would stay empty.
	if _, inList := parent.(*ast.List); !inList && len(pc.OpenedBlocks()) >= maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, r, pc)
}

// treeBlocks returns the top-level blocks of Markdown by its syntax tree. ok is
// false when the parser failed on the input.
func treeBlocks(src []byte) ([]block, bool) {
	return guard(func() []block {
		root := blockParser().Parse(gtext.NewReader(src))
		return childBlocks(src, root, 0, len(src))
	})
}

// guard calls a parser that is not ours and reports whether it returned: a
// database cannot let a defect in the handling of one note's syntax take the
// process with it. Every caller has a reading of the input that needs no parser.
func guard[T any](parse func() T) (v T, ok bool) {
	defer func() {
		if recover() != nil {
			var none T
			v, ok = none, false
		}
	}()
	return parse(), true
}

// childBlocks returns the blocks of a container that spans [start, end).
func childBlocks(src []byte, parent ast.Node, start, end int) []block {
	var out []block
	last := -1
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Type() != ast.TypeBlock {
			continue
		}
		pos := nodeStart(n)
		if pos < start || pos >= end {
			continue
		}
		if pos = max(lineStart(src, pos), start); pos <= last {
			continue
		}
		last = pos
		b := block{start: pos}
		switch n := n.(type) {
		case *ast.Heading:
			if parent.Kind() == ast.KindDocument {
				b.kind, b.level, b.label = heading, n.Level, nodeLabel(n, src)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.kind = code
		case *east.Table:
			b.kind = table
		case *ast.List, *ast.ListItem, *ast.Blockquote:
			b.kind, b.node = container, n
		}
		out = append(out, b)
	}
	return tile(out, start, end)
}

// nodeStart returns an offset on the first line of a node, or -1.
func nodeStart(n ast.Node) int {
	if pos := n.Pos(); pos >= 0 {
		return pos
	}
	// A paragraph that took the place of a failed setext heading.
	if lines := n.Lines(); lines != nil && lines.Len() > 0 {
		return lines.At(0).Start
	}
	return -1
}

// leaves calls fn for every block without child blocks in b, in order.
func leaves(src []byte, b block, fn func(block)) {
	if b.kind != container {
		fn(b)
		return
	}
	for _, c := range childBlocks(src, b.node, b.start, b.end) {
		leaves(src, c, fn)
	}
}
