package bm25

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// class says how a term that the walker found is used.
type class uint8

const (
	stem     class = iota // a word: stemmed by language, counts in the field's length
	stemPart              // part of an identifier: stemmed, does not count
	exact                 // ideograph or symbol: as it is, counts
	joined                // pair of ideographs or several words written as one: as it is, does not count
	weak                  // punctuation beyond ASCII: as it is, does not count
)

// walker turns text into terms. Documents and queries go through the same one,
// so whatever it does to the one it does to the other.
type walker struct {
	emit   func(term []byte, c class) // term is the walker's, valid during the call
	common weakSet                    // ASCII punctuation and stop words seen
	folder cases.Caser
	buf    []byte
}

// run is a stretch of text without white space, brackets, quotes or list
// punctuation: "C++", "GB/s", "src/query.rs", "error-on-warnings".
type run struct {
	words       int
	strong      bool // one of them is no stop word
	start       int  // of the stretch, its punctuation included
	first, last int  // start of the first word, end of the last
	end         int
}

// walk emits the terms of text in order.
func (w *walker) walk(text string) {
	text = plain(text)
	s := newScanner(text)
	var r run
	var before token // the token just before this one
	for t, ok := s.next(); ok; t, ok = s.next() {
		if t.start != r.end {
			w.flush(text, &r)
			r.start = t.start
		}
		r.end = t.end
		switch t.kind {
		case word:
			if r.words == 0 {
				r.first = t.start
			}
			r.words++
			r.last = t.end
			r.strong = w.word(text[t.start:t.end]) || r.strong
		case punct:
			if !w.punct(text[t.start:t.end]) {
				w.flush(text, &r)
			}
		default:
			w.flush(text, &r)
			w.fold(text[t.start:t.end])
			w.emit(w.buf, exact)
			if t.kind == han && before.kind == han && before.end == t.start {
				w.fold(text[before.start:before.end])
				w.buf = fold(w.buf, text[t.start:t.end], w.folder)
				w.emit(w.buf, joined)
			}
		}
		before = t
	}
	w.flush(text, &r)
}

func (w *walker) fold(token string) { w.buf = fold(w.buf[:0], token, w.folder) }

// word emits one word and, when it is written like an identifier, its parts. It
// reports whether the word is no stop word.
func (w *walker) word(token string) bool {
	w.fold(token)
	if i := stopWord(w.buf); i >= 0 {
		w.common.add(128 + i)
		return false
	}
	w.emit(w.buf, stem)
	if !compound(token, w.buf) {
		return true
	}
	token = cut(token, MaxTerm)
	for part := range split(token) {
		if len(part) < 2 || len(part) == len(token) {
			continue
		}
		w.fold(part)
		if stopWord(w.buf) < 0 {
			w.emit(w.buf, stemPart)
		}
	}
	return true
}

// punct records a mark of punctuation and reports whether a run goes on over it.
func (w *walker) punct(token string) bool {
	c := token[0]
	if c < utf8.RuneSelf {
		w.common.add(int(c))
		return c > ' ' && !strings.ContainsRune("()[]{}<>\"`|,;!?", rune(c))
	}
	_, n := utf8.DecodeRuneInString(token)
	w.emit([]byte(token[:n]), weak)
	return false
}

// flush ends the run r. If it is more than one bare word it is a term as
// written, without the punctuation of the sentence around it: what belongs to
// it before the first word is one of ".#@$/" or one or two hyphens (.NET, #tag,
// --flag), after the last "+" and "#" (C++, C#). Hyphenated words of letters
// alone (well-known), abbreviations (e.g.) and stop words (and/or) are language,
// not names: they stay words. On med they cost .012 and on cisi .008 nDCG@10.
func (w *walker) flush(text string, r *run) {
	defer func() { *r = run{start: r.end, end: r.end} }()
	if !r.strong {
		return
	}
	start, end := r.first, r.last
	for end < r.end && (text[end] == '+' || text[end] == '#') {
		end++
	}
	lead := text[r.start:r.first]
	n := len(lead)
	switch {
	case n > 0 && strings.IndexByte(".#@$/", lead[n-1]) >= 0 && (n == 1 || lead[n-2] != lead[n-1]):
		start--
	case lead == "-" || lead == "--":
		start -= n
	}
	if start == r.first && end == r.last && (r.words == 1 || ordinary(cut(text[start:end], foldWindow))) {
		return
	}
	w.fold(text[start:end])
	w.emit(w.buf, joined)
}

// ordinary reports whether s is several words joined by hyphens, or single
// letters joined by points.
func ordinary(s string) bool {
	hyphens, points := true, true
	for i := range len(s) {
		c := s[i]
		l := letter(c) || c >= utf8.RuneSelf
		hyphens = hyphens && (l || c == '-')
		points = points && l == (i%2 == 0) && (l || c == '.')
	}
	return hyphens || points
}

// compound reports whether token may have parts: whether anything after its first
// character changed when it was folded, or it has digits among other characters.
func compound(token string, folded []byte) bool {
	_, n := utf8.DecodeRuneInString(token)
	if len(folded) != len(token) || string(folded[n:]) != token[n:] {
		return true
	}
	digits, others := false, false
	for i := range len(token) {
		d := digit(token[i])
		digits, others = digits || d, others || !d
	}
	return digits && others
}

// split yields the parts of an identifier: camelCase, HTTPServer and utf8 are
// cut where a capital follows a small letter, before the last capital of
// several, and between letters and digits.
func split(token string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		prev, prevAt := rune(0), 0
		for i, r := range token {
			at := 0
			switch {
			case i == 0:
			case unicode.IsNumber(prev) != unicode.IsNumber(r) && joint(prev) && joint(r):
				at = i
			case unicode.IsUpper(r) && unicode.IsLower(prev):
				at = i
			case unicode.IsLower(r) && unicode.IsUpper(prev) && prevAt > start:
				at = prevAt
			}
			if at > start {
				if !yield(token[start:at]) {
					return
				}
				start = at
			}
			prev, prevAt = r, i
		}
		yield(token[start:])
	}
}

// joint keeps "3.5" and "don't" in one part.
func joint(r rune) bool { return r != '.' && r != ',' && r != '\'' && !unicode.IsMark(r) }
