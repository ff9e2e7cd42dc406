package bm25

import (
	"encoding/binary"
	"slices"

	"golang.org/x/text/cases"

	"github.com/seed70401ef0/brain-go/brain/internal/detmath"
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
	q := analyze(text)
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
func analyze(text string) Query {
	type key struct {
		text    string
		stemmed bool
	}
	var q Query
	at := map[key]int{}
	w := walker{folder: cases.Fold()}
	w.emit = func(term []byte, c class) {
		if len(term) == 0 {
			return
		}
		k := key{string(term), c == stem || c == stemPart}
		i, ok := at[k]
		if !ok && len(q.words) == MaxQueryWords {
			q.skipped++
			return
		}
		if !ok {
			i = len(q.words)
			at[k] = i
			q.words = append(q.words, queryWord{text: k.text, class: c})
		}
		q.words[i].n++
	}
	w.walk(text)
	q.common = w.common
	return q
}

// group is one word of the query as a corpus sees it: the terms that it may be,
// one per language at most. A document's share is the best of them.
type group struct {
	terms []groupTerm
	n     int    // occurrences in the query
	word  string // the first word of the query that led here
}

type groupTerm struct {
	id  uint32
	df  int
	idf float64
}

// resolve returns the groups of q: the terms that documents of c have, under
// each language that documents of c are in.
func (ix *Index) resolve(cur *cursor, q Query, c Corpus) []group {
	groups := make([]group, 0, len(q.words))
	at := make(map[string]int, len(q.words))
	var key []byte
	var terms []groupTerm
	for _, w := range q.words {
		terms, key = terms[:0], key[:0]
		for _, id := range ix.variants(w, &c.langs) {
			df := ix.df(cur, ix.lists[id], c)
			if df == 0 {
				continue
			}
			terms = append(terms, groupTerm{id, df, idf(c.N, df)})
			key = binary.LittleEndian.AppendUint32(key, id)
		}
		if len(terms) == 0 {
			continue
		}
		if i, ok := at[string(key)]; ok {
			groups[i].n += w.n
			continue
		}
		at[string(key)] = len(groups)
		groups = append(groups, group{terms: append([]groupTerm(nil), terms...), n: w.n, word: w.text})
	}
	return groups
}

// variants returns the distinct terms of the index that w is under the
// languages with documents.
func (ix *Index) variants(w queryWord, docs *[langs]uint32) []uint32 {
	if w.class != stem && w.class != stemPart {
		if id, ok := ix.dict.find(w.text); ok {
			return []uint32{id}
		}
		return nil
	}
	var ids []uint32
next:
	for l, n := range docs {
		if n == 0 {
			continue
		}
		id, ok := ix.dict.find(ix.an.stems.stem(lang(l), []byte(w.text)))
		if !ok {
			continue
		}
		for _, other := range ids {
			if other == id {
				continue next
			}
		}
		ids = append(ids, id)
	}
	return ids
}

// idf is the inverse document frequency of Lucene's BM25Similarity, which is
// never negative: ln(1 + (N − n + ½)/(n + ½)).
func idf(docs, df int) float64 {
	n := float64(df)
	return detmath.Log(1 + (float64(docs)-n+0.5)/(n+0.5))
}
