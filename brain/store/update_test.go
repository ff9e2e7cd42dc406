package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// hold keeps the committer busy inside a function until release is called.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	running, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := db.Update(context.Background(), change("hold"), func(*Tx) error {
			close(running)
			<-let
			return nil
		})
		done <- err
	}()
	<-running
	return func() {
		close(let)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestCallersShareOneCommit(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	release := hold(t, db)
	const n = 50
	var wg sync.WaitGroup
	seqs := make([]uint64, n)
	for i := range n {
		wg.Go(func() {
			r, err := db.Update(context.Background(), change("put"), set(fmt.Sprint(i), "v"))
			if err != nil {
				t.Error(err)
			}
			seqs[i] = r.Seq
		})
	}
	waitBlocked(t, n)
	release()
	wg.Wait()
	if m := db.Metrics(); m.Groups > 2 || m.Rows != n+1 {
		t.Errorf("%d groups for %d rows", m.Groups, m.Rows)
	}
	seen := map[uint64]bool{}
	for _, s := range seqs {
		seen[s] = true
	}
	if len(seen) != n {
		t.Errorf("%d different Seq for %d rows", len(seen), n)
	}
	if _, err := db.Verify(context.Background()); err != nil {
		t.Error(err)
	}
}

// waitBlocked waits until n goroutines are blocked in the hand-over.
func waitBlocked(t *testing.T, n int) {
	t.Helper()
	buf := make([]byte, 1<<20)
	for range 1_000_000 {
		stacks := string(buf[:runtime.Stack(buf, true)])
		if got := strings.Count(stacks, "[select]:\ngithub.com/seed70401ef0/brain-go/brain/store.(*committer).submit("); got >= n {
			return
		}
		runtime.Gosched()
	}
	t.Fatal("callers never blocked")
}

func TestFailingFunctionUndoesOnlyItself(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	mustSet(t, db, "k", "old")
	release := hold(t, db)
	boom := errors.New("boom")
	var wg sync.WaitGroup
	call := func(want error, fn func(*Tx) error) {
		wg.Go(func() {
			if _, err := db.Update(context.Background(), change("put"), fn); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
		waitBlocked(t, 1)
	}
	for i := range 20 {
		wg.Go(func() {
			_, err := db.Update(context.Background(), change("put"), func(tx *Tx) error {
				if err := set(fmt.Sprint("k", i), "v")(tx); err != nil || i%2 == 0 {
					return err
				}
				if err := tx.Delete(Document.Key([]byte("k"))); err != nil {
					return err
				}
				return boom
			})
			if (i%2 == 1) != errors.Is(err, boom) {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	call(nil, func(tx *Tx) error {
		_, err := tx.Get(Document.Key([]byte("k")))
		return err
	})
	release()
	wg.Wait()
	for i := range 20 {
		want := "v"
		if i%2 == 1 {
			want = "<none>"
		}
		if got := get(t, db, fmt.Sprint("k", i)); got != want {
			t.Errorf("k%d is %q, want %q", i, got, want)
		}
	}
	if m := db.Metrics(); m.Undone != 10 || db.Head().Seq != 1+1+10+1 || get(t, db, "k") != "old" {
		t.Errorf("%+v, head %v", m, db.Head())
	}
}

func TestFunctionOutcomes(t *testing.T) {
	boom := errors.New("boom")
	tests := map[string]struct {
		fn   func(*Tx) error
		want func(err error, panicked any, exited bool) bool
	}{
		"error": {
			func(tx *Tx) error { return errors.Join(set("k", "new")(tx), set("n", "new")(tx), boom) },
			func(err error, _ any, _ bool) bool { return errors.Is(err, boom) },
		},
		"panic": {
			func(tx *Tx) error { _ = set("k", "new")(tx); panic(boom) },
			func(_ error, p any, _ bool) bool { return p == any(boom) },
		},
		"goexit": {
			func(tx *Tx) error { _ = set("k", "new")(tx); runtime.Goexit(); return nil },
			func(_ error, _ any, exited bool) bool { return exited },
		},
		"wrong prefix": {
			func(tx *Tx) error { _ = set("k", "new")(tx); return tx.Set(Vector.Key(), nil) },
			isInvalid("key"),
		},
		"own prefix":  {func(tx *Tx) error { return tx.Set(AuditRow.Key(), nil) }, isInvalid("key")},
		"no prefix":   {func(tx *Tx) error { return tx.Set([]byte{0}, nil) }, isInvalid("key")},
		"empty key":   {func(tx *Tx) error { return tx.Delete(nil) }, isInvalid("key")},
		"long key":    {func(tx *Tx) error { return tx.Set(Document.Key(make([]byte, MaxKey)), nil) }, isInvalid("key")},
		"too large":   {func(tx *Tx) error { return tx.Set(Document.Key(), make([]byte, MaxTx)) }, isInvalid("transaction")},
		"actor":       {func(tx *Tx) error { tx.Event().Actor = "person:b"; return nil }, isInvalid("event")},
		"class":       {func(tx *Tx) error { tx.Event().Class = audit.Event; return nil }, isInvalid("event")},
		"bad event":   {func(tx *Tx) error { tx.Event().Op = strings.Repeat("x", 1000); return nil }, isInvalid("event")},
		"reads after": {nil, isInvalid("tx")},
	}
	db := mustOpen(t, "/b", memOptions())
	mustSet(t, db, "k", "old")
	head := db.Head()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var err error
			var panicked any
			exited := true
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { panicked = recover() }()
				if tt.fn == nil {
					var kept *Tx
					_, _ = db.Update(context.Background(), change("put"), func(tx *Tx) error { kept = tx; return boom })
					_, err = kept.Get(Document.Key([]byte("k")))
				} else {
					_, err = db.Update(context.Background(), change("put"), tt.fn)
				}
				exited = false
			}()
			<-done
			exited = exited && panicked == nil
			if !tt.want(err, panicked, exited) {
				t.Errorf("error %v, panic %v, exit %v", err, panicked, exited)
			}
			if db.Head() != head || get(t, db, "k") != "old" || get(t, db, "n") != "<none>" {
				t.Errorf("something was changed: %v", db.Head())
			}
		})
	}
	mustSet(t, db, "k", "the store goes on")
}

var errInvalid = invalid.Err

func isInvalid(field string) func(error, any, bool) bool {
	return func(err error, _ any, _ bool) bool {
		var e *invalid.Error
		return errors.As(err, &e) && e.Field == field
	}
}

func TestBadArgumentsChangeNothing(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	tests := map[string]struct {
		changes []Change
		field   string
	}{
		"none":          {nil, "changes"},
		"too many":      {make([]Change, MaxChanges+1), "changes"},
		"no actor":      {[]Change{{Event: Event{Op: "x", Class: audit.Change}}}, "actor"},
		"no op":         {[]Change{{Event: Event{Actor: "x", Class: audit.Change}}}, "op"},
		"no class":      {[]Change{{Event: Event{Actor: "x", Op: "x"}}}, "class"},
		"unknown":       {[]Change{{Event: Event{Actor: "x", Op: "x", Class: 99}}}, "class"},
		"large body":    {[]Change{{Event: Event{Actor: "x", Op: "x", Class: audit.Event, Body: make([]byte, MaxTx+1)}}}, "transaction"},
		"second fails":  {[]Change{{change("ok"), set("a", "1")}, {Event{Actor: "\xff", Op: "x", Class: audit.Change}, nil}}, "event"},
		"denial writes": {[]Change{{Event{Actor: "x", Op: "x", Class: audit.Denial}, set("a", "1")}}, "class"},
	}
	for name, tt := range tests {
		_, err := db.UpdateAll(context.Background(), tt.changes)
		if !isInvalid(tt.field)(err, nil, false) {
			t.Errorf("%s: %v, want invalid %s", name, err, tt.field)
		}
	}
	if db.Head() != audit.EmptyHead() || get(t, db, "a") != "<none>" {
		t.Errorf("something was changed: %v", db.Head())
	}
}

func TestUpdateAllIsOneCommitWithARowEach(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	var changes []Change
	for i := range 100 {
		changes = append(changes, Change{change("put"), func(tx *Tx) error {
			if i > 0 {
				if _, err := tx.Get(Document.Key([]byte{byte(i - 1)})); err != nil {
					return fmt.Errorf("change %d does not see the one before: %w", i, err)
				}
			}
			tx.Event().URI = fmt.Sprint("brain://x/", tx.Seq())
			return tx.Set(Document.Key([]byte{byte(i)}), []byte("v"))
		}})
	}
	rs, err := db.UpdateAll(context.Background(), changes)
	if err != nil {
		t.Fatal(err)
	}
	if m := db.Metrics(); m.Groups != 1 || m.Rows != 100 {
		t.Errorf("%d groups, %d rows", m.Groups, m.Rows)
	}
	for r, err := range db.Rows(context.Background(), 1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		got := rs[r.Seq-1]
		if got.Seq != r.Seq || got.Digest != audit.LeafHash(r.Leaf) || got.Head.Seq != r.Seq ||
			r.Side.URI != fmt.Sprint("brain://x/", r.Seq) || r.Side.Check(r.Row) != nil {
			t.Errorf("row %d does not fit its receipt %+v", r.Seq, got)
		}
	}
}

func TestCallsFromInsideAreReentrant(t *testing.T) {
	other := mustOpen(t, "/other", memOptions())
	db := mustOpen(t, "/b", memOptions())
	errs := map[string]error{}
	_, err := db.Update(context.Background(), change("put"), func(tx *Tx) error {
		func() { // deeper than one buffer of frames
			var deep func(int)
			deep = func(n int) {
				if n > 0 {
					deep(n - 1)
					return
				}
				_, errs["deep"] = db.Update(context.Background(), change("put"), nil)
			}
			deep(200)
		}()
		_, errs["same"] = db.Update(context.Background(), change("put"), nil)
		errs["close"] = db.Close()
		s := db.Snapshot() // reading is no harm
		defer s.Close()
		_, err := s.Get(Document.Key([]byte("x")))
		if !errors.Is(err, ErrNotFound) {
			errs["read"] = err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range errs {
		if !errors.Is(err, ErrReentrant) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustSet(t, other, "k", "v")
}

func TestCancelBeforeHandOverChangesNothing(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Update(gone, change("put"), set("a", "1")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the call: %v", err)
	}
	release := hold(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := db.Update(ctx, change("put"), set("a", "1"))
		done <- err
	}()
	waitBlocked(t, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while waiting: %v", err)
	}
	release()
	if get(t, db, "a") != "<none>" || db.Head().Seq != 1 || db.Metrics().Cancelled != 1 {
		t.Errorf("head %v, metrics %+v", db.Head(), db.Metrics())
	}
}

func TestCancelAfterHandOverTellsTheTruth(t *testing.T) {
	db := mustOpen(t, "/b", memOptions())
	ctx, cancel := context.WithCancel(context.Background())
	r, err := db.Update(ctx, change("put"), func(tx *Tx) error {
		cancel()
		return set("a", "1")(tx)
	})
	if err != nil || r.Seq != 1 || get(t, db, "a") != "1" {
		t.Errorf("%+v, %v, reads %q", r, err, get(t, db, "a"))
	}
}

func TestClockGoingBackIsARow(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	o := memOptions()
	o.Now = func() time.Time { return now }
	db := mustOpen(t, "/b", o)
	steps := []struct {
		step time.Duration
		rows uint64
	}{
		{0, 1},
		{-900 * time.Millisecond, 2}, // no row for less than a second
		{-time.Hour, 4},
		{time.Minute, 5},
		{0, 6},
		{2 * time.Hour, 7},
		{-10 * 365 * 24 * time.Hour, 9},
	}
	last := time.Time{}
	for i, st := range steps {
		now = now.Add(st.step)
		r := mustSet(t, db, "k", fmt.Sprint(i))
		if r.Seq != st.rows || r.Time.Before(last) {
			t.Errorf("step %d: seq %d at %s, want %d not before %s", i, r.Seq, r.Time, st.rows, last)
		}
		last = r.Time
	}
	db.Close()
	now = now.Add(-time.Hour)
	db = mustOpen(t, "/b", o)
	if r := mustSet(t, db, "k", "x"); r.Seq != 11 || r.Time.Before(last) {
		t.Errorf("after reopening: seq %d at %s", r.Seq, r.Time)
	}
	for r, err := range db.Rows(context.Background(), 10, 10) {
		if err != nil || r.Class != audit.Event || r.Op != "clock" || r.Actor != storeActor {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if _, err := db.Verify(context.Background()); err != nil {
		t.Error(err)
	}
}
