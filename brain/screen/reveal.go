package screen

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Reveal returns s with every character that cannot be seen written out, as
// ⟨U+202E⟩, in the order of the bytes; tags also show the letter that they
// spell, as ⟨U+E0061 a⟩. Control characters but line feed and tab, line and
// paragraph separators and bytes that are not UTF-8 (⟨byte FF⟩) are written out
// too. It is for showing to a person, also in a terminal, and has no inverse.
// The result is at most 13 times as long as s.
func Reveal(s string) string {
	i := hidden(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	for i < len(s) {
		b.WriteString(s[:i])
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨byte %02X⟩", s[i])
		case tagFirst < r && r <= tagLast:
			fmt.Fprintf(&b, "⟨U+%04X %c⟩", r, r-0xE0000)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
		s = s[i+n:]
		i = hidden(s)
	}
	b.WriteString(s)
	return b.String()
}

// hidden returns the offset of the first character of s to write out, len(s) if
// there is none.
func hidden(s string) int {
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
		case r < ' ' || 0x7f <= r && r < 0xa0, r == 0x2028, r == 0x2029, classOf(r) != visible:
			return i
		case r == utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return len(s)
}
