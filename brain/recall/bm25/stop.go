package bm25

// stopWord returns the index of a stop word, or -1. The list is the 33 English
// words of Lucene's StandardAnalyzer, whatever the document's language: a list
// per language would make the same word weak in one document and strong in the
// next.
func stopWord(w []byte) int {
	switch string(w) {
	case "a":
		return 0
	case "an":
		return 1
	case "and":
		return 2
	case "are":
		return 3
	case "as":
		return 4
	case "at":
		return 5
	case "be":
		return 6
	case "but":
		return 7
	case "by":
		return 8
	case "for":
		return 9
	case "if":
		return 10
	case "in":
		return 11
	case "into":
		return 12
	case "is":
		return 13
	case "it":
		return 14
	case "no":
		return 15
	case "not":
		return 16
	case "of":
		return 17
	case "on":
		return 18
	case "or":
		return 19
	case "such":
		return 20
	case "that":
		return 21
	case "the":
		return 22
	case "their":
		return 23
	case "then":
		return 24
	case "there":
		return 25
	case "these":
		return 26
	case "they":
		return 27
	case "this":
		return 28
	case "to":
		return 29
	case "was":
		return 30
	case "will":
		return 31
	case "with":
		return 32
	}
	return -1
}

// stopWordAt returns the stop word of an index.
func stopWordAt(i int) string {
	return [stopWords]string{
		"a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if",
		"in", "into", "is", "it", "no", "not", "of", "on", "or", "such", "that",
		"the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
	}[i]
}

const stopWords = 33

// weakSet is a set of the weak terms that every text is full of: ASCII
// punctuation and controls by their code, then stop words by 128 + index. The
// other weak terms, punctuation beyond ASCII, are ordinary postings.
type weakSet [3]uint64

const weakTerms = 128 + stopWords

func (w *weakSet) add(i int)      { w[i>>6] |= 1 << (i & 63) }
func (w *weakSet) has(i int) bool { return w[i>>6]>>(i&63)&1 != 0 }

// isStop reports whether the weak term i is a stop word.
func isStop(i int) bool { return i >= 128 }

// commonName returns the text of the weak term i.
func commonName(i int) string {
	if i < 128 {
		return string(rune(i))
	}
	return stopWordAt(i - 128)
}
