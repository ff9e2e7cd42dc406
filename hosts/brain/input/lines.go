package input

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/document"
)

// Record is one JSON line. Fields it does not name are ignored, so that public
// data sets go in as they are.
type Record struct {
	ID        ID       `json:"id"`  // last part of the URI
	URI       string   `json:"uri"` // whole URI, in place of id
	Title     string   `json:"title"`
	Text      string   `json:"text"` // content
	Body      string   `json:"body"` // content, in place of text
	MediaType string   `json:"media_type"`
	Kind      string   `json:"kind"`
	Tags      []string `json:"tags"`
	Owner     string   `json:"owner"`
	Lang      string   `json:"lang"`
	ValidFrom Instant  `json:"valid_from"`
	ValidTo   Instant  `json:"valid_to"`
	Expires   Instant  `json:"expires"`
}

// ID is a string or a number of a JSON line.
type ID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *ID) UnmarshalJSON(data []byte) error {
	var n json.Number
	if err := json.Unmarshal(data, &n); err == nil {
		*id = ID(n)
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New("id is not a string or a number")
	}
	*id = ID(s)
	return nil
}

// Instant is a point in time in user input: RFC 3339, or a date, which is its
// first moment in UTC. (It does not embed time.Time, whose own JSON reading would
// come first.)
type Instant struct{ Time time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *Instant) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" {
		*i = Instant{}
		return nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			*i = Instant{t.UTC()}
			return nil
		}
	}
	return fmt.Errorf("%.40q is not a time such as 2026-11-30 or 2026-11-30T08:00:00Z", s)
}

// maxLine bounds a line: JSON may write each byte of a document as \u0000.
const maxLine = 6*document.MaxBody + 64<<10

// readLines yields one item or problem for each line that is not blank.
func (p *Plan) readLines(s source, r io.Reader, yield func(Item, *Problem) bool) bool {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, size, err := readLine(br)
		place := fmt.Sprintf("%s:%d", s.place, n)
		switch {
		case err == io.EOF && size == 0:
			return true
		case err != nil && err != io.EOF:
			return yield(Item{}, failed(place, "%w", bare(err)))
		case size > maxLine:
			if !yield(Item{}, &Problem{Place: place, Bytes: size, Err: fmt.Errorf("line has %d bytes, over the limit of %d", size, maxLine)}) {
				return false
			}
			continue
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		d, derr := p.parseLine(line)
		if derr != nil {
			if !yield(Item{}, &Problem{Place: place, Bytes: size, Err: derr}) {
				return false
			}
			continue
		}
		if !yield(Item{Place: place, Draft: d, Bytes: size}, nil) {
			return false
		}
	}
}

// readLine returns a line and its size; of a line over the limit only the size.
// The error is io.EOF with the last line.
func readLine(br *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := br.ReadSlice('\n')
		size += int64(len(part))
		if size <= maxLine {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, size, err
		}
	}
}

func (p *Plan) parseLine(line []byte) (brain.Draft, error) {
	if !utf8.Valid(line) { // the decoder would put U+FFFD in its place
		return brain.Draft{}, errors.New("is not UTF-8 text")
	}
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return brain.Draft{}, jsonError(err)
	}
	d, err := r.draft(&p.o)
	if err != nil {
		return brain.Draft{}, err
	}
	p.complete(&d)
	return d, nil
}

// draft turns a record into a draft. Without id and uri the library names it.
func (r *Record) draft(o *Options) (brain.Draft, error) {
	d := brain.Draft{
		Title: strings.TrimSpace(r.Title), MediaType: first(r.MediaType, document.Markdown),
		Kind: r.Kind, Tags: r.Tags, Owner: r.Owner, Lang: r.Lang,
		ValidFrom: r.ValidFrom.Time, ValidTo: r.ValidTo.Time, Expires: r.Expires.Time,
	}
	switch {
	case r.Text != "" && r.Body != "":
		return d, errors.New(`has both "text" and "body"`)
	case r.Text == "" && r.Body == "":
		return d, errors.New(`has no "text" or "body"`)
	case r.ID != "" && r.URI != "":
		return d, errors.New(`has both "id" and "uri"`)
	}
	d.Body = []byte(r.Text + r.Body)
	if int64(len(d.Body)) > o.MaxBytes {
		return d, fmt.Errorf("content has %d bytes, over the limit of %d", len(d.Body), o.MaxBytes)
	}
	var err error
	if r.ID != "" {
		d.URI, err = o.uri(string(r.ID))
	} else {
		d.URI, err = parseURI(r.URI)
	}
	return d, err
}

// jsonError says what is wrong with a line, without its content.
func jsonError(err error) error {
	var te *json.UnmarshalTypeError
	var se *json.SyntaxError
	switch {
	case errors.As(err, &te) && te.Field == "":
		return fmt.Errorf("is a JSON %s, not an object", te.Value)
	case errors.As(err, &te):
		return fmt.Errorf("field %q is a JSON %s, which does not fit", te.Field, te.Value)
	case errors.As(err, &se):
		return fmt.Errorf("is not JSON: %w at byte %d", err, se.Offset)
	}
	return err
}
