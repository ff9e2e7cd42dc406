package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// broken is a file system that fails matching operations once it is switched
// on.
func broken(base vfs.FS, err error, match func(errorfs.Op) bool) (vfs.FS, *atomic.Bool) {
	on := new(atomic.Bool)
	return errorfs.Wrap(base, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if on.Load() && match(op) {
			return err
		}
		return nil
	})), on
}

func syncOf(part string) func(errorfs.Op) bool {
	return func(op errorfs.Op) bool {
		return strings.Contains(op.Path, part) &&
			(op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo)
	}
}

func writeOf(part string) func(errorfs.Op) bool {
	return func(op errorfs.Op) bool {
		return strings.Contains(op.Path, part) && (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileWriteAt)
	}
}

func TestFailedEngineNeverAcknowledges(t *testing.T) {
	tests := map[string]struct {
		match func(errorfs.Op) bool
		err   error
	}{
		"log sync, EIO":        {syncOf("/primary/0"), syscall.EIO},
		"log write, ENOSPC":    {writeOf("/primary/0"), syscall.ENOSPC},
		"manifest sync, EIO":   {syncOf("MANIFEST"), syscall.EIO},
		"HEAD write, EIO":      {writeOf("/HEAD"), syscall.EIO},
		"HEAD sync, EIO":       {syncOf("/HEAD"), syscall.EIO},
		"everything, EIO":      {func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }, syscall.EIO},
		"table create, ENOSPC": {func(op errorfs.Op) bool { return op.Kind == errorfs.OpCreate && strings.HasSuffix(op.Path, ".sst") }, syscall.ENOSPC},
		"directory sync, EIO": {func(op errorfs.Op) bool {
			return op.Kind == errorfs.OpFileSync && strings.HasSuffix(op.Path, "/primary")
		}, syscall.EIO},
		"derived log, EIO": {writeOf("/derived/0"), syscall.EIO},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			leaveBehind(t)
			mem := vfs.NewCrashableMem()
			fs, on := broken(mem, tt.err, tt.match)
			var log strings.Builder
			var logMu sync.Mutex
			db, err := Open("/b", &Options{
				FS: fs, BallastBytes: -1, MemTableBytes: minMemTableBytes, CloseGrace: 50 * time.Millisecond,
				Log: slog.New(slog.NewTextHandler(lockedWriter{&logMu, &log}, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			mustSet(t, db, "before", "v")
			head := db.Head()
			on.Store(true)
			// Large values make the engine flush soon.
			acked := head
			for i := range 2000 {
				r, err := db.Update(context.Background(), change("put"), set(fmt.Sprint("k", i), strings.Repeat("v", 4000)))
				if err == nil {
					acked = r.Head
					err = db.Derive(context.Background(), func(tx *DeriveTx) error {
						return tx.Set(Vector.Key([]byte{byte(i)}), make([]byte, 4000))
					})
				}
				if err != nil {
					if !errors.Is(err, ErrStoreFailed) || !errors.Is(err, tt.err) {
						t.Fatalf("update %d: %v", i, err)
					}
					break
				}
			}
			if db.Stats().Failed == nil {
				t.Fatal("the store never failed")
			}
			// Reads go on at the last acknowledged state.
			if db.Head() != acked || get(t, db, "before") != "v" {
				t.Errorf("head %v, acknowledged %v", db.Head(), acked)
			}
			if _, err := db.Update(context.Background(), change("put"), nil); !errors.Is(err, ErrStoreFailed) {
				t.Errorf("later write: %v", err)
			}
			image := mem.CrashClone(vfs.CrashCloneCfg{})
			on.Store(false) // let an engine that retries come to its end
			if err := db.Close(); !errors.Is(err, ErrStoreFailed) {
				t.Errorf("close: %v", err)
			}
			logMu.Lock()
			defer logMu.Unlock()
			if !strings.Contains(log.String(), "store has failed") {
				t.Errorf("log: %s", log.String())
			}
			// The directory can be opened again, in this process, and what was
			// acknowledged is there.
			reopened, err := Open("/b", &Options{FS: fs, BallastBytes: -1})
			if err != nil {
				t.Fatalf("reopen: %v", err)
			}
			if got := reopened.Head(); got.Seq < acked.Seq {
				t.Errorf("reopened at %d, acknowledged %d", got.Seq, acked.Seq)
			}
			mustSet(t, reopened, "k", "goes on")
			if err := reopened.Close(); err != nil {
				t.Error(err)
			}
			// It is also in the image of a power loss right then.
			again, err := Open("/b", &Options{FS: image, BallastBytes: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if got := again.Head(); got.Seq < acked.Seq {
				t.Errorf("reopened at %d, acknowledged %d", got.Seq, acked.Seq)
			}
			if _, err := again.Verify(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *strings.Builder
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// stuck is an engine whose Apply or Close never returns, or whose Apply ends in
// another bad way.
type stuck struct {
	Engine
	apply func() error
	close func()
}

func (e *stuck) Apply(b *Batch) error {
	if e.apply != nil {
		if err := e.apply(); err != nil {
			return err
		}
	}
	return e.Engine.Apply(b)
}

func (e *stuck) Close() error {
	if e.close != nil {
		e.close()
	}
	return e.Engine.Close()
}

// openStuck opens a store in memory over a stuck primary engine, and returns
// what fails it.
func openStuck(t *testing.T) (*DB, *stuck, func(error)) {
	t.Helper()
	e, fail := &stuck{}, func(error) {}
	var m, d Memory
	db, err := Open("/b", &Options{
		FS: vfs.NewMem(), BallastBytes: -1, Derived: d.Open(), CloseGrace: 50 * time.Millisecond,
		Primary: func(dir string, o EngineOptions) (_ Engine, err error) {
			fail = o.Fail
			e.Engine, err = m.Open()(dir, o)
			return e, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, e, fail
}

func TestWaitersDoNotHangWithTheEngine(t *testing.T) {
	db, e, fail := openStuck(t)
	let := make(chan struct{})
	entered := make(chan struct{})
	e.apply = func() error { close(entered); <-let; return nil }
	done := make(chan error, 1)
	go func() {
		_, err := db.Update(context.Background(), change("put"), set("a", "1"))
		done <- err
	}()
	<-entered
	cause := errors.New("manifest sync failed")
	fail(cause)
	if err := <-done; !errors.Is(err, ErrStoreFailed) || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if get(t, db, "a") != "<none>" {
		t.Error("a write of unknown outcome is read")
	}
	close(let)
	if err := db.Close(); !errors.Is(err, ErrStoreFailed) {
		t.Errorf("close: %v", err)
	}
}

func TestAwait(t *testing.T) {
	cause := errors.New("cause")
	tests := map[string]struct {
		fn   func(*latch) error
		want error
	}{
		"returns":         {func(*latch) error { return nil }, nil},
		"error":           {func(*latch) error { return cause }, cause},
		"fails, succeeds": {func(l *latch) error { l.fail(cause); return nil }, ErrStoreFailed},
		"exits":           {func(*latch) error { runtime.Goexit(); return nil }, ErrStoreFailed},
		"panics":          {func(*latch) error { panic(cause) }, ErrStoreFailed},
		"fails and exits": {func(l *latch) error { l.fail(cause); runtime.Goexit(); return nil }, cause},
	}
	for name, tt := range tests {
		for range 200 { // success and failure may both be there to be received
			l := newLatch(slog.New(slog.DiscardHandler))
			if err := l.await(func() error { return tt.fn(l) }); !errors.Is(err, tt.want) {
				t.Fatalf("%s: %v, want %v", name, err, tt.want)
			}
			if want := tt.want != nil && name != "error"; (l.failed() != nil) != want {
				t.Fatalf("%s: failed %v", name, l.failed())
			}
		}
	}
}

func TestSuccessAfterFailureIsNoSuccess(t *testing.T) {
	db, e, fail := openStuck(t)
	defer db.Close()
	e.apply = func() error { fail(errors.New("lost")); return nil }
	if _, err := db.Update(context.Background(), change("put"), set("a", "1")); !errors.Is(err, ErrStoreFailed) {
		t.Errorf("%v", err)
	}
}

func TestEngineThatPanicsOrReturnsAnErrorFails(t *testing.T) {
	for name, apply := range map[string]func() error{
		"error": func() error { return errors.New("no") },
		"moved": func() error { return ErrHeadMoved },
		"panic": func() error { panic("no") },
	} {
		db, e, _ := openStuck(t)
		e.apply = apply
		if _, err := db.Update(context.Background(), change("put"), set("a", "1")); !errors.Is(err, ErrStoreFailed) {
			t.Errorf("%s: %v", name, err)
		}
		if err := db.Close(); !errors.Is(err, ErrStoreFailed) {
			t.Errorf("%s, close: %v", name, err)
		}
	}
}

func TestCloseAbandonsAStuckEngine(t *testing.T) {
	db, e, fail := openStuck(t)
	let := make(chan struct{})
	e.close = func() { <-let }
	mustSet(t, db, "a", "1")
	fail(errors.New("lost"))
	err := db.Close()
	if !errors.Is(err, ErrStoreFailed) || !errors.Is(err, ErrAbandoned) {
		t.Errorf("%v", err)
	}
	if again := db.Close(); again.Error() != err.Error() {
		t.Errorf("second close: %v", again)
	}
	close(let)
}

type hookFunc func(Commit)

func (f hookFunc) Committed(c Commit) { f(c) }

func TestHookThatPanicsFailsTheStore(t *testing.T) {
	o := memOptions()
	o.Hooks = []Hook{hookFunc(func(Commit) { panic("no") })}
	db, err := Open("/b", o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Update(context.Background(), change("put"), nil); !errors.Is(err, ErrStoreFailed) {
		t.Errorf("%v", err)
	}
	if err := db.Close(); !errors.Is(err, ErrStoreFailed) {
		t.Errorf("close: %v", err)
	}
}
