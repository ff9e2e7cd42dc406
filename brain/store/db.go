package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// DB is an open store. It is safe for concurrent use.
type DB struct {
	dir     string
	opt     Options
	fs      vfs.FS
	lock    *dirLock
	latch   *latch
	gate    *gate
	states  *states
	space   *space
	damage  error       // of HEAD, when open read-only
	spoiled atomic.Bool // derived data was found damaged

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
// again and returns the same. Of a failed store it returns the failure, and
// ErrAbandoned when the engine could not be closed within Options.CloseGrace.
// The directory can be opened again then, unless an operation of the disk itself
// hangs: then it stays locked until the process ends.
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
	return db.release(over)
}

// release closes the engines and gives the directory back, unless that takes
// until over: a directory that somebody may still write to stays locked.
func (db *DB) release(over <-chan struct{}) error {
	done := make(chan error, 1)
	go func() {
		errs := []error{db.states.closeAll()}
		var wg sync.WaitGroup
		engines := []Engine{db.derived, db.primary}
		closed := make([]error, len(engines))
		for i, e := range engines {
			if e != nil {
				wg.Go(func() { closed[i] = e.Close() })
			}
		}
		wg.Wait()
		if db.spoiled.Load() && !errors.Is(closed[0], ErrAbandoned) {
			db.discard()
		}
		if db.committer != nil {
			errs = append(errs, db.committer.file.close())
		}
		done <- errors.Join(append(errs, closed...)...)
	}()
	select {
	case err := <-done:
		if failure := db.latch.failed(); failure != nil {
			// What else the engines say about closing follows from the failure.
			if !errors.Is(err, ErrAbandoned) {
				err = nil
			}
			err = errors.Join(failure, err)
		}
		return errors.Join(err, db.lock.unlock())
	case <-over:
		db.opt.Log.Error("store was abandoned and stays locked", slog.String("dir", db.dir))
		return errors.Join(db.latch.failed(), ErrAbandoned)
	}
}

// discard removes derived data that was found damaged, so that the next Open
// starts without it and what it held is made again.
func (db *DB) discard() {
	if db.opt.ReadOnly {
		return
	}
	err := db.fs.RemoveAll(db.fs.PathJoin(db.dir, derivedName))
	db.opt.Log.Warn("damaged derived data is dropped", slog.Any("err", err))
}

// patience returns a channel that is closed some time after the store has
// failed, or never. It is longer than what one engine is given.
func (db *DB) patience() <-chan struct{} {
	over := make(chan struct{})
	go func() {
		select {
		case <-db.latch.ch:
		case <-db.closed:
			return
		}
		t := time.NewTimer(2 * db.opt.CloseGrace)
		defer t.Stop()
		select {
		case <-t.C:
			close(over)
		case <-db.closed:
		}
	}()
	return over
}
