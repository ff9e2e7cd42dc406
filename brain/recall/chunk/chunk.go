package chunk

import (
	"bytes"
	"mime"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// MaxBody is the largest body that Split takes, in bytes.
const MaxBody = 64 << 20

// Input is one document. Split reads Body and keeps no reference to it.
type Input struct {
	Body []byte // the revision's bytes, in any encoding; UTF-8 is expected

	// MediaType is text/markdown (the default, also text/x-markdown) or any
	// other text/ type, which is read as plain text. Parameters are ignored.
	MediaType string
}

// Chunk is one indexed piece of a document.
type Chunk struct {
	N          uint32   // position among the document's chunks, from 0
	Start, End int      // byte span [Start, End) in the body
	Breadcrumb string   // common heading path, "A › B"; empty at the top
	Headings   []string // headings above the chunk, outermost first, then those inside it, in order

	// Text is what is indexed: the span without what hygiene strips, with the
	// table header repeated where the span continues a table. Valid UTF-8:
	// runs of invalid bytes read as U+FFFD.
	Text string

	Entry *Entry // the memory entry the chunk belongs to, nil outside of entries
}

// Entry is the parsed heading of one memory entry.
type Entry struct {
	Labels  []string  // texts of the leading brackets, never empty
	Subject string    // heading text after the brackets
	Time    time.Time // first label that is a date, UTC where it names no zone; else zero
}

// Document is what Split made of a body.
type Document struct {
	Front    FrontMatter
	Title    string // Front.Title, else the first level-1 heading, else empty
	Content  int    // offset of the first byte after byte order mark and front matter
	Chunks   []Chunk
	Warnings []Warning
}

// Split cuts a document into chunks. nil options mean the defaults.
//
// Errors are *invalid.Error with the field body, media_type, chunks, or the name
// of an option; nothing in the bytes of a body below the limits is an error.
// Oddities that lose structure but not content come back as warnings.
//
// Cost: linear in the body; some 30 µs for a note of 1.5 KB, a third of it for
// YAML, and some 5 µs for one without structure. Text is a copy.
func Split(in Input, o *Options) (Document, error) {
	lim, err := o.limits()
	if err != nil {
		return Document{}, err
	}
	if len(in.Body) > MaxBody {
		return Document{}, invalid.TooLarge("body", int64(len(in.Body)), MaxBody)
	}
	markdown, err := isMarkdown(in.MediaType)
	if err != nil {
		return Document{}, err
	}
	var d Document
	if bytes.HasPrefix(in.Body, []byte(bom)) {
		d.Content = len(bom)
	}
	if markdown {
		d.Content, d.Front, d.Warnings = readFrontMatter(in.Body, d.Content)
	}
	s := &splitter{
		raw: in.Body[d.Content:],
		lim: lim,
	}
	if err := s.run(markdown); err != nil {
		return Document{}, err
	}
	d.Chunks = s.chunks
	for i := range d.Chunks {
		d.Chunks[i].Start += d.Content
		d.Chunks[i].End += d.Content
	}
	for _, w := range s.warnings {
		if w.Offset >= 0 {
			w.Offset += d.Content
		}
		d.Warnings = append(d.Warnings, w)
	}
	if d.Title = d.Front.Title; d.Title == "" {
		d.Title = s.title
	}
	return d, nil
}

// bom is the byte order mark in UTF-8.
const bom = "\xef\xbb\xbf"

func isMarkdown(mediaType string) (bool, error) {
	if mediaType == "" {
		return true, nil
	}
	base, _, err := mime.ParseMediaType(mediaType)
	if err != nil && base == "" {
		return false, invalid.New("media_type", "cannot be parsed")
	}
	switch {
	case base == "text/markdown" || base == "text/x-markdown":
		return true, nil
	case strings.HasPrefix(base, "text/"):
		return false, nil
	}
	return false, invalid.New("media_type", "%.64q is not a text type", base)
}
