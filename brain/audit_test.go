package brain

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// Each verb that changes something writes one row, with the policy that allowed
// it and a body that says what came of it; the others write none.
func TestEachVerbHasItsRow(t *testing.T) {
	db := openNew(t)
	s, agent := db.As(ana), db.As(scout)
	set := policy.Default()
	first := rows(t, db, 0)
	if len(first) != 1 || first[0].Actor != self || first[0].Op != "policy" || string(first[0].body.Content) != string(digestOf(set)) {
		t.Fatalf("%v", first)
	}
	u := name("brain://a/b")
	var p, q Proposal
	var held Receipt
	for _, tt := range []struct {
		op, actor string // "" = no row
		call      func() error
		check     func(logged) bool
	}{
		{"put", "person:ana", func() error { _, err := s.Put(bg, note("brain://a/b", "one")); return err },
			func(r logged) bool {
				return r.body.Outcome == "created" && r.body.Revision == 1 && r.body.Rule == "owner"
			}},
		{"put", "person:ana", func() error { _, err := s.Put(bg, note("brain://a/b", "one")); return err },
			func(r logged) bool { return r.body.Outcome == "repeated" && r.body.Revision == 1 }},
		{"put", "person:ana", func() error { _, err := s.Put(bg, note("brain://a/b", "two")); return err },
			func(r logged) bool { return r.body.Outcome == "updated" && r.body.Revision == 2 }},
		{"restore", "person:ana", func() error { _, err := s.Restore(bg, u, 1); return err },
			func(r logged) bool { return r.body.Outcome == "updated" && r.body.Revision == 3 }},
		{"forget", "person:ana", func() error { _, err := s.Forget(bg, u, "old"); return err },
			func(r logged) bool {
				return r.body.Outcome == "forgotten" && r.body.Revision == 3 && r.body.Reason == "old"
			}},
		{"hold", "person:ana", func() error {
			rs, err := s.Put(bg, note("brain://a/b", "the\u202epump"))
			held = rs[0]
			return err
		}, func(r logged) bool {
			return r.body.Proposal == held.Proposal && string(r.body.Approval) == string(held.Digest[:])
		}},
		{"reject", "person:ana", func() error { _, err := s.Decide(bg, Decision{ID: held.Proposal, Reason: "no"}); return err },
			func(r logged) bool { return r.body.Proposal == held.Proposal && r.body.Reason == "no" }},
		{"propose", "agent:scout", func() (err error) { p, err = agent.Propose(bg, note("brain://a/b", "three"), ""); return err },
			func(r logged) bool { return r.body.Proposal == p.ID && string(r.body.Approval) == string(p.Digest[:]) }},
		{"approve", "person:ana", func() error {
			_, err := s.Decide(bg, Decision{ID: p.ID, Approve: true, Digest: p.Digest})
			return err
		}, func(r logged) bool {
			return r.body.Proposal == p.ID && string(r.body.Approval) == string(p.Digest[:]) && r.body.Proposer == "agent:scout" && r.body.Revision == 4
		}},
		{"propose", "agent:scout", func() (err error) { q, err = agent.ProposeForget(bg, u, "old", ""); return err },
			func(r logged) bool { return r.body.Proposal == q.ID }},
		{"approve", "person:ana", func() error {
			_, err := s.Decide(bg, Decision{ID: q.ID, Approve: true, Digest: q.Digest})
			return err
		}, func(r logged) bool { return r.body.Outcome == "forgotten" }},
		{"", "", func() error { _, err := s.Get(bg, u, 1); return err }, nil},
		{"", "", func() error { _, err := s.History(bg, u); return err }, nil},
		{"", "", func() error { _, err := s.List(bg, ListQuery{}); return err }, nil},
		{"", "", func() error { _, err := s.Recall(bg, Query{Text: "one"}); return err }, nil},
		{"", "", func() error { _, err := s.Proposals(bg, ProposalQuery{}); return err }, nil},
		{"", "", func() error { _, err := s.Proposal(bg, p.ID); return err }, nil},
		{"", "", func() error { _, err := s.Policy(bg); return err }, nil},
		{"policy", "person:ana", func() error {
			set = rulesOf(t, func(d *policy.Document) {
				d.Paths = []policy.Rule{path("x", "deny", "any", "brain://x/**", policy.Read)}
			})
			_, err := s.SetPolicy(bg, set)
			return err
		}, func(r logged) bool { return string(r.body.Content) == string(digestOf(set)) }},
	} {
		before := seq(db)
		inForce, err := db.current()
		if err != nil {
			t.Fatal(err)
		}
		if err := tt.call(); err != nil {
			t.Fatalf("%s: %v", tt.op, err)
		}
		got := rows(t, db, before)
		if tt.op == "" {
			if len(got) != 0 {
				t.Errorf("a read wrote %v", got)
			}
			continue
		}
		if len(got) != 1 {
			t.Errorf("%s wrote %v", tt.op, got)
			continue
		}
		r := got[0]
		where := u.String()
		if tt.op == "policy" {
			where = ""
		}
		if r.Op != tt.op || r.Actor != tt.actor || r.Class != audit.Change || r.uri != where || r.Policy != audit.Hash(inForce.Digest()) || !tt.check(r) {
			t.Errorf("%s: %s", tt.op, r)
		}
	}
	if _, err := db.Verify(bg); err != nil {
		t.Error(err)
	}
}

