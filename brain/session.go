package brain

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Session is one actor's view of a brain. It holds no rights: each call asks the
// policy in force. It costs nothing to make, needs no closing and is safe for
// concurrent use. What the actor may not read does not exist for it: the answer
// is ErrNotFound, as for what is not there.
type Session struct {
	db    *DB
	actor Actor
}

// Actor returns whose session this is.
func (s *Session) Actor() Actor { return s.actor }

// call runs one method: it counts the call, refuses it after Close, and wraps
// its error. A refusal by the policy is recorded in the log.
func (s *Session) call(ctx context.Context, op, name string, fn func() error) error {
	leave, err := s.db.enter()
	if err != nil {
		return wrap(op, name, err)
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return wrap(op, name, err)
	}
	err = fn()
	var one *at
	if errors.As(err, &one) {
		name, err = one.uri, one.err
	}
	var no *policy.Denial
	if errors.As(err, &no) {
		s.db.refuse.note(ctx, s.db, s.actor, op, name, no.Decision)
	}
	return wrap(op, name, err)
}

// write is call for changes of primary data, which wait while the index is made
// again.
func (s *Session) write(ctx context.Context, op, name string, fn func() error) error {
	return s.call(ctx, op, name, func() error {
		s.db.rebuilding.RLock()
		defer s.db.rebuilding.RUnlock()
		return fn()
	})
}

// readable returns ErrNotFound when the actor may not read u, whether it exists
// or not; the refusal is recorded.
func (s *Session) readable(ctx context.Context, op string, u uri.URI) error {
	if u.IsZero() {
		return invalid.New("uri", "is empty")
	}
	_, err := s.may(policy.Read, u)
	var no *policy.Denial
	if errors.As(err, &no) {
		s.db.refuse.note(ctx, s.db, s.actor, op, u.String(), no.Decision)
		return document.ErrNotFound
	}
	return err
}

// Get returns a revision of u with its bytes: the live one when revision is 0.
func (s *Session) Get(ctx context.Context, u uri.URI, revision uint64) (Document, error) {
	var d Document
	err := s.call(ctx, "get", u.String(), func() error {
		if err := s.readable(ctx, "get", u); err != nil {
			return err
		}
		snap := s.db.store.Snapshot()
		defer snap.Close()
		rev, err := document.Get(snap, u, revision)
		if err != nil {
			return err
		}
		body, err := document.Content(snap, rev)
		d = Document{Revision: rev, Body: body}
		return err
	})
	return d, err
}

// History returns all revisions of u, oldest first.
func (s *Session) History(ctx context.Context, u uri.URI) ([]Revision, error) {
	var revs []Revision
	err := s.call(ctx, "history", u.String(), func() error {
		if err := s.readable(ctx, "history", u); err != nil {
			return err
		}
		snap := s.db.store.Snapshot()
		defer snap.Close()
		var err error
		revs, err = document.History(snap, u)
		return err
	})
	return revs, err
}

// List returns a page of live documents in order of their URIs.
func (s *Session) List(ctx context.Context, q ListQuery) (Page, error) {
	page := Page{Documents: []Revision{}}
	err := s.call(ctx, "list", "", func() error {
		q.Prefix = norm.NFC.String(q.Prefix) // as names are compared
		from, err := q.check()
		if err != nil {
			return err
		}
		snap := s.db.store.Snapshot()
		defer snap.Close()
		set, err := s.db.rules.at(snap)
		if err != nil {
			return err
		}
		scope := s.db.rules.scope(set, s.actor, s.db.now())
		return document.List(snap, q.Prefix, from, func(r Revision) (bool, error) {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if !scope.Allows(r.URI) || !q.match(r) {
				return true, nil
			}
			if len(page.Documents) == q.Limit {
				page.Next = base64.RawURLEncoding.EncodeToString([]byte(r.URI.Key()))
				return false, nil
			}
			page.Documents = append(page.Documents, r)
			return true, nil
		})
	})
	return page, err
}

