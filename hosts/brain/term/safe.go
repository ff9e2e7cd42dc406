package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/screen"
)

// Line returns s as one line that can only print: control characters, line
// ends and invisible characters appear as escapes such as \x1b or ⟨U+202E⟩.
// Bytes that are not UTF-8 appear as \xNN.
func Line(s string) string { return safe(s, false) }

// Block returns s as lines that can only print. Line feeds stay, CR LF becomes
// LF, tabs become four spaces; everything else is as in Line.
func Block(s string) string { return safe(strings.ReplaceAll(s, "\r\n", "\n"), true) }

func safe(s string, block bool) string {
	s = screen.Reveal(controls(s, block))
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	return controls(s, block)
}

// controls escapes C0, DEL, C1 and broken bytes, and the line and paragraph
// separators that some terminals act on.
func controls(s string, block bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case block && r == '\n':
			b.WriteByte('\n')
		case block && r == '\t':
			b.WriteString("    ")
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, "⟨%U⟩", r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// unprintable reports a character that must not reach a terminal whatever the
// steps before made of it.
func unprintable(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029')
}
