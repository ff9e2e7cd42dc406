package audit

const upperHex = "0123456789ABCDEF"

// plain reports whether c stands for itself in escaped text.
func plain(c byte) bool { return c > 0x20 && c < 0x7f && c != '%' }

// appendEscaped appends s with every byte that is not plain as %XX.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; plain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

// unescape undoes appendEscaped. It also takes escapes that appendEscaped would
// not have written; the caller compares.
func unescape(v []byte) (string, bool) {
	s := make([]byte, 0, len(v))
	for i := 0; i < len(v); i++ {
		c := v[i]
		if c == '%' {
			if i+2 >= len(v) {
				return "", false
			}
			hi, ok1 := unhex(v[i+1])
			lo, ok2 := unhex(v[i+2])
			if !ok1 || !ok2 {
				return "", false
			}
			c = hi<<4 | lo
			i += 2
		}
		s = append(s, c)
	}
	return string(s), true
}

func unhex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