// check refuses a list query with a field out of its limits, fills the default
// limit and returns the key that the cursor names.
func (q *ListQuery) check() (from string, err error) {
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Limit < 0 || q.Limit > document.MaxPageSize {
		return "", &invalid.Error{Field: "limit", Reason: "is not between 1 and 1000", Limit: document.MaxPageSize}
	}
	if len(q.Prefix) > uri.MaxBytes {
		return "", invalid.TooLarge("prefix", int64(len(q.Prefix)), uri.MaxBytes)
	}
	key, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || !strings.HasPrefix(string(key), q.Prefix) && q.Cursor != "" {
		return "", invalid.New("cursor", "is not one that a list gave")
	}
	return string(key), nil
}

func (q *ListQuery) match(r Revision) bool {
	if q.Owner != "" && r.Owner != q.Owner {
		return false
	}
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, r.Kind) {
		return false
	}
	for _, t := range q.Tags {
		if !slices.Contains(r.Tags, t) {
			return false
		}
	}
	return true
}

// Recall answers a query from what the actor may read: exactly
// min(q.Limit, matching) hits, best first. It sees every commit that was
// acknowledged before the call.
func (s *Session) Recall(ctx context.Context, q Query) (Result, error) {
	var res Result
	err := s.call(ctx, "recall", "", func() error {
		set, err := s.db.current()
		if err != nil {
			return err
		}
		now := s.db.now()
		start := s.db.opt.Now()
		res, err = s.db.index.Search(ctx, q, s.db.rules.scope(set, s.actor, now), now)
		s.db.count.recall(s.db.opt.Now().Sub(start), len(res.Hits), err)
		return err
	})
	return res, err
}

// Policy returns the policy in force. It needs the right to change it.
func (s *Session) Policy(ctx context.Context) (*policy.Set, error) {
	var set *policy.Set
	err := s.call(ctx, "policy", "", func() error {
		if _, err := s.may(policy.ChangePolicy, uri.URI{}); err != nil {
			return err
		}
		var err error
		set, err = s.db.current()
		return err
	})
	return set, err
}

// SetPolicy puts set in force: the next call of any session is judged by it. It
// refuses a policy under which the actor itself could not change it again, so
// that nobody locks a brain by mistake.
func (s *Session) SetPolicy(ctx context.Context, set *policy.Set) (Receipt, error) {
	var out Receipt
	err := s.write(ctx, "policy", "", func() error {
		if set == nil {
			return invalid.New("policy", "is nil")
		}
		ev := store.Event{Actor: s.actor.String(), Op: "policy", Class: audit.Change}
		r, err := s.db.store.Update(ctx, ev, func(tx *store.Tx) error {
			old, err := s.db.rules.at(tx)
			if err != nil {
				return err
			}
			d := old.Evaluate(s.actor, policy.ChangePolicy, uri.URI{}, tx.Time())
			if err := d.Err(); err != nil {
				return err
			}
			if !set.Evaluate(s.actor, policy.ChangePolicy, uri.URI{}, tx.Time()).Allow {
				return invalid.New("policy", "would not let %s change it again", s.actor)
			}
			digest := set.Digest()
			tx.Event().Policy = audit.Hash(d.Digest)
			tx.Event().Body = body(d, Changed, func(b *bodyOf) { b.Content = digest[:] })
			return setPolicy(tx, set)
		})
		if err != nil {
			return err
		}
		out = receipt(r, uri.URI{})
		out.Digest, out.Outcome = Digest(set.Digest()), Changed
		return nil
	})
	return out, err
}

// receipt turns the store's receipt into the facade's.
func receipt(r store.Receipt, u uri.URI) Receipt {
	return Receipt{URI: u, Seq: r.Seq, Time: r.Time, Head: r.Head, Row: r.Digest}
}
