package brain

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

func TestBadOptionsNameTheirField(t *testing.T) {
	for field, change := range map[string]func(*Options){
		"posture":       func(o *Options) { o.Posture = "closed" },
		"proposal_ttl":  func(o *Options) { o.ProposalTTL = time.Millisecond },
		"cache_bytes":   func(o *Options) { o.CacheBytes = -1 },
		"skip_prefixes": func(o *Options) { o.SkipPrefixes = []string{""} },
	} {
		dir := filepath.Join(t.TempDir(), "brain")
		o := small()
		change(o)
		_, err := Open(bg, dir, o)
		refused(t, field, err, Invalid, field)
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the directory was made", field)
		}
	}
	_, err := Open(bg, t.TempDir(), &Options{ProposalTTL: 366 * 24 * time.Hour})
	refused(t, "a year", err, Invalid, "proposal_ttl")
	_, err = Open(bg, "", small())
	refused(t, "no directory", err, Invalid, "dir")
}

func TestOpenRefusesWhatIsNoBrain(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir, small())
	_, err := Open(bg, dir, small())
	refused(t, "opened twice", err, Busy, "")
	if !strings.Contains(err.Error(), "pid") {
		t.Errorf("the holder is not named: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	format := filepath.Join(dir, "FORMAT")
	good, err := os.ReadFile(format)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"no JSON": "hello", "empty": "", "version 0": `{"format":0,"oldest_reader":0}`,
		"newer": `{"format":99,"oldest_reader":99}`, "newer, old readers may read": `{"format":99,"oldest_reader":1}`,
		"an unknown feature": `{"format":1,"oldest_reader":1,"features":["holograms"]}`,
	} {
		if err := os.WriteFile(format, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(bg, dir, small())
		refused(t, what, err, BadFormat, "")
	}
	if err := os.WriteFile(format, good, 0o600); err != nil {
		t.Fatal(err)
	}

	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.docx"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(bg, foreign, small())
	refused(t, "foreign files", err, BadFormat, "")
	if list, err := os.ReadDir(foreign); err != nil || len(list) != 1 {
		t.Errorf("%d entries in the foreign directory, %v", len(list), err)
	}
	_, err = Open(bg, filepath.Join(foreign, "thesis.docx"), small())
	if err == nil {
		t.Error("a file was opened as a directory")
	}
	_, err = Open(bg, t.TempDir(), &Options{ReadOnly: true})
	refused(t, "read-only, nothing there", err, BadFormat, "")
}

func TestOpenInADirectoryThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Open(bg, filepath.Join(dir, "brain"), small())
	refused(t, "read-only directory", err, ReadOnly, "")
}

func TestOpenWithAnEndedContextChangesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	dir := filepath.Join(t.TempDir(), "brain")
	_, err := Open(ctx, dir, small())
	refused(t, "ended context", err, Canceled, "")
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory was made")
	}
}

func TestCloseWaitsAndRefuses(t *testing.T) {
	dir := t.TempDir()
	o := small()
	entered, leave := make(chan struct{}), make(chan struct{})
	e := &slow{}
	o.Embedder = e
	db := openAt(t, dir, o)
	s := db.As(ana)
	e.set(func() { close(entered); <-leave })
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := s.Put(bg, note("brain://a/b", "tide")); err != nil {
			t.Errorf("a call that was running: %v", err)
		}
	})
	<-entered
	e.set(nil)
	var closing sync.WaitGroup
	for range 3 {
		closing.Go(func() {
			if err := db.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			// Whichever returns, the directory is free.
			db.mu.Lock()
			defer db.mu.Unlock()
			if !db.closed {
				t.Error("not closed")
			}
		})
	}
	for { // until Close has begun
		if _, err := s.Get(bg, name("brain://a/x"), 0); Code(err) == Closed {
			break
		}
	}
	close(leave)
	running.Wait()
	closing.Wait()
	for what, call := range verbs(s) {
		refused(t, what, call(bg), Closed, "")
	}
	_, err := db.Verify(bg)
	refused(t, "verify", err, Closed, "")
	_, err = db.Stats(bg)
	refused(t, "stats", err, Closed, "")
	refused(t, "rebuild", db.Rebuild(bg), Closed, "")
	if got, err := openAt(t, dir, o).As(ana).Get(bg, name("brain://a/b"), 0); err != nil || string(got.Body) != "tide" {
		t.Errorf("%q, %v", got.Body, err)
	}
}

