package main

import (
	"errors"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type addCmd struct {
	Paths []string `arg:"" name:"path" help:"Files, folders, .jsonl files, or - for standard input."`

	Source string   `group:"name" default:"notes" placeholder:"SLUG" help:"Name documents SLUG://path. Default: notes."`
	Domain string   `group:"name" placeholder:"D" help:"Name documents brain://D/path instead."`
	Root   string   `group:"name" type:"path" placeholder:"DIR" help:"Folder where the paths in names begin. Default: the folder given."`
	URI    uri.URI  `group:"name" name:"uri" placeholder:"URI" help:"Name of the one document that is added."`
	Ext    []string `group:"read" placeholder:".EXT" help:"Take these files from folders, no others. Default: .md .markdown .txt."`
	JSONL  bool     `group:"read" name:"jsonl" help:"Standard input holds JSON lines."`
	Max    int64    `group:"read" name:"max-bytes" placeholder:"N" help:"Leave out larger documents."`
	draftFlags
}

// draftFlags describe a document beside its content.
type draftFlags struct {
	Title     string        `group:"doc" help:"Title, when the document gives none."`
	Kind      string        `group:"doc" help:"Kind, such as note or decision."`
	Tag       []string      `group:"doc" help:"A tag; may be repeated."`
	Owner     string        `group:"doc" help:"Owner. Default: the actor."`
	Lang      string        `group:"doc" help:"Language code, such as de."`
	MediaType string        `group:"doc" placeholder:"TYPE" help:"text/markdown or text/plain. Default: by extension."`
	ValidFrom input.Instant `group:"doc" placeholder:"TIME" help:"It holds from this time on."`
	ValidTo   input.Instant `group:"doc" placeholder:"TIME" help:"It no longer holds from this time on."`
	Expires   input.Instant `group:"doc" placeholder:"TIME" help:"Not recalled from this time on."`
}

func (f draftFlags) draft() brain.Draft {
	return brain.Draft{
		Title: f.Title, Kind: f.Kind, Tags: f.Tag, Owner: f.Owner, Lang: f.Lang, MediaType: f.MediaType,
		ValidFrom: f.ValidFrom.Time, ValidTo: f.ValidTo.Time, Expires: f.Expires.Time,
	}
}

func (c *addCmd) Help() string {
	return `A folder gives one document per file, named SOURCE://path/in/folder. Hidden files, symbolic links, pipes and
devices are left out. A JSON line is an object with id or uri, text or body, and optionally title, kind, tags, owner,
lang, media_type, valid_from, valid_to, expires. Adding the same bytes again is counted and changes nothing else.

A file or line that cannot be stored is reported with its place and the rest goes in; the exit code is then 1.

Examples:
  brain add ~/notes                            notes://projects/x.md …
  brain add ~/notes/projects/x.md --root ~/notes
  brain add docs --domain handbook --kind doc  brain://handbook/…
  brain add facts.jsonl --source crm
  echo "The gate code is 4711." | brain add - --uri brain://home/gate`
}

func (c *addCmd) Run(a *app) error {
	if c.Max < 0 {
		return usagef("--max-bytes: %d is negative", c.Max)
	}
	d := c.draft()
	d.URI = c.URI
	if !c.URI.IsZero() && len(c.Paths) > 1 {
		return usagef("--uri names one document, and there are %d arguments", len(c.Paths))
	}
	plan, err := input.NewPlan(c.Paths, input.Options{
		Source: c.Source, Domain: c.Domain, Root: c.Root, Extensions: c.Ext, MaxBytes: c.Max, Lines: c.JSONL, Draft: d,
	})
	if err != nil {
		return usageError{err}
	}
	defer plan.Close()
	return a.with(func(s *brain.Session) error {
		ad := &adder{ctx: a.ctx, session: s, bar: a.progress("storing", "document", "documents"), total: plan.Size()}
		ad.tell = func(place, what string) { a.tellAbove(ad.bar, place, what) }
		err := ad.all(plan.Read(a.in))
		ad.bar.stop()
		if eerr := a.emit(ad.report, ad.report.print); eerr != nil {
			err = errors.Join(err, eerr)
		}
		if err == nil && ad.report.Failed > 0 {
			err = negative("")
		}
		return err
	})
}

// tellAbove reports a place and what became of it, above a progress bar.
func (a *app) tellAbove(bar *progress, place, what string) {
	if !a.JSON {
		// A lost message is counted in the report all the same.
		_, _ = bar.Write([]byte(term.Line(place) + ": " + term.Line(what) + "\n"))
	}
}
