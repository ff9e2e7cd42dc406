package document

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// CheckText checks one line of display text: at most limit bytes of valid UTF-8
// without control characters.
func CheckText(field, s string, limit int) error {
	return check(field, s, limit, "")
}

// CheckProse checks text of several lines: as CheckText, but line feeds and
// tabs are allowed.
func CheckProse(field, s string, limit int) error {
	return check(field, s, limit, "\n\t")
}

func check(field, s string, limit int, allowed string) error {
	if len(s) > limit {
		return invalid.TooLarge(field, int64(len(s)), int64(limit))
	}
	if !utf8.ValidString(s) {
		return invalid.New(field, "is not valid UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) {
			return invalid.New(field, "holds the control character %U", r)
		}
	}
	return nil
}

// word checks a lower-case name; empty is allowed.
func word(field, s string, limit int) error {
	if len(s) > limit {
		return invalid.TooLarge(field, int64(len(s)), int64(limit))
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' {
			return invalid.New(field, "%q may hold lower-case letters, digits, - and _ only", clip(s))
		}
	}
	return nil
}

// set returns values sorted and without repeats, each checked as text.
func set(field string, values []string, limit int) ([]string, error) {
	out := make([]string, 0, len(values))
	for _, v := range values {
		if v == "" {
			return nil, invalid.New(field, "holds an empty value")
		}
		if err := CheckText(field, v, limit); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// The years that a record can hold: microseconds of the common era, so that
// every stored instant prints as RFC 3339.
var minTime, maxTime = time.Date(1, 1, 1, 0, 0, 0, 1000, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// instant checks a time that goes into a record; zero means none.
func instant(field string, t time.Time) error {
	if !t.IsZero() && (t.Before(minTime) || t.After(maxTime)) {
		return invalid.New(field, "is not between the years 1 and 9999")
	}
	return nil
}

// clip shortens a value for an error message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