// slow is a deterministic embedder that calls back.
type slow struct {
	mu sync.Mutex
	fn func()
}

func (e *slow) set(fn func()) { e.mu.Lock(); e.fn = fn; e.mu.Unlock() }

func (e *slow) ID() string          { return "slow/1" }
func (e *slow) Dim() int            { return 2 }
func (e *slow) Deterministic() bool { return true }

func (e *slow) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	fn := e.fn
	e.mu.Unlock()
	if fn != nil {
		fn()
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{1, float32(len(s))}
	}
	return out, ctx.Err()
}

// verbs is every method of a session that may fail, with arguments that are
// good in a brain that holds brain://a/b.
func verbs(s *Session) map[string]func(context.Context) error {
	u := name("brain://a/b")
	return map[string]func(context.Context) error{
		"put":            func(c context.Context) error { _, err := s.Put(c, note("brain://a/new", "x")); return err },
		"get":            func(c context.Context) error { _, err := s.Get(c, u, 0); return err },
		"list":           func(c context.Context) error { _, err := s.List(c, ListQuery{}); return err },
		"history":        func(c context.Context) error { _, err := s.History(c, u); return err },
		"recall":         func(c context.Context) error { _, err := s.Recall(c, Query{Text: "tide"}); return err },
		"propose":        func(c context.Context) error { _, err := s.Propose(c, note("brain://a/p", "x"), ""); return err },
		"propose forget": func(c context.Context) error { _, err := s.ProposeForget(c, u, "", ""); return err },
		"proposals":      func(c context.Context) error { _, err := s.Proposals(c, ProposalQuery{}); return err },
		"proposal":       func(c context.Context) error { _, err := s.Proposal(c, 2); return err },
		"decide":         func(c context.Context) error { _, err := s.Decide(c, Decision{ID: 2, Reason: "no"}); return err },
		"policy":         func(c context.Context) error { _, err := s.Policy(c); return err },
		"set policy":     func(c context.Context) error { _, err := s.SetPolicy(c, policy.Default()); return err },
		"forget":         func(c context.Context) error { _, err := s.Forget(c, u, ""); return err },
		"restore":        func(c context.Context) error { _, err := s.Restore(c, u, 1); return err },
	}
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir, small())
	if _, err := db.As(scout).Propose(bg, note("brain://a/p", "pump"), ""); err != nil {
		t.Fatal(err)
	}
	put(t, db.As(ana), note("brain://a/b", "tide"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	// Vectors that are gone are made again, though they cannot be saved.
	if err := os.RemoveAll(filepath.Join(dir, "derived")); err != nil {
		t.Fatal(err)
	}
	raw(t, dir, func(*store.DB) {})
	db = openAt(t, dir, &Options{ReadOnly: true})
	writes := []string{"put", "propose", "propose forget", "decide", "set policy", "forget", "restore"}
	before := seq(db)
	for what, call := range verbs(db.As(ana)) {
		if slices.Contains(writes, what) {
			refused(t, what, call(bg), ReadOnly, "")
		} else if err := call(bg); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused(t, "denied, without a row", func() error { _, err := db.As(eve).Policy(bg); return err }(), Denied, "")
	for _, mode := range []recall.Mode{recall.Hybrid, recall.Lexical, recall.Vector} {
		if r := recallOf(t, db, Query{Text: "tide", Mode: mode}); !has(r, name("brain://a/b")) {
			t.Errorf("%s: %+v", mode, r)
		}
	}
	if _, err := db.Verify(bg); err != nil || seq(db) != before {
		t.Errorf("%v, %d rows more", err, seq(db)-before)
	}
}

func recallOf(t testing.TB, db *DB, q Query) Result { t.Helper(); return recallIn(t, db.As(ana), q) }

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir, small())
	put(t, db.As(ana), note("brain://a/b", "tide"))
	if _, err := db.As(scout).Propose(bg, note("brain://a/p", "pump"), ""); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir, &Options{BallastBytes: -1, MinFreeBytes: 1 << 60})
	s := db.As(ana)
	for what, call := range map[string]func() error{
		"put":     func() error { _, err := s.Put(bg, note("brain://a/c", "x")); return err },
		"forget":  func() error { _, err := s.Forget(bg, name("brain://a/b"), ""); return err },
		"propose": func() error { _, err := s.Propose(bg, note("brain://a/c", "x"), ""); return err },
		"decide":  func() error { _, err := s.Decide(bg, Decision{ID: 3, Reason: "no"}); return err },
	} {
		refused(t, what, call(), Full, "")
	}
	if r := recallIn(t, s, Query{Text: "tide"}); !has(r, name("brain://a/b")) {
		t.Errorf("%+v", r)
	}
	if _, err := db.Verify(bg); err != nil {
		t.Error(err)
	}
	_, err := Open(bg, t.TempDir(), &Options{BallastBytes: -1, MinFreeBytes: 1 << 60})
	refused(t, "a new brain", err, Full, "")
}

