package crashtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// mode is a way in which the file system fails from the n-th operation on.
type mode struct {
	name   string
	fault  fault
	sticky bool
	counts func(op) bool // operations that are numbered and can fail
}

var writeModes = []mode{
	{"EIO once", fault{err: syscall.EIO}, false, op.writes},
	{"EIO sticky", fault{err: syscall.EIO}, true, op.writes},
	{"ENOSPC once", fault{err: syscall.ENOSPC}, false, op.allocates},
	{"ENOSPC sticky", fault{err: syscall.ENOSPC}, true, op.allocates},
	{"short write once", fault{err: syscall.ENOSPC, short: true}, false, isWrite},
	{"short write sticky", fault{err: io.ErrShortWrite, short: true}, true, isWrite},
}

var readModes = []mode{
	{"EIO on reading once", fault{err: syscall.EIO}, false, reads},
	{"EIO on reading sticky", fault{err: syscall.EIO}, true, reads},
}

func isWrite(o op) bool { return o.kind == "Write" || o.kind == "WriteAt" }
func reads(o op) bool   { return !o.writes() }

// breaker fails the n-th operation that the mode counts.
type breaker struct {
	mode  mode
	at    int64
	n     atomic.Int64
	off   atomic.Bool // the disk is well again
	first atomic.Pointer[op]
}

func (b *breaker) hook(o op) fault {
	if !b.mode.counts(o) || b.off.Load() {
		return fault{}
	}
	n := b.n.Add(1)
	if n == b.at {
		b.first.Store(&o)
	}
	if n == b.at || b.mode.sticky && n > b.at {
		return b.mode.fault
	}
	return fault{}
}

// hit says which operation failed first, "" when none did.
func (b *breaker) hit() string {
	if o := b.first.Load(); o != nil {
		return o.file() + " " + o.kind
	}
	return ""
}

// errorActions is the length of the workload of layer B.
const errorActions = 40

// errorWorkload returns the workload of layer B: all kinds of writers, large
// values that make the engine flush and compact, and at least one reopening.
func errorWorkload(seed uint64) *workload {
	w := newWorkload(rand.New(rand.NewPCG(seed, 2)), errorActions-1, 30)
	w.actions = slices.Insert(w.actions, errorActions/2, action{kind: "reopen"})
	return w
}

// outcome is what one run of layer B came to.
type outcome struct {
	hit    string // "WAL Sync", "" when the n-th operation never came
	failed bool   // the store latched a failure
	acks   int
}

// breakAt runs the workload with one fault and checks every promise.
func breakAt(seed uint64, m mode, at int64) (out outcome, err error) {
	w := errorWorkload(seed)
	o := newOracle(w)
	disk := vfs.NewCrashableMem()
	b := &breaker{mode: m, at: at}
	d := &driver{o: o, opt: options(&faultFS{disk, b.hook}, seed), last: -1}

	// Errors end the run; what they may be is looked at here.
	open := d.open()
	if open == nil {
		open = d.run(w.actions, func() bool { return false })
	}
	out.hit = b.hit()
	if open != nil && (isViolation(open) || out.hit == "") {
		return out, open
	}
	acks := o.acked()
	out.acks = len(acks)
	if d.db != nil {
		out.failed = d.db.Stats().Failed != nil
		if err := d.afterFault(acks, b); err != nil {
			return out, err
		}
	}
	err = d.close()
	if out.hit = b.hit(); err != nil && out.hit == "" {
		return out, fmt.Errorf("close: %w", err)
	}
	return out, healthy(o, disk, seed, at)
}

// afterFault checks what a store that met a fault still owes: reads of the last
// published state, no false answer, no hanging.
func (d *driver) afterFault(acks []ack, b *breaker) error {
	b.off.Store(reads(op{kind: "Read"}) && b.mode.counts(op{kind: "Read"})) // a disk that cannot be read owes no answer
	_, err := bounded("reading", func() (found, error) {
		f, err := d.o.check(d.db, acks)
		if err == nil && f.unacked != 0 {
			err = wrong("%d changes can be read that were not acknowledged", f.unacked)
		}
		return f, err
	})
	if err != nil {
		return fmt.Errorf("reading after the fault: %w", err)
	}
	if d.db.Stats().Failed == nil {
		return nil
	}
	_, err = bounded("Update of a failed store", func() (store.Receipt, error) {
		return d.db.Update(context.Background(), store.Event{Actor: "person:crash", Op: "late", Class: audit.Event}, nil)
	})
	if !errors.Is(err, store.ErrStoreFailed) {
		return wrong("a write to a failed store returns %v", err)
	}
	return nil
}

