package eval

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of this package, for errors.Is. What a System returns is wrapped
// and is neither.
var (
	ErrData   = errors.New("bad evaluation data") // every *DataError is one
	ErrOption = errors.New("bad option")          // a mode, number or dataset name that cannot be used
)

// DataError is a dataset that cannot be used: where, which field, and why. It
// carries no text of the documents.
type DataError struct {
	File   string // slash-separated, below the folder that was loaded
	Line   int    // from 1; 0 when the error is about the whole file
	Field  string // as the format spells it, empty when it is about the line
	Reason string
	Limit  int64 // the limit that was broken, 0 when there is none
	Cause  error // nil when there is none
}

// Error implements error: "file:line: field: reason".
func (e *DataError) Error() string {
	s := e.File
	if e.Line > 0 {
		s += ":" + strconv.Itoa(e.Line)
	}
	if e.Field != "" {
		s += ": " + e.Field
	}
	return s + ": " + e.Reason
}

// Is reports whether target is ErrData.
func (e *DataError) Is(target error) bool { return target == ErrData }

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Cause }

// place is a line of a file that is being read.
type place struct {
	file string
	line int
}

func (p place) bad(field, format string, args ...any) error {
	return &DataError{File: p.file, Line: p.line, Field: field, Reason: fmt.Sprintf(format, args...)}
}

func (p place) tooLarge(field string, got, limit int64) error {
	return &DataError{File: p.file, Line: p.line, Field: field, Limit: limit,
		Reason: fmt.Sprintf("%d is over the limit of %d", got, limit)}
}

func (p place) unreadable(err error) error {
	return &DataError{File: p.file, Line: p.line, Reason: "cannot be read: " + err.Error(), Cause: err}
}
