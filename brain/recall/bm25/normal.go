package bm25

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// isASCII reports whether every byte of s is below 0x80.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain returns text as the scanner reads it: valid UTF-8 in form NFKC, with
// the typographic apostrophe and hyphen written as their ASCII forms, case
// kept. Bytes that are no UTF-8 become U+FFFD. ASCII text is returned as it is.
func plain(text string) string {
	if isASCII(text) {
		return text
	}
	text = norm.NFKC.String(strings.ToValidUTF8(text, "\uFFFD"))
	if strings.Contains(text, "\u2019") {
		text = strings.ReplaceAll(text, "\u2019", "'")
	}
	if strings.Contains(text, "\u2010") {
		text = strings.ReplaceAll(text, "\u2010", "-")
	}
	return text
}

// foldWindow is how much of a token is looked at to make its compare form, in
// bytes: a form of maxTerm bytes never comes from more than this, as folding
// shortens no letter to less than a quarter.
const foldWindow = 4 * MaxTerm

// fold appends the compare form of a token of plain text to dst: full case
// folding, NFKC, no default-ignorable code points (Unicode's toNFKC_Casefold)
// and no skin tones, cut at MaxTerm bytes on a rune boundary.
func fold(dst []byte, token string, folder cases.Caser) []byte {
	token = cut(token, foldWindow)
	start := len(dst)
	for _, r := range token {
		low, ok := foldSimple(r)
		if !ok {
			s := norm.NFKC.String(strings.Map(dropIgnorable, folder.String(token)))
			dst = append(dst[:start], strings.Map(foldCherokee, s)...)
			break
		}
		dst = utf8.AppendRune(dst, low)
	}
	if end := start + MaxTerm; len(dst) > end {
		for !utf8.RuneStart(dst[end]) {
			end--
		}
		dst = dst[:end]
	}
	return dst
}

// foldSimple returns the compare form of r where that is one character and no
// neighbour can change it; ok is false elsewhere. It covers the alphabets that
// most text is in, at a tenth of the cost of the general way.
func foldSimple(r rune) (low rune, ok bool) {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A', true
	case r < 0x80:
		return r, true
	case r == 0xAD, r == 0xDF, r == 0x0130, r == 0x0149, r == 0x017F, r == 0x01F0:
		return 0, false // invisible, or folded to two
	case r < 0x0250, 0x0400 <= r && r < 0x0530: // Latin, Cyrillic
		return unicode.ToLower(r), true
	case 0x0590 <= r && r < 0x10A0, 0x3005 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4:
		return r, !ignorable(r) // Semitic and Indic scripts, Han, Kana, Hangul: no case
	}
	return 0, false
}

// foldCherokee maps to the capitals, as Unicode's case folding does; x/text
// exchanges the two.
func foldCherokee(r rune) rune {
	switch {
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 0x13F8 + 0x13F0
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	}
	return r
}

// cut returns s without what is past limit bytes, on a rune boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

func dropIgnorable(r rune) rune {
	if ignorable(r) || skinTone(r) {
		return -1
	}
	return r
}
