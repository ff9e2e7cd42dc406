// Package invalid is the one error type for bad input: which field, what is
// wrong with it, and which limit it broke. Every package of the module returns
// it; the facade copies Field and Limit into its own error. It carries no
// content of the input beyond what the reason says.
package invalid

import (
	"errors"
	"fmt"
)

// Err is what every Error is, for errors.Is.
var Err = errors.New("invalid input")

// Error is one refused value. It is immutable and safe for concurrent use.
type Error struct {
	Field  string // name of the argument as the caller spells it
	Reason string // lower case, names the value where that is harmless
	Limit  int64  // the limit that was broken, 0 when there is none
	Cause  error  // a more specific sentinel, nil when there is none
}

// New returns an Error for field with a formatted reason and no limit.
func New(field, format string, args ...any) *Error {
	return &Error{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// TooLarge returns an Error for a field whose size or value is got where limit
// is the most that is taken.
func TooLarge(field string, got, limit int64) *Error {
	return &Error{Field: field, Reason: fmt.Sprintf("%d is over the limit of %d", got, limit), Limit: limit}
}

// Error implements error: "field: reason".
func (e *Error) Error() string { return e.Field + ": " + e.Reason }

// Is reports whether target is Err.
func (e *Error) Is(target error) bool { return target == Err }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
