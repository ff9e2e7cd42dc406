// Package synth makes documents and questions from a seed, for measurements that
// need no data of others: words are drawn by Zipf's law, each document keeps to
// a few topics, and no document occurs twice. The same seed gives the same bytes
// on every machine.
//
// It says nothing about the quality of retrieval: nobody wrote these texts.
package synth

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Corpus makes documents. It is not safe for concurrent use.
type Corpus struct {
	rng   *rand.Rand
	zipf  *rand.Zipf
	words []string
	n     int
}

// Sizes of the vocabulary and of a document. An abstract of the judged sets has
// about 180 words.
const (
	vocabulary = 60_000
	topics     = 500
	perTopic   = 120 // words that a topic prefers
	minWords   = 120
	maxWords   = 240
)

// New returns the corpus of a seed.
func New(seed uint64) *Corpus {
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	c := &Corpus{rng: rng, zipf: rand.NewZipf(rng, 1.07, 3, vocabulary-1)}
	seen := map[string]bool{}
	for len(c.words) < vocabulary {
		if w := c.word(); !seen[w] {
			seen[w] = true
			c.words = append(c.words, w)
		}
	}
	return c
}

var onsets = strings.Fields("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl sp st t th tr v w z")
var vowels = strings.Fields("a ai e ea i ie o oa ou u")
var codas = append(strings.Fields("b ck d g l ll m n nd ng nt p r rd rm rn s ss st t th x"), "", "", "")

// word returns a pronounceable word of one to four syllables.
func (c *Corpus) word() string {
	var b strings.Builder
	for range 1 + c.rng.IntN(4) {
		b.WriteString(onsets[c.rng.IntN(len(onsets))])
		b.WriteString(vowels[c.rng.IntN(len(vowels))])
		b.WriteString(codas[c.rng.IntN(len(codas))])
	}
	return b.String()
}

// draw returns a word: half of the time one that the topic prefers, else any, by
// Zipf's law.
func (c *Corpus) draw(topic int) string {
	if c.rng.IntN(2) == 0 {
		r := int(c.zipf.Uint64()) % perTopic
		return c.words[(topic*perTopic+r)%vocabulary]
	}
	return c.words[c.zipf.Uint64()]
}

// Document is one made text.
type Document struct {
	Name  string // unique
	Title string
	Text  string
}

// Next returns the next document.
func (c *Corpus) Next() Document {
	topic, second := c.rng.IntN(topics), c.rng.IntN(topics)
	var b strings.Builder
	n := minWords + c.rng.IntN(maxWords-minWords)
	for i := range n {
		t := topic
		if i%5 == 4 {
			t = second
		}
		b.WriteString(c.draw(t))
		if i%14 == 13 {
			b.WriteByte('.')
		}
		b.WriteByte(' ')
	}
	title := c.draw(topic) + " " + c.draw(topic) + " " + c.draw(second)
	c.n++
	return Document{Name: fmt.Sprintf("d%07d", c.n), Title: title, Text: b.String() + fmt.Sprintf("record %d", c.n)}
}

// Question returns a question about some topic, of 4 to 11 words.
func (c *Corpus) Question() string {
	topic := c.rng.IntN(topics)
	words := make([]string, 4+c.rng.IntN(8))
	for i := range words {
		words[i] = c.draw(topic)
	}
	return strings.Join(words, " ")
}
