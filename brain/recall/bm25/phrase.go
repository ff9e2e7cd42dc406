package bm25

import (
	"slices"

	"golang.org/x/text/cases"
)

// Candidates returns the documents that may hold text as a phrase or as code: a
// superset of those for which [MatchPhrase] or [MatchCode] is true. They have
// every word of it; if it has stop words alone, each of these; if it has no word
// at all, each mark of punctuation. The bitmap is the caller's; documents of any scope are in it.
// Text without terms has no candidates. The cost is one step per posting.
func (ix *Index) Candidates(text string) []uint64 {
	q := ix.an.analyze(text)
	// A phrase is matched by its words, whatever stands between them, so a mark of
	// punctuation is asked for only where there is nothing else.
	strong := slices.ContainsFunc(q.words, func(w queryWord) bool { return w.class == stem || w.class == exact })
	stops := false
	for i := range ix.table.common {
		stops = stops || q.common.has(i) && isStop(i)
	}
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
	s := ix.scratch.Get().(*search)
	defer ix.release(s)
	s.start(ix)
	for i := range q.words {
		w := &q.words[i]
		if w.class == stem || w.class == exact || w.class == weak && !strong && !stops {
			meet(ix.holders(s, w))
		}
	}
	if !strong {
		for i := range ix.table.common {
			if q.common.has(i) && (isStop(i) || !stops) {
				meet(ix.table.common[i])
			}
		}
	}
	return docs
}

// holders returns the documents that have w under any language of the index.
func (ix *Index) holders(s *search, w *queryWord) []uint64 {
	docs := make([]uint64, (ix.Docs()+63)/64)
	for _, t := range ix.variants(&s.resolved, w, &ix.held) {
		for p := range ix.parts() {
			r := s.refs[int(t)*s.parts+p]
			switch {
			case r.df == 0:
			case p < len(ix.segs):
				l, first := &s.stream, ix.segs[p].first
				for l.open(ix.segs[p], r); !l.done(); l.advance() {
					l.load()
					for _, d := range l.docs[:l.n] {
						docs[(first+d)>>6] |= 1 << ((first + d) & 63)
					}
				}
			default:
				part := ix.mem[p-len(ix.segs)]
				s.cur.read(&part.post, part.lists[r.num])
				for ords, _ := s.cur.next(); len(ords) > 0; ords, _ = s.cur.next() {
					for _, o := range ords {
						docs[o>>6] |= 1 << (o & 63)
					}
				}
			}
		}
	}
	return docs
}

// MatchPhrase reports whether the words of phrase stand in text one after the
// other. Case, width and composition do not matter, nor do white space,
// punctuation and what is invisible; stems do: "tests" is not "test". Scripts
// without spaces match at any character. A phrase of punctuation alone is
// looked for as [MatchCode] does; one without any token matches nothing. The
// cost is one pass over both.
func MatchPhrase(text, phrase string) bool {
	if want := tokens(phrase, false); len(want) > 0 {
		return contains(text, want, false)
	}
	return MatchCode(text, phrase)
}

// MatchCode reports whether code stands in text as written, at the boundaries of
// words: its words and its punctuation in order, white space where and only
// where it has some. Case, width and composition do not matter. It is for paths
// and identifiers: src/search is in src/search/query.rs, not in src/searching.
func MatchCode(text, code string) bool {
	want := tokens(code, true)
	return len(want) > 0 && contains(text, want, true)
}

func tokens(text string, all bool) []string {
	var out []string
	eachToken(text, all, func(token []byte) bool {
		out = append(out, string(token))
		return true
	})
	return out
}

// eachToken calls fn with the compare forms of the tokens of text until it
// returns false: words, ideographs and symbols, and with all also punctuation
// and one " " for white space between two tokens.
func eachToken(text string, all bool, fn func(token []byte) bool) {
	text = plain(text)
	s := newScanner(text)
	folder := cases.Fold()
	var buf []byte
	end := -1
	for t, ok := s.next(); ok; t, ok = s.next() {
		if all && end >= 0 && t.start > end && !fn([]byte{' '}) {
			return
		}
		end = t.end
		if t.kind == punct && !all {
			continue
		}
		buf = fold(buf[:0], text[t.start:t.end], folder)
		if len(buf) == 0 {
			buf = append(buf, cut(text[t.start:t.end], MaxTerm)...) // invisible: itself
		}
		if !fn(buf) {
			return
		}
	}
}

// contains reports whether want is a run of consecutive tokens of text. It is
// Knuth, Morris and Pratt's search: linear whatever repeats.
func contains(text string, want []string, all bool) bool {
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
	eachToken(text, all, func(token []byte) bool {
		for k > 0 && string(token) != want[k] {
			k = border[k-1]
		}
		if string(token) == want[k] {
			k++
		}
		return k < len(want)
	})
	return k == len(want)
}
