package bm25

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// lang is a stemming language. unstemmed is the zero value: words stay as they
// are.
type lang uint8

const (
	unstemmed lang = iota
	arabicLang
	danishLang
	dutchLang
	englishLang
	finnishLang
	frenchLang
	germanLang
	hungarianLang
	irishLang
	italianLang
	norwegianLang
	portugueseLang
	romanianLang
	russianLang
	spanishLang
	swedishLang
	tamilLang
	turkishLang
	langs // how many there are
)

// langOf reads a BCP 47 tag ("de", "pt-BR", "en_US") or a three-letter code of
// ISO 639-2. Empty is English; what no stemmer exists for is unstemmed.
func langOf(tag string) lang {
	tag = strings.ToLower(strings.TrimSpace(cut(tag, 64)))
	if tag == "" {
		return englishLang
	}
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	switch tag {
	case "en", "eng":
		return englishLang
	case "ar", "ara":
		return arabicLang
	case "da", "dan":
		return danishLang
	case "nl", "nld", "dut":
		return dutchLang
	case "fi", "fin":
		return finnishLang
	case "fr", "fra", "fre":
		return frenchLang
	case "de", "deu", "ger":
		return germanLang
	case "hu", "hun":
		return hungarianLang
	case "ga", "gle":
		return irishLang
	case "it", "ita":
		return italianLang
	case "no", "nor", "nb", "nob", "nn", "nno":
		return norwegianLang
	case "pt", "por":
		return portugueseLang
	case "ro", "ron", "rum":
		return romanianLang
	case "ru", "rus":
		return russianLang
	case "es", "spa":
		return spanishLang
	case "sv", "swe":
		return swedishLang
	case "ta", "tam":
		return tamilLang
	case "tr", "tur":
		return turkishLang
	}
	return unstemmed
}

// snowball runs the stemmer of l over w, which is in compare form.
func snowball(l lang, w string) string {
	env := snowballstem.NewEnv(w)
	switch l {
	case arabicLang:
		arabic.Stem(env)
	case danishLang:
		danish.Stem(env)
	case dutchLang:
		dutch.Stem(env)
	case englishLang:
		english.Stem(env)
	case finnishLang:
		finnish.Stem(env)
	case frenchLang:
		french.Stem(env)
	case germanLang:
		german.Stem(env)
	case hungarianLang:
		hungarian.Stem(env)
	case irishLang:
		irish.Stem(env)
	case italianLang:
		italian.Stem(env)
	case norwegianLang:
		norwegian.Stem(env)
	case portugueseLang:
		portuguese.Stem(env)
	case romanianLang:
		romanian.Stem(env)
	case russianLang:
		russian.Stem(env)
	case spanishLang:
		spanish.Stem(env)
	case swedishLang:
		swedish.Stem(env)
	case tamilLang:
		tamil.Stem(env)
	case turkishLang:
		turkish.Stem(env)
	default:
		return w
	}
	if env.Current() == "" {
		return w // a word must stay findable
	}
	return env.Current()
}

// stemCacheSlots bounds the cache: 32,768 words, about 3 MB when full.
const stemCacheSlots = 1 << 15

// stemCache remembers stems in a direct-mapped table without locks: a word
// takes the slot of its hash and pushes out what was there. Safe for concurrent
// use.
type stemCache struct {
	seed  maphash.Seed
	slots [stemCacheSlots]atomic.Pointer[stemmedWord]
}

type stemmedWord struct {
	lang       lang
	word, stem string
}

// stem returns the stem of the word w of language l.
func (c *stemCache) stem(l lang, w []byte) string {
	slot := &c.slots[(maphash.Bytes(c.seed, w)+uint64(l)*0x9E3779B97F4A7C15)%stemCacheSlots]
	if e := slot.Load(); e != nil && e.lang == l && e.word == string(w) {
		return e.stem
	}
	e := &stemmedWord{lang: l, word: string(w)}
	e.stem = e.word
	if l != unstemmed && !digits(w) {
		e.stem = strings.Clone(cut(snowball(l, e.word), MaxTerm))
	}
	slot.Store(e)
	return e.stem
}

func digits(w []byte) bool {
	for _, c := range w {
		if !digit(c) {
			return false
		}
	}
	return true
}
