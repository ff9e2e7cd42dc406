package store

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// compactions lets one compaction of an engine run at a time, and none before
// start.
//
// Pebble (v2.1.7) begins to compact while it opens. When Open then fails, it
// frees what the compaction works on, which panics on a goroutine of Pebble's
// own, and it forgets its scheduler, which begins another one. So nothing is
// granted until Open has returned.
type compactions struct {
	mu      sync.Mutex
	idle    *sync.Cond // asking has become zero
	db      pebble.DBForCompaction
	open    bool // turns may be granted
	running bool // somebody has the turn
	missed  bool // somebody was refused since grant last asked
	asking  int  // calls of grant that are inside db
}

func newCompactions() *compactions {
	c := new(compactions)
	c.idle = sync.NewCond(&c.mu)
	return c
}

// start lets compactions run from now on, beginning with one that waits.
func (c *compactions) start() {
	c.mu.Lock()
	c.open = true
	c.mu.Unlock()
	c.grant()
}

// grant offers a free turn to a compaction that waits for one. c.mu is not held
// while Pebble is called, since Pebble calls TrySchedule with its own mutex held.
func (c *compactions) grant() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open || c.running {
		return
	}
	c.running = true
	c.asking++
	for taken := false; !taken; {
		c.missed = false
		c.mu.Unlock()
		waiting, _ := c.db.GetWaitingCompaction()
		taken = waiting && c.db.Schedule(c)
		c.mu.Lock()
		if !taken && !(c.missed && c.open) {
			// One that was refused meanwhile would have nobody to wake it.
			c.running = false
			break
		}
	}
	if c.asking--; c.asking == 0 {
		c.idle.Broadcast()
	}
}

// Register implements pebble.CompactionScheduler.
func (c *compactions) Register(_ int, db pebble.DBForCompaction) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.db = db
}

// Unregister implements pebble.CompactionScheduler.
func (c *compactions) Unregister() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = false
	for c.asking > 0 {
		c.idle.Wait()
	}
}

// TrySchedule implements pebble.CompactionScheduler.
func (c *compactions) TrySchedule() (bool, pebble.CompactionGrantHandle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.open || c.running {
		c.missed = true
		return false, nil
	}
	c.running = true
	return true, c
}

// UpdateGetAllowedWithoutPermission implements pebble.CompactionScheduler. What
// is allowed is always one.
func (c *compactions) UpdateGetAllowedWithoutPermission() {}

// Started implements pebble.CompactionGrantHandle.
func (c *compactions) Started() {}

// MeasureCPU implements pebble.CompactionGrantHandle.
func (c *compactions) MeasureCPU(pebble.CompactionGoroutineKind) {}

// CumulativeStats implements pebble.CompactionGrantHandle.
func (c *compactions) CumulativeStats(pebble.CompactionGrantHandleStats) {}

// Done implements pebble.CompactionGrantHandle.
func (c *compactions) Done() {
	c.mu.Lock()
	c.running = false
	c.mu.Unlock()
	c.grant()
}