// healthy opens what is on the disk after a fault on a disk that works: as it
// is, and after a power loss.
func healthy(o *oracle, disk *vfs.MemFS, seed uint64, at int64) error {
	acks := o.acked()
	r := rand.New(rand.NewPCG(seed, uint64(at)))
	for _, kept := range []int{100, keep(r)} {
		image := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: kept, RNG: r})
		d := &driver{o: o, opt: options(image, seed), last: -1}
		if err := d.open(); err != nil {
			return lost("open with %d%% of what was not synced: %v", kept, err)
		}
		_, err := o.check(d.db, acks)
		if err == nil {
			_, err = d.db.Update(context.Background(), store.Event{Actor: "person:crash", Op: "late", Class: audit.Event}, nil)
		}
		if e := d.close(); err == nil {
			err = e
		}
		if err != nil {
			return fmt.Errorf("with %d%% of what was not synced: %w", kept, err)
		}
	}
	return nil
}

// operations counts what the workload does when nothing fails.
func operations(t *testing.T, seed uint64, m mode) int64 {
	b := &breaker{mode: m, at: -1}
	b.mode.sticky = false
	w := errorWorkload(seed)
	d := &driver{o: newOracle(w), opt: options(&faultFS{vfs.NewCrashableMem(), b.hook}, seed), last: -1}
	if err := d.open(); err != nil {
		t.Fatal(err)
	}
	if err := d.run(w.actions, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	return b.n.Load()
}

// TestWriteErrors fails the n-th operation that changes the disk: each n with
// BRAIN_LONG=1, else a share that the seed draws.
func TestWriteErrors(t *testing.T) { t.Parallel(); testErrors(t, writeModes, 15) }

// TestReadErrors does the same with operations that read.
func TestReadErrors(t *testing.T) { t.Parallel(); testErrors(t, readModes, 12) }

func testErrors(t *testing.T, modes []mode, share int) {
	seed := max(*flagSeed, 1)
	began := time.Now()
	type point struct {
		m  mode
		at int64
	}
	var points []point
	r := rand.New(rand.NewPCG(seed, 3))
	for _, m := range modes {
		n := operations(t, seed, m)
		for _, i := range r.Perm(int(n)) {
			if !long() && share > 0 && i%int(max(1, n/int64(share))) != 0 {
				continue
			}
			points = append(points, point{m, int64(i + 1)})
		}
	}
	var fig figures
	var mu sync.Mutex
	hits := map[string]int{}
	failed := 0
	// Most of a run that fails is waiting for an engine that gave up.
	eachOf(48, len(points), func(i int) {
		p := points[i]
		if t.Failed() {
			return
		}
		out, err := breakAt(seed, p.m, p.at)
		fig.acks.Add(int64(out.acks))
		mu.Lock()
		defer mu.Unlock()
		if out.hit != "" {
			hits[strings.Fields(out.hit)[0]]++
		}
		if out.failed {
			failed++
		}
		if err != nil {
			var v *violation
			if errors.As(err, &v) {
				fig.count(v)
			}
			t.Errorf("%s at operation %d (%s): %v\nagain: %s", p.m.name, p.at, out.hit, err, replay(t, seed))
		}
	})
	total := 0
	var kinds []string
	for _, k := range slices.SortedFunc(maps.Keys(hits), func(a, b string) int { return cmp.Compare(hits[b], hits[a]) }) {
		total += hits[k]
		kinds = append(kinds, fmt.Sprintf("%s %d", k, hits[k]))
	}
	t.Logf("layer B: seed %d, %d faults of %d met (%s), %d stores failed, %d acknowledged rows checked; lost %d, torn %d, wrong %d, %s",
		seed, total, len(points), strings.Join(kinds, ", "), failed, fig.acks.Load(), fig.lost.Load(), fig.torn.Load(), fig.wrong.Load(),
		time.Since(began).Round(time.Millisecond))
}
