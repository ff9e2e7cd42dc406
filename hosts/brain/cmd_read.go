package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type getCmd struct {
	URI      uri.URI `arg:"" name:"uri" help:"The document."`
	Revision uint64  `short:"r" placeholder:"N" help:"An older revision. Default: the live one."`
}

func (c *getCmd) Help() string {
	return `Writes exactly the stored bytes; on a terminal, control and invisible characters appear as escapes.

Examples:
  brain get notes://projects/x.md
  brain get notes://projects/x.md -r 2 > old.md`
}

func (c *getCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		doc, err := s.Get(a.ctx, c.URI, c.Revision)
		if err != nil {
			return err
		}
		return a.emit(contentOf(doc), func(p *page) {
			text := string(doc.Body)
			if a.tty.out {
				text = strings.TrimSuffix(term.Block(text), "\n") + "\n"
			}
			p.printf("%s", text)
		})
	})
}

// content is a document as --json writes it: a line that brain add takes back.
type content struct {
	brain.Revision
	Text string `json:"text,omitempty"` // UTF-8 content
	Body []byte `json:"body,omitempty"` // other content, in base64
}

func contentOf(doc brain.Document) content {
	if utf8.Valid(doc.Body) {
		return content{Revision: doc.Revision, Text: string(doc.Body)}
	}
	return content{Revision: doc.Revision, Body: doc.Body}
}

type listCmd struct {
	Prefix string   `arg:"" optional:"" help:"Only URIs that begin so, such as brain://sales/."`
	Kind   []string `help:"Only this kind; may be repeated, any counts."`
	Tag    []string `help:"Only with this tag; may be repeated, all count."`
	Owner  string   `help:"Only of this owner."`
	Limit  int      `short:"n" default:"100" placeholder:"N" help:"Documents in a page. Default: 100."`
	Cursor string   `placeholder:"C" help:"Go on where the page before ended."`
	All    bool     `help:"All pages; with --json one page a line."`
}

func (c *listCmd) Help() string {
	return `Examples:
  brain list
  brain list notes://projects/ --tag open --all`
}

func (c *listCmd) Run(a *app) error {
	q := brain.ListQuery{Prefix: c.Prefix, Kinds: c.Kind, Tags: c.Tag, Owner: c.Owner, Limit: c.Limit, Cursor: c.Cursor}
	return a.with(func(s *brain.Session) error {
		for {
			page, err := s.List(a.ctx, q)
			if err != nil {
				return err
			}
			if err := c.emit(a, page, q.Cursor == ""); err != nil {
				return err
			}
			if q.Cursor = page.Next; !c.All || page.Next == "" {
				return nil
			}
		}
	})
}

func (c *listCmd) emit(a *app, page brain.Page, first bool) error {
	if err := a.emit(page, documents(page.Documents)); err != nil {
		return err
	}
	switch {
	case len(page.Documents) == 0 && first:
		a.note("No documents.")
	case page.Next != "" && !c.All:
		a.note("More: --cursor %s, or --all", term.Line(page.Next))
	}
	return nil
}

// documents writes one line for each document.
func documents(revs []brain.Revision) func(*page) {
	return func(p *page) {
		var rows [][]string
		for _, r := range revs {
			rows = append(rows, []string{p.Dim(instant(r.Time)), fmt.Sprintf("r%d", r.N), term.Line(r.Kind), p.Name(term.Line(r.URI.String())), term.Line(r.Title)})
		}
		p.table(rows)
	}
}

type historyCmd struct {
	URI uri.URI `arg:"" name:"uri" help:"The document."`
}

func (c *historyCmd) Help() string {
	return `Example:
  brain history notes://projects/x.md`
}

func (c *historyCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		revs, err := s.History(a.ctx, c.URI)
		if err != nil {
			return err
		}
		return a.emit(revs, revisions(revs))
	})
}

// revisions writes one line for each revision and what became of it.
func revisions(revs []brain.Revision) func(*page) {
	return func(p *page) {
		var rows [][]string
		for _, r := range revs {
			rows = append(rows, []string{
				fmt.Sprintf("r%d", r.N), p.Dim(instant(r.Time)), fmt.Sprintf("seq %d", r.Seq),
				r.Digest.String()[:16], bytesText(int64(r.Size)), term.Line(r.Actor), fate(p, r),
			})
		}
		p.table(rows)
	}
}

// fate says what became of a revision.
func fate(p *page, r brain.Revision) string {
	switch {
	case r.Live():
		return p.Good("live")
	case r.Reason != "":
		return fmt.Sprintf("retired at seq %d: %s", r.Retired, term.Line(r.Reason))
	}
	return fmt.Sprintf("retired at seq %d", r.Retired)
}
