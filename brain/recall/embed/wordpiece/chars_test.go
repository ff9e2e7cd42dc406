package wordpiece

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"
)

// words gives the words that "a", r, "b" make, by the table alone.
func words(t *charTable, r rune) string {
	out := func(code uint16, r rune) string {
		switch code {
		case keep:
			return string(r)
		case drop:
			return ""
		case space:
			return " "
		}
		return " " + string(r) + " "
	}
	s := ""
	switch code := t.code(r); {
	case r < utf8.RuneSelf && t.fold[r] < utf8.RuneSelf:
		s = string(rune(t.fold[r]))
	case code < firstMap:
		s = out(code, r)
	default:
		for _, x := range t.maps[code-firstMap] {
			s += out(t.code(x), x)
		}
	}
	return strings.Join(strings.Fields("a"+s+"b"), "\x1f")
}

// TestCharsEqualReference: the digest is that of the words which the reference
// library (tokenizers 0.23.3) makes of "a" + c + "b" for every code point c,
// joined by U+001F, one line each.
func TestCharsEqualReference(t *testing.T) {
	const want = "13d8416ac8e1c4eff5e737c79f459a322d13ea991f04069f8ba6b90067c17f88"
	h := sha256.New()
	hangul := tiny(t, "a", "b", "##b")
	for r := range rune(utf8.MaxRune + 1) {
		switch {
		case !utf8.ValidRune(r):
			continue
		case 0xac00 <= r && r <= 0xd7a3:
			w := word{t: hangul}
			w.ascii('a')
			w.rune(r, func(int32) bool { return true })
			w.ascii('b')
			h.Write(append(w.buf[:w.n], '\n'))
		default:
			h.Write([]byte(words(chars(), r) + "\n"))
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestParseCharsNamesTheLine(t *testing.T) {
	for _, bad := range []string{
		"drop", "drop X", "drop 110000", "drop 5-4", "drop 4-", "shift 41-42/0 1", "shift 41-42/1 x", "map 41 G", "keep 41",
	} {
		if _, err := parseChars("# comment\n" + bad); err == nil || !strings.Contains(err.Error(), "chars.txt:2") {
			t.Errorf("%q: %v, want an error of line 2", bad, err)
		}
	}
}
