package eval

import (
	"bufio"
	"bytes"
	"errors"
	iofs "io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachLine calls fn for every line of the file that is not blank, without its
// line end (LF or CRLF) and without the byte order mark that some editors put
// first. line is valid until fn returns. It keeps one line in memory, at most
// MaxLine bytes, and stops at the first error.
func eachLine(fsys iofs.FS, name string, fn func(at place, line []byte) error) error {
	f, err := fsys.Open(name)
	if err != nil {
		return place{file: name}.unreadable(err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, MaxLine)
	at := place{file: name}
	for sc.Scan() {
		at.line++
		line := sc.Bytes()
		if at.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return at.bad("", "is not valid UTF-8")
		}
		if err := fn(at, line); err != nil {
			return err
		}
	}
	at.line++
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &DataError{File: name, Line: at.line, Limit: MaxLine, Cause: err,
			Reason: "line is longer than the limit of 32 MiB"}
	case err != nil:
		return at.unreadable(err)
	}
	return nil
}

// checkID refuses what cannot be an id: nothing, too much, or a character that
// would break a line or a column of qrels.tsv.
func checkID(at place, field, id string) error {
	switch {
	case id == "":
		return at.bad(field, "is empty")
	case len(id) > MaxID:
		return at.tooLarge(field, int64(len(id)), MaxID)
	case strings.IndexFunc(id, unicode.IsControl) >= 0:
		return at.bad(field, "contains a control character")
	}
	return nil
}

// checkLabel is checkID for a value that may be absent.
func checkLabel(at place, field, v string) error {
	if v == "" {
		return nil
	}
	return checkID(at, field, v)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
