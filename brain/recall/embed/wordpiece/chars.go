package wordpiece

import (
	_ "embed" // the table of chars.txt
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed chars.txt
var charsText string

// UnicodeID names the version of the character table: texts tokenise alike
// under equal ids, whatever version of Unicode the Go toolchain has.
const UnicodeID = "bert-unicode8"

// What becomes of a code point. Codes from firstMap on are indexes into maps.
const (
	keep = iota
	drop
	space
	punct // alone in a word
	firstMap
)

const (
	pageBits = 8
	pages    = (utf8.MaxRune + 1) >> pageBits
)

type page [1 << pageBits]uint16

// charTable gives the code of every code point in two steps. Equal pages are
// shared by the common cases of a whole page kept or dropped.
type charTable struct {
	pages [pages]*page
	maps  []string // replacement texts; a space in one separates words
	fold  [256]byte
}

// What charTable.fold has for a byte: the ASCII byte to add to the word, lower
// case, or one of these.
const (
	foldEnd  = 0x80 + iota // space or punctuation: the word ends
	foldDrop               // removed
	foldRune               // not ASCII: decode and look the code up
)

// chars is built once, at the first tokenizer, from text that a test has read.
var chars = sync.OnceValue(func() *charTable {
	t, err := parseChars(charsText)
	if err != nil {
		panic(err) // the embedded table is part of the program
	}
	return t
})

func (t *charTable) code(r rune) uint16 { return t.pages[r>>pageBits][r&(1<<pageBits-1)] }

func parseChars(text string) (*charTable, error) {
	t := &charTable{}
	kept := &page{}
	for i := range t.pages {
		t.pages[i] = kept
	}
	b := charBuilder{t: t, kept: kept, codes: map[string]uint16{}}
	for c := range t.fold {
		if c >= utf8.RuneSelf {
			t.fold[c] = foldRune
			continue
		}
		code := asciiCode(byte(c))
		b.set(rune(c), code) // so that punctuation in maps is found
		t.fold[c] = foldASCII(byte(c), code)
	}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if err := b.line(line); err != nil {
			return nil, fmt.Errorf("chars.txt:%d: %w", n+1, err)
		}
	}
	b.share()
	return t, nil
}

type charBuilder struct {
	t     *charTable
	kept  *page
	codes map[string]uint16
}

func (b *charBuilder) set(r rune, code uint16) {
	p := &b.t.pages[r>>pageBits]
	if *p == b.kept {
		*p = &page{}
	}
	(*p)[r&(1<<pageBits-1)] = code
}

// share lets pages with the same content be the same memory.
func (b *charBuilder) share() {
	seen := map[page]*page{}
	for i, p := range b.t.pages {
		if i > 0 && p == b.t.pages[i-1] {
			continue
		}
		if first, ok := seen[*p]; ok {
			b.t.pages[i] = first
		} else {
			seen[*p] = p
		}
	}
}

func (b *charBuilder) mapping(s string) uint16 {
	code, ok := b.codes[s]
	if !ok {
		code = uint16(firstMap + len(b.t.maps))
		b.t.maps = append(b.t.maps, s)
		b.codes[s] = code
	}
	return code
}

func (b *charBuilder) line(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	arg, rest, _ := strings.Cut(rest, " ")
	lo, hi, step, err := parseRange(arg)
	if err != nil {
		return err
	}
	var code func(rune) uint16
	switch verb {
	case "drop", "space", "punct":
		c := map[string]uint16{"drop": drop, "space": space, "punct": punct}[verb]
		code = func(rune) uint16 { return c }
	case "cjk":
		code = func(rune) uint16 { return punct }
	case "shift":
		d, err := strconv.ParseInt(rest, 10, 32)
		if err != nil {
			return err
		}
		code = func(r rune) uint16 { return b.mapping(string(r + rune(d))) }
	case "map":
		var s strings.Builder
		for f := range strings.FieldsSeq(rest) {
			r, err := parseRune(f)
			if err != nil {
				return err
			}
			s.WriteRune(r)
		}
		code = func(rune) uint16 { return b.mapping(s.String()) }
	default:
		return fmt.Errorf("unknown word %q", verb)
	}
	for r := lo; r <= hi; r += step {
		b.set(r, code(r))
	}
	return nil
}

// parseRange reads "A", "A-B" or "A-B/STEP", A and B in hexadecimal.
func parseRange(s string) (lo, hi, step rune, err error) {
	s, by, stepped := strings.Cut(s, "/")
	a, b, isRange := strings.Cut(s, "-")
	if lo, err = parseRune(a); err != nil {
		return
	}
	hi, step = lo, 1
	if isRange {
		if hi, err = parseRune(b); err != nil {
			return
		}
	}
	if stepped {
		var n uint64
		n, err = strconv.ParseUint(by, 10, 8)
		step = rune(n)
	}
	if err == nil && (hi < lo || step < 1) {
		err = fmt.Errorf("bad range %q", s)
	}
	return
}

func parseRune(s string) (rune, error) {
	n, err := strconv.ParseUint(s, 16, 32)
	if err == nil && n > utf8.MaxRune {
		err = fmt.Errorf("%s is no code point", s)
	}
	return rune(n), err
}

func foldASCII(c byte, code uint16) byte {
	switch {
	case code == space || code == punct:
		return foldEnd
	case code == drop:
		return foldDrop
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	}
	return c
}

// asciiCode is what chars.txt says about the rest, for ASCII.
func asciiCode(c byte) uint16 {
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return space
	case c < ' ' || c == 0x7f:
		return drop
	case '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~':
		return punct
	}
	return keep
}
