package screen

import "unicode/utf8"

// scanner walks over text with what is needed to judge a character.
type scanner struct {
	text     []byte
	pos, end int  // of the present character
	r        rune // the present character
	class    class
	prev     rune // the character before, -1 at the start
	prev2    rune // the one before that
	lastVis  rune // the last visible character, -1 at the start
	seen     int  // visible characters so far
	lineEnd  int  // end of the line that rtl and balanced speak of
	rtl      bool // the line has right-to-left letters
	balanced bool // its embeddings and isolates are all closed
	tagsOK   int  // end of a flag whose tags are in order
}

func (s *scanner) next() bool {
	if s.end == 0 {
		s.r, s.prev, s.lastVis = -1, -1, -1
	}
	s.pos = s.end
	if s.pos >= len(s.text) {
		return false
	}
	s.prev2, s.prev = s.prev, s.r
	if s.class == visible && s.prev >= 0 {
		s.lastVis = s.prev
	}
	size := 1
	if c := s.text[s.pos]; c < utf8.RuneSelf {
		s.r, s.class = rune(c), visible
	} else {
		s.r, size = utf8.DecodeRune(s.text[s.pos:])
		s.class = classOf(s.r)
	}
	s.end = s.pos + size
	if s.class == visible {
		s.seen++
	}
	return true
}

// after returns the next two characters, -1 past the end.
func (s *scanner) after() (a, b rune) {
	a, n := decode(s.text[s.end:])
	b, _ = decode(s.text[s.end+n:])
	return a, b
}

func decode(p []byte) (rune, int) {
	if len(p) == 0 {
		return -1, 0
	}
	return utf8.DecodeRune(p)
}
