package uri

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Pattern is a set of names of one scheme: what the rules of a policy are
// written in. The zero value matches nothing. A Pattern is an immutable value,
// safe for concurrent use.
type Pattern struct {
	scheme string
	segs   []Segment // without the final **
	deep   bool      // ends in **
}

// Segment is one step of a [Pattern]: a literal in NFC, or any one segment.
type Segment struct {
	Literal string // "" when Any
	Any     bool   // "*"
}

// ParsePattern returns the pattern that s spells: a name whose segments may be
//
//   - exactly one segment, whatever it is
//     **  any number of segments, also none; only as the last segment
//
// so that docs/* is the children of docs and docs/** is docs and all below it.
// A star is a whole segment: "*.md" is refused rather than read as a literal.
// A star that belongs to a name is written \*. The scheme is always named;
// a wildcard there is refused. Literals obey the rules of [Parse]. The error is
// an *invalid.Error of field "pattern".
//
// Rejected: ** in the middle and stars inside a segment. Without them a rule is
// a prefix or a path, any two patterns that match one name are ordered by
// [Pattern.Specificity], and no pattern takes more than linear time.
func ParsePattern(s string) (Pattern, error) {
	if len(s) > 2*MaxBytes {
		return Pattern{}, &invalid.Error{Field: "pattern", Reason: "too long", Limit: 2 * MaxBytes, Cause: ErrInvalid}
	}
	scheme, path, ok := strings.Cut(s, separator)
	if !ok {
		return Pattern{}, refusePattern("no scheme: want SCHEME://SEGMENT…")
	}
	if strings.Contains(scheme, "*") {
		return Pattern{}, refusePattern("wildcard in the scheme: name the scheme")
	}
	parts := strings.Split(path, "/")
	p := Pattern{deep: parts[len(parts)-1] == "**"}
	if p.deep {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > MaxDepth {
		return Pattern{}, &invalid.Error{Field: "pattern", Reason: "too many segments", Limit: MaxDepth, Cause: ErrInvalid}
	}
	// The literals are checked and folded as one name, with a letter in place
	// of each wildcard.
	p.segs = make([]Segment, len(parts))
	name := slices.Clone(parts)
	for i, part := range parts {
		switch {
		case part == "*":
			p.segs[i].Any, name[i] = true, "x"
		case part == "**":
			return Pattern{}, refusePattern("** before the last segment")
		default:
			lit := strings.ReplaceAll(part, `\*`, "")
			if strings.Contains(lit, "*") {
				return Pattern{}, refusePattern(`a star inside a segment: write \* for the character`)
			}
			name[i] = strings.ReplaceAll(part, `\*`, "*")
		}
	}
	if len(name) == 0 {
		name = append(name, "x")
	}
	u, err := Parse(scheme + separator + strings.Join(name, "/"))
	if err != nil {
		var bad *invalid.Error
		if errors.As(err, &bad) {
			return Pattern{}, &invalid.Error{Field: "pattern", Reason: bad.Reason, Limit: bad.Limit, Cause: ErrInvalid}
		}
		return Pattern{}, refusePattern(err.Error())
	}
	scheme, path, _ = strings.Cut(u.key, separator)
	p.scheme = scheme
	for i, seg := range strings.Split(path, "/") {
		if i < len(p.segs) && !p.segs[i].Any {
			p.segs[i].Literal = seg
		}
	}
	return p, nil
}

// Match reports whether the pattern holds for u, by key, in time linear in
// len(u.Key()).
func (p Pattern) Match(u URI) bool {
	scheme, path, more := strings.Cut(u.key, separator)
	if !more || scheme != p.scheme {
		return false
	}
	for _, want := range p.segs {
		if !more {
			return false
		}
		var seg string
		seg, path, more = strings.Cut(path, "/")
		if !want.Any && seg != want.Literal {
			return false
		}
	}
	return p.deep || !more
}

// String returns the canonical spelling: scheme in lower case, literals in NFC.
// ParsePattern(p.String()) equals p.
func (p Pattern) String() string {
	if p.scheme == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(p.scheme)
	b.WriteString("://")
	for i, seg := range p.segs {
		if i > 0 {
			b.WriteByte('/')
		}
		if seg.Any {
			b.WriteByte('*')
		} else {
			b.WriteString(strings.ReplaceAll(seg.Literal, "*", `\*`))
		}
	}
	if p.deep {
		if len(p.segs) > 0 {
			b.WriteByte('/')
		}
		b.WriteString("**")
	}
	return b.String()
}

// Scheme returns the scheme that the pattern names.
func (p Pattern) Scheme() string { return p.scheme }

// Steps returns a copy of the segments before a final **, and whether there is
// one: what an index of patterns is built from.
func (p Pattern) Steps() (segs []Segment, deep bool) { return slices.Clone(p.segs), p.deep }

// Specificity returns a text that orders patterns: the larger one, compared as
// strings, is the more specific. Patterns are compared segment by segment from
// the left; a literal is more specific than *, * than the end of the pattern,
// and that than **. Of two patterns that match the same name, equal
// specificity means the same pattern.
func (p Pattern) Specificity() string {
	b := make([]byte, 0, len(p.segs)+1)
	for _, seg := range p.segs {
		if seg.Any {
			b = append(b, '2')
		} else {
			b = append(b, '3')
		}
	}
	if p.deep {
		return string(append(b, '0'))
	}
	return string(append(b, '1'))
}

func refusePattern(reason string) error {
	return &invalid.Error{Field: "pattern", Reason: reason, Cause: ErrInvalid}
}
