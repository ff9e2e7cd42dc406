package store

import (
	"sync/atomic"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

// Stats is the state of a store in numbers.
type Stats struct {
	ID           audit.StoreID
	Epoch        uint64
	Head         audit.Head
	Format       int
	ReadOnly     bool
	PrimaryBytes int64 // on disk
	DerivedBytes int64
	FreeBytes    int64 // of the disk, -1 where the file system does not say
	Failed       error // nil while the store works
	Spoiled      bool  // derived data was found damaged: close the store and open it again
}

// Stats returns the state after the last acknowledged commit. It asks the disk,
// so it takes microseconds. Sizes of a failed or closed store are zero.
func (db *DB) Stats() Stats {
	h := db.published.Load().head
	s := Stats{
		ID: h.store, Epoch: h.epoch, Head: h.audit(), Format: formatVersion,
		ReadOnly: db.opt.ReadOnly, FreeBytes: -1, Failed: db.latch.failed(),
		Spoiled: db.spoiled.Load(),
	}
	if n, ok, err := db.space.free(); ok && err == nil {
		s.FreeBytes = n
	}
	if !db.gate.enter() {
		return s
	}
	defer db.gate.leave()
	var primary, derived int64
	if db.latch.await(func() error {
		primary, derived = db.primary.Size(), db.derived.Size()
		return nil
	}) == nil {
		s.PrimaryBytes, s.DerivedBytes = primary, derived
	}
	return s
}

// Metrics counts what a store has done since Open.
type Metrics struct {
	Groups    int64         // group commits
	Rows      int64         // rows committed
	Bytes     int64         // handed to the engine, keys and values
	Undone    int64         // Updates that failed in their function
	Cancelled int64         // Updates that were given up before the store took them
	Derives   int64         // Derive commits
	HeadSyncs int64         // times HEAD was made durable
	Waited    time.Duration // total time of waiting for the engine's commits
	States    int64         // states of the engines that are open now
}

// Metrics returns the counters. It takes no lock that a commit holds.
func (db *DB) Metrics() Metrics {
	c := &db.counters
	return Metrics{
		Groups: c.groups.Load(), Rows: c.rows.Load(), Bytes: c.bytes.Load(),
		Undone: c.undone.Load(), Cancelled: c.cancelled.Load(), Derives: c.derived.Load(),
		HeadSyncs: c.headSyncs.Load(), Waited: time.Duration(c.waited.Load()),
		States: int64(db.states.count()),
	}
}

type counters struct {
	groups, rows, bytes, undone, cancelled, derived, headSyncs, waited atomic.Int64
}

// applied counts a group that was given to the engine.
func (c *counters) applied(began time.Time, g *group) {
	c.groups.Add(1)
	c.rows.Add(int64(len(g.rows)))
	c.bytes.Add(g.bytes)
	c.waited.Add(int64(time.Since(began)))
}
