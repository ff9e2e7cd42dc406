package bm25

import (
	"fmt"
	"hash/maphash"
	"sync"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxTerm is the length of the longest term in bytes. A longer word is its
// first MaxTerm bytes, in documents and in queries alike, so it is found, and
// so is every other word that begins like it.
const MaxTerm = 128

// The fields of a document, in the order of every [Fields] array.
const (
	Title = iota
	Headings
	Body
	Fields // how many there are
)

// Doc is the text of one unit that is indexed and returned (a chunk). Every
// string is optional and may hold any bytes.
type Doc struct {
	Title    string // of the document
	Headings string // that the chunk stands under
	Body     string // the chunk's own text
	Lang     string // BCP 47 tag of the language; empty is English
}

// Terms is what an index keeps of a Doc: its distinct terms with their
// frequency per field, and the length of each field in words. It is immutable
// and made by [Analyzer.Terms]; the zero value is a document without text.
type Terms struct {
	ends []uint32 // where each term ends in text
	tf   []tf
	text []byte
	len  [Fields]uint32
	weak weakSet
	lang lang
}

// Len returns the length of each field in words: stop words, punctuation, parts
// of identifiers and pairs of ideographs do not count.
func (t Terms) Len() [Fields]uint32 { return t.len }

// Analyzer turns text into terms. It holds a bounded cache of stems (about
// 3 MB) and scratch memory, nothing that changes what it answers. Safe for
// concurrent use; the cost is one pass over the text.
type Analyzer struct {
	plain   bool // see NewPlainAnalyzer
	seed    maphash.Seed
	stems   stemCache
	scratch sync.Pool // of *collector
}

// NewAnalyzer returns an Analyzer.
func NewAnalyzer() *Analyzer {
	a := &Analyzer{seed: maphash.MakeSeed()}
	a.stems.seed = a.seed
	a.scratch.New = func() any { return newCollector(a) }
	return a
}

// Terms analyses d. It takes no lock, and never fails: bytes that are no UTF-8,
// controls and text of any length or script have terms like everything else.
func (a *Analyzer) Terms(d Doc) Terms {
	c := a.scratch.Get().(*collector)
	defer c.release()
	c.lang = unstemmed
	if !a.plain {
		c.lang = langOf(d.Lang)
	}
	for f, text := range [Fields]string{Title: d.Title, Headings: d.Headings, Body: d.Body} {
		c.field = f
		if a.plain {
			c.buf = eachPlain(text, c.buf, c.emit)
		} else {
			c.walk(text)
		}
	}
	return c.terms()
}

// analyzerVersion is raised by every change after which some text has other
// terms, a new version of the Unicode tables, of uax29 or of snowballstem
// included.
const analyzerVersion = 1

// ID names what a turns text into: another ID means that stored terms and
// segments are to be made again. It has the version of this package's rules and
// of the Unicode tables that they go by.
func (a *Analyzer) ID() string {
	kind := "words"
	if a.plain {
		kind = "plain"
	}
	return fmt.Sprintf("bm25 %s %d, Unicode %s %s %s", kind, analyzerVersion, unicode.Version, norm.Version, cases.UnicodeVersion)
}

// collector gathers the terms of one document.
type collector struct {
	walker
	an    *Analyzer
	lang  lang
	field int
	seen  dict
	tf    []tf
	len   [Fields]uint32

	stemmed []byte
}

// Scratch memory above these sizes is not kept for the next document.
const (
	scratchSlots = 1 << 12
	scratchKeep  = 1 << 16
)

func newCollector(a *Analyzer) *collector {
	c := &collector{an: a, seen: newDict(a.seed, scratchSlots)}
	c.folder = cases.Fold()
	c.emit = c.add
	return c
}

func (c *collector) add(term []byte, k class) {
	if len(term) == 0 {
		return
	}
	switch k {
	case stem, stemPart:
		c.stemmed = append(c.stemmed[:0], c.an.stems.stem(c.lang, term)...)
		term = c.stemmed
	}
	if k == stem || k == exact {
		c.len[c.field]++
	}
	id, fresh := c.seen.add(term)
	if fresh {
		c.tf = append(c.tf, 0)
	}
	c.tf[id] = c.tf[id].plus(c.field)
}

// terms copies what was gathered.
func (c *collector) terms() Terms {
	t := Terms{
		ends: make([]uint32, len(c.seen.ends)),
		tf:   make([]tf, len(c.tf)),
		text: make([]byte, len(c.seen.text)),
		len:  c.len,
		weak: c.common,
		lang: c.lang,
	}
	copy(t.ends, c.seen.ends)
	copy(t.tf, c.tf)
	copy(t.text, c.seen.text)
	return t
}

func (c *collector) release() {
	if len(c.seen.slots) > scratchKeep || cap(c.buf) > scratchKeep {
		return
	}
	c.seen.reset()
	c.tf, c.len, c.common = c.tf[:0], [Fields]uint32{}, weakSet{}
	c.an.scratch.Put(c)
}
