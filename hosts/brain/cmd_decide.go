package main

import (
	"github.com/seed70401ef0/brain-go/brain"
)

type approveCmd struct {
	ID     uint64       `arg:"" help:"The proposal."`
	Digest brain.Digest `required:"" placeholder:"DIGEST" help:"Digest of the proposal as brain review shows it."`
	Reason string       `help:"Why; kept with the decision."`
}

func (c *approveCmd) Help() string {
	return `The digest covers the operation, the place, the revision it builds on, the proposer, the bytes and the text that
was shown; another digest is refused. Nobody approves their own proposal, except to release content of their own that
waits only because of hidden characters.

Example:
  brain approve 42 --digest 9f86d081884c7d65…`
}

func (c *approveCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		r, err := s.Decide(a.ctx, brain.Decision{ID: c.ID, Approve: true, Digest: c.Digest, Reason: c.Reason})
		return a.receipt(r, err)
	})
}

type rejectCmd struct {
	ID     uint64 `arg:"" help:"The proposal."`
	Reason string `required:"" help:"Why; kept with the decision."`
}

func (c *rejectCmd) Help() string {
	return `Example:
  brain reject 42 --reason "the date is from the old plan"`
}

func (c *rejectCmd) Run(a *app) error {
	return a.with(func(s *brain.Session) error {
		r, err := s.Decide(a.ctx, brain.Decision{ID: c.ID, Reason: c.Reason})
		return a.receipt(r, err)
	})
}
