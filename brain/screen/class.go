package screen

import "unicode"

// class is what sort of character that draws nothing a rune is.
type class uint8

const (
	visible  class = iota
	zero           // no width, no shape: spaces, joiners, fillers, soft hyphen
	selector       // variation selectors
	bidi           // direction marks, embeddings, overrides, isolates
	tag            // the tag block and the unassigned rest of its plane
	classes
)

// The names of the rules, by class.
func (c class) rule() string {
	switch c {
	case selector:
		return "variation-selectors"
	case bidi:
		return "bidi"
	case tag:
		return "tags"
	}
	return "zero-width"
}

const (
	softHyphen = 0x00AD
	joinerCG   = 0x034F
	zwsp       = 0x200B
	zwnj       = 0x200C
	zwj        = 0x200D
	bom        = 0xFEFF
	keycap     = 0x20E3
	blackFlag  = 0x1F3F4
	tagFirst   = 0xE0020
	tagLast    = 0xE007E
	tagCancel  = 0xE007F
)

// classOf covers the Default_Ignorable_Code_Point property of Unicode 15.0
// (DerivedCoreProperties.txt) and the interlinear marks. The order of the tests
// makes text without such characters cheap.
func classOf(r rune) class {
	switch {
	case r < softHyphen:
		return visible
	case r < 0x2000:
		switch {
		case r == 0x061C:
			return bidi
		case 0x180B <= r && r <= 0x180D, r == 0x180F:
			return selector
		case r == softHyphen, r == joinerCG, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x180E:
			return zero
		}
	case r < 0x2070:
		switch {
		case r == 0x200E, r == 0x200F, 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
			return bidi
		case zwsp <= r && r <= zwj, 0x2060 <= r:
			return zero
		}
	case r < 0xFE00:
		if r == 0x3164 {
			return zero
		}
	case r < 0x10000:
		switch {
		case r <= 0xFE0F:
			return selector
		case r == bom, r == 0xFFA0, 0xFFF0 <= r && r <= 0xFFFB:
			return zero
		}
	case 0xE0000 <= r && r <= 0xE0FFF:
		if 0xE0100 <= r && r <= 0xE01EF {
			return selector
		}
		return tag
	case 0x1BCA0 <= r && r <= 0x1BCA3, 0x1D173 <= r && r <= 0x1D17A:
		return zero
	}
	return visible
}

// joins reports whether r is a letter or mark of a script whose spelling uses
// U+200C and U+200D (RFC 5892, appendix A; Unicode 15.0 §9.2 and chapter 12).
func joins(r rune) bool {
	return r > 0x5ff && !inSymbols(r) && (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r,
		unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian,
		unicode.Phags_Pa, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Sogdian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Tibetan, unicode.Myanmar, unicode.Khmer, unicode.Balinese,
		unicode.Javanese, unicode.Meetei_Mayek, unicode.Chakma)
}

// inSymbols reports the block of punctuation and symbols, which has no letter of
// the scripts here: a short way out for most of what Check looks at.
func inSymbols(r rune) bool { return 0x2000 <= r && r < 0x2E80 }

// runsOn reports whether r is of a script that writes words without spaces, so
// that U+200B marks where a line may break.
func runsOn(r rune) bool {
	return r > 0xdff && !inSymbols(r) && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
		unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Tai_Le, unicode.New_Tai_Lue,
		unicode.Tai_Tham, unicode.Tai_Viet, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Yi)
}

// rightToLeft reports whether r is a letter of a right-to-left script.
func rightToLeft(r rune) bool {
	return r > 0x58f && unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Hebrew,
		unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic,
		unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Yezidi)
}

// pictures reports whether r may be part of an emoji sequence.
func pictures(r rune) bool {
	switch r {
	case 0xFE0E, 0xFE0F, 0x203C, 0x2049, 0x2139, 0x3030, keycap:
		return true
	}
	return r > 0x7f && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}
