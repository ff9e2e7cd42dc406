package store

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/internal/invariant"
)

// A group closes at this many transactions or bytes written.
const (
	groupTx    = 256
	groupBytes = 1 << 20
)

// HEAD is made durable at least this often.
const (
	headEvery = time.Second
	headRows  = 1000
)

// clockStep is how far the wall clock may go back without a row.
const clockStep = time.Second

// headKey is where the head is stored in the primary engine.
const headKey = "mhead"

// storeActor is the actor of rows that the store writes by itself.
const storeActor = "system:store"

// committer is the one goroutine that changes primary data.
//
// Those who want to commit block in a send on queue. The committer receives
// one, then all that are waiting until the group is full, runs their functions
// on one overlay, and commits the overlay with one sync; while it waits for the
// disk the next group gathers by itself. A lone caller therefore waits for
// nobody, and a crowd shares a sync.
type committer struct {
	latch    *latch
	opt      *Options
	space    *space
	engine   Engine
	states   *states
	state    *atomic.Pointer[core] // published
	counters *counters
	gate     *gate
	running  atomic.Int32 // functions of callers that run now

	queue   chan *request
	stop    chan struct{} // closed by Close when nobody can send any more
	stopped chan struct{}

	// Of the goroutine alone.
	head      head   // as committed
	encoded   []byte // head, as stored
	tree      *audit.Tree
	last      audit.Hash // leaf hash of row head.seq
	wall      time.Time  // latest reading of the wall clock
	file      *headFile
	dirty     int // rows that HEAD has, but not durably
	headTimer *time.Timer
	group     *group
}

// group is what is committed together.
type group struct {
	over  overlay
	tree  *audit.Tree
	last  audit.Hash
	seq   uint64
	time  time.Time
	wall  time.Time
	tx    int
	bytes int64
	reqs  []*request
	rows  []row
	err   error // why nothing can be committed now
}

// row is one row of a group, for the hooks.
type row struct {
	seq  uint64
	keys [][]byte
}

func (c *committer) loop() {
	defer close(c.stopped)
	for c.step() {
	}
}

// step commits one group or makes HEAD durable. It returns false at the end.
func (c *committer) step() bool {
	select {
	case r := <-c.queue:
		c.begin()
		c.run(r)
	case <-c.headTimer.C:
		c.syncHead()
		return true
	case <-c.stop:
		c.headTimer.Stop()
		c.syncHead()
		return false
	}
	for c.group.tx < groupTx && c.group.bytes < groupBytes {
		select {
		case r := <-c.queue:
			c.run(r)
			continue
		default:
		}
		break
	}
	c.commit()
	return true
}

// begin opens a group over the published state.
func (c *committer) begin() {
	g := &group{
		over: overlay{newTreap(), c.state.Load()},
		tree: c.tree.Clone(),
		last: c.last,
		seq:  c.head.seq,
		wall: c.opt.Now(),
	}
	c.group = g
	g.time = commitTime(g.wall, c.head.time)
	if g.err = c.latch.failed(); g.err != nil {
		return
	}
	if g.err = c.space.check(); g.err != nil {
		return
	}
	if back := c.wall.Sub(g.wall); back > clockStep {
		g.err = c.append(nil, &g.over, []Change{{Event: Event{
			Actor: storeActor, Op: "clock", Class: audit.Event,
			Body: fmt.Appendf(nil, "wall clock went back by %s", back.Round(time.Microsecond)),
		}}})
	}
}

// commitTime is the wall clock, but never before what was stored, in unix
// microseconds.
func commitTime(wall time.Time, stored int64) time.Time {
	return time.UnixMicro(max(wall.UnixMicro(), stored)).UTC()
}

// run executes one request on top of the group; a failed one leaves no trace.
func (c *committer) run(r *request) {
	g := c.group
	if g.err != nil {
		r.answer(g.err)
		return
	}
	// A caller whose request failed may be back before the group is closed: its
	// time is that of its request, not of the group. A step back is left for the
	// next group to see.
	if now := c.opt.Now(); now.After(g.wall) {
		g.wall, g.time = now, commitTime(now, g.time.UnixMicro())
	}
	over := g.over.fork()
	if err := c.append(r, &over, r.changes); err != nil {
		c.counters.undone.Add(1)
		r.answer(err)
		return
	}
	g.over = over
	g.reqs = append(g.reqs, r)
}

// append runs changes on over and adds their rows to it. Only when all have
// succeeded does the group move on. r is nil for rows of the store itself.
func (c *committer) append(r *request, over *overlay, changes []Change) error {
	g := c.group
	var (
		size     int64
		leaves   = make([]audit.Hash, 0, len(changes))
		rows     = make([]row, 0, len(changes))
		receipts = make([]Receipt, 0, len(changes))
		last     = g.last
	)
	for i, ch := range changes {
		ev := ch.Event
		tx := &Tx{
			writer: writer{over: over, size: &size, class: primary},
			seq:    g.seq + 1 + uint64(i), time: g.time, event: &ev, class: ev.Class,
		}
		if ch.Fn != nil {
			err := c.protect(r, func() error { return ch.Fn(tx) })
			tx.ended = true
			if err != nil {
				return err
			}
		}
		leaf, side, err := c.row(ev, ch.Event, tx.seq, last)
		if err != nil {
			return err
		}
		if err := spend(&size, len(leaf)+len(side)); err != nil {
			return err
		}
		last = audit.LeafHash(leaf)
		over.set(string(seqKey(AuditRow, tx.seq)), entry{value: leaf})
		over.set(string(seqKey(AuditSide, tx.seq)), entry{value: side})
		leaves = append(leaves, last)
		rows = append(rows, row{tx.seq, tx.changed()})
		receipts = append(receipts, Receipt{Seq: tx.seq, Digest: last, Time: g.time})
	}
	for i, leaf := range leaves {
		at := uint64(tlog.StoredHashIndex(0, int64(g.seq)))
		for j, h := range g.tree.Append(leaf) {
			over.set(string(seqKey(AuditTree, at+uint64(j))), entry{value: append([]byte{}, h[:]...)})
		}
		g.seq++
		receipts[i].Head = g.tree.Head()
		invariant.Check(g.tree.Size() == g.seq, "tree has %d rows, log %d", g.tree.Size(), g.seq)
	}
	g.last, g.bytes, g.tx = last, g.bytes+size, g.tx+len(changes)
	g.rows = append(g.rows, rows...)
	if r != nil {
		r.receipts = receipts
	}
	return nil
}

