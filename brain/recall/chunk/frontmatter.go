package chunk

import (
	"bytes"
	"time"
)

// MaxFrontMatter is the largest front matter that is read, in bytes between its
// marker lines. A longer one is text.
const MaxFrontMatter = 64 << 10

// FrontMatter is the metadata block at the start of a Markdown body, typed where
// the key is one that recall knows. Keys are compared without case, blanks, '-'
// and '_', so valid_from, validFrom and "Valid from" are one; of several keys of
// one field the first in the lists below that has a usable value counts. The
// zero value is no front matter.
type FrontMatter struct {
	Title   string   // title
	Tags    []string // tags, tag, keywords: a list, a comma string or one value; without '#', each once
	Aliases []string // aliases, alias
	Lang    string   // lang, language, locale
	Kind    string   // kind, type
	Owner   string   // owner
	Source  string   // source
	URL     string   // url, source_url, link

	Created time.Time // created, created_at, date_created
	Updated time.Time // updated, updated_at, modified, last_modified, lastmod, date_modified
	Date    time.Time // date

	// ValidFrom and ValidUntil bound the valid time [ValidFrom, ValidUntil). A
	// date without a time of day is its midnight in UTC, in both: two notes that
	// follow each other on a day do not overlap.
	ValidFrom  time.Time // valid_from, effective_from, effective, effective_date
	ValidUntil time.Time // valid_until, valid_to, effective_until, effective_to, expires, expires_at, expiry

	// Meta holds every key as written, the typed ones included, as plain values:
	// nil, bool, int64, float64, string, []any, map[string]any. Dates are
	// strings. nil when there is none.
	Meta map[string]any
}

// readFrontMatter reads the front matter that starts at offset start of a body
// and returns the offset of the content. Without front matter that is start.
func readFrontMatter(body []byte, start int) (int, FrontMatter, []Warning) {
	block, content, closed := cutFrontMatter(body, start)
	if !closed {
		if bytes.IndexByte(block, ':') >= 0 && keyLine.Match(block) {
			return start, FrontMatter{}, []Warning{{FrontMatterUnclosed, start, ""}}
		}
		return start, FrontMatter{}, nil
	}
	f, warnings, ok := parseFrontMatter(block)
	if !ok {
		return start, FrontMatter{}, nil
	}
	for i := range warnings {
		warnings[i].Offset = start
	}
	return content, f, warnings
}

// cutFrontMatter finds the lines between `---` at start and the next line `---`
// or `...`. Lines may end in LF, CRLF or CR. Where no line closes it, block is
// what was looked at; nil when the body does not open with a marker line.
func cutFrontMatter(body []byte, start int) (block []byte, content int, closed bool) {
	line, pos := nextLine(body, start)
	if !isMarker(line, "---") {
		return nil, start, false
	}
	first := pos
	for pos < len(body) && pos-first <= MaxFrontMatter {
		line, next := nextLine(body[:min(len(body), first+MaxFrontMatter+8)], pos)
		if isMarker(line, "---") || isMarker(line, "...") {
			return body[first:pos], next, true
		}
		pos = next
	}
	return body[first:min(pos, len(body), first+MaxFrontMatter)], start, false
}

// isMarker reports whether a line is the marker and nothing but blanks after it.
func isMarker(line []byte, marker string) bool {
	return bytes.HasPrefix(line, []byte(marker)) && len(trim(line[len(marker):])) == 0
}

// nextLine returns the line at pos without its end, and where the next starts.
func nextLine(body []byte, pos int) ([]byte, int) {
	i := bytes.IndexAny(body[pos:], "\r\n")
	if i < 0 {
		return body[pos:], len(body)
	}
	end := pos + i
	if body[end] == '\r' && end+1 < len(body) && body[end+1] == '\n' {
		return body[pos:end], end + 2
	}
	return body[pos:end], end + 1
}
