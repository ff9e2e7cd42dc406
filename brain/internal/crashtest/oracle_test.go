package crashtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// oracle knows, from outside the store, what was asked and what was answered.
// It is safe for concurrent use.
type oracle struct {
	changes func(id int) (change, bool)

	mu     sync.Mutex
	acks   []ack
	absent map[int]bool // must never be found
	last   int          // highest number that had begun before the last crash
	prefix []audit.Hash // rows that were there after a crash, and stay
}

type ack struct {
	id      int
	receipt store.Receipt
}

func newOracle(w *workload) *oracle {
	o := &oracle{absent: map[int]bool{}, last: -1}
	o.changes = func(id int) (change, bool) {
		if id < 0 || id >= len(w.changes) {
			return change{}, false
		}
		return w.changes[id], true
	}
	for _, a := range w.actions {
		fails := false
		for _, c := range a.changes {
			fails = fails || c.fails != ""
		}
		for _, c := range a.changes {
			if c.fails != "" || fails && a.kind == "all" {
				o.absent[c.id] = true
			}
		}
	}
	return o
}

func (o *oracle) ack(id int, r store.Receipt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.acks = append(o.acks, ack{id, r})
}

// refuse notes that a change was answered with an error that says that it
// changed nothing.
func (o *oracle) refuse(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.absent[id] = true
}

// acked returns what was acknowledged so far. It must be read before the crash.
func (o *oracle) acked() []ack {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.acks[:len(o.acks):len(o.acks)]
}

// crash says that only acks had been answered when the power went. Changes up
// to the number last may have begun.
func (o *oracle) crash(acks []ack, last int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.acks, o.last = acks, max(o.last, last)
}

// settle makes what was found after a crash the truth: rows that were found
// stay, and changes that had begun and were not found never come back.
func (o *oracle) settle(f found) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.prefix = f.digests
	for id := range o.last + 1 {
		o.absent[id] = o.absent[id] || !f.ids[id]
	}
}

// found is what a store holds.
type found struct {
	digests []audit.Hash // by row
	ids     map[int]bool
	unacked int // rows that nobody was told of
}

// violation is what must never be. kind is lost, torn, or wrong.
type violation struct {
	kind string
	text string
}

func (v *violation) Error() string { return v.kind + ": " + v.text }

func lost(format string, args ...any) error { return &violation{"lost", fmt.Sprintf(format, args...)} }
func torn(format string, args ...any) error { return &violation{"torn", fmt.Sprintf(format, args...)} }
func wrong(format string, args ...any) error {
	return &violation{"wrong", fmt.Sprintf(format, args...)}
}

