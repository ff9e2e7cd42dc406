package bm25

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// token is a span of plain text. Between two tokens lies white space or
// nothing.
type token struct {
	kind       kind
	start, end int
}

// scanner cuts plain text into tokens: words by UAX 29, each cut further at
// '.', ':' and '_' beside a letter, at ';', and wherever an unspaced script
// begins. Words of ASCII and characters of unspaced scripts are found without
// UAX 29's tables; the cuts are the same.
type scanner struct {
	text  string
	pos   int  // where the next token is looked for
	seg   int  // end of the UAX 29 segment that pos is in, or pos
	slow  bool // by UAX 29's tables alone, for tests
	words words.Iterator[string]
}

func newScanner(text string) scanner {
	return scanner{text: text, words: *words.FromString("")}
}

// next returns the next token; ok is false at the end of the text.
func (s *scanner) next() (t token, ok bool) {
	for s.pos < len(s.text) {
		start, k, end := s.pos, blank, 0
		if s.pos >= s.seg && !s.slow {
			k, end = s.short()
		}
		if end == 0 {
			if s.pos >= s.seg {
				s.words.SetText(s.text[s.pos:])
				s.words.Next()
				s.seg = s.pos + s.words.End()
			}
			k, end = cutSegment(s.text[:s.seg], s.pos)
		}
		s.pos = end
		if k != blank {
			return token{k, start, end}, true
		}
	}
	return token{}, false
}

// short returns the token at a segment's start where UAX 29's tables are not
// needed to find it, else end = 0.
func (s *scanner) short() (k kind, end int) {
	c := s.text[s.pos]
	if c >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		if unspaced(r) && kindOf(r) == han && !s.marked(s.pos+n) {
			return han, s.pos + n
		}
		return blank, 0
	}
	switch k = kindOfASCII(c); k {
	case word:
		return word, asciiWord(s.text, s.pos)
	case punct:
		if s.pos+1 < len(s.text) && s.text[s.pos+1] >= utf8.RuneSelf {
			return blank, 0 // a mark may follow
		}
	}
	return k, s.pos + 1
}

// marked reports whether a mark begins at i.
func (s *scanner) marked(i int) bool {
	r, _ := utf8.DecodeRuneInString(s.text[i:])
	return i < len(s.text) && kindOf(r) == mark
}

// asciiWord returns the end of the word that starts at the letter or digit
// text[i], or 0 when what follows is not ASCII and may belong to it.
func asciiWord(text string, i int) int {
	for i++; i < len(text); i++ {
		c := text[i]
		if alnum(c) {
			continue
		}
		if c >= utf8.RuneSelf {
			return 0
		}
		if c != '\'' && c != '.' && c != ',' {
			return i
		}
		if i+1 == len(text) {
			return i
		}
		before, after := text[i-1], text[i+1]
		switch {
		case after >= utf8.RuneSelf:
			return 0
		case !joins(c, letter(before), digit(before), letter(after), digit(after)):
			return i
		}
	}
	return i
}

// joins reports whether c stays inside a word between two characters: an
// apostrophe between letters or between digits, a point or comma between digits
// (UAX 29 rules WB6, WB7, WB11 and WB12, without the letters of '.' and ':').
func joins(c byte, letterBefore, digitBefore, letterAfter, digitAfter bool) bool {
	return digitBefore && digitAfter || c == '\'' && letterBefore && letterAfter
}

// cutSegment returns the kind and end of the first token of text[i:], which is
// the rest of one UAX 29 segment.
func cutSegment(text string, i int) (kind, int) {
	r, n := utf8.DecodeRuneInString(text[i:])
	k, j := kindOf(r), i+n
	last := r // the last character that is no mark
	if k == mark {
		k = punct
	}
	for j < len(text) {
		r, n := utf8.DecodeRuneInString(text[j:])
		next := kindOf(r)
		switch {
		case next == mark && k != blank:
			j += n
			continue
		case k == word && next == word:
		case k == word && next == punct && inside(text, last, r, j+n):
		case k == symbol && regional(last) && regional(r):
			return k, j + n
		default:
			return k, j
		}
		last = r
		j += n
	}
	return k, j
}

// inside reports whether r joins the word between last and the character at
// text[j:], marks skipped.
func inside(text string, last, r rune, j int) bool {
	if r != '\'' && r != '.' && r != ',' {
		return false
	}
	for j < len(text) {
		after, n := utf8.DecodeRuneInString(text[j:])
		if k := kindOf(after); k == mark {
			j += n
			continue
		} else if k != word {
			return false
		}
		la, da := numeric(after)
		lb, db := numeric(last)
		return joins(byte(r), lb, db, la, da)
	}
	return false
}
