package uri

import (
	"strings"
	"unicode/utf8"
)

// maxDecodings bounds how often an escape is followed into itself. Nothing
// that is written by hand or by a program that encodes once comes near it.
const maxDecodings = 8

// checkEscapes says what decoding seg, once or repeatedly, would give that is
// refused or has other segments; "" if nothing. Rejected: decoding the name
// ourselves, since then two spellings would name one file and "100%25" none.
func checkEscapes(seg string, first bool) string {
	for range maxDecodings {
		decoded := decode(seg)
		switch {
		case decoded == seg:
			return ""
		case !utf8.ValidString(decoded):
			return "escape that decodes to invalid UTF-8"
		case strings.Contains(decoded, "/"):
			return "escape that decodes to a slash"
		}
		if why := checkSegment(decoded, first); why != "" {
			return "escape that decodes to a refused name: " + why
		}
		seg = decoded
	}
	return "escapes nested too deep"
}

// decode replaces each %XX by its byte and each %uXXXX by its character, in one
// pass. Half an escape stays as it is; an escaped surrogate gives a byte that
// is never valid.
func decode(s string) string {
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s
	}
	out := append(make([]byte, 0, len(s)), s[:i]...)
	for i < len(s) {
		if s[i] != '%' {
			out = append(out, s[i])
			i++
			continue
		}
		if v, ok := hex(s[i+1:], 2); ok {
			out = append(out, byte(v))
			i += 3
			continue
		}
		if rest := s[i+1:]; rest != "" && rest[0]|0x20 == 'u' {
			if v, ok := hex(rest[1:], 4); ok {
				if utf8.ValidRune(v) {
					out = utf8.AppendRune(out, v)
				} else {
					out = append(out, 0xff)
				}
				i += 6
				continue
			}
		}
		out = append(out, '%')
		i++
	}
	return string(out)
}

// hex reads exactly n hexadecimal digits at the start of s.
func hex(s string, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	v := rune(0)
	for i := range n {
		c := s[i]
		switch {
		case isDigit(c):
			v = v<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}
