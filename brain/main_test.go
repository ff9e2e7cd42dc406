package brain

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	bg    = context.Background()
	ana   = Person("ana", "owner")
	eve   = Person("eve")
	scout = Agent("scout")
)

// clockwork is a clock that a test sets.
type clockwork struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clockwork { return &clockwork{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clockwork) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clockwork) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// small returns options for a store of a test: no ballast, no floor.
func small() *Options { return &Options{BallastBytes: -1, MinFreeBytes: -1} }

// openAt opens a brain and closes it with the test.
func openAt(t testing.TB, dir string, o *Options) *DB {
	t.Helper()
	db, err := Open(bg, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func openNew(t testing.TB) *DB { t.Helper(); return openAt(t, t.TempDir(), small()) }

func name(s string) uri.URI { return uri.MustParse(s) }

func note(at, body string) Draft { return Draft{URI: name(at), Body: []byte(body)} }

func put(t testing.TB, s *Session, drafts ...Draft) []Receipt {
	t.Helper()
	rs, err := s.Put(bg, drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func recallIn(t testing.TB, s *Session, q Query) Result {
	t.Helper()
	r, err := s.Recall(bg, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// has reports whether a hit is of the document at u.
func has(r Result, u uri.URI) bool {
	for _, h := range r.Hits {
		if h.Chunk.URI == u {
			return true
		}
	}
	return false
}

// refused fails unless err has the code and, when it is not "", the field.
func refused(t testing.TB, what string, err error, code ErrorCode, field string) {
	t.Helper()
	var e *Error
	switch {
	case Code(err) != code:
		t.Errorf("%s: got %v (%s), want code %s", what, err, Code(err), code)
	case !errors.As(err, &e) || e.Op == "":
		t.Errorf("%s: %v is no Error with an Op", what, err)
	case field != "" && e.Field != field:
		t.Errorf("%s: field %q, want %q: %v", what, e.Field, field, err)
	}
}

// setRules puts the default policy, changed, in force.
func setRules(t testing.TB, db *DB, change func(*policy.Document)) *policy.Set {
	t.Helper()
	set := rulesOf(t, change)
	if _, err := db.As(ana).SetPolicy(bg, set); err != nil {
		t.Fatal(err)
	}
	return set
}

func rulesOf(t testing.TB, change func(*policy.Document)) *policy.Set {
	t.Helper()
	doc := policy.Default().Document()
	change(&doc)
	set, err := policy.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// path is a path rule for one pattern.
func path(id, effect, who, on string, do ...policy.Action) policy.Rule {
	return policy.Rule{ID: id, Effect: effect, Who: []string{who}, Do: do, On: []string{on}}
}

// logged is one row as a test looks at it.
type logged struct {
	audit.Row
	uri  string
	body event.Body
}

func (r logged) String() string {
	return fmt.Sprintf("%d %s %s %s %s %+v", r.Seq, r.Actor, r.Op, r.Class, r.uri, r.body)
}

// rows returns the rows after seq; each must have a body that event.Parse reads.
func rows(t testing.TB, db *DB, after uint64) []logged {
	t.Helper()
	var out []logged
	if after == db.store.Head().Seq {
		return nil
	}
	for r, err := range db.store.Rows(bg, after+1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := event.Parse(r.Side.Body)
		if err != nil {
			t.Errorf("row %d, %s: %v", r.Seq, r.Op, err)
		}
		out = append(out, logged{r.Row, r.Side.URI, b})
	}
	return out
}

func seq(db *DB) uint64 { return db.store.Head().Seq }

// raw opens the store of a closed brain, to damage it.
func raw(t testing.TB, dir string, fn func(*store.DB)) {
	t.Helper()
	db, err := store.Open(dir, &store.Options{BallastBytes: -1, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	fn(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
