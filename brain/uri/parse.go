package uri

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"golang.org/x/text/unicode/norm"
)

// Limits of a name. They hold for the name as given and for its NFC form.
const (
	MaxBytes        = 4096 // of the whole name
	MaxSegmentBytes = 255  // of one segment
	MaxDepth        = 64   // segments
	maxSchemeBytes  = 63
)

// ErrInvalid is what every refused name, pattern and chunk name is, for
// errors.Is. The error itself is an *invalid.Error of field "uri", "pattern"
// or "chunk" with the limit that was broken.
var ErrInvalid = errors.New("invalid uri")

// Parse returns the name that s spells, or an *invalid.Error that says what is
// wrong, at which segment and which limit it broke. It refuses:
//
//   - a missing or malformed scheme, and a name without a segment;
//   - "?" and "#", backslash, control characters (C0, DEL, C1, U+2028, U+2029),
//     noncharacters, invalid UTF-8;
//   - empty segments (also by a trailing slash), and segments of dots and
//     spaces alone;
//   - "@" in the first segment, and a first segment that ends in ":" or in ":"
//     and digits, which others read as a user and a port;
//   - bidirectional controls (U+061C, U+200E, U+200F, U+202A–U+202E,
//     U+2066–U+2069) and characters without a shape: soft hyphen, U+034F,
//     U+200B, U+2060–U+2065, U+206A–U+206F, U+FEFF, U+FFF9–U+FFFB, the Hangul
//     fillers, U+17B4, U+17B5, U+180B–U+180F, variation selectors and tags.
//     Three stay legal where writing needs them: U+200C and U+200D inside a
//     word of a script that joins or stacks its letters, U+200D between two
//     pictographs, U+FE0E and U+FE0F after a pictograph or in a keycap;
//   - escapes ("%2e", "%u002e") that would decode, at once or repeatedly, into
//     any of the above or into a slash, and escapes nested over eight deep;
//   - more than [MaxBytes], [MaxSegmentBytes] or [MaxDepth].
//
// It runs in time linear in len(s) and keeps s.
func Parse(s string) (URI, error) {
	if len(s) > MaxBytes {
		return URI{}, tooLarge(int64(len(s)), MaxBytes, "bytes")
	}
	if !utf8.ValidString(s) {
		return URI{}, refuse("not valid UTF-8")
	}
	scheme, path, ok := strings.Cut(s, separator)
	if !ok {
		return URI{}, refuse("no scheme: want SCHEME://SEGMENT…")
	}
	folded, err := foldScheme(scheme)
	if err != nil {
		return URI{}, err
	}
	if err := checkPath(path); err != nil {
		return URI{}, err
	}
	if folded != scheme {
		s = folded + separator + path
	}
	if norm.NFC.IsNormalString(s) {
		return URI{text: s, key: s}, nil
	}
	key := norm.NFC.String(s)
	if len(key) > MaxBytes {
		return URI{}, tooLarge(int64(len(key)), MaxBytes, "bytes in NFC")
	}
	if err := checkPath(key[len(folded)+len(separator):]); err != nil {
		return URI{}, err
	}
	return URI{text: s, key: key}, nil
}

// MustParse is [Parse] for constants and tests: it panics on a name that is
// refused and must not be given input.
func MustParse(s string) URI {
	u, err := Parse(s)
	if err != nil {
		panic(fmt.Sprintf("uri.MustParse: %v", err))
	}
	return u
}

// foldScheme returns the scheme in lower case.
func foldScheme(s string) (string, error) {
	if len(s) > maxSchemeBytes {
		return "", tooLarge(int64(len(s)), maxSchemeBytes, "bytes of scheme")
	}
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			return "", refuse("scheme: %q at byte %d; want a letter, then letters, digits, + - .", c, i)
		}
	}
	if s == "" {
		return "", refuse("empty scheme")
	}
	return strings.ToLower(s), nil
}

func checkPath(path string) error {
	for n, more := 1, true; more; n++ {
		if n > MaxDepth {
			return tooLarge(int64(1+strings.Count(path, "/")+MaxDepth), MaxDepth, "segments")
		}
		var seg string
		seg, path, more = strings.Cut(path, "/")
		if len(seg) > MaxSegmentBytes {
			return tooLarge(int64(len(seg)), MaxSegmentBytes, fmt.Sprintf("bytes in segment %d", n))
		}
		if why := checkSegment(seg, n == 1); why != "" {
			return refuse("segment %d: %s", n, why)
		}
		if why := checkEscapes(seg, n == 1); why != "" {
			return refuse("segment %d: %s", n, why)
		}
	}
	return nil
}

// checkSegment says what is wrong with one segment as it stands, "" if nothing.
func checkSegment(seg string, first bool) string {
	if seg == "" {
		return "empty"
	}
	if strings.TrimFunc(seg, isDotOrSpace) == "" {
		return "only dots and spaces"
	}
	if first {
		if why := checkAuthority(seg); why != "" {
			return why
		}
	}
	prev := rune(-1)
	for i, r := range seg {
		if why := checkRune(r, prev, seg[i+utf8.RuneLen(r):]); why != "" {
			return fmt.Sprintf("%s U+%04X at byte %d", why, r, i)
		}
		prev = r
	}
	return ""
}

// checkAuthority refuses a first segment that an RFC 3986 reader would split
// into user, host and port.
func checkAuthority(seg string) string {
	if strings.Contains(seg, "@") {
		return `"@" in the first segment reads as a user`
	}
	if i := strings.LastIndexByte(seg, ':'); i >= 0 && strings.Trim(seg[i+1:], "0123456789") == "" {
		return `":" and digits at the end of the first segment read as a port`
	}
	return ""
}

func refuse(format string, args ...any) error {
	return &invalid.Error{Field: "uri", Reason: fmt.Sprintf(format, args...), Cause: ErrInvalid}
}

func tooLarge(got, limit int64, unit string) error {
	return &invalid.Error{
		Field:  "uri",
		Reason: fmt.Sprintf("%d %s, over the limit of %d", got, unit, limit),
		Limit:  limit,
		Cause:  ErrInvalid,
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
