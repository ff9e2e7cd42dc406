package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// closeGrace is how long Close waits for an engine that has failed.
const closeGrace = 2 * time.Second

// DB is an open store. It is safe for concurrent use.
type DB struct {
	dir    string
	opt    Options
	fs     vfs.FS
	lock   *dirLock
	latch  *latch
	gate   *gate
	states *states
	space  *space
	damage error // of HEAD, when open read-only

	primary, derived        Engine
	published, derivedState atomic.Pointer[core]
	committer               *committer
	deriving                sync.Mutex // one Derive at a time
	counters                counters

	closeOnce sync.Once
	closed    chan struct{} // when closing is over
	closeErr  error
}

// Damage returns why the store could only be opened read-only: ErrHeadDamaged,
// ErrHeadMissing or ErrRollback. It is nil for a sound store.
func (db *DB) Damage() error { return db.damage }

// Close refuses new calls, waits for running ones, makes HEAD durable and
// releases the directory. Snapshots need not be closed before. It may be called
// again and returns the same. Of a failed store it returns the failure; an
// engine that does not close within two seconds is then abandoned, with its
// goroutines and the lock of the directory, and the error says so.
func (db *DB) Close() error { return db.CloseContext(context.Background()) }

// CloseContext is like Close, but returns ctx.Err() when ctx ends first.
// Closing then goes on by itself and is over when the running calls are.
func (db *DB) CloseContext(ctx context.Context) error {
	if db.committer.inside() {
		return ErrReentrant
	}
	db.closeOnce.Do(func() {
		db.gate.shut()
		go func() {
			defer close(db.closed)
			db.closeErr = db.close()
		}()
	})
	select {
	case <-db.closed:
		return db.closeErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (db *DB) close() error {
	over := db.patience()
	select {
	case <-db.gate.idle:
	case <-over:
	}
	close(db.committer.stop)
	select {
	case <-db.committer.stopped:
	case <-over:
	}
	done := make(chan error, 1)
	go func() {
		done <- errors.Join(db.states.closeAll(), db.derived.Close(), db.primary.Close(), db.committer.file.close())
	}()
	failure := db.latch.failed
	select {
	case err := <-done:
		if f := failure(); f != nil {
			err = f // what the engine says about closing follows from it
		}
		return errors.Join(err, db.lock.unlock())
	case <-over:
		db.opt.Log.Error("store was abandoned", slog.String("dir", db.dir))
		return fmt.Errorf("the engine did not close within %s and was abandoned: %w", closeGrace, failure())
	}
}

// patience returns a channel that is closed closeGrace after the store has
// failed, or never.
func (db *DB) patience() <-chan struct{} {
	over := make(chan struct{})
	go func() {
		select {
		case <-db.latch.ch:
		case <-db.closed:
			return
		}
		t := time.NewTimer(closeGrace)
		defer t.Stop()
		select {
		case <-t.C:
			close(over)
		case <-db.closed:
		}
	}()
	return over
}
