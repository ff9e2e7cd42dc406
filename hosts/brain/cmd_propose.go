package main

import (
	"fmt"
	"os"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type proposeCmd struct {
	Path   string  `arg:"" optional:"" help:"File with the new content, or - for standard input."`
	URI    uri.URI `name:"uri" required:"" placeholder:"URI" help:"The document to make or change."`
	Prompt string  `help:"What the content was made from, for the reviewer."`
	Base   *uint64 `placeholder:"N" help:"Revision that must be live; 0 means the document must be new."`
	Forget bool    `help:"Propose to forget the document; takes no content."`
	Reason string  `help:"Why it should be forgotten."`
	draftFlags
}

func (c *proposeCmd) Help() string {
	return `Nothing of a proposal is recalled before somebody else approves it, by the digest that this command prints.

Examples:
  brain propose fixed.md --uri notes://projects/x.md --as agent:helper --prompt "correct the date"
  echo "It moved to May." | brain propose - --uri notes://projects/x.md --as agent:helper
  brain propose --forget --uri notes://projects/x.md --reason "twice there" --as agent:helper`
}

func (c *proposeCmd) Run(a *app) error {
	switch {
	case c.Forget && c.Path != "":
		return usagef("--forget takes no content, and %q is given", c.Path)
	case !c.Forget && c.Path == "":
		return usagef("name a file with the content, or - for standard input")
	case c.Forget:
		return a.with(func(s *brain.Session) error {
			p, err := s.ProposeForget(a.ctx, c.URI, c.Reason, c.Prompt)
			return a.proposed(p, err)
		})
	}
	d, err := c.content(a)
	if err != nil {
		return err
	}
	return a.with(func(s *brain.Session) error {
		p, err := s.Propose(a.ctx, d, c.Prompt)
		return a.proposed(p, err)
	})
}

// content reads the one document that is proposed.
func (c *proposeCmd) content(a *app) (brain.Draft, error) {
	d := c.draft()
	d.URI, d.Base = c.URI, c.Base
	if info, err := os.Stat(c.Path); err == nil && info.IsDir() {
		return d, usagef("%s: is a folder; a proposal is about one document", c.Path)
	}
	plan, err := input.NewPlan([]string{c.Path}, input.Options{Draft: d})
	if err != nil {
		return brain.Draft{}, usageError{err}
	}
	defer plan.Close()
	var found []brain.Draft
	for item, problem := range plan.Read(a.in) {
		if problem != nil {
			return brain.Draft{}, usageError{problem}
		}
		if found = append(found, item.Draft); len(found) > 1 {
			break
		}
	}
	if len(found) != 1 {
		return brain.Draft{}, usagef("%s: is not one document", c.Path)
	}
	return found[0], nil
}

// proposed prints a new proposal and how to approve it.
func (a *app) proposed(pr brain.Proposal, err error) error {
	if err != nil {
		return err
	}
	return a.emit(reviewOf(pr), func(p *page) {
		p.line(fmt.Sprintf("Proposal %d to %s %s", pr.ID, pr.Op, p.Name(term.Line(pr.Draft.URI.String()))))
		p.line("digest   " + p.Name(pr.Digest.String()))
		p.line("expires  " + instant(pr.Expires))
		p.line(fmt.Sprintf("Next: brain review %d, then brain approve %d --digest %s", pr.ID, pr.ID, pr.Digest))
	})
}
