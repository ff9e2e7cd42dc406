package store

import (
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestDirectorySyncErrorIsNotReturned: Pebble would panic on it on a goroutine
// that nobody can recover.
func TestDirectorySyncErrorIsNotReturned(t *testing.T) {
	leaveBehind(t)
	mem := vfs.NewMem()
	if err := mem.MkdirAll("d", 0o700); err != nil {
		t.Fatal(err)
	}
	fs, on := broken(mem, syscall.EIO, func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileSync })
	failed := make(chan error, 1)
	f := newFence(fs, func(err error) { failed <- err })
	d, err := f.OpenDir("d")
	if err != nil {
		t.Fatal(err)
	}
	on.Store(true)
	returned := make(chan error, 1)
	go func() { returned <- d.Sync() }()
	if err := <-failed; !errors.Is(err, syscall.EIO) {
		t.Errorf("failed with %v", err)
	}
	f.cut() // waits for what is under way: nothing is
	select {
	case err := <-returned:
		t.Errorf("sync returned %v", err)
	default:
	}
}

// TestMarkersAreSettled: what a marker names is durable before the marker, and
// the marker before its predecessor goes.
func TestMarkersAreSettled(t *testing.T) {
	var mu sync.Mutex
	var ops []string
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		name := op.Path[strings.LastIndex(op.Path, "/")+1:]
		switch op.Kind {
		case errorfs.OpCreate, errorfs.OpRemove, errorfs.OpFileSync:
			ops = append(ops, map[errorfs.OpKind]string{
				errorfs.OpCreate: "create ", errorfs.OpRemove: "remove ", errorfs.OpFileSync: "sync ",
			}[op.Kind]+name)
		}
		return nil
	}))
	db, err := Open("/b", &Options{FS: fs, BallastBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i, op := range ops {
		if !strings.HasPrefix(op, "create marker.") && !strings.HasPrefix(op, "remove marker.") {
			continue
		}
		seen++
		if before := ops[i-1]; before != "sync primary" && before != "sync derived" {
			t.Errorf("%s comes right after %s", op, before)
		}
	}
	if seen == 0 {
		t.Errorf("no marker was made: %q", ops)
	}
}

// TestOpenComesBack: Pebble waits for the first flush for ever, and retries it
// without a pause.
func TestOpenComesBack(t *testing.T) {
	leaveBehind(t)
	mem := vfs.NewCrashableMem()
	db, err := Open("/b", &Options{FS: mem, BallastBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	mustSet(t, db, "k", "v")
	image := mem.CrashClone(vfs.CrashCloneCfg{}) // its log is to be flushed at the next Open
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	fs, on := broken(image, syscall.ENOSPC, func(op errorfs.Op) bool {
		return op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, ".sst")
	})
	on.Store(true)
	opt := &Options{FS: fs, BallastBytes: -1, CloseGrace: 50 * time.Millisecond}
	if _, err := Open("/b", opt); !errors.Is(err, ErrFull) || !errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrStoreFailed) {
		t.Errorf("open: %v", err)
	}
	on.Store(false)
	again, err := Open("/b", opt)
	if err != nil {
		t.Fatalf("open with space again: %v", err)
	}
	defer again.Close()
	if get(t, again, "k") != "v" {
		t.Error("the value is gone")
	}
}

// compactingDB is what a scheduler sees of an engine.
type compactingDB struct {
	mu      sync.Mutex
	waiting int
	granted int
	asked   func() // called by GetWaitingCompaction, without the lock
}

func (d *compactingDB) GetAllowedWithoutPermission() int { return 1 }

func (d *compactingDB) GetWaitingCompaction() (bool, pebble.WaitingCompaction) {
	d.mu.Lock()
	n := d.waiting
	d.mu.Unlock()
	if d.asked != nil {
		d.asked()
	}
	return n > 0, pebble.WaitingCompaction{}
}

func (d *compactingDB) Schedule(pebble.CompactionGrantHandle) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == 0 {
		return false
	}
	d.waiting--
	d.granted++
	return true
}

func TestCompactionsTakeTurns(t *testing.T) {
	c, db := newCompactions(), &compactingDB{waiting: 2}
	c.Register(1, db)
	if ok, _ := c.TrySchedule(); ok {
		t.Fatal("granted while Open runs")
	}
	c.Done() // must not grant either
	if db.granted != 0 {
		t.Fatal("granted while Open runs")
	}
	c.start()
	if ok, _ := c.TrySchedule(); ok || db.granted != 1 {
		t.Errorf("%d granted, a second one: %v", db.granted, ok)
	}
	c.Done()
	if db.granted != 2 {
		t.Error("who waits is not woken")
	}
	c.Done()
	ok, h := c.TrySchedule()
	if !ok {
		t.Fatal("refused although nobody has the turn")
	}
	h.Done()
	c.Unregister()
	if ok, _ := c.TrySchedule(); ok {
		t.Error("granted after Unregister")
	}
}

// TestCompactionRefusedWhileAsking: a compaction that is refused because grant
// holds the turn while it asks is not forgotten.
func TestCompactionRefusedWhileAsking(t *testing.T) {
	c, db := newCompactions(), &compactingDB{}
	c.Register(1, db)
	var once sync.Once
	db.asked = func() {
		once.Do(func() {
			if ok, _ := c.TrySchedule(); ok {
				t.Error("two have the turn")
			}
			db.mu.Lock()
			db.waiting++
			db.mu.Unlock()
		})
	}
	c.start()
	if db.granted != 1 {
		t.Errorf("%d granted, want 1", db.granted)
	}
}
