package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Read yields every document, or a *Problem where there is none, in the order
// of the arguments; problems of the plan come first. One document is in memory
// at a time.
func (p *Plan) Read(stdin io.Reader) iter.Seq2[Item, *Problem] {
	return func(yield func(Item, *Problem) bool) {
		for _, pr := range p.problems {
			if !yield(Item{}, pr) {
				return
			}
		}
		for _, s := range p.sources {
			if !p.read(s, stdin, yield) {
				return
			}
		}
	}
}

// read yields what is in one source and reports whether to go on.
func (p *Plan) read(s source, stdin io.Reader, yield func(Item, *Problem) bool) bool {
	r := stdin
	if s.root != nil {
		f, err := open(s.root, s.rel)
		if err != nil {
			return yield(Item{}, &Problem{Place: s.place, Bytes: s.size, Err: bare(err)})
		}
		defer f.Close()
		r = f
	}
	if s.lines {
		return p.readLines(s, r, yield)
	}
	item, problem := p.readDocument(s, r)
	return yield(item, problem)
}

// errChanged is a file that became something else between look and open.
var errChanged = errors.New("changed into another kind of file while it was read")

// open opens a regular file. It does not wait for the other end of a pipe that
// took the place of the file meanwhile.
func open(root *os.Root, rel string) (*os.File, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(errChanged, err)
	}
	return f, nil
}

func (p *Plan) readDocument(s source, r io.Reader) (Item, *Problem) {
	body, err := io.ReadAll(io.LimitReader(r, p.o.MaxBytes+1))
	fail := func(err error) (Item, *Problem) {
		return Item{}, &Problem{Place: s.place, Bytes: s.size, Err: err}
	}
	switch {
	case err != nil:
		return fail(bare(err))
	case int64(len(body)) > p.o.MaxBytes:
		return fail(fmt.Errorf("is over the limit of %d bytes for a document", p.o.MaxBytes))
	case len(body) == 0:
		return Item{}, &Problem{Place: s.place, Skipped: true, Err: errors.New("is empty")}
	}
	if why := notText(body); why != "" {
		return fail(errors.New(why))
	}
	d := brain.Draft{Body: body, URI: p.o.Draft.URI, MediaType: mediaType(s)}
	if d.URI.IsZero() && s.root != nil {
		if d.URI, err = p.o.uri(s.name); err != nil {
			return fail(err)
		}
	}
	p.complete(&d)
	return Item{Place: s.place, Draft: d, Bytes: int64(len(body))}, nil
}

// complete fills the fields of d that the input left empty.
func (p *Plan) complete(d *brain.Draft) {
	t := p.o.Draft
	d.Title = first(d.Title, t.Title)
	d.Kind = first(d.Kind, t.Kind)
	d.Owner = first(d.Owner, t.Owner)
	d.Lang = first(d.Lang, t.Lang)
	d.Tags = append(append([]string(nil), d.Tags...), t.Tags...)
	if t.MediaType != "" {
		d.MediaType = t.MediaType
	}
	if d.ValidFrom.IsZero() {
		d.ValidFrom = t.ValidFrom
	}
	if d.ValidTo.IsZero() {
		d.ValidTo = t.ValidTo
	}
	if d.Expires.IsZero() {
		d.Expires = t.Expires
	}
	d.Base = t.Base
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// mediaType goes by the extension; standard input is Markdown.
func mediaType(s source) string {
	switch strings.ToLower(path.Ext(s.rel)) {
	case "", ".md", ".markdown":
		return document.Markdown
	}
	return document.Plain
}

// notText says why body cannot be text, "" when it can.
func notText(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return "is UTF-16 text; save it as UTF-8"
	case bytes.IndexByte(body, 0) >= 0:
		return "is a binary file: it holds NUL bytes"
	case !utf8.Valid(body):
		return "is not UTF-8 text"
	}
	return ""
}

// parseURI is uri.Parse for a field that may be empty.
func parseURI(s string) (uri.URI, error) {
	if s == "" {
		return uri.URI{}, nil
	}
	return uri.Parse(s)
}