func digestOf(s *policy.Set) []byte { d := s.Digest(); return d[:] }

// denials returns the rows of refusals.
func denialsOf(t *testing.T, db *DB) (out []logged) {
	t.Helper()
	for _, r := range rows(t, db, 0) {
		if r.Class == audit.Denial {
			out = append(out, r)
		}
	}
	return out
}

func TestRefusalsFold(t *testing.T) {
	dir, c, o := t.TempDir(), newClock(), small()
	o.Now = c.time
	db := openAt(t, dir, o)
	s := db.As(eve)
	for i := range 1000 {
		_, err := s.Put(bg, note(fmt.Sprintf("brain://a/%d", i), "x"))
		refused(t, "put", err, Denied, "")
	}
	got := denialsOf(t, db)
	if len(got) != 1 || got[0].body.Count != 1 || got[0].uri != "brain://a/0" || got[0].Op != "put" || got[0].Actor != "person:eve" ||
		got[0].Policy != audit.Hash(policy.Default().Digest()) || got[0].body.Rule != "no rule" {
		t.Fatalf("%v", got)
	}
	// Another operation and another actor have rows of their own.
	if _, err := s.Get(bg, name("brain://a/b"), 0); Code(err) != NotFound {
		t.Error(err)
	}
	if _, err := db.As(scout).Forget(bg, name("brain://a/b"), ""); Code(err) != Denied {
		t.Error(err)
	}
	if n := len(denialsOf(t, db)); n != 3 {
		t.Errorf("%d rows", n)
	}
	c.advance(time.Minute)
	if _, err := s.Put(bg, note("brain://a/next", "x")); Code(err) != Denied {
		t.Error(err)
	}
	got = denialsOf(t, db)
	if len(got) != 5 || got[3].body.Count != 999 || got[3].uri != "" || got[4].body.Count != 1 || got[4].uri != "brain://a/next" {
		t.Errorf("%v", got)
	}
	for range 7 {
		_, _ = s.Put(bg, note("brain://a/next", "x"))
	}
	if m := db.Metrics(); m.Denials != 1010 {
		t.Errorf("%d refusals counted", m.Denials)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir, o)
	got = denialsOf(t, db)
	total := uint64(0)
	for _, r := range got {
		total += r.body.Count
	}
	if len(got) != 6 || got[5].body.Count != 7 || total != 1010 {
		t.Errorf("%d refusals in %v", total, got)
	}
}

