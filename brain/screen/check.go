package screen

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// MaxFindings is how many findings one call returns at most; the text is as
// suspicious with fewer.
const MaxFindings = 256

// Finding is one run of characters that a reader cannot see.
type Finding struct {
	Rule       string // "tags", "variation-selectors", "bidi" or "zero-width"
	Start, End int    // byte offsets into the text: text[Start:End]
	Reason     string // what it is, in lower case, without any of the text
}

// How strays become a run.
const (
	maxGap = 2 // visible characters between two of one run
	minRun = 3 // characters that make a run on their own
)

// doubt is how far a character is from how writing uses it.
type doubt uint8

const (
	clean   doubt = iota
	stray         // out of place; counts towards a run
	certain       // no writing has it: a finding by itself
)

// Check returns the runs in text that no writing accounts for, from left to
// right and without overlap; nil for clean text. A run is found when it holds a
// character that has no innocent use (tags outside a flag, direction overrides,
// embeddings and isolates that are left open or turn text that has no
// right-to-left letter), when it splits a word, or when it counts three
// or more with at most two visible characters between one and the next.
//
// Text need not be valid UTF-8: a byte that is not counts as visible. The time
// is linear in len(text); text that is ASCII costs one look per byte.
func Check(text []byte) []Finding {
	s := scanner{text: text}
	var found []Finding
	var cur run
	flush := func() {
		if f, ok := cur.finding(); ok && len(found) < MaxFindings {
			found = append(found, f)
		}
		cur = run{}
	}
	for s.next() {
		if s.class == visible {
			continue
		}
		d := s.judge()
		if d == clean {
			continue
		}
		if cur.count > 0 && s.seen-cur.lastSeen > maxGap {
			flush()
		}
		cur.add(&s, d)
	}
	flush()
	return found
}

// scanner walks over text with what is needed to judge a character.
type scanner struct {
	text     []byte
	pos, end int  // of the present character
	r        rune // the present character
	class    class
	prev     rune // the character before, -1 at the start
	prev2    rune // the one before that
	lastVis  rune // the last visible character, -1 at the start
	seen     int  // visible characters so far
	lineEnd  int  // end of the line that rtl and balanced speak of
	rtl      bool // the line has right-to-left letters
	balanced bool // its embeddings and isolates are all closed
	tagsOK   int  // end of a flag whose tags are in order
}

func (s *scanner) next() bool {
	if s.end == 0 {
		s.r, s.prev, s.lastVis = -1, -1, -1
	}
	s.pos = s.end
	if s.pos >= len(s.text) {
		return false
	}
	s.prev2, s.prev = s.prev, s.r
	if s.class == visible && s.prev >= 0 {
		s.lastVis = s.prev
	}
	size := 1
	if c := s.text[s.pos]; c < utf8.RuneSelf {
		s.r, s.class = rune(c), visible
	} else {
		s.r, size = utf8.DecodeRune(s.text[s.pos:])
		s.class = classOf(s.r)
	}
	s.end = s.pos + size
	if s.class == visible {
		s.seen++
	}
	return true
}

// after returns the next two characters, -1 past the end.
func (s *scanner) after() (a, b rune) {
	a, n := decode(s.text[s.end:])
	b, _ = decode(s.text[s.end+n:])
	return a, b
}

func decode(p []byte) (rune, int) {
	if len(p) == 0 {
		return -1, 0
	}
	return utf8.DecodeRune(p)
}

// judge says how far out of place the present invisible character is.
func (s *scanner) judge() doubt {
	switch s.class {
	case tag:
		return s.judgeTag()
	case selector:
		return s.judgeSelector()
	case bidi:
		return s.judgeBidi()
	}
	return s.judgeZero()
}

func (s *scanner) judgeZero() doubt {
	a, b := s.after()
	ok := false
	switch s.r {
	case bom:
		ok = s.pos == 0
	case softHyphen:
		ok = unicode.IsLetter(s.prev) && unicode.In(s.prev2, unicode.L, unicode.M) &&
			unicode.IsLetter(a) && unicode.In(b, unicode.L, unicode.M)
	case zwsp:
		ok = runsOn(s.prev) || runsOn(a) && classOf(s.prev) == visible
	case zwnj:
		ok = joins(s.prev)
	case zwj:
		ok = joins(s.prev) || pictures(s.prev) && pictures(a)
	case joinerCG:
		ok = unicode.IsMark(s.prev) || unicode.IsMark(a)
	case 0x115F, 0x1160: // fillers of an old Hangul syllable
		ok = hangulPart(s.prev) || hangulPart(a)
	}
	if ok {
		return clean
	}
	return stray
}

func hangulPart(r rune) bool {
	return 0x1100 <= r && r <= 0x11FF && r != 0x115F && r != 0x1160
}

