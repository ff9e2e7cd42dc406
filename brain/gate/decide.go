package gate

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// Decision approves or rejects a proposal.
type Decision struct {
	ID      uint64          `json:"id"`
	Approve bool            `json:"approve"`
	Digest  document.Digest `json:"digest"`           // of the proposal as shown; required to approve
	Reason  string          `json:"reason,omitempty"` // required to reject
}

// Decide carries d out on behalf of actor. An approval applies the proposal in
// the same commit. Everything is checked inside the deciding transaction: that
// the proposal is pending, that the digest is the one of the stored proposal,
// that the base revision is still live, that the policy lets actor decide here,
// lets the proposer still propose, and that nobody decides on their own
// proposal. A proposal that actor may not see is ErrNotFound.
func (g *Gate) Decide(ctx context.Context, actor policy.Actor, d Decision) (Proposal, document.Revision, store.Receipt, error) {
	fail := func(err error) (Proposal, document.Revision, store.Receipt, error) {
		return Proposal{}, document.Revision{}, store.Receipt{}, err
	}
	if err := document.CheckProse("reason", d.Reason, MaxReason); err != nil {
		return fail(err)
	}
	if !d.Approve && d.Reason == "" {
		return fail(invalid.New("reason", "is empty: say why the proposal is rejected"))
	}
	if d.Approve && d.Digest == (document.Digest{}) {
		return fail(fmt.Errorf("%w: an approval names the digest of the proposal that was shown", ErrDigest))
	}
	p, err := g.Get(ctx, actor, d.ID)
	if err != nil {
		return fail(err)
	}
	var write Write
	if d.Approve && p.Op == Put && p.State == Pending {
		draft := p.Draft
		draft.Flags = p.rules()
		if write, err = g.ix.Prepare(ctx, draft); err != nil {
			return fail(err)
		}
	}
	op := "reject"
	if d.Approve {
		op = "approve"
	}
	var rev document.Revision
	ev := store.Event{Actor: actor.String(), Op: op, Class: audit.Change, URI: p.Draft.URI.String()}
	receipt, err := g.db.Update(ctx, ev, func(tx *store.Tx) error {
		var err error
		p, rev, err = g.decide(tx, actor, d, write)
		return err
	})
	if err != nil {
		return fail(err)
	}
	return p, rev, receipt, nil
}

func (g *Gate) decide(tx *store.Tx, actor policy.Actor, d Decision, write Write) (Proposal, document.Revision, error) {
	var rev document.Revision
	p, err := load(tx, d.ID, tx.Time())
	if err != nil {
		return p, rev, err
	}
	rule, err := g.mayDecide(tx, actor, p, d.Approve)
	if err != nil {
		return p, rev, err
	}
	if p.State != Pending {
		return p, rev, fmt.Errorf("%w: proposal %d is %s", ErrDecided, p.ID, p.State)
	}
	body := event.Body{Proposal: p.ID, Approval: p.Digest[:], Rule: rule.Rule, Reason: d.Reason, Proposer: p.Proposer}
	p.State = Rejected
	if d.Approve {
		if d.Digest != p.Digest || p.digest() != p.Digest {
			return p, rev, fmt.Errorf("%w: proposal %d is not what was shown; show it again", ErrDigest, p.ID)
		}
		p.State = Approved
		if rev, err = g.apply(tx, p, write, &body); err != nil {
			return p, rev, err
		}
	}
	p.Decided = &Decided{By: actor.String(), At: tx.Time(), Reason: d.Reason, Seq: tx.Seq()}
	ev := tx.Event()
	ev.Policy, ev.Body = audit.Hash(rule.Digest), body.Bytes()
	if err := tx.Delete(queueKey(p.ID)); err != nil {
		return p, rev, err
	}
	return p, rev, p.store(tx)
}

// apply does what an approved proposal asks for and completes the row's body.
func (g *Gate) apply(tx *store.Tx, p Proposal, write Write, body *event.Body) (document.Revision, error) {
	if p.Op == Forget {
		rev, err := document.Forget(tx, p.Draft.URI, &p.Base, p.Reason)
		body.Revision, body.Outcome = rev.N, "forgotten"
		return rev, err
	}
	rev, outcome, err := write(tx, p.Proposer)
	body.Revision, body.Content, body.Outcome = rev.N, rev.Digest[:], outcome.String()
	return rev, err
}

