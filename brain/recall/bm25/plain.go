package bm25

import (
	"unicode"
	"unicode/utf8"
)

// NewPlainAnalyzer returns an Analyzer whose terms are the runs of letters and
// digits of a text in lower case and nothing else: no stems, no stop words, no
// parts of identifiers, no normal form. It is what many engines call a simple
// tokenizer, for comparison with them and for text that is in no language.
func NewPlainAnalyzer() *Analyzer {
	a := NewAnalyzer()
	a.plain = true
	return a
}

// eachPlain calls emit with the terms of text; what it is given is valid during
// the call. It returns buf, grown.
func eachPlain(text string, buf []byte, emit func(term []byte, c class)) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && !alnum(c) {
			i++
			continue
		}
		buf = buf[:0]
		for i < len(text) {
			c := text[i]
			if c < utf8.RuneSelf {
				if !alnum(c) {
					break
				}
				if 'A' <= c && c <= 'Z' {
					c += 'a' - 'A'
				}
				buf = append(buf, c)
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				break
			}
			buf = utf8.AppendRune(buf, unicode.ToLower(r))
			i += n
		}
		if len(buf) == 0 { // a character beyond ASCII that is in no term
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		term := buf
		if len(term) > MaxTerm {
			end := MaxTerm
			for !utf8.RuneStart(term[end]) {
				end--
			}
			term = term[:end]
		}
		emit(term, exact)
	}
	return buf
}
