package screen

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// doubt is how far a character is from how writing uses it.
type doubt uint8

const (
	clean   doubt = iota
	stray         // out of place; counts towards a run
	certain       // no writing has it: a finding by itself
)

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
