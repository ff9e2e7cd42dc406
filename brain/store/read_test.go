package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

func TestSnapshotStaysAsItWas(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	mustSet(t, db, "k", "1")
	one := db.Snapshot()
	again := one.Retain()
	mustSet(t, db, "k", "2")
	one.Close()
	one.Close()
	if _, err := one.Get(Document.Key([]byte("k"))); !errors.Is(err, ErrClosed) {
		t.Errorf("closed handle: %v", err)
	}
	if v, err := again.Get(Document.Key([]byte("k"))); err != nil || string(v) != "1" || again.Seq() != 1 {
		t.Errorf("retained handle reads %q, %v at %d", v, err, again.Seq())
	}
	again.Close()
	if n := db.Metrics().States; n != 2 {
		t.Errorf("%d states are open, want one of each engine", n)
	}
}

func TestEveryCallAfterCloseIsErrClosed(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	mustSet(t, db, "k", "1")
	held, derivedHeld := db.Snapshot(), db.Derived()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	ctx := context.Background()
	calls := map[string]error{}
	_, calls["update"] = db.Update(ctx, change("put"), nil)
	calls["derive"] = db.Derive(ctx, func(*DeriveTx) error { return nil })
	_, calls["held"] = held.Get(Document.Key([]byte("k")))
	_, calls["held derived"] = derivedHeld.Get(Vector.Key())
	_, calls["new"] = db.Snapshot().Get(Document.Key([]byte("k")))
	calls["scan"] = db.Derived().Scan(nil, nil, nil)
	_, calls["verify"] = db.Verify(ctx)
	for _, err := range db.Rows(ctx, 1, 0) {
		calls["rows"] = err
	}
	for name, err := range calls {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	held.Close()
	if db.Head().Seq != 1 || db.Stats().Head.Seq != 1 {
		t.Errorf("head %v", db.Head())
	}
}

func TestCloseWaitsForRunningCalls(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	mustSet(t, db, "k", "1")
	snap := db.Snapshot()
	inScan, goOn := make(chan struct{}), make(chan struct{})
	var scanErr, nested error
	var wg sync.WaitGroup
	wg.Go(func() {
		scanErr = snap.Scan(nil, nil, func(k, _ []byte) (bool, error) {
			close(inScan)
			<-goOn
			_, nested = snap.Get(k) // a new call inside an old one
			return false, nil
		})
	})
	<-inScan
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := db.CloseContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close did not wait: %v", err)
	}
	close(goOn)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if scanErr != nil || !errors.Is(nested, ErrClosed) {
		t.Errorf("scan %v, call inside %v", scanErr, nested)
	}
}

