// Package wordpiece splits text into the WordPiece tokens of uncased BERT
// models, exactly as the tokenizer.json of such a model says: BertNormalizer
// (clean, space CJK, strip accents, lower case), BertPreTokenizer, greedy
// longest match. It adds no [CLS] or [SEP], cuts nothing and pads nothing.
//
// It does not know other tokenizer models (BPE, Unigram), cased vocabularies or
// other normalizers: files that ask for one are refused by name.
package wordpiece

import (
	"strings"
	"unicode/utf8"
)

// maxWordChars caps max_input_chars_per_word of a tokenizer.json.
const maxWordChars = 255

// Tokenizer is one vocabulary with its settings. It is immutable and safe for
// concurrent use.
type Tokenizer struct {
	vocab    vocab
	chars    *charTable
	added    []added
	unk      int32
	maxChars int // of a word; a longer one is unknown
}

// added is a token that is recognised verbatim in the text, before anything
// else happens to it.
type added struct {
	text string
	id   int32
}

// Size returns one more than the largest id.
func (t *Tokenizer) Size() int { return len(t.vocab.at) }

// Unknown returns the id that stands for a word that cannot be covered.
func (t *Tokenizer) Unknown() int32 { return t.unk }

// Token returns the text of an id, "" when no token has it.
func (t *Tokenizer) Token(id int32) string { return string(t.vocab.token(id)) }

// Encode returns the ids of text, unknown words included. Invalid UTF-8 is
// dropped like U+FFFD. The slice is the caller's.
func (t *Tokenizer) Encode(text string) []int32 {
	var ids []int32
	t.Each(text, func(id int32) bool {
		ids = append(ids, id)
		return true
	})
	return ids
}

// Each calls yield with the id of each token of text in order, unknown words
// included, until yield returns false. It takes time linear in len(text) and
// allocates nothing, unless the vocabulary has added tokens.
func (t *Tokenizer) Each(text string, yield func(id int32) bool) {
	if len(t.added) == 0 {
		t.plain(text, yield)
		return
	}
	t.split(text, yield)
}

// split cuts text at the added tokens, leftmost first, then the longest, and
// tokenises what lies between.
func (t *Tokenizer) split(text string, yield func(id int32) bool) {
	next := make([]int, len(t.added)) // where each occurs at or after start
	for i := range next {
		next[i] = -1
	}
	for start := 0; ; {
		at, best := len(text), -1
		for i, a := range t.added {
			if next[i] < start {
				next[i] = len(text)
				if n := strings.Index(text[start:], a.text); n >= 0 {
					next[i] = start + n
				}
			}
			if next[i] < at || best >= 0 && next[i] == at && len(a.text) > len(t.added[best].text) {
				at, best = next[i], i
			}
		}
		if !t.plain(text[start:at], yield) || best < 0 || !yield(t.added[best].id) {
			return
		}
		start = at + len(t.added[best].text)
	}
}

// plain tokenises text without added tokens and reports whether to go on.
func (t *Tokenizer) plain(text string, yield func(id int32) bool) bool {
	w := word{t: t, hash: hashWord}
	fold := &t.chars.fold
	for i := 0; i < len(text); {
		c := text[i]
		switch f := fold[c]; f {
		default:
			w.ascii(f)
			i++
		case foldEnd:
			if !w.end(yield) || c > ' ' && !w.single(c, yield) {
				return false
			}
			i++
		case foldDrop:
			i++
		case foldRune:
			r, n := utf8.DecodeRuneInString(text[i:])
			i += n
			if !w.rune(r, yield) {
				return false
			}
		}
	}
	return w.end(yield)
}