// flip changes one byte of every table below a directory of a brain.
func flip(t testing.TB, dir string, at func(size int) int) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no table in %s: %v", dir, err)
	}
	for _, f := range tables {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		data[at(len(data))] ^= 1
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// twoTables makes a brain whose documents and index lie in tables.
func twoTables(t testing.TB) (dir string) {
	dir = t.TempDir()
	db := openAt(t, dir, small())
	put(t, db.As(ana), note("brain://a/b", "tide"))
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, dir, small())
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDamagedIndexIsMadeAgain(t *testing.T) {
	for what, at := range map[string]func(int) int{
		"first byte": func(int) int { return 0 }, "last byte": func(n int) int { return n - 1 },
	} {
		for _, readOnly := range []bool{true, false} {
			dir := twoTables(t)
			flip(t, filepath.Join(dir, "derived"), at)
			o := small()
			o.ReadOnly = readOnly
			db, err := Open(bg, dir, o)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if r := recallIn(t, db.As(ana), Query{Text: "tide"}); !has(r, name("brain://a/b")) {
				t.Errorf("%s: %+v", what, r)
			}
			if !readOnly {
				put(t, db.As(ana), note("brain://a/c", "pump"))
			}
			if err := db.Close(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// Damage to documents is named as such, not as a write whose outcome is unknown.
func TestDamagedDocumentsAreSaidToBe(t *testing.T) {
	dir := twoTables(t)
	flip(t, filepath.Join(dir, "primary"), func(n int) int { return n - 1 })
	_, err := Open(bg, dir, small())
	refused(t, "open", err, Damaged, "")
}

func TestReviewPosture(t *testing.T) {
	o := small()
	o.Posture = ReviewPosture
	db := openAt(t, t.TempDir(), o)
	writer := Agent("writer", "owner")
	s := db.As(ana)
	u := name("brain://a/b")
	put(t, s, Draft{URI: u, Body: []byte("one")}, Draft{URI: u, Body: []byte("two")})
	before := seq(db)
	for what, call := range map[string]func(*Session) error{
		"put":     func(s *Session) error { _, err := s.Put(bg, note("brain://a/c", "x")); return err },
		"forget":  func(s *Session) error { _, err := s.Forget(bg, u, ""); return err },
		"restore": func(s *Session) error { _, err := s.Restore(bg, u, 1); return err },
	} {
		refused(t, what, call(db.As(writer)), NeedsReview, "")
		refused(t, what+" by a system", call(db.As(Actor{ID: "mount", Kind: policy.System, Roles: []string{"owner"}})), NeedsReview, "")
	}
	if seq(db) != before {
		t.Errorf("%d rows", seq(db)-before)
	}
	p, err := db.As(writer).Propose(bg, Draft{URI: u, Body: []byte("three")}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Decide(bg, Decision{ID: p.ID, Approve: true, Digest: p.Digest}); err != nil {
		t.Fatal(err)
	}
	if d, err := s.Get(bg, u, 0); err != nil || string(d.Body) != "three" || d.Owner != "person:ana" || d.Actor != "agent:writer" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestHistorySurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir, small())
	s, u := db.As(ana), name("brain://a/b")
	var at []uint64
	for _, body := range []string{"the pump is red", "the pump is blue"} {
		at = append(at, put(t, s, Draft{URI: u, Body: []byte(body)})[0].Seq)
	}
	r, err := s.Forget(bg, u, "sold")
	if err != nil || r.Outcome != Forgot || r.Revision != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	at = append(at, r.Seq)
	_, err = s.Forget(bg, u, "")
	refused(t, "forgotten already", err, NotFound, "")
	check := func(db *DB) {
		t.Helper()
		s := db.As(ana)
		for i, want := range []string{"the pump is red", "the pump is blue", ""} {
			res := recallIn(t, s, Query{Text: "pump", AsOf: at[i]})
			got := ""
			if len(res.Hits) > 0 {
				got = res.Hits[0].Text
			}
			if got != want || len(res.Hits) > 1 {
				t.Errorf("as of %d: %q, want %q", at[i], got, want)
			}
		}
		if _, err := s.Get(bg, u, 0); Code(err) != NotFound {
			t.Errorf("live: %v", err)
		}
		if d, err := s.Get(bg, u, 1); err != nil || string(d.Body) != "the pump is red" {
			t.Errorf("%q, %v", d.Body, err)
		}
		if h, err := s.History(bg, u); err != nil || len(h) != 2 || h[1].Reason != "sold" || h[1].Retired != at[2] {
			t.Errorf("%+v, %v", h, err)
		}
	}
	check(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir, small())
	check(db)
	s = db.As(ana)
	for _, tt := range []struct {
		rev  uint64
		code ErrorCode
	}{{0, Invalid}, {3, NotFound}} {
		_, err := s.Restore(bg, u, tt.rev)
		refused(t, "restore", err, tt.code, "")
	}
	if r, err := s.Restore(bg, u, 1); err != nil || r.Revision != 3 || r.Outcome != Created {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.Restore(bg, u, 3); err != nil || r.Outcome != Repeated || r.Revision != 3 {
		t.Errorf("what is live already: %+v, %v", r, err)
	}
	if res := recallIn(t, s, Query{Text: "pump"}); len(res.Hits) != 1 || res.Hits[0].Text != "the pump is red" {
		t.Errorf("%+v", res.Hits)
	}
}

func TestURIOf(t *testing.T) {
	a, err := URIOf("memory", "person:ana", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uri.URI]bool{a: true}
	for _, x := range [][3]string{{"memory", "person:ana", "y"}, {"memory", "person:an", "ax"}, {"other", "person:ana", "x"}} {
		b, err := URIOf(x[0], x[1], []byte(x[2]))
		if err != nil || seen[b] {
			t.Errorf("%v: %s, %v", x, b, err)
		}
		seen[b] = true
	}
	if b, _ := URIOf("memory", "person:ana", []byte("x")); a != b || a.Domain() != "memory" {
		t.Errorf("%s, %s", a, b)
	}
	for _, domain := range []string{"", "..", "a/../b", "a?b", "a\x00", strings.Repeat("x", 300)} {
		if u, err := URIOf(domain, "o", nil); err == nil && u.Domain() != domain && u.Scheme() != "brain" {
			t.Errorf("%q: %s", domain, u)
		}
	}
}
