package store

import "context"

// Derive runs fn in a transaction on the derived data and commits what it
// wrote. There is no row and no sync: after a power loss the last of them may be
// gone, latest first, and whoever derived them does it again. fn runs on the
// caller's goroutine, one at a time; Derive inside fn hangs. A panic in fn
// changes nothing and goes on in the caller.
func (db *DB) Derive(ctx context.Context, fn func(*DeriveTx) error) error {
	if db.damage != nil || db.opt.ReadOnly {
		return ErrReadOnly
	}
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	db.deriving.Lock()
	defer db.deriving.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.latch.failed(); err != nil {
		return err
	}
	if err := db.space.check(); err != nil {
		return err
	}
	old := db.derivedState.Load()
	size := int64(0)
	tx := &DeriveTx{writer{over: &overlay{newTreap(), old}, size: &size, class: derived}}
	err := fn(tx)
	tx.ended = true
	if err != nil || tx.over.n == 0 {
		return err
	}
	var state *core
	err = db.latch.await(func() error {
		if err := db.derived.Apply(&Batch{Ops: tx.over.ops()}); err != nil {
			return err
		}
		s, err := db.derived.Snapshot()
		if err == nil {
			state = db.states.add(s, head{})
		}
		return err
	})
	if err != nil {
		db.latch.fail(err)
		return db.latch.failed()
	}
	db.counters.derived.Add(1)
	db.derivedState.Store(state)
	old.release()
	return nil
}