// Names that are none cannot fill the log, nor keep others out of it.
func TestRefusalsOfHostileActors(t *testing.T) {
	dir, o := t.TempDir(), small()
	c := newClock()
	o.Now = c.time
	db := openAt(t, dir, o)
	bad := []Actor{{}, Person("\xff"), Person("a\x00b"), Person("a\nb"), Person(strings.Repeat("x", 1<<20)), {ID: "x", Kind: 77}, Agent("a:b"), Person("a", "\xff")}
	for i := range 50 {
		bad = append(bad, Person(fmt.Sprintf("made/up/%d", i)))
	}
	for range 3 {
		for _, a := range bad {
			_, err := db.As(a).Put(bg, note("brain://a/b", "x"))
			refused(t, "put", err, Denied, "")
		}
		_, err := db.As(eve).Put(bg, note("brain://a/b", "x"))
		refused(t, "put", err, Denied, "")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, dir, o)
	count := map[string]uint64{}
	for _, r := range denialsOf(t, db) {
		count[r.Actor] += r.body.Count
	}
	if len(count) != 2 || count["person:eve"] != 3 || count[nobody] != uint64(3*len(bad)) {
		t.Errorf("%v", count)
	}
}

func TestPolicyIsSeenAtTheNextCall(t *testing.T) {
	db := openNew(t)
	u := name("brain://a/b")
	put(t, db.As(ana), Draft{URI: u, Body: []byte("tide")})
	agent := db.As(scout)
	open := policy.Default()
	shut := rulesOf(t, func(d *policy.Document) {
		d.Paths = []policy.Rule{path("shut", "deny", "kind:agent", "brain://a/**", policy.Read)}
	})
	for i := range 4 {
		set, code, hits := shut, NotFound, 0
		if i%2 == 1 {
			set, code, hits = open, OK, 1
		}
		if _, err := db.As(ana).SetPolicy(bg, set); err != nil {
			t.Fatal(err)
		}
		_, err := agent.Get(bg, u, 0)
		r := recallIn(t, agent, Query{Text: "tide"})
		p, err2 := agent.List(bg, ListQuery{})
		if Code(err) != code || len(r.Hits) != hits || r.Stats.Corpus != hits || err2 != nil || len(p.Documents) != hits {
			t.Errorf("round %d: get %v, %d hits, %d listed", i, err, len(r.Hits), len(p.Documents))
		}
	}
	// Nobody locks himself out, and nobody without the right changes it.
	_, err := db.As(ana).SetPolicy(bg, rulesOf(t, func(d *policy.Document) { d.Roles = nil }))
	refused(t, "a policy that locks its author out", err, Invalid, "policy")
	_, err = db.As(ana).SetPolicy(bg, nil)
	refused(t, "nil", err, Invalid, "policy")
	_, err = db.As(Agent("root", "owner")).SetPolicy(bg, open)
	refused(t, "an agent", err, Denied, "")
}

// While the policy changes, each answer is that of the old or of the new one.
func TestReadersRaceAPolicyChange(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	var drafts []Draft
	for i := range 6 {
		drafts = append(drafts, note(fmt.Sprintf("brain://a/%d", i), "tide"), note(fmt.Sprintf("brain://b/%d", i), "tide"))
	}
	put(t, s, drafts...)
	sees := func(domain string) *policy.Set {
		return rulesOf(t, func(d *policy.Document) {
			d.Defaults = nil
			d.Paths = []policy.Rule{path("p", "allow", "kind:agent", "brain://"+domain+"/**", policy.Read)}
		})
	}
	sets := []*policy.Set{sees("a"), sees("b")}
	if _, err := s.SetPolicy(bg, sets[0]); err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for i := range 64 {
		readers.Go(func() {
			agent := db.As(scout)
			for range 20 {
				seen := map[string]int{}
				if i%2 == 0 {
					r, err := agent.Recall(bg, Query{Text: "tide", Limit: 20, Mode: recall.Lexical})
					if err != nil {
						t.Error(err)
						return
					}
					for _, h := range r.Hits {
						seen[h.Chunk.URI.Domain()]++
					}
				} else {
					p, err := agent.List(bg, ListQuery{})
					if err != nil {
						t.Error(err)
						return
					}
					for _, d := range p.Documents {
						seen[d.URI.Domain()]++
					}
				}
				if len(seen) != 1 || seen["a"]+seen["b"] != 6 {
					t.Errorf("a mix: %v", seen)
					return
				}
			}
		})
	}
	for i := range 6 {
		if _, err := s.SetPolicy(bg, sets[(i+1)%2]); err != nil {
			t.Fatal(err)
		}
	}
	readers.Wait()
}