// check compares what db shows with what the oracle knows, given the answers
// that were out before the crash.
func (o *oracle) check(db *store.DB, acks []ack) (found, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := found{ids: map[int]bool{}}
	ctx := context.Background()
	head := db.Head()

	// Rows against the changes they name.
	var entries []audit.Entry
	model := mapKV{}
	var open []int // numbers of an UpdateAll that is not complete yet
	rowID := map[uint64]int{}
	seq := uint64(0)
	for rec, err := range db.Rows(ctx, 1, head.Seq) {
		if err != nil {
			return f, wrong("reading rows: %v", err)
		}
		seq++
		digest := audit.LeafHash(rec.Leaf)
		f.digests = append(f.digests, digest)
		entries = append(entries, audit.Entry{Leaf: rec.Leaf, Hash: digest})
		if rec.Seq != seq {
			return f, wrong("row %d stands at %d", rec.Seq, seq)
		}
		if rec.Side == nil {
			return f, torn("row %d has no side record", seq)
		}
		if err := rec.Side.Check(rec.Row); err != nil {
			return f, torn("row %d: %v", seq, err)
		}
		if strings.HasPrefix(rec.Actor, "system:") {
			continue // of the store itself: changes nothing
		}
		text, _ := strings.CutPrefix(string(rec.Side.Body), "change ")
		id, err := strconv.Atoi(text)
		c, ok := o.changes(id)
		if err != nil || !ok {
			return f, wrong("row %d is of a change that nobody made: %q", seq, rec.Side.Body)
		}
		want := c.event()
		c.complete(&want)
		switch {
		case f.ids[id]:
			return f, wrong("change %d has a second row %d", id, seq)
		case o.absent[id]:
			return f, wrong("row %d is of change %d, which failed or was gone", seq, id)
		case rec.Actor != want.Actor || rec.Op != want.Op || rec.Class != want.Class || rec.Policy != want.Policy || rec.Side.URI != want.URI:
			return f, wrong("row %d is not that of change %d", seq, id)
		case len(open) == 0 && id != c.first || len(open) > 0 && open[0] != id:
			return f, torn("row %d is change %d, of the commit of %d to %d", seq, id, c.first, c.last)
		}
		if len(open) == 0 {
			for n := c.first; n <= c.last; n++ {
				open = append(open, n)
			}
		}
		open = open[1:]
		f.ids[id] = true
		rowID[seq] = id
		c.apply(model)
	}
	if seq != head.Seq {
		return f, lost("%d rows, the head counts %d", seq, head.Seq)
	}
	if len(open) > 0 {
		return f, torn("the log ends within a commit, before change %d", open[0])
	}

	// Answers against the rows.
	var held []audit.Head
	for _, a := range acks {
		switch s := a.receipt.Seq; {
		case s > seq:
			return f, lost("change %d was acknowledged as row %d, the log has %d rows", a.id, s, seq)
		case rowID[s] != a.id || f.digests[s-1] != a.receipt.Digest:
			return f, lost("change %d was acknowledged as row %d, which is change %d", a.id, s, rowID[s])
		}
		held = append(held, a.receipt.Head)
	}
	f.unacked = len(f.ids) - len(acks)
	for i, d := range o.prefix {
		if i >= len(f.digests) || f.digests[i] != d {
			return f, lost("row %d was there after an earlier crash", i+1)
		}
	}
	if _, err := audit.Verify(seqOf(entries), audit.Want{Store: db.ID(), Head: head, Held: held}); err != nil {
		return f, wrong("log: %v", err)
	}
	if _, err := db.Verify(ctx); err != nil {
		return f, wrong("Verify: %v", err)
	}
	return f, compare(db, model)
}

// compare holds the data of db against the map.
func compare(db *store.DB, model mapKV) error {
	snap := db.Snapshot()
	defer snap.Close()
	n := 0
	err := snap.Scan(nil, nil, func(k, v []byte) (bool, error) {
		switch store.Prefix(k[0]) {
		case store.AuditRow, store.AuditSide, store.AuditTree, store.Meta:
			return true, nil
		}
		n++
		if want, ok := model[string(k)]; !ok || want != string(v) {
			return false, torn("key %q has %.40q, want %.40q (there: %v)", k, v, want, ok)
		}
		return true, nil
	})
	if err != nil {
		var v *violation
		if errors.As(err, &v) {
			return err
		}
		return wrong("scan: %v", err)
	}
	if n != len(model) {
		return torn("%d keys, want %d", n, len(model))
	}
	for k, want := range model {
		got, err := snap.Get([]byte(k))
		if err != nil || string(got) != want {
			return torn("get %q: %.40q, %v, want %.40q", k, got, err, want)
		}
	}
	return compareDerived(db)
}

// compareDerived checks that the two halves of every Derive agree.
func compareDerived(db *store.DB) error {
	d := db.Derived()
	defer d.Close()
	var got []string
	for _, k := range []string{"left", "right"} {
		v, err := d.Get(store.Stamp.Key([]byte(k)))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return wrong("derived %s: %v", k, err)
		}
		got = append(got, string(v))
	}
	if got[0] != got[1] {
		return torn("derived halves %q and %q", got[0], got[1])
	}
	return nil
}

func seqOf(e []audit.Entry) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, x := range e {
			if !yield(x, nil) {
				return
			}
		}
	}
}
