package term

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Width returns how many terminal columns s takes. It does not count the paint
// of a Style, and s must hold no other escape.
func Width(s string) int {
	n := 0
	for {
		before, rest, painted := strings.Cut(s, paint)
		n += runewidth.StringWidth(before)
		if !painted {
			return n
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}

// Clip shortens s to at most width columns, with an ellipsis where it cut.
func Clip(s string, width int) string { return runewidth.Truncate(s, max(width, 1), "…") }

// Span is a byte range of a text.
type Span struct{ Start, End int }

// Wrap breaks text into lines of at most width columns at spaces, or inside a
// word that alone is wider. Every run of white space counts as one space. It
// calls mark for each piece of a line that lies in one of the marked spans,
// which are byte ranges of text in order; mark nil leaves them alone.
func Wrap(text string, width int, marked []Span, mark func(string) string) []string {
	w := wrapper{width: max(width, 8), mark: mark}
	for pos := 0; pos < len(text); {
		if isSpace(text[pos]) {
			pos++
			continue
		}
		end := pos
		for end < len(text) && !isSpace(text[end]) {
			end++
		}
		for len(marked) > 0 && marked[0].End <= pos {
			marked = marked[1:]
		}
		w.word(text, pos, end, marked)
		pos = end
	}
	return w.flush()
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// wrapper collects lines.
type wrapper struct {
	width, col int
	mark       func(string) string
	line       strings.Builder
	lines      []string
}

// word places text[from:to] on the current line or on the next.
func (w *wrapper) word(text string, from, to int, marked []Span) {
	cols := Width(text[from:to])
	if w.col > 0 && w.col+1+cols > w.width {
		w.end()
	}
	if w.col > 0 {
		w.line.WriteByte(' ')
		w.col++
	}
	for cols > w.width {
		cut := w.cut(text[from:to])
		w.put(text, from, from+cut, marked)
		w.end()
		from += cut
		cols = Width(text[from:to])
	}
	w.put(text, from, to, marked)
	w.col += cols
}

// cut returns the bytes of s that fill a line, at least one character.
func (w *wrapper) cut(s string) int {
	n := len(runewidth.Truncate(s, w.width, ""))
	if n == 0 {
		for i := range s {
			if i > 0 {
				return i
			}
		}
		return len(s)
	}
	return n
}

// put writes text[from:to] with its marked parts marked.
func (w *wrapper) put(text string, from, to int, marked []Span) {
	for _, m := range marked {
		if m.Start >= to {
			break
		}
		start, end := max(m.Start, from), min(m.End, to)
		if w.mark == nil || start >= end {
			continue
		}
		w.line.WriteString(text[from:start])
		w.line.WriteString(w.mark(text[start:end]))
		from = end
	}
	w.line.WriteString(text[from:to])
}

func (w *wrapper) end() {
	w.lines = append(w.lines, w.line.String())
	w.line.Reset()
	w.col = 0
}

func (w *wrapper) flush() []string {
	if w.line.Len() > 0 {
		w.end()
	}
	return w.lines
}
