package store

import (
	"bytes"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Engine is an ordered map from keys to values with snapshots and atomic
// batches. It is what a store stands on; storetest.Engine is its conformance
// suite. All methods are safe for concurrent use, except that Apply is called
// by one goroutine at a time.
type Engine interface {
	// Snapshot returns the state after the last Apply that returned. The caller
	// closes it, before the engine.
	Snapshot() (EngineSnapshot, error)

	// Apply makes all changes of b or none. With b.Sync it returns after they
	// are durable. An error that is not ErrHeadMoved leaves the outcome
	// unknown, and the engine must not be written again.
	Apply(b *Batch) error

	// Size returns the bytes the engine takes on disk, or in memory for an
	// engine without one.
	Size() int64

	// Close releases the engine after a last sync. One that has failed and
	// cannot close returns ErrAbandoned once it is sure not to change the disk
	// any more.
	Close() error
}

// EngineSnapshot is one immutable state of an engine. It is safe for concurrent
// use until it is closed.
type EngineSnapshot interface {
	// Get returns the value of key, which the caller owns, or ErrNotFound.
	Get(key []byte) ([]byte, error)

	// Scan calls fn for the keys of [lo, hi) in byte order until fn returns
	// false or an error; a nil hi has no end. Key and value are valid until fn
	// returns and must not be changed.
	Scan(lo, hi []byte, fn func(key, value []byte) (more bool, err error)) error

	// Close releases the state. Nothing is called after it.
	Close() error
}

// ErrHeadMoved is returned by Engine.Apply when the value of Batch.HeadKey is
// not the expected one: another writer has committed. Nothing was changed.
var ErrHeadMoved = errors.New("head has moved, another writer has committed")

// ErrAbandoned is returned by Close when the engine had failed and could not be
// closed: it keeps memory and goroutines until the process ends.
var ErrAbandoned = errors.New("engine could not be closed and was abandoned")

// Batch is a set of changes that an engine applies together.
type Batch struct {
	Ops []Op // at most one per key

	// HeadKey, when not nil, must have the value Head before the batch (nil:
	// no value) or the batch is refused with ErrHeadMoved.
	HeadKey, Head []byte

	Sync bool // durable before Apply returns
}

// Op sets Key to Value or, with Delete, removes it. The engine does not keep or
// change the slices after Apply.
type Op struct {
	Key, Value []byte
	Delete     bool
}

// EngineOptions is what a store tells an engine that it opens.
type EngineOptions struct {
	FS            vfs.FS // all files go through it
	CacheBytes    int64
	MemTableBytes int64
	ReadOnly      bool
	CloseGrace    time.Duration // that Close gives an engine that has failed
	Create        bool          // make a new engine; else a missing one is an error
	Fail          func(error)   // called, from any goroutine, when the engine has failed
	Log           func(string)  // diagnostic text of the engine, never content
}

// OpenEngine opens the engine whose files are in the directory dir. It
// returns an error that wraps ErrCorrupt when they are missing or damaged.
type OpenEngine func(dir string, o EngineOptions) (Engine, error)

// checkHead compares what Apply must find with what get finds.
func checkHead(get func(key []byte) ([]byte, error), b *Batch) error {
	if b.HeadKey == nil {
		return nil
	}
	got, err := get(b.HeadKey)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if (err != nil) != (b.Head == nil) || !bytes.Equal(got, b.Head) {
		return ErrHeadMoved
	}
	return nil
}
