package brain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// bodyOf is the body of an audit row.
type bodyOf = event.Body

// body returns the bytes of a row's body: the rule that allowed it, what came
// of it, and what fill adds.
func body(d policy.Decision, o Outcome, fill func(*bodyOf)) []byte {
	b := bodyOf{Rule: d.Rule, Outcome: string(o)}
	if fill != nil {
		fill(&b)
	}
	return b.Bytes()
}

// DefaultDomain is where documents without a URI of their own go.
const DefaultDomain = "memory"

// URIOf returns the name that a document without one gets: a function of the
// domain, the owner and the bytes, so that the same fact said twice by one owner
// is one document.
func URIOf(domain, owner string, body []byte) (uri.URI, error) {
	h := sha256.New()
	h.Write([]byte(owner))
	h.Write([]byte{0})
	h.Write(body)
	return uri.Parse("brain://" + domain + "/" + hex.EncodeToString(h.Sum(nil)[:16]))
}

// Put stores drafts in one atomic commit, with one row in the log for each, and
// returns a receipt for each in the same order. A draft for a URI that is live
// becomes its next revision; the same bytes and description again are counted
// and change nothing else; two drafts for one URI are taken in their order. A
// draft without a URI gets one from URIOf in DefaultDomain.
//
// Content in which the screen finds something is not stored as a document: it
// waits for review as a proposal, with the outcome Held. In review posture only
// people put; others get ErrReview and propose.
//
// An error names the draft's URI, and nothing of the call is stored. When the
// context ends after the commit was handed over, the true outcome is returned.
func (s *Session) Put(ctx context.Context, drafts ...Draft) ([]Receipt, error) {
	var out []Receipt
	err := s.write(ctx, "put", "", func() error {
		if len(drafts) == 0 || len(drafts) > MaxDrafts {
			return &invalid.Error{Field: "drafts", Reason: "are not between 1 and 1000", Limit: MaxDrafts}
		}
		todo := make([]*putting, len(drafts))
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i := range drafts {
			g.Go(func() error {
				p, err := s.prepare(gctx, drafts[i])
				todo[i] = p
				return err
			})
		}
		err := g.Wait()
		if err != nil {
			return err
		}
		out, err = s.commit(ctx, todo)
		return err
	})
	return out, err
}

// at says which name of many an error is about.
type at struct {
	uri string
	err error
}

func (a *at) Error() string { return a.err.Error() }
func (a *at) Unwrap() error { return a.err }

// putting is one draft on its way into the store.
type putting struct {
	*recall.Prepared
	held    *gate.Proposal // not nil: the screen holds it back
	change  store.Change
	outcome Outcome
	rev     document.Revision
}

// prepare checks rights and content of one draft and does its slow work.
func (s *Session) prepare(ctx context.Context, d Draft) (*putting, error) {
	fail := func(err error) (*putting, error) { return nil, &at{d.URI.String(), err} }
	d.Flags = nil // the gate's to set
	if d.Owner == "" && d.URI.IsZero() {
		d.Owner = s.actor.String()
	}
	if d.URI.IsZero() && len(d.Body) > 0 {
		u, err := URIOf(DefaultDomain, d.Owner, d.Body)
		if err != nil {
			return fail(err)
		}
		d.URI = u
	}
	if err := d.Check(); err != nil {
		return fail(err)
	}
	if _, err := s.may(policy.Write, d.URI); err != nil {
		return fail(err)
	}
	if err := s.mayChange(); err != nil {
		return fail(err)
	}
	prepared, err := s.db.index.Prepare(ctx, d)
	if err != nil {
		return fail(err)
	}
	p := &putting{Prepared: prepared}
	if len(gate.Findings(prepared.Draft)) > 0 {
		p.change, p.held, err = s.db.gate.Change(s.actor, gate.Submission{Op: gate.Put, Draft: prepared.Draft, Held: true})
		if err != nil {
			return fail(err)
		}
		p.change.Event.Op, p.outcome = "hold", Held
		return p, nil
	}
	p.change = store.Change{
		Event: store.Event{Actor: s.actor.String(), Op: "put", Class: audit.Change, URI: d.URI.String()},
		Fn:    func(tx *store.Tx) error { return s.put(tx, p) },
	}
	return p, nil
}

// mayChange returns ErrReview when the posture leaves changes to people and the
// actor is none.
func (s *Session) mayChange() error {
	if s.db.opt.Posture == ReviewPosture && s.actor.Kind != policy.Person {
		return ErrReview
	}
	return nil
}

// put writes one prepared draft inside its transaction, where the policy is
// asked again.
func (s *Session) put(tx *store.Tx, p *putting) error {
	set, err := s.db.rules.at(tx)
	if err != nil {
		return err
	}
	d, err := allow(set, s.actor, policy.Write, p.Draft.URI, tx.Time())
	if err != nil {
		return err
	}
	rev, outcome, err := p.Write(tx, s.actor.String())
	if err != nil {
		return err
	}
	p.rev, p.outcome = rev, Outcome(outcome.String())
	tx.Event().Policy = audit.Hash(d.Digest)
	tx.Event().Body = body(d, p.outcome, func(b *bodyOf) { b.Revision, b.Content = rev.N, rev.Digest[:] })
	return nil
}

