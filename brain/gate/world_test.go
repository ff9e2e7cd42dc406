package gate

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

var (
	bg    = context.Background()
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	ana   = policy.Actor{ID: "ana", Kind: policy.Person, Roles: []string{"owner"}}
	ben   = policy.Actor{ID: "ben", Kind: policy.Person, Roles: []string{"owner"}}
	eve   = policy.Actor{ID: "eve", Kind: policy.Person}
	scout = policy.Actor{ID: "scout", Kind: policy.Agent}
)

// world is a gate over documents in memory, with a clock and rules that a test
// sets.
type world struct {
	t  testing.TB
	db *store.DB
	*Gate

	mu      sync.Mutex
	clock   time.Time
	rules   *policy.Set
	prepare func(document.Draft) error // called by Prepare before anything else
}

func newWorld(t testing.TB, o Options) *world {
	t.Helper()
	w := &world{t: t, clock: start, rules: policy.Default()}
	db, err := store.Open(t.TempDir(), &store.Options{
		Primary: new(store.Memory).Open(), Derived: new(store.Memory).Open(),
		MinFreeBytes: -1, BallastBytes: -1, Now: w.time,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	w.db = db
	o.Now = func() time.Time { return w.later(w.newest()) }
	o.Policy = func(store.Reader) (*policy.Set, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.rules, nil
	}
	w.Gate = New(db, w, o)
	return w
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) later(t time.Time) time.Time {
	if now := w.time(); now.After(t) {
		return now
	}
	return t
}

// newest returns the time of the newest commit.
func (w *world) newest() (at time.Time) {
	for row, err := range w.db.Rows(bg, w.db.Head().Seq, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		at = time.UnixMicro(row.Time).UTC()
	}
	return at
}

func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// setRules puts rules in force: doc and the defaults of policy.Default.
func (w *world) setRules(change func(*policy.Document)) {
	w.t.Helper()
	doc := policy.Default().Document()
	change(&doc)
	set, err := policy.New(doc)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules = set
}

// Prepare implements Indexer over the documents alone.
func (w *world) Prepare(ctx context.Context, d document.Draft) (Write, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.prepare != nil {
		if err := w.prepare(d); err != nil {
			return nil, err
		}
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	return func(tx *store.Tx, actor string) (document.Revision, document.Outcome, error) {
		return document.Put(tx, actor, d, 0)
	}, nil
}

func note(name, body string) document.Draft {
	return document.Draft{URI: uri.MustParse(name), Body: []byte(body)}
}

// propose proposes d as an agent.
func (w *world) propose(d document.Draft) Proposal {
	w.t.Helper()
	p, _, err := w.Propose(bg, scout, Submission{Op: Put, Draft: d})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// approve approves p, as it is, on behalf of a.
func (w *world) approve(a policy.Actor, p Proposal) error {
	_, _, _, err := w.Decide(bg, a, Decision{ID: p.ID, Approve: true, Digest: p.Digest})
	return err
}

func (w *world) reject(a policy.Actor, p Proposal) error {
	_, _, _, err := w.Decide(bg, a, Decision{ID: p.ID, Reason: "no"})
	return err
}

// write stores d without the gate.
func (w *world) write(d document.Draft) {
	w.t.Helper()
	if err := d.Check(); err != nil {
		w.t.Fatal(err)
	}
	w.update(func(tx *store.Tx) error {
		_, _, err := document.Put(tx, ana.String(), d, 0)
		return err
	})
}

func (w *world) update(fn func(*store.Tx) error) {
	w.t.Helper()
	if _, err := w.db.Update(bg, store.Event{Actor: ana.String(), Op: "test", Class: audit.Change}, fn); err != nil {
		w.t.Fatal(err)
	}
}

// live returns the live bytes at name, "" when there is nothing.
func (w *world) live(name string) string {
	w.t.Helper()
	snap := w.db.Snapshot()
	defer snap.Close()
	rev, err := document.Get(snap, uri.MustParse(name), 0)
	if err != nil {
		return ""
	}
	body, err := document.Content(snap, rev)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(body)
}

// seq returns the number of rows.
func (w *world) seq() uint64 { return w.db.Head().Seq }

// list returns the ids that a sees.
func (w *world) list(a policy.Actor, pending bool) []uint64 {
	w.t.Helper()
	var ids []uint64
	if err := w.List(bg, a, 0, pending, func(p Proposal) bool { ids = append(ids, p.ID); return true }); err != nil {
		w.t.Fatal(err)
	}
	return ids
}
