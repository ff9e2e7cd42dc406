package main

import (
	"fmt"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type forgetCmd struct {
	URI    uri.URI `arg:"" name:"uri" help:"The document."`
	Reason string  `help:"Why; kept in its history."`
}

func (c *forgetCmd) Help() string {
	return `The document is no longer recalled or listed. History keeps it, and brain restore brings it back.

Example:
  brain forget notes://projects/x.md --reason "project ended"`
}

func (c *forgetCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		r, err := s.Forget(a.ctx, c.URI, c.Reason)
		return a.receipt(r, err)
	})
}

type restoreCmd struct {
	URI      uri.URI `arg:"" name:"uri" help:"The document."`
	Revision uint64  `short:"r" required:"" placeholder:"N" help:"The revision to make live again; brain history lists them."`
}

func (c *restoreCmd) Help() string {
	return `Undoes a forget or a change: the bytes of the old revision become a new one.

Example:
  brain restore notes://projects/x.md -r 2`
}

func (c *restoreCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		r, err := s.Restore(a.ctx, c.URI, c.Revision)
		return a.receipt(r, err)
	})
}

// receipt prints what a change did.
func (a *app) receipt(r brain.Receipt, err error) error {
	if err != nil {
		return err
	}
	return a.emit(r, func(p *page) {
		what := p.Good(string(r.Outcome))
		if !r.URI.IsZero() {
			what += " " + p.Name(term.Line(r.URI.String()))
		}
		if r.Revision > 0 {
			what += fmt.Sprintf(" revision %d", r.Revision)
		}
		p.line(what + p.Dim(fmt.Sprintf("  seq %d, root %s", r.Seq, r.Head.Root)))
		for _, w := range r.Warnings {
			p.line("  " + p.Bad("warning: ") + term.Line(w))
		}
		if r.Outcome == brain.Held {
			p.line(fmt.Sprintf("Next: brain review %d", r.Proposal))
		}
	})
}