func TestHooksAreToldInOrderBeforeTheCaller(t *testing.T) {
	var db *DB
	var told []Commit
	var kept *Snapshot
	o := memOptions()
	key := Document.Key([]byte("k"))
	o.Hooks = []Hook{hookFunc(func(c Commit) {
		told = append(told, c)
		if v, err := c.Snapshot.Get(key); err != nil || c.Snapshot.Seq() < c.Seq {
			t.Errorf("snapshot of the hook: %q, %v, seq %d", v, err, c.Snapshot.Seq())
		}
		if db.Head().Seq >= c.Seq {
			t.Errorf("row %d is published before its hook", c.Seq)
		}
		if _, err := db.Update(context.Background(), change("put"), nil); !errors.Is(err, ErrReentrant) {
			t.Errorf("update from a hook: %v", err)
		}
		if err := db.Close(); !errors.Is(err, ErrReentrant) {
			t.Errorf("close from a hook: %v", err)
		}
		if kept == nil {
			kept = c.Snapshot.Retain()
		}
	})}
	db = mustOpen(t, "/b", o)
	rs, err := db.UpdateAll(context.Background(), []Change{
		{change("put"), func(tx *Tx) error { return errors.Join(set("k", "1")(tx), set("a", "1")(tx), set("k", "2")(tx)) }},
		{Event{Actor: "agent:x", Op: "recall", Class: audit.Read}, nil},
		{change("del"), func(tx *Tx) error { return tx.Delete(Document.Key([]byte("a"))) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 3 {
		t.Fatalf("%d calls", len(told))
	}
	want := [][]string{{"Da", "Dk"}, {}, {"Da"}}
	for i, c := range told {
		var keys []string
		for _, k := range c.Keys {
			keys = append(keys, string(k))
		}
		if c.Seq != rs[i].Seq || !c.Time.Equal(rs[i].Time) || !slices.Equal(keys, want[i]) {
			t.Errorf("call %d: seq %d, keys %q", i, c.Seq, keys)
		}
	}
	mustSet(t, db, "k", "3")
	if v, err := kept.Get(key); err != nil || string(v) != "2" {
		t.Errorf("kept snapshot reads %q, %v", v, err)
	}
	kept.Close()
}

func TestDerivedDoor(t *testing.T) {
	o := memOptions()
	db := mustOpen(t, "/b", o)
	ctx := context.Background()
	mustSet(t, db, "k", "v")
	head := db.Head()
	key := Vector.Key([]byte("model"))
	before := db.Derived()
	put := func(tx *DeriveTx) error {
		if err := tx.Set(key, []byte("1")); err != nil {
			return err
		}
		v, err := tx.Get(key)
		if err == nil && string(v) != "1" {
			err = fmt.Errorf("reads %q", v)
		}
		return err
	}
	if err := db.Derive(ctx, put); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	var kept *DeriveTx
	bad := map[string]struct {
		fn   func(*DeriveTx) error
		want error
	}{
		"primary key": {func(tx *DeriveTx) error { return tx.Set(Document.Key(), nil) }, errInvalid},
		"own key":     {func(tx *DeriveTx) error { return tx.Delete(Meta.Key()) }, errInvalid},
		"error":       {func(tx *DeriveTx) error { kept = tx; return errors.Join(tx.Delete(key), boom) }, boom},
	}
	for name, tt := range bad {
		if err := db.Derive(ctx, tt.fn); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := kept.Get(key); !errors.Is(err, errInvalid) {
		t.Errorf("used after its function: %v", err)
	}
	after := db.Derived()
	if v, err := after.Get(key); err != nil || string(v) != "1" {
		t.Errorf("reads %q, %v", v, err)
	}
	if _, err := before.Get(key); !errors.Is(err, ErrNotFound) {
		t.Errorf("older snapshot: %v", err)
	}
	before.Close()
	after.Close()
	if db.Head() != head {
		t.Error("derived data made a row")
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := db.Derive(gone, put); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	db.Close()

	// What derives can be lost without harm: by damage, or on request.
	for name, lose := range map[string]func(*Options){
		"kept":    func(*Options) {},
		"missing": func(o *Options) { _ = o.FS.RemoveAll("/b/derived") },
		"damaged": func(o *Options) {
			names, _ := o.FS.List("/b/derived")
			for _, n := range names {
				replaceFile(t, o.FS, "/b/derived/"+n, []byte("garbage"))
			}
		},
		"dropped": func(o *Options) { o.DropDerived = true },
	} {
		lose(o)
		db := mustOpen(t, "/b", o)
		s := db.Derived()
		_, err := s.Get(key)
		s.Close()
		if (name == "kept") != (err == nil) || get(t, db, "k") != "v" {
			t.Errorf("%s: %v", name, err)
		}
		if err := db.Derive(ctx, put); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		db.Close()
		o.DropDerived = false
	}
}

func TestFullDiskRefusesWritesAndReads(t *testing.T) {
	fs := vfs.NewCrashableMem()
	o := &Options{FS: fs, BallastBytes: -1, MinFreeBytes: 100 << 20}
	db := mustOpen(t, "/b", o)
	mustSet(t, db, "k", "v")
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 100<<20 - 1, TotalBytes: 1 << 30})
	if _, err := db.Update(context.Background(), change("put"), set("k", "w")); !errors.Is(err, ErrFull) {
		t.Errorf("update: %v", err)
	}
	if err := db.Derive(context.Background(), func(*DeriveTx) error { return nil }); !errors.Is(err, ErrFull) {
		t.Errorf("derive: %v", err)
	}
	if get(t, db, "k") != "v" || db.Head().Seq != 1 || db.Stats().FreeBytes != 100<<20-1 {
		t.Errorf("head %v, stats %+v", db.Head(), db.Stats())
	}
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 100 << 20, TotalBytes: 1 << 30})
	mustSet(t, db, "k", "w")
}

// A new store that could not take its first write is not made at all.
func TestFullDiskTakesNoNewStore(t *testing.T) {
	fs := vfs.NewCrashableMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1, TotalBytes: 1 << 30})
	o := &Options{FS: fs, BallastBytes: -1, MinFreeBytes: 100 << 20}
	if _, err := Open("/b", o); !errors.Is(err, ErrFull) {
		t.Errorf("open: %v", err)
	}
	if _, err := fs.Stat("/b/" + formatName); err == nil {
		t.Error("there is a store")
	}
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 30, TotalBytes: 1 << 30})
	mustSet(t, mustOpen(t, "/b", o), "k", "v")
}

