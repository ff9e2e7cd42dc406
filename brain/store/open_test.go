package store

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

// listing returns every file below dir with its size, for comparing.
func listing(t *testing.T, fs vfs.FS, dir string) string {
	t.Helper()
	names, err := fs.List(dir)
	if errors.Is(err, iofs.ErrNotExist) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		p := fs.PathJoin(dir, n)
		fi, err := fs.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if fi.IsDir() {
			b.WriteString(n + "/{" + listing(t, fs, p) + "} ")
		} else {
			fmt.Fprintf(&b, "%s:%x ", n, readFile(t, fs, p))
		}
	}
	return b.String()
}

func TestOpenRefusesAndChangesNothing(t *testing.T) {
	file := func(name, text string) func(*testing.T, *Options) {
		return func(t *testing.T, o *Options) {
			if err := o.FS.MkdirAll("/b", 0o755); err != nil {
				t.Fatal(err)
			}
			replaceFile(t, o.FS, "/b/"+name, []byte(text))
		}
	}
	readOnly := func(o *Options) { o.ReadOnly = true }
	tests := map[string]struct {
		prepare func(*testing.T, *Options)
		options func(*Options)
		want    error
	}{
		"foreign file":        {file("notes.md", "hello"), nil, ErrFormat},
		"newer format":        {file(formatName, `{"format":2,"oldest_reader":2}`), nil, ErrFormat},
		"newer format, ro":    {file(formatName, `{"format":2,"oldest_reader":2}`), readOnly, ErrFormat},
		"newer but readable":  {file(formatName, `{"format":2,"oldest_reader":1}`), nil, ErrFormat},
		"unknown feature":     {file(formatName, `{"format":1,"oldest_reader":1,"features":["x"]}`), nil, ErrFormat},
		"broken format":       {file(formatName, "{"), nil, ErrFormat},
		"lost format":         {file(primaryName, ""), nil, ErrFormat},
		"nothing, ro":         {nil, readOnly, ErrFormat},
		"engine is gone":      {file(formatName, `{"format":1,"oldest_reader":1}`), readOnly, ErrCorrupt},
		"network file system": {nil, func(o *Options) { o.network = func(string) (string, error) { return "nfs", nil } }, ErrNetworkFS},
		"negative cache":      {nil, func(o *Options) { o.CacheBytes = -1 }, errInvalid},
		"tiny memtable":       {nil, func(o *Options) { o.MemTableBytes = 1 }, errInvalid},
		"huge memtable":       {nil, func(o *Options) { o.MemTableBytes = 1 << 40 }, errInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := memOptions()
			if tt.prepare != nil {
				tt.prepare(t, o)
			}
			if tt.options != nil {
				tt.options(o)
			}
			before := listing(t, o.FS, "/b")
			if _, err := Open("/b", o); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			// A lock file without content is no change.
			after := strings.Replace(listing(t, o.FS, "/b"), "LOCK: ", "", 1)
			if after != before {
				t.Errorf("was %s, is %s", before, after)
			}
		})
	}
	if _, err := Open("", nil); !isInvalid("dir")(err, nil, false) {
		t.Errorf("empty directory name: %v", err)
	}
}

func TestUnwritableDirectory(t *testing.T) {
	for _, refusal := range []error{syscall.EROFS, syscall.EACCES} {
		o, _, head := closed(t, 4)
		mem := o.FS
		o.FS = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite || op.Kind == errorfs.OpLock {
				return &iofs.PathError{Op: "open", Path: op.Path, Err: refusal}
			}
			return nil
		}))
		before := listing(t, mem, "/b")
		if _, err := Open("/b", o); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%v: %v", refusal, err)
		}
		if _, err := Open("/new/b", o); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%v, new: %v", refusal, err)
		}
		o.ReadOnly = true
		db := mustOpen(t, "/b", o)
		if db.Head() != head || get(t, db, "k0") == "<none>" {
			t.Errorf("head %v, want %v", db.Head(), head)
		}
		for _, err := range []error{
			db.Derive(context.Background(), func(*DeriveTx) error { return nil }),
			func() error { _, err := db.Update(context.Background(), change("put"), nil); return err }(),
		} {
			if !errors.Is(err, ErrReadOnly) {
				t.Errorf("write: %v", err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if after := listing(t, mem, "/b"); after != before {
			t.Errorf("was %s, is %s", before, after)
		}
	}
}

func TestSecondOpenerIsTurnedAway(t *testing.T) {
	dir := t.TempDir()
	o := &Options{BallastBytes: -1, MinFreeBytes: -1}
	db := mustOpen(t, dir, o)
	want := fmt.Sprintf("held by pid %d", os.Getpid())
	if _, err := Open(dir, o); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), want) {
		t.Errorf("same process: %v", err)
	}
	if os.Getenv("STORE_TEST_CHILD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestChildOpener$")
		cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("another process: %v\n%s", err, out)
		}
	}
	mustSet(t, db, "k", "still works")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, pidName)); !errors.Is(err, iofs.ErrNotExist) {
		t.Errorf("pid is left behind: %v", err)
	}
	mustOpen(t, dir, o)
}

// TestChildOpener is the other process of TestSecondOpenerIsTurnedAway.
func TestChildOpener(t *testing.T) {
	dir := os.Getenv("STORE_TEST_CHILD")
	if dir == "" {
		t.Skip("runs as the child of another test")
	}
	_, err := Open(dir, nil)
	if !errors.Is(err, ErrHeld) {
		t.Fatal(err)
	}
	fmt.Println(err)
}

// A creation that is cut short after any operation leaves a directory in which
// a store can be opened, with nothing lost that was acknowledged.
func TestCreationSurvivesPowerLoss(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, seed))
	var mu sync.Mutex // the engine also removes files in the background
	var images []*vfs.MemFS
	mem := vfs.NewCrashableMem()
	o := &Options{BallastBytes: -1}
	o.FS = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			mu.Lock()
			defer mu.Unlock()
			images = append(images, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}))
		}
		return nil
	}))
	db := mustOpen(t, "/some/where/b", o)
	id := db.ID()
	mu.Lock()
	images = append(images, mem.CrashClone(vfs.CrashCloneCfg{}))
	images = images[:len(images):len(images)]
	n := len(images) - 1
	mu.Unlock()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n < 30 {
		t.Fatalf("only %d operations", n)
	}
	for i, image := range images[:n+1] {
		db, err := Open("/some/where/b", &Options{FS: image, BallastBytes: -1})
		if err != nil {
			t.Fatalf("after operation %d of %d: %v", i, n, err)
		}
		if i == n && db.ID() != id {
			t.Errorf("the store that was opened is not the one that is there")
		}
		if db.Head() != audit.EmptyHead() {
			t.Errorf("after operation %d: head %v", i, db.Head())
		}
		mustSet(t, db, "k", "v")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNetworkNames(t *testing.T) {
	if name, err := networkFS(t.TempDir()); name != "" || err != nil {
		t.Errorf("the temporary directory is on %q, %v", name, err)
	}
}
