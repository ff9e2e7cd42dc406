package brain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// The policy is stored under its digest, for ever, so that the digest in an old
// row can be looked up; one record says which is in force.
func policyKey(digest []byte) []byte { return store.Policy.Key([]byte("set/"), digest) }
func policyNow() []byte              { return store.Policy.Key([]byte("now")) }

// rules reads the policy in force and keeps the parsed form of the last one,
// with the scopes that were compiled from it.
type rules struct {
	last atomic.Pointer[policy.Set]

	mu     sync.Mutex
	of     *policy.Set // that scopes were compiled from
	scopes map[string]policy.Scope
}

// maxScopes bounds the compiled scopes; when they are full, all are dropped.
const maxScopes = 1024

// scope returns what a may read under set at now. Compiling costs up to a
// millisecond with 10,000 rules, so the last answers are kept.
func (c *rules) scope(set *policy.Set, a Actor, now time.Time) policy.Scope {
	key := fmt.Sprintf("%s%q", a, a.Roles)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != set || len(c.scopes) >= maxScopes {
		c.of, c.scopes = set, map[string]policy.Scope{}
	}
	s, ok := c.scopes[key]
	if end := s.Expires(); !ok || !end.IsZero() && !now.Before(end) {
		s = set.Scope(a, now)
		c.scopes[key] = s
	}
	return s
}

// at returns the policy in force in one state of the store.
func (c *rules) at(r store.Reader) (*policy.Set, error) {
	digest, err := r.Get(policyNow())
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("%w: no policy is stored", store.ErrCorrupt)
	}
	if err != nil {
		return nil, err
	}
	if s := c.last.Load(); s != nil {
		if d := s.Digest(); bytes.Equal(d[:], digest) {
			return s, nil
		}
	}
	text, err := r.Get(policyKey(digest))
	if err != nil {
		return nil, fmt.Errorf("%w: the policy in force: %w", store.ErrCorrupt, err)
	}
	s, err := policy.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: the policy in force: %w", store.ErrCorrupt, err)
	}
	if d := s.Digest(); !bytes.Equal(d[:], digest) {
		return nil, fmt.Errorf("%w: the policy in force has another digest", store.ErrCorrupt)
	}
	c.last.Store(s)
	return s, nil
}

// setPolicy puts s in force.
func setPolicy(tx *store.Tx, s *policy.Set) error {
	digest := s.Digest()
	if err := tx.Set(policyKey(digest[:]), s.Encode()); err != nil {
		return err
	}
	return tx.Set(policyNow(), digest[:])
}

// ensurePolicy gives a new brain its first policy, as the first row of its log.
func (db *DB) ensurePolicy(ctx context.Context) error {
	if db.opt.ReadOnly {
		return nil
	}
	snap := db.store.Snapshot()
	_, err := snap.Get(policyNow())
	snap.Close()
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	set := db.opt.Policy
	digest := set.Digest()
	ev := store.Event{
		Actor: self, Op: "policy", Class: audit.Change, Policy: audit.Hash(digest),
		Body: body(policy.Decision{}, Changed, func(b *bodyOf) { b.Content = digest[:] }),
	}
	_, err = db.store.Update(ctx, ev, func(tx *store.Tx) error { return setPolicy(tx, set) })
	return err
}

// self is the actor of rows that the library writes on its own.
var self = policy.Actor{ID: "brain", Kind: policy.System}.String()

// current returns the policy in force now.
func (db *DB) current() (*policy.Set, error) {
	snap := db.store.Snapshot()
	defer snap.Close()
	return db.rules.at(snap)
}

// may returns an error unless the actor may do act on u now.
func (s *Session) may(act policy.Action, u uri.URI) (policy.Decision, error) {
	set, err := s.db.current()
	if err != nil {
		return policy.Decision{}, err
	}
	return allow(set, s.actor, act, u, s.db.now())
}

// allow asks set whether a may do act on u. A change of u needs the right to
// read it too, since its receipt tells what was there.
func allow(set *policy.Set, a Actor, act policy.Action, u uri.URI, now time.Time) (policy.Decision, error) {
	d := set.Evaluate(a, act, u, now)
	if err := d.Err(); err != nil {
		return d, err
	}
	switch act {
	case policy.Write, policy.Forget, policy.Propose:
		return d, set.Evaluate(a, policy.Read, u, now).Err()
	}
	return d, nil
}
