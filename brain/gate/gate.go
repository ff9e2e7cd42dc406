// Package gate holds what waits for a human decision: proposals, and the
// decisions on them, bound to the digest of what the reviewer was shown.
//
// A proposal stores its content outside the documents, so nothing of it is
// chunked, embedded or recalled before it is approved. An approval names a
// digest over the operation, the place, the revision it builds on, the
// proposer, the stored bytes and the rendering that was shown; anything else
// than exactly that is refused. The policy is evaluated again inside the
// deciding transaction, for the proposer and for the decider.
//
// The package chunks and indexes nothing: it is given an Indexer.
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/screen"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// Errors of this package. All are returned wrapped, with what to do next.
var (
	// ErrDigest means that an approval named no digest or another one than the
	// proposal has.
	ErrDigest = errors.New("digest mismatch")
	// ErrDecided means that the proposal is no longer pending: approved,
	// rejected or expired.
	ErrDecided = errors.New("proposal is not pending")
)

// Limits of the gate. The facade lists them in its table of limits.
const (
	MaxPrompt  = 2048 // bytes of the sourcing prompt
	MaxReason  = document.MaxReason
	MaxPending = 1000 // pending proposals of one actor
	MaxPage    = 200  // proposals in one page
)

// DefaultTTL is how long a proposal waits before it expires.
const DefaultTTL = 7 * 24 * time.Hour

// Write stores a prepared draft inside a transaction, on behalf of actor.
type Write = func(tx *store.Tx, actor string) (document.Revision, document.Outcome, error)

// Indexer makes approved content recallable. Prepare does the slow work
// (chunks, vectors) outside the transaction; the Write it returns only writes.
type Indexer interface {
	Prepare(ctx context.Context, d document.Draft) (Write, error)
}

// Options of a Gate. The zero value is useful but for Policy.
type Options struct {
	// Policy returns the rules in force in a state of the store. Required.
	Policy func(store.Reader) (*policy.Set, error)
	// TTL is how long a proposal waits. Default DefaultTTL.
	TTL time.Duration
	// DailyBytes is how much content one actor may propose and write in a UTC
	// day. Default 0: no limit.
	DailyBytes int64
	// Now is the time that rights and expiry are judged by outside of a
	// transaction, never before the newest commit. Required.
	Now func() time.Time
}

// Gate is the queue of proposals of one store. It is safe for concurrent use.
type Gate struct {
	db     *store.DB
	ix     Indexer
	policy func(store.Reader) (*policy.Set, error)
	ttl    time.Duration
	quota  int64
	now    func() time.Time
}

// New returns the gate of db. It reads and writes nothing yet.
func New(db *store.DB, ix Indexer, o Options) *Gate {
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	return &Gate{db: db, ix: ix, policy: o.Policy, ttl: o.TTL, quota: o.DailyBytes, now: o.Now}
}

// Submission is what somebody proposes.
type Submission struct {
	Op     Op             // what approval would do
	Draft  document.Draft // of a forget only the URI and the Base count
	Reason string         // of a forget
	Prompt string         // what the content was made from, at most MaxPrompt bytes
	// Held marks content that its author may write and that only the screen
	// holds back: then the author may decide, when a person, since the review
	// is for what cannot be seen and not for who wrote it.
	Held bool
}

// Propose stores s for review by others. It needs the rights to read and to
// propose at the URI, or to write there when the content is held. The base
// revision is the one that is live now unless the draft names one; the owner is
// that of the live revision, or actor, unless the draft names one.
func (g *Gate) Propose(ctx context.Context, actor policy.Actor, s Submission) (Proposal, store.Receipt, error) {
	c, p, err := g.Change(actor, s)
	if err != nil {
		return Proposal{}, store.Receipt{}, err
	}
	rs, err := g.db.UpdateAll(ctx, []store.Change{c})
	if err != nil {
		return Proposal{}, store.Receipt{}, err
	}
	return *p, rs[0], nil
}

// Change checks s and returns the proposal as a change to commit together with
// others; the Proposal it points to is complete once the commit is acknowledged.
func (g *Gate) Change(actor policy.Actor, s Submission) (store.Change, *Proposal, error) {
	if err := s.check(); err != nil {
		return store.Change{}, nil, err
	}
	found := Findings(s.Draft)
	p := &Proposal{}
	return store.Change{
		Event: store.Event{Actor: actor.String(), Op: "propose", Class: audit.Change, URI: s.Draft.URI.String()},
		Fn: func(tx *store.Tx) error {
			var err error
			*p, err = g.propose(tx, actor, s, found)
			return err
		},
	}, p, nil
}

func (g *Gate) propose(tx *store.Tx, actor policy.Actor, s Submission, found []screen.Finding) (Proposal, error) {
	set, err := g.policy(tx)
	if err != nil {
		return Proposal{}, err
	}
	action := policy.Propose
	if s.Held {
		action = policy.Write
	}
	d := set.Evaluate(actor, action, s.Draft.URI, tx.Time())
	if err := d.Err(); err != nil {
		return Proposal{}, err
	}
	// What is live there shows in the proposal, so it takes the right to read.
	if err := set.Evaluate(actor, policy.Read, s.Draft.URI, tx.Time()).Err(); err != nil {
		return Proposal{}, err
	}
	if err := makeRoom(tx, actor.String()); err != nil {
		return Proposal{}, err
	}
	if err := document.Charge(tx, actor.String(), int64(len(s.Draft.Body)), g.quota); err != nil {
		return Proposal{}, err
	}
	rev, err := document.Get(tx, s.Draft.URI, 0)
	if err != nil && !errors.Is(err, document.ErrNotFound) {
		return Proposal{}, err
	}
	live := rev.N // 0 = nothing is live
	if s.Op == Put && s.Draft.Owner == "" {
		s.Draft.Owner = cmp.Or(rev.Owner, actor.String())
	}
	if s.Draft.Base != nil && *s.Draft.Base != live {
		return Proposal{}, fmt.Errorf("%w: revision %d is live, not %d", document.ErrConflict, live, *s.Draft.Base)
	}
	if s.Op == Forget && live == 0 {
		return Proposal{}, document.ErrNotFound
	}
	p := newProposal(actor, s, found, live, tx.Seq(), tx.Time(), g.ttl)
	ev := tx.Event()
	ev.Policy = audit.Hash(d.Digest)
	ev.Body = event.Body{Proposal: p.ID, Approval: p.Digest[:], Rule: d.Rule}.Bytes()
	if err := p.store(tx); err != nil {
		return Proposal{}, err
	}
	return p, tx.Set(queueKey(p.ID), queueEntry(p))
}

func (s *Submission) check() error {
	if s.Op != Put && s.Op != Forget {
		return invalid.New("op", "%q is not put or forget", string(s.Op))
	}
	if err := document.CheckProse("prompt", s.Prompt, MaxPrompt); err != nil {
		return err
	}
	if err := document.CheckProse("reason", s.Reason, MaxReason); err != nil {
		return err
	}
	if s.Op == Put {
		return s.Draft.Check()
	}
	if s.Draft.URI.IsZero() {
		return invalid.New("uri", "is empty")
	}
	return nil
}
