package brain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/recall/chunk"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// DB is an open brain. It belongs to the program that embeds the library and
// returns no content: that is what sessions are for. It is safe for concurrent
// use.
type DB struct {
	opt    Options
	store  *store.DB
	index  *recall.Index
	gate   *gate.Gate
	rules  rules
	refuse denials
	count  counters
	latest atomic.Int64 // microseconds of the newest commit: no time is before it

	// rebuilding is held for writing while the index is made again: no commit
	// may run then.
	rebuilding sync.RWMutex

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
	close  func() error // ends the DB once; every call waits for it
}

// Open opens the brain in directory dir, making it when the directory is empty
// or not there. One process may have it open at a time; a second one gets
// store.ErrHeld. The index is built from the store: about a second for 10,000
// chunks. The caller closes the DB.
func Open(ctx context.Context, dir string, o *Options) (*DB, error) {
	opt, err := o.fill()
	if err != nil {
		return nil, wrap("open", "", err)
	}
	db := &DB{opt: opt}
	db.close = sync.OnceValue(db.end)
	if err := db.open(ctx, dir); err != nil {
		return nil, wrap("open", "", err)
	}
	return db, nil
}

// open opens the store and builds the index from it. Derived data that turns out
// to be damaged meanwhile is made again, since it holds nothing of its own.
func (db *DB) open(ctx context.Context, dir string) error {
	err := db.begin(ctx, dir, false)
	if db.store == nil || !db.store.Stats().Spoiled || ctx.Err() != nil {
		return err
	}
	if err == nil {
		err = errors.Join(db.index.Close(ctx), db.store.Close())
	}
	db.opt.Log.Warn("derived data is damaged and made again", "error", err)
	return db.begin(ctx, dir, true)
}

func (db *DB) begin(ctx context.Context, dir string, dropDerived bool) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	opt := &db.opt
	db.index, err = recall.New(ctx, &recall.Options{
		Embedder: opt.Embedder, Chunk: chunk.Options{SkipPrefixes: opt.SkipPrefixes},
		DailyBytes: opt.DailyBytes, Progress: opt.Progress, Log: opt.Log,
	})
	if err != nil {
		return err
	}
	db.store, err = store.Open(dir, &store.Options{
		ReadOnly: opt.ReadOnly, HeadSync: opt.HeadSync, CacheBytes: opt.CacheBytes,
		MinFreeBytes: opt.MinFreeBytes, BallastBytes: opt.BallastBytes, DropBallast: opt.DropBallast,
		DropDerived: dropDerived,
		Hooks:       []store.Hook{(*clock)(db), db.index}, Now: opt.Now, Log: opt.Log,
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			closing := errors.Join(db.index.Close(ctx), db.store.Close())
			if !errors.Is(err, store.ErrCorrupt) { // else it is the same damage again
				err = errors.Join(err, closing)
			}
		}
	}()
	if err := db.readClock(ctx); err != nil {
		return err
	}
	if err := db.index.Load(ctx, db.store); err != nil {
		return err
	}
	if err := db.ensurePolicy(ctx); err != nil {
		return err
	}
	db.gate = gate.New(db.store, indexer{db.index}, gate.Options{Policy: db.rules.at, TTL: opt.ProposalTTL, DailyBytes: opt.DailyBytes, Now: db.now})
	return nil
}

// clock is the hook that keeps the time of the newest commit.
type clock DB

// Committed implements store.Hook.
func (c *clock) Committed(x store.Commit) { c.latest.Store(x.Time.UnixMicro()) }

// readClock takes the time of the newest commit from the log.
func (db *DB) readClock(ctx context.Context) error {
	head := db.store.Head()
	if head.Seq == 0 {
		return nil
	}
	for row, err := range db.store.Rows(ctx, head.Seq, head.Seq) {
		if err != nil {
			return err
		}
		db.latest.Store(row.Time)
	}
	return nil
}

// now is the time that rights, validity and expiry are judged by: the clock, or
// the newest commit when the clock was set back behind it.
func (db *DB) now() time.Time {
	now := db.opt.Now().UTC()
	if latest := time.UnixMicro(db.latest.Load()).UTC(); latest.After(now) {
		return latest
	}
	return now
}

// enter counts a call in, or refuses it after Close. The caller calls leave.
func (db *DB) enter() (leave func(), err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, store.ErrClosed
	}
	db.calls.Add(1)
	return db.calls.Done, nil
}

// As returns the view of one actor. Rights are judged at each call, not here.
func (db *DB) As(a Actor) *Session { return &Session{db: db, actor: a} }

// Verify reads everything that cannot be made again. It proves the whole log
// against its head: every row, the chain, the tree; and it compares the bytes of
// every revision with their digest. A log that does not verify is an error that
// wraps *audit.Defect and names the first bad row; damaged content is
// store.ErrCorrupt and names the document. It costs about 5 µs per row and 10 µs per
// revision.
func (db *DB) Verify(ctx context.Context) (audit.Report, error) {
	leave, err := db.enter()
	if err != nil {
		return audit.Report{}, wrap("verify", "", err)
	}
	defer leave()
	r, err := db.store.Verify(ctx)
	var defect *audit.Defect
	if errors.As(err, &defect) {
		err = fmt.Errorf("%w: %w", store.ErrCorrupt, err)
	}
	if err == nil {
		err = db.verifyContent(ctx)
	}
	var one *at
	if errors.As(err, &one) {
		return r, wrap("verify", one.uri, one.err)
	}
	return r, wrap("verify", "", err)
}

// verifyContent reads the bytes of every revision, which compares their digest.
func (db *DB) verifyContent(ctx context.Context) error {
	snap := db.store.Snapshot()
	defer snap.Close()
	return document.All(snap, func(r document.Revision) (bool, error) {
		if _, err := document.Content(snap, r); err != nil {
			return false, &at{r.URI.String(), err}
		}
		return true, ctx.Err()
	})
}

// Rebuild makes all derived state again from primary data: vectors, chunks and
// index. Writes wait meanwhile; the old index serves until the new one is whole.
func (db *DB) Rebuild(ctx context.Context) error {
	leave, err := db.enter()
	if err != nil {
		return wrap("rebuild", "", err)
	}
	defer leave()
	db.rebuilding.Lock()
	defer db.rebuilding.Unlock()
	if err := db.index.Drop(ctx, db.store); err != nil {
		return wrap("rebuild", "", err)
	}
	return wrap("rebuild", "", db.index.Load(ctx, db.store))
}

// Close refuses new calls, waits for the running ones, makes everything durable
// and releases the directory. It may be called again, also at the same time:
// every call returns after the first one is through, with its outcome.
func (db *DB) Close() error { return db.close() }

func (db *DB) end() error {
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	db.calls.Wait()
	err := errors.Join(db.refuse.flush(db), db.index.Close(context.Background()))
	return wrap("close", "", errors.Join(err, db.store.Close()))
}
