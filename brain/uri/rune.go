package uri

import (
	"unicode"
	"unicode/utf8"
)

const (
	zwnj   = 0x200C
	zwj    = 0x200D
	vs15   = 0xFE0E
	vs16   = 0xFE0F
	keycap = 0x20E3
)

// checkRune says why r may not stand in a segment between prev (-1 at the
// start) and the text next; "" if it may.
func checkRune(r, prev rune, next string) string {
	switch {
	case r < 0x7f && r >= ' ':
		switch r {
		case '?':
			return "query mark"
		case '#':
			return "fragment mark"
		case '\\':
			return "backslash"
		}
		return ""
	case r < 0xa0, r == 0x2028, r == 0x2029:
		return "control character"
	case r&0xfffe == 0xfffe, 0xfdd0 <= r && r <= 0xfdef:
		return "noncharacter"
	case r == zwnj || r == zwj:
		after, _ := utf8.DecodeRuneInString(next)
		if joins(prev) && joins(after) || r == zwj && pictures(prev) && pictures(after) {
			return ""
		}
		return "joiner outside a word that needs it:"
	case r == vs15 || r == vs16:
		after, _ := utf8.DecodeRuneInString(next)
		if pictures(prev) && prev != vs16 && prev != vs15 || after == keycap && ('0' <= prev && prev <= '9' || prev == '*') {
			return ""
		}
		return "variation selector"
	case isBidi(r):
		return "bidirectional control"
	case isInvisible(r):
		return "invisible character"
	}
	return ""
}

func isBidi(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F ||
		0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// isInvisible reports characters that draw nothing: format characters but the
// visible Arabic and Indic number signs, variation selectors, and the fillers
// and reserved codes that Unicode lists beside them (PropList.txt of 15.0).
func isInvisible(r rune) bool {
	if unicode.Is(unicode.Cf, r) {
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return 0xE0000 <= r && r <= 0xE0FFF || 0xFFF0 <= r && r <= 0xFFF8 || r == 0x180F ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// joins reports whether r is a letter or mark of a script whose spelling uses
// U+200C and U+200D (RFC 5892, appendix A; Unicode 15.0 §9.2 and chapter 12).
func joins(r rune) bool {
	return r > 0x5ff && (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r,
		unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian,
		unicode.Phags_Pa, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Sogdian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer, unicode.Balinese,
		unicode.Javanese, unicode.Meetei_Mayek, unicode.Chakma, unicode.Inherited)
}

// pictures reports whether r may be part of an emoji sequence.
func pictures(r rune) bool {
	switch r {
	case vs15, vs16, 0x203C, 0x2049, 0x2139, 0x3030:
		return true
	}
	return r > 0x7f && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

func isDotOrSpace(r rune) bool { return r == '.' || unicode.Is(unicode.Zs, r) }
