package bm25

import "unicode"

// kind is what a token is to the analyser.
type kind uint8

const (
	blank  kind = iota // white space, never a token
	word               // letters, digits and their marks
	han                // one character of a script that is written without spaces
	symbol             // emoji, arrows, currency: one character, searchable
	punct              // punctuation, ASCII symbols and controls: weak
	mark               // combining marks and invisible code points: part of what precedes
)

// kindOf classifies one character of plain text.
func kindOf(r rune) kind {
	switch {
	case r < 0x80:
		return kindOfASCII(byte(r))
	case 0xC0 <= r && r < 0x0250 && r != 0xD7 && r != 0xF7, 0x048A <= r && r < 0x0530, 0x0400 <= r && r < 0x0482:
		return word // Latin and Cyrillic letters, without the tables
	case 0x4E00 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4:
		return han
	}
	return kindByTables(r)
}

func kindByTables(r rune) kind {
	switch {
	case ignorable(r) || skinTone(r) || unicode.IsMark(r):
		return mark
	case unicode.IsLetter(r):
		if unspaced(r) {
			return han
		}
		return word
	case unicode.IsNumber(r):
		return word
	case unicode.IsSpace(r):
		return blank
	case r == unicode.ReplacementChar || unicode.IsPunct(r) || unicode.In(r, unicode.Cc, unicode.Cf):
		return punct
	}
	return symbol // S*, private use and what is assigned later
}

func kindOfASCII(c byte) kind {
	switch {
	case alnum(c):
		return word
	case c == ' ' || '\t' <= c && c <= '\r':
		return blank
	}
	return punct
}

func alnum(c byte) bool { return letter(c) || digit(c) }
func digit(c byte) bool { return '0' <= c && c <= '9' }
func letter(c byte) bool {
	c |= 'a' - 'A'
	return 'a' <= c && c <= 'z'
}

// unspaced reports whether the letter r belongs to a script that runs words
// together, so that a word can only be found by its characters and their pairs:
// Chinese, Japanese, Korean (whose particles join the word), Thai, Lao, Khmer,
// Myanmar. Ranges are blocks of the Unicode standard.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF, // Thai, Lao
		0x1000 <= r && r <= 0x109F,   // Myanmar
		0x1100 <= r && r <= 0x11FF,   // Hangul Jamo
		0x1780 <= r && r <= 0x17FF,   // Khmer
		0x1950 <= r && r <= 0x19FF,   // Tai Le, New Tai Lue, Khmer symbols
		0x1A20 <= r && r <= 0x1AAF,   // Tai Tham
		0x3005 <= r && r <= 0x4DBF,   // Kana, Bopomofo, Hangul compatibility, Han extension A
		0x4E00 <= r && r <= 0x9FFF,   // Han
		0xA960 <= r && r <= 0xA97F,   // Hangul Jamo extended A
		0xA9E0 <= r && r <= 0xA9FF,   // Myanmar extended B
		0xAA60 <= r && r <= 0xAADF,   // Myanmar extended A, Tai Viet
		0xAC00 <= r && r <= 0xD7FF,   // Hangul
		0xF900 <= r && r <= 0xFAFF,   // Han compatibility
		0x16FE0 <= r && r <= 0x1B2FF, // Tangut, Khitan, Kana supplements, Nushu
		0x20000 <= r && r <= 0x3FFFF: // Han extensions B and later
		return true
	}
	return false
}

// ignorable reports whether r is Default_Ignorable_Code_Point (Unicode 17,
// DerivedCoreProperties.txt): invisible, and no part of what a text says.
func ignorable(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x034F, r == 0x061C,
		0x115F <= r && r <= 0x1160, 0x17B4 <= r && r <= 0x17B5,
		0x180B <= r && r <= 0x180F, 0x200B <= r && r <= 0x200F,
		0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F,
		r == 0x3164, 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		0xFFF0 <= r && r <= 0xFFF8, 0x1BCA0 <= r && r <= 0x1BCA3,
		0x1D173 <= r && r <= 0x1D17A, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

// skinTone reports whether r is an emoji modifier (UTS 51): a thumb of any
// colour is found by a thumb.
func skinTone(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// regional reports whether r is half of a flag.
func regional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// numeric says on which side of a join a word character stands.
func numeric(r rune) (isLetter, isDigit bool) {
	if kindOf(r) != word {
		return false, false
	}
	d := unicode.IsNumber(r)
	return !d, d
}