// mayDecide evaluates the policy as it stands in tx for both sides of p.
func (g *Gate) mayDecide(tx *store.Tx, actor policy.Actor, p Proposal, approve bool) (policy.Decision, error) {
	set, err := g.policy(tx)
	if err != nil {
		return policy.Decision{}, err
	}
	u, now := p.Draft.URI, tx.Time()
	var d policy.Decision
	switch {
	case p.Held:
		d = set.Evaluate(actor, policy.Release, u, now)
	case approve:
		d = set.EvaluateProposal(actor, policy.Approve, u, p.by, now)
	default:
		d = set.EvaluateProposal(actor, policy.Reject, u, p.by, now)
	}
	if err := d.Err(); err != nil {
		return d, err
	}
	// What is live there shows in the proposal and in the receipt.
	if err := set.Evaluate(actor, policy.Read, u, now).Err(); err != nil || !approve {
		return d, err
	}
	if len(p.Findings) > 0 { // approval lets it be recalled in spite of them
		if err := set.Evaluate(actor, policy.Release, u, now).Err(); err != nil {
			return d, err
		}
	}
	needs := policy.Propose
	if p.Held {
		needs = policy.Write
	}
	if err := set.Evaluate(p.by, needs, u, now).Err(); err != nil {
		return d, fmt.Errorf("the proposer %s may no longer %s there: %w", p.Proposer, needs, err)
	}
	return d, nil
}

// Get returns proposal id if actor made it or may decide it; else, as for one
// that does not exist, ErrNotFound.
func (g *Gate) Get(ctx context.Context, actor policy.Actor, id uint64) (Proposal, error) {
	if err := ctx.Err(); err != nil {
		return Proposal{}, err
	}
	snap := g.db.Snapshot()
	defer snap.Close()
	now := g.now()
	p, err := load(snap, id, now)
	if err != nil {
		return Proposal{}, err
	}
	set, err := g.policy(snap)
	if err != nil {
		return Proposal{}, err
	}
	if !visible(set, actor, p, now) {
		return Proposal{}, fmt.Errorf("proposal %d: %w", id, document.ErrNotFound)
	}
	return p, nil
}

// visible reports whether actor made p or may review it. Reviewing takes the right
// to read as well: a proposal tells which revision is live and whose it is.
func visible(set *policy.Set, actor policy.Actor, p Proposal, now time.Time) bool {
	return actor.String() == p.Proposer ||
		set.Evaluate(actor, policy.Review, p.Draft.URI, now).Allow && set.Evaluate(actor, policy.Read, p.Draft.URI, now).Allow
}

// List calls fn for the proposals that actor may see and whose id is over
// after, in order of id, until it returns false. With pending only those that
// wait are read.
func (g *Gate) List(ctx context.Context, actor policy.Actor, after uint64, pending bool, fn func(Proposal) bool) error {
	snap := g.db.Snapshot()
	defer snap.Close()
	set, err := g.policy(snap)
	if err != nil {
		return err
	}
	now, key, prefix := g.now(), proposalKey, store.Proposal
	if pending {
		key, prefix = queueKey, store.ProposalQueue
	}
	if after == math.MaxUint64 {
		return nil
	}
	_, hi := prefix.Range()
	return snap.Scan(key(after+1), hi, func(k, v []byte) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if len(k) != 9 {
			return false, fmt.Errorf("%w: key of a proposal", codec.ErrCorrupt)
		}
		id := binary.BigEndian.Uint64(k[1:])
		p, err := load(snap, id, now)
		if err != nil {
			return false, err
		}
		if (pending && p.State != Pending) || !visible(set, actor, p, now) {
			return true, nil
		}
		return fn(p), nil
	})
}

// Pending returns how many proposals wait, whoever made them.
func (g *Gate) Pending() (int, error) {
	snap := g.db.Snapshot()
	defer snap.Close()
	n := 0
	err := queue(snap, g.now(), func(_ []byte, _ string, expired bool) {
		if !expired {
			n++
		}
	})
	return n, err
}

// maxSweep is how many expired proposals one new one takes out of the queue.
const maxSweep = 64

// makeRoom returns an error that is document.ErrQuota when MaxPending proposals
// of actor wait. It takes some that have expired out of the queue, more than a
// proposal puts in, so that the queue stays near what waits.
func makeRoom(tx *store.Tx, actor string) error {
	n := 0
	var old [][]byte
	err := queue(tx, tx.Time(), func(key []byte, proposer string, expired bool) {
		switch {
		case expired && len(old) < maxSweep:
			old = append(old, bytes.Clone(key))
		case !expired && proposer == actor:
			n++
		}
	})
	if err != nil {
		return err
	}
	if n >= MaxPending {
		return fmt.Errorf("%w: %w", document.ErrQuota, invalid.TooLarge("pending proposals", int64(n)+1, MaxPending))
	}
	for _, k := range old {
		if err := tx.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// queue calls fn for every entry of the queue, in order of id.
func queue(r store.Reader, now time.Time, fn func(key []byte, proposer string, expired bool)) error {
	lo, hi := store.ProposalQueue.Range()
	return r.Scan(lo, hi, func(k, v []byte) (bool, error) {
		if len(v) < 8 {
			return false, fmt.Errorf("%w: queue entry is cut", codec.ErrCorrupt)
		}
		fn(k, string(v[8:]), now.UnixMicro() >= int64(binary.BigEndian.Uint64(v)))
		return true, nil
	})
}
