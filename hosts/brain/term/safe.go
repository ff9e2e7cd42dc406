package term

import (
	"strings"

	"github.com/seed70401ef0/brain-go/brain/screen"
)

// Line returns s as one line that can only print: what cannot be seen or acts
// on a terminal is written out as in ⟨U+001B⟩, line feeds and tabs as well.
func Line(s string) string {
	return strings.NewReplacer("\n", "⟨U+000A⟩", "\t", "⟨U+0009⟩").Replace(screen.Reveal(s))
}

// Block returns s as lines that can only print. Line feeds stay, CR LF becomes
// LF, tabs become four spaces; everything else is as in Line.
func Block(s string) string {
	return strings.ReplaceAll(screen.Reveal(strings.ReplaceAll(s, "\r\n", "\n")), "\t", "    ")
}
