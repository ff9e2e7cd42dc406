package store

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// pebbleFormat is the on-disk format that this program writes. It is a constant
// of the store's FORMAT, not "the newest": raising it is one-way, so a release
// raises it on purpose. From pebble.FormatWALSyncChunks on, the log carries
// sync offsets, without which damage in its middle reads as its end.
const pebbleFormat = pebble.FormatTableFormatV6

// maxOpenFiles bounds the table files that one engine holds open.
const maxOpenFiles = 128

// OpenPebble opens an engine of Pebble files below dir. It implements
// [OpenEngine].
//
// A new one is created, closed and opened again before it is returned: Pebble
// writes the first log of a new database without sync offsets whatever format
// is asked for, and a flipped byte there silently ends the log (spec
// reliability §0.1, pinned by TestDamagedLogIsRefused).
func OpenPebble(dir string, o EngineOptions) (Engine, error) {
	fs := newFence(o.FS, o.Fail)
	if o.Create {
		db, err := openPebble(dir, o, fs, newCompactions())
		if err != nil {
			return nil, fmt.Errorf("create engine: %w", err)
		}
		if err := db.Close(); err != nil {
			return nil, fmt.Errorf("create engine: %w", err)
		}
		o.Create = false
	}
	if _, err := o.FS.Stat(dir); err != nil {
		return nil, fmt.Errorf("open engine: %w", pebbleErr(err))
	}
	turns := newCompactions()
	db, err := openPebble(dir, o, fs, turns)
	if err != nil {
		return nil, fmt.Errorf("open engine: %w", pebbleErr(err))
	}
	turns.start()
	return &pebbleEngine{db: db, fs: fs, grace: o.CloseGrace}, nil
}

func openPebble(dir string, o EngineOptions, fs *fence, turns *compactions) (*pebble.DB, error) {
	w := &watch{fs: fs, log: o.Log}
	po := &pebble.Options{
		FS:                          fs,
		FormatMajorVersion:          pebbleFormat,
		CacheSize:                   o.CacheBytes,
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		MaxOpenFiles:                maxOpenFiles,
		ReadOnly:                    o.ReadOnly,
		ErrorIfExists:               o.Create,
		ErrorIfNotExists:            !o.Create,
		Logger:                      w,
		EventListener:               w.listener(),
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
		// Pebble collects them on a goroutine that a failed Open leaves running
		// over what it frees. They only hasten compactions of deleted ranges.
		DisableTableStats: true,
	}
	po.Experimental.CompactionScheduler = turns
	fs.opening.Store(true)
	defer fs.opening.Store(false)
	return pebble.Open(dir, po)
}

// pebbleErr marks what Pebble calls damage as ErrCorrupt.
func pebbleErr(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pebble.ErrNotFound):
		return ErrNotFound
	case pebble.IsCorruptionError(err), errors.Is(err, pebble.ErrDBDoesNotExist),
		errors.Is(err, pebble.ErrDBNotPristine), errors.Is(err, iofs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrCorrupt, firstLine{err})
	}
	return err
}

// firstLine is an error of Pebble without the notes for its own developers that
// follow its first line.
type firstLine struct{ error }

func (e firstLine) Error() string {
	line, _, _ := strings.Cut(e.error.Error(), "\n")
	return line
}

func (e firstLine) Unwrap() error { return e.error }

type pebbleEngine struct {
	db    *pebble.DB
	fs    *fence
	grace time.Duration
}

// Snapshot implements Engine.
func (e *pebbleEngine) Snapshot() (EngineSnapshot, error) {
	return &pebbleSnapshot{s: e.db.NewSnapshot()}, nil
}

// Apply implements Engine.
func (e *pebbleEngine) Apply(b *Batch) error {
	if err := checkHead(func(key []byte) ([]byte, error) { return pebbleGet(e.db, key) }, b); err != nil {
		return err
	}
	size := 0
	for _, op := range b.Ops {
		size += len(op.Key) + len(op.Value) + 16
	}
	pb := e.db.NewBatchWithSize(size)
	for _, op := range b.Ops {
		var err error
		if op.Delete {
			err = pb.Delete(op.Key, nil)
		} else {
			err = pb.Set(op.Key, op.Value, nil)
		}
		if err != nil {
			return errors.Join(err, pb.Close())
		}
	}
	if err := pb.Commit(&pebble.WriteOptions{Sync: b.Sync}); err != nil {
		return pebbleErr(err) // the batch may still be in use: it is not closed
	}
	return pb.Close()
}

// Size implements Engine.
func (e *pebbleEngine) Size() int64 { return int64(e.db.Metrics().DiskSpaceUsage()) }

// Close implements Engine. An engine that has failed may never close: it is
// given EngineOptions.CloseGrace, then cut off from the disk, so that another can
// be opened in its place, and left behind with its goroutines.
func (e *pebbleEngine) Close() error {
	closed := make(chan error, 1)
	if !e.fs.held.Load() {
		go func() { closed <- e.db.Close() }()
		select {
		case err := <-closed:
			return err
		case <-e.fs.failed:
		}
		grace := time.NewTimer(e.grace)
		defer grace.Stop()
		select {
		case err := <-closed:
			return err
		case <-grace.C:
		}
	}
	e.fs.cut()
	return ErrAbandoned
}

type pebbleSnapshot struct{ s *pebble.Snapshot }

// Get implements EngineSnapshot.
func (s *pebbleSnapshot) Get(key []byte) ([]byte, error) { return pebbleGet(s.s, key) }

func pebbleGet(r pebble.Reader, key []byte) ([]byte, error) {
	v, c, err := r.Get(key)
	if err != nil {
		return nil, pebbleErr(err)
	}
	return append([]byte{}, v...), c.Close()
}

// Scan implements EngineSnapshot.
func (s *pebbleSnapshot) Scan(lo, hi []byte, fn func(k, v []byte) (bool, error)) (err error) {
	it, err := s.s.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return pebbleErr(err)
	}
	defer func() {
		// Close repeats the error of the iterator: one of the two is enough.
		if e := it.Close(); err == nil {
			err = pebbleErr(e)
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return pebbleErr(err)
		}
		if more, err := fn(it.Key(), v); err != nil || !more {
			return err
		}
	}
	return pebbleErr(it.Error())
}

// Close implements EngineSnapshot.
func (s *pebbleSnapshot) Close() error { return s.s.Close() }
