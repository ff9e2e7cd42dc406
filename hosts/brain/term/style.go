package term

// Style paints words, or leaves them alone when it is off. The zero Style is
// off. What it is given must be safe already.
type Style struct{ on bool }

// NewStyle returns a style that paints when on is true.
func NewStyle(on bool) Style { return Style{on} }

// Bold marks a heading or a matched word.
func (s Style) Bold(t string) string { return s.sgr("1", t) }

// Dim marks what matters less, such as positions.
func (s Style) Dim(t string) string { return s.sgr("2", t) }

// Good marks success.
func (s Style) Good(t string) string { return s.sgr("32", t) }

// Bad marks failure and warnings.
func (s Style) Bad(t string) string { return s.sgr("31", t) }

// Name marks names that can be typed back, such as URIs and digests.
func (s Style) Name(t string) string { return s.sgr("36", t) }

// paint begins each mark of a Style; "m" ends it (ECMA-48, select graphic
// rendition).
const paint = "\x1b["

func (s Style) sgr(code, t string) string {
	if !s.on || t == "" {
		return t
	}
	return paint + code + "m" + t + paint + "0m"
}