// row returns the leaf and the companion of the row of ev, which was given to
// the function as it is in before.
func (c *committer) row(ev, before Event, seq uint64, prev audit.Hash) (leaf, side []byte, err error) {
	if ev.Actor != before.Actor || ev.Class != before.Class {
		return nil, nil, invalid.New("event", "actor and class are not the function's to change")
	}
	s := audit.Side{URI: ev.URI, Body: ev.Body}
	if _, err := io.ReadFull(c.opt.Random, s.Salt[:]); err != nil {
		return nil, nil, fmt.Errorf("salt of the row: %w", err)
	}
	if side, err = s.MarshalBinary(); err != nil {
		return nil, nil, badEvent(err)
	}
	uri, body := s.Commitments()
	leaf, err = audit.Row{
		Version: audit.Version, Store: c.head.store, Epoch: c.head.epoch, Seq: seq,
		Time: c.group.time.UnixMicro(), Actor: ev.Actor, Op: ev.Op, Class: ev.Class,
		Policy: ev.Policy, URI: uri, Body: body, Prev: prev,
	}.Leaf()
	if err != nil {
		return nil, nil, badEvent(err)
	}
	return leaf, side, nil
}

func badEvent(err error) error {
	return &invalid.Error{Field: "event", Reason: err.Error(), Cause: err}
}

// commit makes the group durable, tells the hooks, publishes the new state and
// answers the callers, in this order.
func (c *committer) commit() {
	g := c.group
	c.group = nil
	if len(g.reqs) == 0 {
		return
	}
	next := c.head
	next.seq, next.prev, next.root = g.seq, c.head.root, g.tree.Head().Root
	next.time = g.time.UnixMicro()
	invariant.Check(next.seq-c.head.seq == uint64(len(g.rows)), "%d rows from seq %d to %d", len(g.rows), c.head.seq, next.seq)
	encoded := next.encode()
	batch := &Batch{Ops: g.over.ops(), HeadKey: []byte(headKey), Head: c.encoded, Sync: true}
	batch.Ops = append(batch.Ops, Op{Key: []byte(headKey), Value: encoded})

	var state *core
	began := time.Now()
	err := c.latch.await(func() error {
		if err := c.engine.Apply(batch); err != nil {
			return err
		}
		s, err := c.engine.Snapshot()
		if err != nil {
			return err
		}
		state = c.states.add(s, next)
		return c.file.write(next)
	})
	c.counters.applied(began, g)
	if err == nil {
		c.head, c.encoded, c.tree, c.last = next, encoded, g.tree, g.last
		c.wall = g.wall
		err = c.wroteHead(len(g.rows))
	}
	if err == nil {
		err = c.tell(g, state)
	}
	if err != nil {
		c.latch.fail(err)
		for _, r := range g.reqs {
			r.answer(c.latch.failed())
		}
		return
	}
	old := c.state.Swap(state)
	for _, r := range g.reqs {
		r.answer(nil)
	}
	old.release()
}

// wroteHead makes HEAD durable if it is due.
func (c *committer) wroteHead(rows int) error {
	if c.dirty == 0 {
		c.headTimer.Reset(headEvery)
	}
	c.dirty += rows
	if c.dirty >= headRows || c.opt.HeadSync {
		c.syncHead()
	}
	return c.latch.failed()
}

// syncHead makes HEAD durable. An error is a failure: what the disk holds is
// not known, and a second try on the same file would say nothing about it.
func (c *committer) syncHead() {
	c.headTimer.Stop()
	if c.dirty == 0 || c.latch.failed() != nil {
		return
	}
	c.dirty = 0
	c.counters.headSyncs.Add(1)
	if err := c.latch.await(c.file.sync); err != nil {
		c.latch.fail(err)
	}
}

// tell calls the hooks for every row of the group. A hook that does not return
// leaves what it keeps behind the log, so it fails the store.
func (c *committer) tell(g *group, state *core) error {
	if len(c.opt.Hooks) == 0 {
		return nil
	}
	state.refs.Add(1)
	snap := &Snapshot{view: view{gate: c.gate, core: state, closed: new(atomic.Bool)}, seq: state.head.seq}
	defer snap.Close()
	return c.latch.await(func() error {
		return c.runInside(func() error {
			for _, r := range g.rows {
				for _, h := range c.opt.Hooks {
					h.Committed(Commit{Seq: r.seq, Time: g.time, Keys: r.keys, Snapshot: snap})
				}
			}
			return nil
		})
	})
}
