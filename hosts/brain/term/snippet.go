package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippet cuts from text, which must be safe already, the stretch of at most
// size bytes that holds most different matched words, whole words only. The
// spans are the matched words in the returned text. A word matches when one of
// terms is its beginning (search terms are word stems) and makes up at least
// half of it. Without any match the snippet is the beginning of the text.
func Snippet(text string, terms []string, size int) (string, []Span) {
	found := matches(text, terms)
	from, to := window(text, found, size)
	cut := strings.TrimSpace(text[from:to])
	from += strings.Index(text[from:to], cut)
	prefix, suffix := "", ""
	if from > 0 {
		prefix = "… "
	}
	if from+len(cut) < len(strings.TrimRight(text, " \n")) {
		suffix = " …"
	}
	var spans []Span
	for _, m := range found {
		if m.Start >= from && m.End <= from+len(cut) {
			spans = append(spans, Span{m.Start - from + len(prefix), m.End - from + len(prefix)})
		}
	}
	return prefix + cut + suffix, spans
}

// match is a word of the text that a term matches.
type match struct {
	Span
	term int
}

func matches(text string, terms []string) []match {
	var out []match
	for pos := 0; pos < len(text); {
		r, n := utf8.DecodeRuneInString(text[pos:])
		if !wordRune(r) {
			pos += n
			continue
		}
		end := pos + n
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if !wordRune(r) {
				break
			}
			end += n
		}
		if t := matchTerm(text[pos:end], terms); t >= 0 {
			out = append(out, match{Span{pos, end}, t})
		}
		pos = end
	}
	return out
}

func matchTerm(word string, terms []string) int {
	folded := strings.ToLower(word)
	for i, t := range terms {
		if t = strings.ToLower(t); t != "" && strings.HasPrefix(folded, t) && 2*len(t) >= len(folded) {
			return i
		}
	}
	return -1
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// window returns the byte range to show: the one that begins a little before a
// match and holds most different terms, then most matches; the first such.
func window(text string, found []match, size int) (int, int) {
	bestFrom, bestKinds, bestCount := 0, 0, 0
	for i, m := range found {
		from := lineStart(text, m.Start, size/4)
		kinds, count := map[int]bool{}, 0
		for _, n := range found[i:] {
			if n.End > from+size {
				break
			}
			kinds[n.term] = true
			count++
		}
		if len(kinds) > bestKinds || len(kinds) == bestKinds && count > bestCount {
			bestFrom, bestKinds, bestCount = from, len(kinds), count
		}
	}
	return bestFrom, wordEnd(text, bestFrom, size)
}

// lineStart goes back from pos to the start of its line, or to a word at most
// back bytes before it.
func lineStart(text string, pos, back int) int {
	low := max(pos-back, 0)
	if low == 0 && !strings.Contains(text[:pos], "\n") {
		return 0
	}
	if i := strings.LastIndexByte(text[low:pos], '\n'); i >= 0 {
		return low + i + 1
	}
	if i := strings.IndexByte(text[low:pos], ' '); i >= 0 {
		return low + i + 1
	}
	return pos
}

// wordEnd returns an end at most size bytes after from that cuts no word when
// there is a space to cut at, and never a character.
func wordEnd(text string, from, size int) int {
	end := from + size
	if end >= len(text) {
		return len(text)
	}
	if i := strings.LastIndexAny(text[from:end], " \n"); i > size/2 {
		return from + i
	}
	for end > from && !utf8.RuneStart(text[end]) {
		end--
	}
	if end == from {
		_, n := utf8.DecodeRuneInString(text[from:])
		return from + n
	}
	return end
}
