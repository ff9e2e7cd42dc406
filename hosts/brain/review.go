package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

// review is a proposal as --json writes it, with the text that its digest
// covers.
type review struct {
	brain.Proposal
	View string `json:"view"`
}

func reviewOf(p brain.Proposal) review { return review{p, p.View()} }

// showProposal writes what a reviewer must see before approving. The view is
// the library's; only line ends of it reach the terminal as such.
func showProposal(pg *page, p brain.Proposal) {
	pg.line(pg.Bold(fmt.Sprintf("Proposal %d", p.ID)) + pg.Dim(fmt.Sprintf("  %s, made %s, expires %s", p.State, instant(p.Created), instant(p.Expires))))
	pg.line("digest     " + pg.Name(p.Digest.String()))
	pg.printf("%s", term.Block(p.View()))
	if d := p.Decided; d != nil {
		pg.line(fmt.Sprintf("decided    %s by %s at %s %s", p.State, term.Line(d.By), instant(d.At), term.Line(d.Reason)))
	}
}

// listProposals writes one line for each proposal.
func listProposals(pg *page, ps []brain.Proposal) {
	if len(ps) == 0 {
		pg.line("No proposals.")
		return
	}
	var rows [][]string
	for _, p := range ps {
		note := ""
		if n := len(p.Findings); n > 0 {
			note = pg.Bad(plural(n, "finding", "findings"))
		}
		rows = append(rows, []string{
			fmt.Sprint(p.ID), string(p.State), string(p.Op), pg.Name(term.Line(p.Draft.URI.String())),
			term.Line(p.Proposer), pg.Dim(instant(p.Created)), note,
		})
	}
	pg.table(rows)
	pg.line("Next: brain review ID shows one; brain approve ID --digest DIGEST or brain reject ID --reason TEXT decides it")
}

// reviewer asks a person about one proposal after the other.
type reviewer struct {
	a       *app
	session *brain.Session
	lines   *bufio.Reader
}

func newReviewer(a *app, s *brain.Session) *reviewer {
	return &reviewer{a: a, session: s, lines: bufio.NewReader(a.in)}
}

// errQuit ends the review; it is not an error to the caller.
var errQuit = errors.New("quit")

// all goes through ps. A proposal that somebody else decided meanwhile, or that
// this person may not decide, is reported and skipped.
func (r *reviewer) all(ps []brain.Proposal) error {
	for i, p := range ps {
		r.a.pretty.line(r.a.pretty.Dim(fmt.Sprintf("— %d of %d —", i+1, len(ps))))
		if err := r.one(p.ID); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return r.a.pretty.err
}

// one shows a proposal, asks, and decides by the digest of what it showed.
func (r *reviewer) one(id uint64) error {
	p, err := r.session.Proposal(r.a.ctx, id)
	if err != nil {
		return r.reported(err)
	}
	showProposal(&r.a.pretty, p)
	d := brain.Decision{ID: p.ID, Digest: p.Digest}
	switch answer, err := r.ask(); {
	case err != nil:
		return err
	case answer == "s":
		return nil
	case answer == "a":
		d.Approve = true
	case answer == "r":
		if d.Reason, err = r.line("Reason: "); err != nil {
			return err
		}
	}
	receipt, err := r.session.Decide(r.a.ctx, d)
	if err != nil {
		return r.reported(err)
	}
	return r.a.receipt(receipt, nil)
}

// reported writes an error of one proposal and goes on, unless the store is
// what failed.
func (r *reviewer) reported(err error) error {
	if code := brain.Code(err); code.Exit() > 3 || r.a.ctx.Err() != nil {
		return err
	}
	r.a.fail("brain review", err)
	return nil
}

// ask returns a, r or s; q and the end of the input are errQuit.
func (r *reviewer) ask() (string, error) {
	for {
		s, err := r.line("[a]pprove, [r]eject, [s]kip or [q]uit? ")
		if err != nil {
			return "", err
		}
		switch strings.ToLower(s) {
		case "a", "approve":
			return "a", nil
		case "r", "reject":
			return "r", nil
		case "s", "skip":
			return "s", nil
		case "q", "quit":
			return "", errQuit
		}
	}
}

// line asks for one line; the end of the input is errQuit.
func (r *reviewer) line(question string) (string, error) {
	r.a.pretty.printf("%s", r.a.pretty.Bold(question))
	s, err := r.lines.ReadString('\n')
	switch {
	case r.a.pretty.err != nil:
		return "", r.a.pretty.err
	case errors.Is(err, io.EOF):
		r.a.pretty.line("")
		return "", errQuit
	}
	return strings.TrimSpace(s), err
}
