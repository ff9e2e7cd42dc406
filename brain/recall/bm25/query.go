package bm25

import (
	"slices"

	"golang.org/x/text/cases"
)

// MaxQueryWords is how many distinct words of a query count; later ones are
// left out.
const MaxQueryWords = 4096

// Query is a text made ready for searching. Nothing in it is syntax: every text
// is a query, and one without any term matches nothing. Immutable; safe for
// concurrent use.
type Query struct {
	words   []queryWord
	common  weakSet
	skipped int
}

// queryWord is a distinct term of the query before stemming.
type queryWord struct {
	text  string // compare form
	class class
	n     int // times it stands in the query
}

// Query analyses text. Words repeat: each occurrence counts once more. Stop
// words and punctuation are looked for only if the text has nothing else.
func (ix *Index) Query(text string) Query {
	q := ix.an.analyze(text)
	isWeak := func(w queryWord) bool { return w.class == weak }
	if !slices.ContainsFunc(q.words, func(w queryWord) bool { return !isWeak(w) }) {
		return q
	}
	return Query{words: slices.DeleteFunc(q.words, isWeak), skipped: q.skipped}
}

// Empty reports whether q has no term, so that it matches nothing.
func (q Query) Empty() bool { return len(q.words) == 0 && q.common == weakSet{} }

// Skipped returns how many terms of the text, repeats included, were left out
// because it has more than MaxQueryWords distinct ones.
func (q Query) Skipped() int { return q.skipped }

// analyze returns all terms of text, strong and weak, in the order they first
// come.
func (a *Analyzer) analyze(text string) Query {
	b := queryBuilder{}
	if a.plain {
		eachPlain(text, nil, b.add)
		return b.q
	}
	w := walker{emit: b.add, folder: cases.Fold()}
	w.walk(text)
	b.q.common = w.common
	return b.q
}

// queryBuilder gathers the distinct words of a query.
type queryBuilder struct {
	q  Query
	at map[queryKey]int // of words, once there are more than a few
}

type queryKey struct {
	text    string
	stemmed bool
}

// fewWords is how many words are searched one by one.
const fewWords = 12

func keyOf(text string, c class) queryKey { return queryKey{text, c == stem || c == stemPart} }

func (b *queryBuilder) add(term []byte, c class) {
	if len(term) == 0 {
		return
	}
	i := b.find(term, c)
	if i < 0 && len(b.q.words) == MaxQueryWords {
		b.q.skipped++
		return
	}
	if i < 0 {
		i = len(b.q.words)
		b.q.words = append(b.q.words, queryWord{text: string(term), class: c})
		if b.at != nil {
			b.at[keyOf(b.q.words[i].text, c)] = i
		} else if len(b.q.words) > fewWords {
			b.at = make(map[queryKey]int, 4*fewWords)
			for j, w := range b.q.words {
				b.at[keyOf(w.text, w.class)] = j
			}
		}
	}
	b.q.words[i].n++
}

// find returns the place of a word, or -1.
func (b *queryBuilder) find(term []byte, c class) int {
	if b.at != nil {
		if i, ok := b.at[queryKey{string(term), c == stem || c == stemPart}]; ok {
			return i
		}
		return -1
	}
	for i, w := range b.q.words {
		if w.text == string(term) && keyOf("", w.class) == keyOf("", c) {
			return i
		}
	}
	return -1
}
