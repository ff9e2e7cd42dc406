package uri

import (
	"iter"
	"strings"
)

// URI is the name of a document or a place of a brain; the zero value is no
// name. Compare by [URI.Key]: == also tells apart two spellings of one name.
// A URI is an immutable value, safe for concurrent use.
type URI struct {
	text string // as given, scheme in lower case
	key  string // NFC of text; shares its bytes when text is NFC already
}

const separator = "://"

// String returns the name as it was given, with the scheme in lower case; ""
// for the zero value. Parse(u.String()) is u.
func (u URI) String() string { return u.text }

// Key returns the NFC form of the name: what equality, order and stores use.
// Parse accepts it, and its key is itself. It costs nothing.
func (u URI) Key() string { return u.key }

// IsZero reports whether u is no name.
func (u URI) IsZero() bool { return u.text == "" }

// Scheme returns the part before "://", in lower case.
func (u URI) Scheme() string {
	s, _, _ := strings.Cut(u.text, separator)
	return s
}

// Source returns the slug of the source that the name belongs to, which is its
// scheme.
func (u URI) Source() string { return u.Scheme() }

// Domain returns the NFC form of the first segment of a brain:// name, and ""
// for a name of another scheme.
func (u URI) Domain() string {
	scheme, path, _ := strings.Cut(u.key, separator)
	if scheme != "brain" {
		return ""
	}
	first, _, _ := strings.Cut(path, "/")
	return first
}

// Segments yields the segments from left to right, as they were given; none
// for the zero value.
func (u URI) Segments() iter.Seq[string] {
	return func(yield func(string) bool) {
		_, path, ok := strings.Cut(u.text, separator)
		for more := ok; more; {
			var seg string
			seg, path, more = strings.Cut(path, "/")
			if !yield(seg) {
				return
			}
		}
	}
}

// Under reports whether u is p or lies below it, segment by segment, by key.
// Nothing lies under the zero value. It costs one prefix comparison.
func (u URI) Under(p URI) bool {
	if p.key == "" || !strings.HasPrefix(u.key, p.key) {
		return false
	}
	return len(u.key) == len(p.key) || u.key[len(p.key)] == '/'
}

// Join returns the name of segments below u. Each element is exactly one
// segment: one that holds a slash is refused, so that a name taken from
// elsewhere cannot change the structure. The error is as of [Parse].
func (u URI) Join(segments ...string) (URI, error) {
	if u.IsZero() {
		return URI{}, refuse("no name to join to")
	}
	n := len(u.text)
	for i, s := range segments {
		if strings.Contains(s, "/") {
			return URI{}, refuse("joined segment %d holds a slash", i+1)
		}
		if n += 1 + len(s); n > MaxBytes {
			return URI{}, tooLarge(int64(n), MaxBytes, "bytes")
		}
	}
	return Parse(strings.Join(append([]string{u.text}, segments...), "/"))
}

// Title returns the last segment for display, without a file extension: a dot
// and one to five ASCII letters or digits of which one is a letter, after at
// least one other character. "2026.11" and ".env" have none.
func (u URI) Title() string {
	last := u.text[strings.LastIndexByte(u.text, '/')+1:]
	dot := strings.LastIndexByte(last, '.')
	if dot < 1 || !isExtension(last[dot+1:]) {
		return last
	}
	return last[:dot]
}

func isExtension(s string) bool {
	letters := false
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c):
			letters = true
		case !isDigit(c):
			return false
		}
	}
	return letters && len(s) <= 5
}

// MarshalText implements encoding.TextMarshaler by [URI.String].
func (u URI) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// UnmarshalText implements encoding.TextUnmarshaler by [Parse]; empty text is
// the zero value.
func (u *URI) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*u = URI{}
		return nil
	}
	v, err := Parse(string(text))
	if err != nil {
		return err
	}
	*u = v
	return nil
}
