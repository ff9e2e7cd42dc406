package chunk

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// check returns what is wrong with the chunks of a body, nil when they keep
// every promise of the package: in order, apart, within the cap, within the
// body, texts made of their spans, and no content lost.
func check(in Input, o *Options, d Document) error {
	lim, err := o.limits()
	if err != nil {
		return err
	}
	s := reparse(in, lim, d.Content)
	if err := s.wholeFences(d); err != nil {
		return err
	}
	at := d.Content
	for i, c := range d.Chunks {
		switch {
		case c.N != uint32(i):
			return fmt.Errorf("chunk %d has number %d", i, c.N)
		case c.Start < at || c.End <= c.Start || c.End > len(in.Body):
			return fmt.Errorf("chunk %d spans [%d,%d) after %d of %d bytes", i, c.Start, c.End, at, len(in.Body))
		case !utf8.ValidString(c.Text):
			return fmt.Errorf("chunk %d: text is not UTF-8", i)
		case strings.TrimSpace(c.Text) == "":
			return fmt.Errorf("chunk %d is empty", i)
		case utf8.RuneCountInString(c.Text) > lim.max:
			return fmt.Errorf("chunk %d has %d characters, over %d", i, utf8.RuneCountInString(c.Text), lim.max)
		}
		if lost := s.content(in.Body, d.Content, at, c.Start); lost != "" {
			return fmt.Errorf("lost before chunk %d: %.80q", i, lost)
		}
		own := s.keep(nil, span{c.Start - d.Content, c.End - d.Content})
		own = bytes.ToValidUTF8(bytes.TrimRight(own, asciiSpace), []byte("\ufffd"))
		if !strings.HasSuffix(c.Text, string(own)) {
			return fmt.Errorf("chunk %d: text %.80q does not end in its span %.80q", i, c.Text, own)
		}
		if extra := strings.TrimSuffix(c.Text, string(own)); extra != "" && !strings.Contains(extra, "-") {
			return fmt.Errorf("chunk %d: text has %.80q before its span", i, extra)
		}
		for _, h := range append([]string{c.Breadcrumb}, c.Headings...) {
			if !utf8.ValidString(h) || len(h) > 6*(maxLabel+8) {
				return fmt.Errorf("chunk %d: label %.80q", i, h)
			}
		}
		at = c.End
	}
	if lost := s.content(in.Body, d.Content, at, len(in.Body)); lost != "" {
		return fmt.Errorf("lost at the end: %.80q", lost)
	}
	return nil
}

// reparse returns a splitter that knows the holes of a body.
func reparse(in Input, lim limits, content int) *splitter {
	s := &splitter{raw: in.Body[content:], lim: lim}
	s.src = unixLines(s.raw)
	markdown, _ := isMarkdown(in.MediaType)
	s.parse(markdown)
	s.strip(markdown)
	return s
}

// content returns what is neither white space nor stripped in body[from:to).
func (s *splitter) content(body []byte, base, from, to int) string {
	if from >= to {
		return ""
	}
	kept := s.keep(nil, span{from - base, to - base})
	return string(bytes.TrimFunc(kept, unicode.IsSpace))
}

// wholeFences returns an error when a chunk starts or ends inside a code block
// that is not over the cap.
func (s *splitter) wholeFences(d Document) error {
	var fences []span
	for _, b := range s.blocks {
		leaves(s.src, b, func(l block) {
			if at, chars := s.measure(l.start, l.end); l.kind == code && chars <= s.lim.max && !at.empty() {
				fences = append(fences, at)
			}
		})
	}
	f := 0
	for i, c := range d.Chunks {
		for _, edge := range []int{c.Start - d.Content, c.End - d.Content} {
			for f < len(fences) && fences[f].end <= edge {
				f++
			}
			if f < len(fences) && fences[f].start < edge {
				return fmt.Errorf("chunk %d has an edge at %d inside a code block of %v", i, edge, fences[f])
			}
		}
	}
	return nil
}