// commit writes all drafts in one commit and keeps their vectors.
func (s *Session) commit(ctx context.Context, todo []*putting) ([]Receipt, error) {
	changes := make([]store.Change, len(todo))
	for i, p := range todo {
		changes[i] = p.change
		changes[i].Fn = func(tx *store.Tx) error {
			if err := p.change.Fn(tx); err != nil {
				return &at{p.Draft.URI.String(), err}
			}
			return nil
		}
	}
	rs, err := s.db.store.UpdateAll(ctx, changes)
	if err != nil {
		return nil, err
	}
	out := make([]Receipt, len(todo))
	fresh := make([]*recall.Prepared, 0, len(todo))
	for i, p := range todo {
		r := receipt(rs[i], p.Draft.URI)
		r.Outcome, r.Warnings = p.outcome, p.Warnings
		if p.held != nil {
			r.Proposal, r.Digest = p.held.ID, p.held.Digest
		} else {
			r.Revision, r.Digest, r.Pending = p.rev.N, p.rev.Digest, p.Pending
			fresh = append(fresh, p.Prepared)
		}
		out[i] = r
	}
	s.db.count.puts.Add(uint64(len(todo)))
	s.db.saveVectors(ctx, fresh)
	return out, nil
}

// saveVectors keeps vectors of committed content. Losing them costs time at the
// next Open and nothing else, so a failure is only logged.
func (db *DB) saveVectors(ctx context.Context, fresh []*recall.Prepared) {
	if err := db.index.Save(context.WithoutCancel(ctx), db.store, fresh...); err != nil {
		db.opt.Log.Warn("vectors were not kept; the next open makes them again", "error", err)
	}
}

// Forget retires the live revision of u: it leaves the live view, stays in
// history and as-of reads, and Restore undoes it. In review posture only people
// forget; others get ErrReview and use ProposeForget.
func (s *Session) Forget(ctx context.Context, u uri.URI, reason string) (Receipt, error) {
	var out Receipt
	err := s.write(ctx, "forget", u.String(), func() error {
		if err := s.readable(ctx, "forget", u); err != nil {
			return err
		}
		var rev document.Revision
		ev := store.Event{Actor: s.actor.String(), Op: "forget", Class: audit.Change, URI: u.String()}
		r, err := s.db.store.Update(ctx, ev, func(tx *store.Tx) error {
			set, err := s.db.rules.at(tx)
			if err != nil {
				return err
			}
			d, err := allow(set, s.actor, policy.Forget, u, tx.Time())
			if err != nil {
				return err
			}
			if err := s.mayChange(); err != nil {
				return err
			}
			if rev, err = document.Forget(tx, u, nil, reason); err != nil {
				return err
			}
			tx.Event().Policy = audit.Hash(d.Digest)
			tx.Event().Body = body(d, Forgot, func(b *bodyOf) { b.Revision, b.Content, b.Reason = rev.N, rev.Digest[:], reason })
			return nil
		})
		if err != nil {
			return err
		}
		out = receipt(r, u)
		out.Revision, out.Digest, out.Outcome = rev.N, rev.Digest, Forgot
		s.db.count.forgets.Add(1)
		return nil
	})
	return out, err
}

// Restore makes an old revision of u the live one again, as a new revision with
// its bytes and description. It undoes a Forget, an update, or an approval. In
// review posture only people restore.
func (s *Session) Restore(ctx context.Context, u uri.URI, revision uint64) (Receipt, error) {
	var out Receipt
	err := s.write(ctx, "restore", u.String(), func() error {
		if revision == 0 {
			return invalid.New("revision", "is 0: name the revision to restore")
		}
		if err := s.readable(ctx, "restore", u); err != nil {
			return err
		}
		if _, err := s.may(policy.Write, u); err != nil {
			return err
		}
		if err := s.mayChange(); err != nil {
			return err
		}
		snap := s.db.store.Snapshot()
		defer snap.Close()
		old, err := document.Get(snap, u, revision)
		if err != nil {
			return err
		}
		bytes, err := document.Content(snap, old)
		if err != nil {
			return err
		}
		p := &putting{}
		draft := old.Draft(bytes)
		if p.Prepared, err = s.db.index.Prepare(ctx, draft); err != nil {
			return err
		}
		p.change = store.Change{
			Event: store.Event{Actor: s.actor.String(), Op: "restore", Class: audit.Change, URI: u.String()},
			Fn:    func(tx *store.Tx) error { return s.put(tx, p) },
		}
		rs, err := s.commit(ctx, []*putting{p})
		if err != nil {
			return err
		}
		out = rs[0]
		return nil
	})
	return out, err
}