// Damage to derived data that only a read finds stops the store; the next one
// starts without that data and works.
func TestDerivedDataThatIsFoundDamagedIsDropped(t *testing.T) {
	o := &Options{FS: vfs.NewMem(), BallastBytes: -1}
	key := Vector.Key([]byte("x"))
	db := mustOpen(t, "/b", o)
	mustSet(t, db, "k", "v")
	if err := db.Derive(context.Background(), func(tx *DeriveTx) error { return tx.Set(key, bytes.Repeat([]byte("y"), 5000)) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, "/b", o).Close(); err != nil { // the log becomes a table
		t.Fatal(err)
	}
	tables := 0
	names, _ := o.FS.List("/b/derived")
	for _, n := range names {
		if strings.HasSuffix(n, ".sst") {
			data := readFile(t, o.FS, "/b/derived/"+n)
			data[0] ^= 1
			replaceFile(t, o.FS, "/b/derived/"+n, data)
			tables++
		}
	}
	if tables == 0 {
		t.Fatal("no table to damage")
	}
	db = mustOpen(t, "/b", o)
	s := db.Derived()
	if _, err := s.Get(key); !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "\n") {
		t.Errorf("read: %v", err)
	}
	s.Close()
	if !db.Stats().Spoiled {
		t.Error("not said to be spoiled")
	}
	if err := db.Close(); !errors.Is(err, ErrStoreFailed) {
		t.Errorf("close: %v", err)
	}
	db = mustOpen(t, "/b", o)
	if db.Stats().Spoiled || get(t, db, "k") != "v" {
		t.Errorf("%+v", db.Stats())
	}
	mustSet(t, db, "k", "w")
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestBallast(t *testing.T) {
	const size = 1 << 20
	fs := vfs.NewCrashableMem()
	exists := func() bool { _, err := fs.Stat("/b/BALLAST"); return err == nil }
	steps := []struct {
		name string
		free uint64
		o    Options
		want bool
	}{
		{"not asked for", 64 << 20, Options{BallastBytes: -1, MinFreeBytes: 8 << 20}, false},
		{"too little room", 3 << 20, Options{BallastBytes: size, MinFreeBytes: 8 << 20}, false},
		{"made", 64 << 20, Options{BallastBytes: size, MinFreeBytes: 8 << 20}, true},
		{"kept", 1, Options{BallastBytes: size}, true},
		{"dropped", 1, Options{BallastBytes: size, DropBallast: true}, false},
		{"dropped again", 64 << 20, Options{BallastBytes: size, DropBallast: true}, false},
		{"not wanted", 64 << 20, Options{BallastBytes: -1}, false},
	}
	for _, st := range steps {
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: st.free, TotalBytes: 1 << 30})
		st.o.FS = fs
		db := mustOpen(t, "/b", &st.o)
		if exists() != st.want {
			t.Errorf("%s: exists %v", st.name, exists())
		}
		db.Close()
	}
}