// judgeSelector lets one selector follow a character that has variants.
func (s *scanner) judgeSelector() doubt {
	han := func() bool { return unicode.Is(unicode.Han, s.prev) }
	ok := false
	switch {
	case classOf(s.prev) != visible || s.prev < 0:
	case s.r == 0xFE0E || s.r == 0xFE0F:
		a, _ := decode(s.text[s.end:])
		ok = pictures(s.prev) || a == keycap && s.prev < 0x80
	case s.r < 0xFE00: // Mongolian
		ok = unicode.Is(unicode.Mongolian, s.prev)
	case s.r < 0xFE10:
		ok = han() || unicode.In(s.prev, unicode.Sm, unicode.So, unicode.Po, unicode.Myanmar, unicode.Phags_Pa)
	default:
		// The registered variants of one ideograph number at most some dozens
		// (Ideographic Variation Database, 2022-09-13); a byte spelled by the
		// usual offset of 16 lies above them for every letter.
		ok = s.r <= 0xE0120 && han()
	}
	switch {
	case ok:
		return clean
	case s.r > 0xE0120:
		return certain
	}
	return stray
}

// judgeTag lets a flag of a region pass: a black flag, three to six tags that
// are digits and lower-case letters, a cancel tag (UTS #51, ED-14a).
func (s *scanner) judgeTag() doubt {
	if s.pos < s.tagsOK {
		return clean
	}
	if s.prev != blackFlag {
		return certain
	}
	at, n := s.pos, 0
	for {
		r, size := decode(s.text[at:])
		at += size
		switch low := r - 0xE0000; {
		case r == tagCancel && 3 <= n && n <= 6:
			s.tagsOK = at
			return clean
		case n == 6 || r < tagFirst || r > tagLast || !('0' <= low && low <= '9' || 'a' <= low && low <= 'z'):
			return certain
		}
		n++
	}
}

// judgeBidi lets direction controls stand in lines that have right-to-left
// letters, if what they open is closed again. Overrides have no place in text.
func (s *scanner) judgeBidi() doubt {
	if s.r == 0x202D || s.r == 0x202E {
		return certain
	}
	if s.pos >= s.lineEnd {
		s.readLine()
	}
	mark := s.r == 0x200E || s.r == 0x200F || s.r == 0x061C
	turns := s.r == 0x202B || s.r == 0x2067 // opens right to left
	switch {
	case !mark && !s.balanced, turns && !s.rtl:
		return certain
	case s.rtl:
		return clean
	}
	return stray
}

// readLine looks at the line from here on, and at its start, once.
func (s *scanner) readLine() {
	start := bytes.LastIndexByte(s.text[s.lineEnd:s.pos], '\n') + 1 + s.lineEnd
	s.lineEnd = len(s.text)
	if i := bytes.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
		s.lineEnd = s.pos + i + 1
	}
	s.rtl = false
	depth, isolates, low := 0, 0, 0
	for p := s.text[start:s.lineEnd]; len(p) > 0; {
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		switch {
		case 0x202A <= r && r <= 0x202B:
			depth++
		case r == 0x202C:
			depth--
		case 0x2066 <= r && r <= 0x2068:
			isolates++
		case r == 0x2069:
			isolates--
		case !s.rtl:
			s.rtl = rightToLeft(r)
		}
		low = min(low, depth, isolates)
	}
	s.balanced = depth == 0 && isolates == 0 && low == 0
}

// run collects characters that are near one another.
type run struct {
	start, end int
	count      int
	lastSeen   int          // visible characters before its last character
	by         [classes]int // count by class
	certain    class        // class of the first certain one
	split      bool         // it lies inside a word
}

func (u *run) add(s *scanner, d doubt) {
	if u.count == 0 {
		u.start = s.pos
	}
	u.count++
	u.end, u.lastSeen = s.end, s.seen
	u.by[s.class]++
	if d == certain && u.certain == visible {
		u.certain = s.class
	}
	if u.split || s.r == softHyphen {
		return
	}
	before := s.prev
	if classOf(before) != visible {
		before = s.lastVis
	}
	if after, _ := decode(s.text[s.end:]); classOf(after) == visible {
		u.split = splits(after) && splits(before)
	}
}

// splits reports whether r is a letter of a script in which nothing invisible
// stands between two letters.
func splits(r rune) bool { return r > 0 && unicode.IsLetter(r) && !runsOn(r) && !joins(r) }

func (u *run) finding() (Finding, bool) {
	if u.certain == visible && !u.split && u.count < minRun {
		return Finding{}, false
	}
	c := u.certain
	for k := zero; c == visible && k < classes; k++ {
		if u.by[k] == max(u.by[zero], u.by[selector], u.by[bidi], u.by[tag]) {
			c = k
		}
	}
	what := "out of place"
	switch {
	case u.certain != visible:
		what = "that no writing uses here"
	case u.split:
		what = "inside a word"
	}
	return Finding{
		Rule: c.rule(), Start: u.start, End: u.end,
		Reason: fmt.Sprintf("%d invisible characters %s", u.count, what),
	}, true
}
