package bm25

import (
	"slices"

	"golang.org/x/text/cases"
)

// Candidates returns the documents that may hold text as a phrase or as code: a
// superset of those for which [MatchPhrase] or [MatchCode] is true, as they have
// every word of it, or every stop word and mark of punctuation if it has
// nothing else. The bitmap is the caller's; documents of any scope are in it.
// Text without terms has no candidates. The cost is one step per posting.
func (ix *Index) Candidates(text string) []uint64 {
	words, common := analyze(text)
	strong := slices.ContainsFunc(words, func(w queryWord) bool { return w.class == stem || w.class == exact })
	var docs []uint64
	first := true
	meet := func(with []uint64) {
		if first {
			docs = append(make([]uint64, 0, len(with)), with...)
			first = false
			return
		}
		docs = docs[:min(len(docs), len(with))]
		for i := range docs {
			docs[i] &= with[i]
		}
	}
	for _, w := range words {
		if w.class == stem || w.class == exact || w.class == weak && !strong {
			meet(ix.holders(w))
		}
	}
	if !strong {
		for i := range ix.common {
			if common.has(i) {
				meet(ix.common[i])
			}
		}
	}
	return docs
}

// holders returns the documents that have w under any language of the index.
func (ix *Index) holders(w queryWord) []uint64 {
	docs := make([]uint64, (ix.Docs()+63)/64)
	var cur cursor
	for _, id := range ix.variants(w, &ix.held) {
		cur.read(&ix.post, ix.lists[id])
		for ords, _ := cur.next(); len(ords) > 0; ords, _ = cur.next() {
			for _, o := range ords {
				docs[o>>6] |= 1 << (o & 63)
			}
		}
	}
	return docs
}

// MatchPhrase reports whether the words of phrase stand in text one after the
// other. Case, width and composition do not matter, nor do white space,
// punctuation and what is invisible; stems do: "tests" is not "test". Scripts
// without spaces match at any character. A phrase of punctuation alone is
// looked for mark by mark; one without any token matches nothing. The cost is
// one pass over both.
func MatchPhrase(text, phrase string) bool {
	want := tokens(phrase, false)
	if len(want) == 0 {
		return MatchCode(text, phrase)
	}
	return contains(tokens(text, false), want)
}

// MatchCode reports whether code stands in text as written, at the boundaries of
// words: its words and its punctuation in order, white space where and only
// where it has some. Case, width and composition do not matter. It is for paths
// and identifiers: src/search is in src/search/query.rs, not in src/searching.
func MatchCode(text, code string) bool {
	want := tokens(code, true)
	return len(want) > 0 && contains(tokens(text, true), want)
}

// tokens returns the compare forms of the tokens of text: words, ideographs and
// symbols, and with all also punctuation and one " " per white space inside.
func tokens(text string, all bool) []string {
	text = plain(text)
	s := newScanner(text)
	folder := cases.Fold()
	var out []string
	var buf []byte
	end := 0
	for t, ok := s.next(); ok; t, ok = s.next() {
		if all && t.start > end && len(out) > 0 {
			out = append(out, " ")
		}
		end = t.end
		if t.kind == punct && !all {
			continue
		}
		buf = fold(buf[:0], text[t.start:t.end], folder)
		if len(buf) == 0 {
			buf = append(buf, text[t.start:t.end]...) // invisible: itself
		}
		out = append(out, string(buf))
	}
	return out
}

// contains reports whether want is a run of consecutive elements of have. It is
// Knuth, Morris and Pratt's search: linear whatever repeats.
func contains(have, want []string) bool {
	border := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = border[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		border[i] = k
	}
	k := 0
	for _, h := range have {
		for k > 0 && h != want[k] {
			k = border[k-1]
		}
		if h == want[k] {
			k++
		}
		if k == len(want) {
			return true
		}
	}
	return false
}
