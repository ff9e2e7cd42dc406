package brain

import (
	"context"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// indexer lets the gate index what it approves without knowing recall.
type indexer struct{ *recall.Index }

// Prepare implements gate.Indexer.
func (x indexer) Prepare(ctx context.Context, d document.Draft) (gate.Write, error) {
	p, err := x.Index.Prepare(ctx, d)
	if err != nil {
		return nil, err
	}
	return p.Write, nil
}

// Propose hands d in for a decision by somebody else. prompt says what the
// content was made from, for the reviewer. Nothing of it is recalled before it
// is approved. A draft without a URI gets one from URIOf.
func (s *Session) Propose(ctx context.Context, d Draft, prompt string) (Proposal, error) {
	var p Proposal
	err := s.write(ctx, "propose", d.URI.String(), func() error {
		if d.Owner == "" && d.URI.IsZero() {
			d.Owner = s.actor.String()
		}
		if d.URI.IsZero() && len(d.Body) > 0 {
			u, err := URIOf(DefaultDomain, d.Owner, d.Body)
			if err != nil {
				return err
			}
			d.URI = u
		}
		var err error
		p, _, err = s.db.gate.Propose(ctx, s.actor, gate.Submission{Op: gate.Put, Draft: d, Prompt: prompt})
		return err
	})
	return s.proposed(p, err)
}

// ProposeForget asks for u to be forgotten.
func (s *Session) ProposeForget(ctx context.Context, u uri.URI, reason, prompt string) (Proposal, error) {
	var p Proposal
	err := s.write(ctx, "propose", u.String(), func() error {
		if err := s.readable(ctx, "propose", u); err != nil {
			return err
		}
		var err error
		p, _, err = s.db.gate.Propose(ctx, s.actor, gate.Submission{
			Op: gate.Forget, Draft: Draft{URI: u}, Reason: reason, Prompt: prompt,
		})
		return err
	})
	return s.proposed(p, err)
}

func (s *Session) proposed(p Proposal, err error) (Proposal, error) {
	if err == nil {
		s.db.count.proposals.Add(1)
	}
	return p, err
}

// Proposal returns one proposal, with its content, if the actor made it or may
// review it. Show its View before a decision.
func (s *Session) Proposal(ctx context.Context, id uint64) (Proposal, error) {
	var p Proposal
	err := s.call(ctx, "proposal", "", func() error {
		var err error
		p, err = s.db.gate.Get(ctx, s.actor, id)
		return err
	})
	return p, err
}

// MaxPageBytes is how much content one page of proposals holds, unless a single
// one has more; the page is then shorter than its limit.
const MaxPageBytes = 32 << 20

// Proposals returns a page of the proposals that the actor made or may review,
// by id, at most MaxPageBytes of content.
func (s *Session) Proposals(ctx context.Context, q ProposalQuery) (ProposalPage, error) {
	page := ProposalPage{Proposals: []Proposal{}}
	err := s.call(ctx, "proposals", "", func() error {
		if q.State == "" {
			q.State = string(gate.Pending)
		}
		switch gate.State(q.State) {
		case gate.Pending, gate.Approved, gate.Rejected, gate.Expired, "all":
		default:
			return invalid.New("state", "is not pending, approved, rejected, expired or all")
		}
		if q.Limit == 0 {
			q.Limit = 50
		}
		if q.Limit < 0 || q.Limit > gate.MaxPage {
			return &invalid.Error{Field: "limit", Reason: "is not between 1 and 200", Limit: gate.MaxPage}
		}
		size := 0
		return s.db.gate.List(ctx, s.actor, q.After, q.State == string(gate.Pending), func(p Proposal) bool {
			if q.State != "all" && string(p.State) != q.State || q.Domain != "" && p.Draft.URI.Domain() != q.Domain {
				return true
			}
			size += len(p.Draft.Body)
			if n := len(page.Proposals); n == q.Limit || n > 0 && size > MaxPageBytes {
				page.Next = page.Proposals[n-1].ID
				return false
			}
			page.Proposals = append(page.Proposals, p)
			return true
		})
	})
	return page, err
}

// Decide approves or rejects a proposal. An approval names the digest of the
// proposal as it was shown, applies it in the same commit, and its content is
// recallable when Decide returns. A rejection needs a reason.
func (s *Session) Decide(ctx context.Context, d Decision) (Receipt, error) {
	var out Receipt
	err := s.write(ctx, "decide", "", func() error {
		p, rev, r, err := s.db.gate.Decide(ctx, s.actor, d)
		if err != nil {
			return err
		}
		out = receipt(r, p.Draft.URI)
		out.Proposal, out.Digest, out.Revision, out.Outcome = p.ID, p.Digest, rev.N, Rejected
		if d.Approve {
			out.Outcome = Approved
		}
		s.db.count.decisions.Add(1)
		return nil
	})
	return out, err
}