// ops applies changes to the primary engine behind the back of the store.
func behind(t *testing.T, o *Options, change func(s EngineSnapshot) []Op) {
	t.Helper()
	e, err := OpenPebble("/b/primary", EngineOptions{
		FS: o.FS, CacheBytes: 1 << 20, MemTableBytes: 1 << 20, Fail: func(error) {}, Log: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	ops := change(s)
	if err := errors.Join(s.Close(), e.Apply(&Batch{Ops: ops, Sync: true}), e.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyAndRowsFindWhatWasChanged(t *testing.T) {
	editLeaf := func(s EngineSnapshot) []Op {
		leaf, _ := s.Get(seqKey(AuditRow, 5))
		return []Op{{Key: seqKey(AuditRow, 5), Value: bytes.Replace(leaf, []byte("person:a"), []byte("person:b"), 1)}}
	}
	tests := map[string]struct {
		change   func(EngineSnapshot) []Op
		open     error // of Open
		rows     error // of reading all rows
		noDefect bool  // the log is sound
	}{
		"nothing":      {func(EngineSnapshot) []Op { return nil }, nil, nil, true},
		"companion":    {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditSide, 5), Delete: true}} }, nil, nil, true},
		"edited row":   {editLeaf, nil, nil, false},
		"deleted row":  {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditRow, 5), Delete: true}} }, nil, ErrCorrupt, false},
		"deleted hash": {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditTree, 0), Delete: true}} }, nil, nil, false},
		"zero hash":    {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditTree, 1), Value: make([]byte, 32)}} }, nil, nil, false},
		"edited leaf hash": {func(EngineSnapshot) []Op {
			return []Op{{Key: seqKey(AuditTree, 1), Value: bytes.Repeat([]byte{1}, 32)}}
		}, nil, nil, false},
		"edited node": {func(EngineSnapshot) []Op {
			return []Op{{Key: seqKey(AuditTree, 2), Value: bytes.Repeat([]byte{1}, 32)}}
		}, nil, nil, false},
		"garbage row":     {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditRow, 5), Value: []byte("x")}} }, nil, ErrCorrupt, false},
		"garbage side":    {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditSide, 5), Value: []byte("x")}} }, nil, ErrCorrupt, true},
		"deleted last":    {func(EngineSnapshot) []Op { return []Op{{Key: seqKey(AuditRow, 10), Delete: true}} }, ErrCorrupt, nil, false},
		"head is gone":    {func(EngineSnapshot) []Op { return []Op{{Key: []byte(headKey), Delete: true}} }, ErrRollback, nil, false},
		"head is garbage": {func(EngineSnapshot) []Op { return []Op{{Key: []byte(headKey), Value: []byte("x")}} }, ErrCorrupt, nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, _, _ := closed(t, 10)
			behind(t, o, tt.change)
			db, err := Open("/b", o)
			if !errors.Is(err, tt.open) {
				t.Fatalf("open: %v, want %v", err, tt.open)
			}
			if err != nil {
				return
			}
			defer db.Close()
			_, err = db.Verify(context.Background())
			var defect *audit.Defect
			if (err == nil) != tt.noDefect {
				t.Errorf("verify: %v", err)
			}
			if err != nil && !errors.As(err, &defect) && !errors.Is(err, ErrCorrupt) {
				t.Errorf("verify: %v", err)
			}
			err = nil
			for _, e := range db.Rows(context.Background(), 1, 0) {
				if e != nil {
					err = e
					break
				}
			}
			if !errors.Is(err, tt.rows) {
				t.Errorf("rows: %v, want %v", err, tt.rows)
			}
		})
	}
}

func TestRowsBounds(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	for i := range 6 {
		mustSet(t, db, "k", fmt.Sprint(i))
	}
	tests := []struct {
		from, to uint64
		want     []uint64
	}{
		{1, 0, []uint64{1, 2, 3, 4, 5, 6}}, {0, 2, []uint64{1, 2}}, {3, 4, []uint64{3, 4}},
		{6, 99, []uint64{6}}, {7, 0, nil}, {4, 3, nil},
	}
	for _, tt := range tests {
		var got []uint64
		for r, err := range db.Rows(context.Background(), tt.from, tt.to) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.Seq)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("[%d, %d]: %d, want %d", tt.from, tt.to, got, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for _, err := range db.Rows(ctx, 1, 0) {
		if n++; n == 2 {
			cancel()
		}
		if n == 3 && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	if n != 3 {
		t.Errorf("%d steps", n)
	}
	for range db.Rows(context.Background(), 1, 0) {
		break // leaving early is no error
	}
}
