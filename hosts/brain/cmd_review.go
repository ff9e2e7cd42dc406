package main

import (
	"github.com/seed70401ef0/brain-go/brain"
)

type reviewCmd struct {
	ID     uint64 `arg:"" optional:"" help:"Show this proposal, with what its approval covers."`
	State  string `placeholder:"STATE" help:"List these: pending, approved, rejected, expired or all. Default: pending."`
	Domain string `placeholder:"D" help:"Only proposals for brain://D/."`
	Limit  int    `short:"n" default:"50" placeholder:"N" help:"Proposals in a page. Default: 50."`
	After  uint64 `placeholder:"ID" help:"Go on after this proposal."`
	List   bool   `help:"Only list, also on a terminal."`
}

func (c *reviewCmd) Help() string {
	return `On a terminal it shows one pending proposal after the other and asks: approve, reject, skip or quit. Elsewhere,
and with --list or --state, it lists them. Hidden and control characters are written out in what is shown.

Examples:
  brain review
  brain review 42
  brain review --state all --json`
}

func (c *reviewCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		if c.ID != 0 {
			p, err := s.Proposal(a.ctx, c.ID)
			if err != nil {
				return err
			}
			return a.emit(reviewOf(p), func(pg *page) { showProposal(pg, p) })
		}
		found, err := s.Proposals(a.ctx, brain.ProposalQuery{State: c.State, Domain: c.Domain, Limit: c.Limit, After: c.After})
		if err != nil {
			return err
		}
		asks := a.tty.in && a.tty.out && !a.JSON && !c.List && c.State == ""
		if asks && len(found.Proposals) > 0 {
			return newReviewer(a, s).all(found.Proposals)
		}
		if err := a.emit(found, func(pg *page) { listProposals(pg, found.Proposals) }); err != nil {
			return err
		}
		if found.Next != 0 {
			a.note("More: --after %d", found.Next)
		}
		return nil
	})
}