// A row that was changed on disk is found and named.
func TestVerifyNamesATamperedRow(t *testing.T) {
	dir := t.TempDir()
	db := openAt(t, dir, small())
	for i := range 20 {
		put(t, db.As(ana), note(fmt.Sprintf("brain://a/%d", i), "tide"))
	}
	r, err := db.Verify(bg)
	if err != nil || r.Head.Seq != 21 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tamper(t, dir, 13)
	db = openAt(t, dir, small())
	_, err = db.Verify(bg)
	refused(t, "a tampered log", err, Damaged, "")
	var defect *audit.Defect
	if !errors.As(err, &defect) || defect.Seq != 13 || !strings.Contains(err.Error(), "13") {
		t.Errorf("%v", err)
	}
}

// tamper changes a bit of the actor in a row, below the store.
func tamper(t *testing.T, dir string, row uint64) {
	t.Helper()
	key := binary.BigEndian.AppendUint64([]byte{byte(store.AuditRow)}, row)
	var engine store.Engine
	db, err := store.Open(dir, &store.Options{BallastBytes: -1, MinFreeBytes: -1, Primary: func(dir string, o store.EngineOptions) (store.Engine, error) {
		e, err := store.OpenPebble(dir, o)
		engine = e
		return e, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	snap := db.Snapshot()
	leaf, err := snap.Get(key)
	snap.Close()
	changed := strings.Replace(string(leaf), "ana", "anb", 1)
	if err != nil || changed == string(leaf) {
		t.Fatalf("no actor in %q, %v", leaf, err)
	}
	if err := errors.Join(engine.Apply(&store.Batch{Ops: []store.Op{{Key: key, Value: []byte(changed)}}, Sync: true}), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Bytes of a document that are not those of its record are found by Verify, which
// names it.
func TestVerifyReadsContent(t *testing.T) {
	dir := t.TempDir()
	db, err := Open(context.Background(), dir, &Options{BallastBytes: -1, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.As(ana).Put(context.Background(), note("brain://a/b", "tide table"), note("brain://a/c", "rope")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	inner, err := store.Open(dir, &store.Options{BallastBytes: -1, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	ev := store.Event{Actor: "person:ana", Op: "test", Class: audit.Change}
	_, err = inner.Update(context.Background(), ev, func(tx *store.Tx) error {
		return tx.Set(store.Content.Key([]byte("brain://a/b\x00"), []byte{0, 0, 0, 0, 0, 0, 0, 1}), []byte("tide fable"))
	})
	if err := errors.Join(err, inner.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(context.Background(), dir, &Options{BallastBytes: -1, MinFreeBytes: -1}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Verify(context.Background())
	var e *Error
	if Code(err) != Damaged || !errors.As(err, &e) || e.URI != "brain://a/b" {
		t.Errorf("%v", err)
	}
}

// Rebuild runs beside writes, searches and refusals; what is acknowledged is
// found at every moment, and the last commit is known.
func TestRebuildBesideWork(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	drafts := []Draft{note("brain://a/0", "tide table")}
	for i := range 400 { // so that a rebuild takes longer than a commit
		drafts = append(drafts, note(fmt.Sprintf("brain://b/%d", i), fmt.Sprintf("pump %d", i)))
	}
	put(t, s, drafts...)
	stop := make(chan struct{})
	var work sync.WaitGroup
	loop := func(fn func(i int) error) {
		work.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := fn(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	written := len(drafts)
	loop(func(i int) error {
		written++
		u := name(fmt.Sprintf("brain://a/w%d", i))
		if _, err := s.Put(bg, Draft{URI: u, Body: fmt.Appendf(nil, "buoy number%d", i)}); err != nil {
			return err
		}
		r, err := s.Recall(bg, Query{Text: fmt.Sprintf("number%d", i), Mode: recall.Lexical, Limit: 3})
		if err == nil && !has(r, u) {
			err = fmt.Errorf("its own write %d is not found", i)
		}
		return err
	})
	last := uint64(0)
	loop(func(i int) error {
		r, err := s.Recall(bg, Query{Text: "tide table", Limit: 5})
		if err == nil && (!has(r, name("brain://a/0")) || r.Seq < last) {
			err = fmt.Errorf("%d hits at seq %d after %d", len(r.Hits), r.Seq, last)
		}
		last = r.Seq
		return err
	})
	loop(func(i int) error {
		_, err := db.As(Person(fmt.Sprintf("eve%d", i))).Get(bg, name("brain://a/0"), 0)
		if Code(err) == NotFound {
			return nil
		}
		return fmt.Errorf("a stranger got %v", err)
	})
	for range 8 {
		if err := db.Rebuild(bg); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	work.Wait()
	if r := recallIn(t, s, Query{Text: "tide"}); r.Seq != seq(db) || r.Stats.Corpus != written {
		t.Errorf("the index is at %d, the log at %d; %d of %d notes", r.Seq, seq(db), r.Stats.Corpus, written)
	}
	if _, err := db.Verify(bg); err != nil {
		t.Error(err)
	}
}

// An index that cannot follow says so at every search, and Rebuild mends it.
func TestStoppedIndexIsMended(t *testing.T) {
	db := openNew(t)
	s := db.As(ana)
	put(t, s, note("brain://a/b", "tide"))
	broken := append(append([]byte{byte(store.Revision)}, "brain://a/c\x00"...), 0, 0, 0, 0, 0, 0, 0, 1)
	write := func(fn func(*store.Tx) error) {
		if _, err := db.store.Update(bg, store.Event{Actor: self, Op: "test", Class: audit.Change, Body: body(policy.Decision{}, Changed, nil)}, fn); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *store.Tx) error { return tx.Set(broken, []byte("no record")) })
	_, err := s.Recall(bg, Query{Text: "tide"})
	refused(t, "recall", err, Damaged, "")
	st, err := db.Stats(bg)
	if err != nil || !strings.Contains(st.Stopped, "commit 3") {
		t.Errorf("%q, %v", st.Stopped, err)
	}
	put(t, s, note("brain://a/d", "ebb")) // writes go on
	refused(t, "rebuild over the broken record", db.Rebuild(bg), Damaged, "")
	write(func(tx *store.Tx) error { return tx.Delete(broken) })
	if err := db.Rebuild(bg); err != nil {
		t.Fatal(err)
	}
	if r := recallIn(t, s, Query{Text: "tide ebb"}); len(r.Hits) != 2 {
		t.Errorf("%d hits", len(r.Hits))
	}
	if st, err := db.Stats(bg); err != nil || st.Stopped != "" {
		t.Errorf("%q, %v", st.Stopped, err)
	}
}

// Every cause has a code, and every code an exit status.
func TestErrorTable(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code ErrorCode
		exit int
	}{
		{nil, OK, 0},
		{errors.New("x"), Internal, 4},
		{ErrReview, NeedsReview, 3},
		{gate.ErrDigest, BadDigest, 3},
		{gate.ErrDecided, NotPending, 3},
		{policy.ErrDenied, Denied, 3},
		{context.Canceled, Canceled, 3},
		{context.DeadlineExceeded, Canceled, 3},
		{store.ErrStoreFailed, Failed, 4},
		{store.ErrAbandoned, Failed, 4},
		{store.ErrRollback, Damaged, 4},
		{store.ErrHeadDamaged, Damaged, 4},
		{store.ErrHeadMissing, Damaged, 4},
		{store.ErrCorrupt, Damaged, 4},
		{store.ErrFull, Full, 4},
		{store.ErrReadOnly, ReadOnly, 4},
		{store.ErrHeld, Busy, 3},
		{store.ErrFormat, BadFormat, 4},
		{store.ErrNetworkFS, Unsupported, 4},
		{store.ErrClosed, Closed, 4},
	} {
		if got := Code(wrap("x", "", tt.err)); got != tt.code || got.Exit() != tt.exit {
			t.Errorf("%v: %s, exit %d; want %s, %d", tt.err, got, got.Exit(), tt.code, tt.exit)
		}
	}
	for _, c := range codes {
		if got := Code(fmt.Errorf("a: %w", c.is)); got != c.code {
			t.Errorf("%v: %s, want %s", c.is, got, c.code)
		}
	}
	for _, l := range Limits() {
		if l.Name == "" || l.Max <= 0 || l.Unit == "" {
			t.Errorf("%+v", l)
		}
	}
}
