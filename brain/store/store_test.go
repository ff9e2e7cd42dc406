package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

// leftBehind is what failed stores leave behind, which is allowed.
var leftBehind struct {
	sync.Mutex
	goroutines []goleak.Option
}

// leaveBehind takes note of it when the test ends.
func leaveBehind(t *testing.T) {
	t.Cleanup(func() {
		leftBehind.Lock()
		defer leftBehind.Unlock()
		leftBehind.goroutines = append(leftBehind.goroutines, goleak.IgnoreCurrent())
	})
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := goleak.Find(leftBehind.goroutines...); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

func memOptions() *Options {
	return &Options{FS: vfs.NewCrashableMem(), BallastBytes: -1}
}

func mustOpen(t testing.TB, dir string, o *Options) *DB {
	t.Helper()
	db, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func change(op string) Event { return Event{Actor: "person:a", Op: op, Class: audit.Change} }

func set(key, val string) func(*Tx) error {
	return func(tx *Tx) error { return tx.Set(Document.Key([]byte(key)), []byte(val)) }
}

func mustSet(t testing.TB, db *DB, key, val string) Receipt {
	t.Helper()
	r, err := db.Update(context.Background(), change("put"), set(key, val))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func get(t testing.TB, db *DB, key string) string {
	t.Helper()
	s := db.Snapshot()
	defer s.Close()
	v, err := s.Get(Document.Key([]byte(key)))
	if errors.Is(err, ErrNotFound) {
		return "<none>"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(v)
}

func TestUpdateIsReadAndSurvivesReopen(t *testing.T) {
	o := memOptions()
	db := mustOpen(t, "/brain", o)
	for i := range 10 {
		r := mustSet(t, db, fmt.Sprint("k", i), fmt.Sprint("v", i))
		if r.Seq != uint64(i+1) || r.Head != db.Head() {
			t.Fatalf("receipt %+v, head %+v", r, db.Head())
		}
		if got := get(t, db, fmt.Sprint("k", i)); got != fmt.Sprint("v", i) {
			t.Fatalf("read %q", got)
		}
	}
	head := db.Head()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, "/brain", o)
	if db.Head() != head || get(t, db, "k7") != "v7" {
		t.Fatalf("head %v, want %v", db.Head(), head)
	}
	if rep, err := db.Verify(context.Background()); err != nil {
		t.Fatalf("%+v: %v", rep, err)
	}
	n := 0
	for r, err := range db.Rows(context.Background(), 1, 0) {
		n++
		if err != nil || r.Seq != uint64(n) || r.Side == nil {
			t.Fatalf("row %d: %+v, %v", n, r, err)
		}
	}
	if n != 10 {
		t.Fatalf("%d rows", n)
	}
}
