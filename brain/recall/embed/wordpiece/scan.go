package wordpiece

import (
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// scanner reads just enough JSON to find one large object in a document and to
// walk it without making a string of every key: a tokenizer.json is mostly one
// object of tens of thousands of pairs. What it skips is checked by
// encoding/json afterwards.
type scanner struct {
	data []byte
	i    int
	buf  []byte // of the last string that had escapes
}

// maxDepth of nested values that are skipped.
const maxDepth = 64

func (s *scanner) fail(what string) error {
	return invalid.New("tokenizer.json", "byte %d: %s", s.i, what)
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for ; s.i < len(s.data); s.i++ {
		switch c := s.data[s.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) expect(c byte) error {
	if s.peek() != c {
		return s.fail("expected " + string(rune(c)))
	}
	s.i++
	return nil
}

// object calls pair with each key of an object; pair must read the value. The
// key is valid until the next string is read.
func (s *scanner) object(pair func(key []byte) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.i++
		return nil
	}
	for {
		key, err := s.text()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := pair(key); err != nil {
			return err
		}
		if s.peek() == '}' {
			s.i++
			return nil
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
}

// skip passes over one value. It follows brackets and strings only.
func (s *scanner) skip() error {
	for depth := 0; ; {
		switch c := s.peek(); c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return s.fail("nested too deeply")
			}
			s.i++
		case '}', ']':
			depth--
			s.i++
		case '"':
			if _, err := s.text(); err != nil {
				return err
			}
		case ',', ':':
			s.i++
		case 0:
			return s.fail("ends inside a value")
		default:
			for s.i < len(s.data) && !isDelimiter(s.data[s.i]) {
				s.i++
			}
		}
		if depth <= 0 {
			return nil
		}
	}
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ':', '{', '}', '[', ']', '"':
		return true
	}
	return false
}

// integer reads a number without sign, fraction or exponent.
func (s *scanner) integer() (int64, error) {
	s.peek()
	n, start := int64(0), s.i
	for ; s.i < len(s.data) && '0' <= s.data[s.i] && s.data[s.i] <= '9'; s.i++ {
		if s.i-start > 10 {
			return 0, s.fail("number too large")
		}
		n = n*10 + int64(s.data[s.i]-'0')
	}
	if s.i == start {
		return 0, s.fail("expected an id")
	}
	return n, nil
}

// text reads a string. The result is part of the data, or of s.buf when the
// string has escapes.
func (s *scanner) text() ([]byte, error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	start := s.i
	for ; s.i < len(s.data); s.i++ {
		switch c := s.data[s.i]; {
		case c == '"':
			s.i++
			return s.data[start : s.i-1], nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return nil, s.fail("control character in a string")
		}
	}
	return nil, s.fail("ends inside a string")
}

func (s *scanner) escaped(start int) ([]byte, error) {
	s.buf = append(s.buf[:0], s.data[start:s.i]...)
	for s.i < len(s.data) {
		c := s.data[s.i]
		s.i++
		switch {
		case c == '"':
			return s.buf, nil
		case c < ' ':
			return nil, s.fail("control character in a string")
		case c != '\\':
			s.buf = append(s.buf, c)
		default:
			if err := s.escape(); err != nil {
				return nil, err
			}
		}
	}
	return nil, s.fail("ends inside a string")
}

func (s *scanner) escape() error {
	if s.i == len(s.data) {
		return s.fail("ends inside a string")
	}
	c := s.data[s.i]
	s.i++
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r := s.hex()
		if utf16.IsSurrogate(r) && s.i+1 < len(s.data) && s.data[s.i] == '\\' && s.data[s.i+1] == 'u' {
			s.i += 2
			r = utf16.DecodeRune(r, s.hex())
		}
		if r < 0 {
			return s.fail("bad \\u escape")
		}
		s.buf = utf8.AppendRune(s.buf, r)
		return nil
	default:
		return s.fail("bad escape")
	}
	s.buf = append(s.buf, c)
	return nil
}

// hex reads four hexadecimal digits, -1 if they are not there.
func (s *scanner) hex() rune {
	if len(s.data)-s.i < 4 {
		return -1
	}
	var r rune
	for _, c := range s.data[s.i : s.i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	s.i += 4
	return r
}

// rest decodes the document without the bytes from lo to hi, which held an
// object, into v.
func (s *scanner) rest(lo, hi int, v any) error {
	small := make([]byte, 0, len(s.data)-(hi-lo)+2)
	small = append(append(append(small, s.data[:lo]...), "{}"...), s.data[hi:]...)
	if err := json.Unmarshal(small, v); err != nil {
		return &invalid.Error{Field: "tokenizer.json", Reason: err.Error(), Cause: err}
	}
	return nil
}
