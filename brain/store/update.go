package store

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// MaxChanges is the most changes that one UpdateAll takes.
const MaxChanges = 10_000

// Event is what the row of a change says: who did what to what, and why it was
// allowed. URI and Body enter the row as commitments and are kept in clear in
// its erasable companion.
type Event struct {
	Actor  string // "person:alice"; required
	Op     string // "put"; required
	Class  audit.Class
	Policy audit.Hash // digest of the policy that decided, zero for none
	URI    string
	Body   []byte
}

// Change is one event and what it writes. A nil Fn writes nothing.
type Change struct {
	Event Event
	Fn    func(*Tx) error
}

// Receipt proves a commit: compare it with the log, also after a crash.
type Receipt struct {
	Seq    uint64
	Head   audit.Head // of the log up to and including the row
	Digest audit.Hash // leaf hash of the row
	Time   time.Time
}

// Update runs fn in a transaction and commits what it wrote together with one
// row for ev. When it returns nil both are durable and every later read sees
// them.
//
// fn runs on the store's own goroutine, one at a time in arrival order. It does
// no I/O, acts only through the Tx and may be run again. When it returns an
// error, nothing is changed and Update returns that error as it is; when it
// panics or calls runtime.Goexit, nothing is changed and the same happens in the
// caller. A write or Close of any store from inside fn is ErrReentrant, as long
// as it is made on the goroutine that fn was called on: one that fn starts and
// waits for cannot be told from a stranger, and hangs.
//
// A ctx that ends before the store has taken the change returns ctx.Err() and
// changes nothing. After that the true outcome is returned, however long it
// takes. Other errors: ErrClosed, ErrReadOnly, ErrFull, ErrStoreFailed (outcome
// unknown), *invalid.Error.
func (db *DB) Update(ctx context.Context, ev Event, fn func(*Tx) error) (Receipt, error) {
	rs, err := db.UpdateAll(ctx, []Change{{ev, fn}})
	if err != nil {
		return Receipt{}, err
	}
	return rs[0], nil
}

// UpdateAll is like Update for many changes: all are committed or none, each
// with a row and a Seq of its own, in order. A later change sees what the
// earlier ones wrote.
func (db *DB) UpdateAll(ctx context.Context, changes []Change) ([]Receipt, error) {
	if err := checkChanges(changes); err != nil {
		return nil, err
	}
	if db.damage != nil || db.opt.ReadOnly {
		return nil, ErrReadOnly
	}
	if db.committer.inside() {
		return nil, ErrReentrant
	}
	if !db.gate.enter() {
		return nil, ErrClosed
	}
	defer db.gate.leave()
	return db.committer.submit(ctx, changes)
}

func checkChanges(changes []Change) error {
	switch n := len(changes); {
	case n == 0:
		return invalid.New("changes", "none")
	case n > MaxChanges:
		return invalid.TooLarge("changes", int64(n), MaxChanges)
	}
	size := int64(0)
	for _, c := range changes {
		ev := &c.Event
		switch {
		case ev.Actor == "":
			return invalid.New("actor", "empty")
		case ev.Op == "":
			return invalid.New("op", "empty")
		case ev.Class < audit.Change || ev.Class > audit.Event:
			return invalid.New("class", "%d is none", ev.Class)
		}
		if err := spend(&size, len(ev.URI)+len(ev.Body)); err != nil {
			return err
		}
	}
	return nil
}

// request is one UpdateAll on its way through the committer.
type request struct {
	changes  []Change
	receipts []Receipt
	err      error
	panicked any  // what a function panicked with
	exited   bool // a function ended its goroutine
	done     chan struct{}
}

func (r *request) answer(err error) {
	r.err = err
	close(r.done)
}

// submit hands the changes over and waits for their outcome. The hand-over is
// the send: the committer receives only what it is going to run.
func (c *committer) submit(ctx context.Context, changes []Change) ([]Receipt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.latch.failed(); err != nil {
		return nil, err
	}
	r := &request{changes: changes, done: make(chan struct{})}
	select {
	case c.queue <- r:
	case <-ctx.Done():
		c.counters.cancelled.Add(1)
		return nil, ctx.Err()
	case <-c.latch.ch:
		return nil, c.latch.failed()
	}
	<-r.done
	switch {
	case r.panicked != nil:
		panic(r.panicked)
	case r.exited:
		runtime.Goexit()
	case r.err != nil:
		return nil, r.err
	}
	return r.receipts, nil
}

// inside reports whether the caller runs inside a function of a commit. Only
// while one runs is the stack looked at: for others this is one load.
func (c *committer) inside() bool {
	if c.running.Load() == 0 {
		return false
	}
	return below(insideName)
}

const insideName = "/brain/store.(*committer).runInside"

// runInside calls fn; everything below it on the stack is inside a commit.
//
//go:noinline
func (c *committer) runInside(fn func() error) error {
	c.running.Add(1)
	defer c.running.Add(-1)
	return fn()
}

// protect calls fn inside a goroutine of its own and waits for it, so that a
// panic or a Goexit ends neither the committer nor the group. They are noted in
// r for the caller.
func (c *committer) protect(r *request, fn func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			r.panicked = recover()
			r.exited = r.panicked == nil && !returned
			if !returned {
				err = fmt.Errorf("function did not return")
			}
		}()
		err = c.runInside(fn)
		returned = true
	}()
	<-done
	return err
}
