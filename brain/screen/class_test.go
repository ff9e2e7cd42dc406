package screen

import (
	"strings"
	"testing"
	"unicode"
)

// TestClassOf compares every character with the property tables of Unicode.
func TestClassOf(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		egyptian := 0x13430 <= r && r <= 0x1343F // visible controls of a layout
		format := unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && !egyptian
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
			r == 0x180F || 0xFFF0 <= r && r <= 0xFFF8 || 0xE0000 <= r && r <= 0xE0FFF
		want := visible
		switch {
		case r == 0x180F || unicode.Is(unicode.Variation_Selector, r):
			want = selector
		case unicode.Is(unicode.Bidi_Control, r):
			want = bidi
		case 0xE0000 <= r && r <= 0xE0FFF:
			want = tag
		case format || ignorable:
			want = zero
		}
		if got := classOf(r); got != want {
			t.Errorf("U+%04X: class %d, want %d", r, got, want)
		}
	}
}

// TestUse tells, for characters that are clean or stray by what stands beside
// them, which they are: three strays in a row of such places are a run.
func TestUse(t *testing.T) {
	for place, clean := range map[string]bool{
		"ab\u00adcd": true, "a\u00ad": false, "1\u00ad": false, "a\u00ad1": false,
		"ม\u200bก": true, "ม\u200b": true, "1\u200bม": true, "1\u200b": false, "ש\u200b": false,
		"م\u200c": true, "क\u094d\u200d ": true, "م\u200c\u200c": false, "5\u200c": false, "۵\u200c": false,
		"❤\u200d❤": true, "❤\u200d5": false, "5\u200d❤": false, "❤\ufe0f\u200d❤": true,
		"\u05b8\u034f\u05c1": true, "1\u034f": false,
		"\u1100\u1160": true, "\u11ff\u1160": true, "\u115f\u1161": true, "1\u1160": false, "\u1200\u1160": false, "한\u1160": false,
		"1\ufe0f\u20e3": true, "1\ufe0f": false, "❤\ufe0f": true, "❤\ufe0f\ufe0f": false, "\u0080\ufe0f\u20e3": false, "é\ufe0f": false,
		"\u1820\u180b": true, "\u1820\u180f": true, "1\u180b": false, "\u1820\ufe00": false, "≨\ufe00": true, "請\ufe00": true, "é\ufe00": false,
		"葛\U000e0100": true, "葛\U000e0120": true, "葛\U000e0121": false, "é\U000e0100": false, "葛\U000e0100\U000e0101": false,
		"\u2060": false, "\ufeff": false, "\u180e": false, "1\u200e": false, "ש\u200e": true, "1\u2066a\u2069": false, "ש\u2066a\u2069": true,
		"ש\u202aa\u202c": true, "ש\u202ba\u202c": true, "ש\u2067a\u2069": true, "1\u202ba\u202c": false,
		"🏴\U000e0061\U000e0030\U000e0039\U000e007a\U000e007f": true,
	} {
		// A digit first, so that nothing stands at the very start of the text.
		got := Check([]byte("0" + strings.Repeat(place, 3) + "0"))
		if (got == nil) != clean {
			t.Errorf("%+q: clean %v, want %v: %+v", place, got == nil, clean, got)
		}
	}
}

// TestLinesStandAlone holds that right-to-left letters excuse marks in their own
// line only, wherever in it they stand.
func TestLinesStandAlone(t *testing.T) {
	const marks = "\u200e\u200f\u200e"
	for text, clean := range map[string]bool{
		"a\nש" + marks: true, "a\n" + marks + "ש": true, "ש\na" + marks: false, "a" + marks + "\nש": false,
		"ש" + marks + "\nב" + marks: true, "ש" + marks + "\nb" + marks: false, "a\nש\u2066b\n\u2069": false,
	} {
		if got := Check([]byte(text)); (got == nil) != clean {
			t.Errorf("%+q: clean %v, want %v: %+v", text, got == nil, clean, got)
		}
	}
}
