package store

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

// Reader reads one state of the store. Snapshots, transactions and derived
// snapshots are Readers.
type Reader interface {
	// Get returns the value of key, or ErrNotFound. The bytes are the caller's.
	Get(key []byte) ([]byte, error)

	// Scan calls fn for the keys of [lo, hi) in byte order until fn returns
	// false or an error, which Scan returns; a nil hi has no end. Key and value
	// are valid until fn returns and must not be changed.
	Scan(lo, hi []byte, fn func(key, value []byte) (more bool, err error)) error
}

// core is one state of an engine, shared by all snapshots of it and closed with
// the last.
type core struct {
	EngineSnapshot
	head  head // primary only
	refs  atomic.Int64
	close func(*core)
}

// acquire reports whether the state is still open, and then keeps it open.
func (c *core) acquire() bool {
	for {
		n := c.refs.Load()
		if n <= 0 {
			return false
		}
		if c.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (c *core) release() {
	if c.refs.Add(-1) == 0 {
		c.close(c)
	}
}

// states keeps track of the open states of the engines, so that Close can close
// those that somebody forgot.
type states struct {
	latch *latch
	mu    sync.Mutex
	open  map[*core]struct{}
}

// add returns a core over s with one reference.
func (st *states) add(s EngineSnapshot, h head) *core {
	c := &core{EngineSnapshot: s, head: h, close: st.drop}
	c.refs.Store(1)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.open[c] = struct{}{}
	return c
}

// drop closes the state of c unless closeAll has. It waits for the engine, but
// not for a failed one.
func (st *states) drop(c *core) {
	st.mu.Lock()
	_, ok := st.open[c]
	delete(st.open, c)
	st.mu.Unlock()
	if ok && st.latch.failed() == nil {
		// The error of a close after reads says nothing that the reads did not.
		_ = st.latch.await(c.EngineSnapshot.Close)
	}
}

// closeAll closes every state. No call runs any more.
func (st *states) closeAll() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	var errs []error
	for c := range st.open {
		errs = append(errs, c.EngineSnapshot.Close())
	}
	clear(st.open)
	return errors.Join(errs...)
}

func (st *states) count() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.open)
}

// Snapshot is the primary data after one commit. It never changes. It costs
// memory and disk space while it is open: close it soon. It is safe for
// concurrent use; after Close, or after Close of the store, reads return
// ErrClosed.
type Snapshot struct {
	view
	seq uint64
}

// Seq returns the number of the last row that the snapshot contains.
func (s *Snapshot) Seq() uint64 { return s.seq }

// Retain returns a second, independent handle on the same state, with a Close
// of its own.
func (s *Snapshot) Retain() *Snapshot {
	v := s.view.retain()
	return &Snapshot{view: v, seq: s.seq}
}

// DerivedSnapshot is the derived data after one Derive. Otherwise it is like a
// Snapshot.
type DerivedSnapshot struct{ view }

// view is one handle on a core. It implements Reader.
type view struct {
	gate   *gate
	core   *core
	closed *atomic.Bool
}

// viewOf returns a handle on the state that p points to.
func viewOf(g *gate, p *atomic.Pointer[core]) view {
	v := view{gate: g, core: p.Load(), closed: new(atomic.Bool)}
	for v.core != nil && !v.core.acquire() {
		next := p.Load()
		if next == v.core {
			next = nil // the store is closed
		}
		v.core = next
	}
	v.closed.Store(v.core == nil)
	return v
}

func (v view) retain() view {
	c := view{gate: v.gate, core: v.core, closed: new(atomic.Bool)}
	c.closed.Store(v.core == nil || !v.core.acquire())
	return c
}

// enter reports whether the state may be read; leave ends the reading.
func (v view) enter() bool {
	if v.closed.Load() || !v.gate.enter() {
		return false
	}
	if !v.core.acquire() {
		v.gate.leave()
		return false
	}
	return true
}

func (v view) leave() {
	v.core.release()
	v.gate.leave()
}

// Get implements Reader.
func (v view) Get(key []byte) ([]byte, error) {
	if !v.enter() {
		return nil, ErrClosed
	}
	defer v.leave()
	return v.core.Get(key)
}

// Scan implements Reader.
func (v view) Scan(lo, hi []byte, fn func(key, value []byte) (more bool, err error)) error {
	if !v.enter() {
		return ErrClosed
	}
	defer v.leave()
	return v.core.Scan(lo, hi, fn)
}

// Close gives the handle back. It may be called again.
func (v view) Close() {
	if !v.closed.Swap(true) {
		v.core.release()
	}
}

// Snapshot returns the state after the last acknowledged commit. It never
// fails; of a closed store it is a snapshot that reads ErrClosed.
func (db *DB) Snapshot() *Snapshot {
	v := viewOf(db.gate, &db.published)
	s := &Snapshot{view: v}
	if v.core != nil {
		s.seq = v.core.head.seq
	}
	return s
}

// Derived returns the derived data after the last Derive, like Snapshot.
func (db *DB) Derived() *DerivedSnapshot {
	return &DerivedSnapshot{viewOf(db.gate, &db.derivedState)}
}

// Head returns the number of rows and the root of the log after the last
// acknowledged commit.
func (db *DB) Head() audit.Head { return db.published.Load().head.audit() }

// Epoch returns the epoch of the log. It rises with every restore, promotion
// and repair.
func (db *DB) Epoch() uint64 { return db.published.Load().head.epoch }

// ID returns the id that the store was given when it was created.
func (db *DB) ID() audit.StoreID { return db.published.Load().head.store }
