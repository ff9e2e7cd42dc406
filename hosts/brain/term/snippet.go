package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Term is a word that was searched for, or the stem of one, and how much it
// counts.
type Term struct {
	Text   string
	Weight float64
}

// Snippet cuts from text, which must be safe already, the stretch of at most
// size bytes whose different matched words count most, whole words only, and
// begins where a sentence or a block does when one begins near. The spans are
// the matched words in the returned text. A word matches when one of terms is
// its beginning (search terms are word stems) and makes up at least half of it.
// Without any match the snippet is the beginning of the text.
func Snippet(text string, terms []Term, size int) (string, []Span) {
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
	term   int
	weight float64
}

func matches(text string, terms []Term) []match {
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
			out = append(out, match{Span{pos, end}, t, terms[t].Weight})
		}
		pos = end
	}
	return out
}

// matchTerm returns the index of the longest term that word begins with, -1 for
// none.
func matchTerm(word string, terms []Term) int {
	folded, best, length := strings.ToLower(word), -1, 0
	for i, t := range terms {
		stem := strings.ToLower(t.Text)
		if len(stem) > length && strings.HasPrefix(folded, stem) && 2*len(stem) >= len(folded) {
			best, length = i, len(stem)
		}
	}
	return best
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// window returns the byte range to show: the one that begins a little before a
// match and whose different terms weigh most, then holds most matches; the first
// such.
func window(text string, found []match, size int) (int, int) {
	bestFrom, bestWeight, bestCount := 0, 0.0, 0
	for i, m := range found {
		from := begin(text, m.Start, size/3)
		seen, weight, count := map[int]bool{}, 0.0, 0
		for _, n := range found[i:] {
			if n.End > from+size {
				break
			}
			if !seen[n.term] {
				seen[n.term] = true
				weight += n.weight
			}
			count++
		}
		if weight > bestWeight || weight == bestWeight && count > bestCount {
			bestFrom, bestWeight, bestCount = from, weight, count
		}
	}
	return bestFrom, wordEnd(text, bestFrom, size)
}

// begin goes back from pos, at most back bytes, to where a block of Markdown
// begins, else a sentence, else a word.
func begin(text string, pos, back int) int {
	low := max(pos-back, 0)
	if low == 0 {
		return 0
	}
	near := text[low:pos]
	best := -1
	for _, start := range []string{"\n\n", "\n- ", "\n* ", "\n|", "\n#"} {
		if i := strings.LastIndex(near, start); i >= 0 {
			best = max(best, i+1)
		}
	}
	for _, end := range []string{". ", ".\n", "? ", "! "} {
		if i := strings.LastIndex(near, end); best < 0 && i >= 0 {
			best = i + len(end)
		}
	}
	if best < 0 {
		best = strings.IndexAny(near, " \n") + 1
	}
	if best == 0 {
		return pos
	}
	return low + best
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
