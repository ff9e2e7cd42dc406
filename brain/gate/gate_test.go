package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// full is a draft in which every field says something.
func full() document.Draft {
	d := note("brain://a/b", "# Tide\n\nHigh water at noon.\n")
	d.Title, d.Kind, d.Tags, d.Lang, d.Owner = "Tide", "fact", []string{"sea", "time"}, "en", "person:ana"
	d.ValidFrom = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.ValidTo = d.ValidFrom.AddDate(1, 0, 0)
	d.Expires = d.ValidFrom.AddDate(2, 0, 0)
	return d
}

// Every field that an approval lets into the store is part of what it names.
func TestDigestIsBoundToEveryField(t *testing.T) {
	base := func() Proposal {
		return newProposal(scout, Submission{Op: Put, Draft: full(), Prompt: "from the almanac"}, nil, 3, 7, start, time.Hour)
	}
	want := base().digest()
	if base().digest() != want {
		t.Fatal("the digest of equal proposals differs")
	}
	seen := map[document.Digest]string{want: "nothing"}
	for name, change := range map[string]func(*Proposal){
		"one bit of the body":  func(p *Proposal) { p.Draft.Body[5] ^= 1 },
		"a last line feed":     func(p *Proposal) { p.Draft.Body = p.Draft.Body[:len(p.Draft.Body)-1] },
		"one bit of the title": func(p *Proposal) { p.Draft.Title = "Tidd" },
		"no title":             func(p *Proposal) { p.Draft.Title = "" },
		"one bit of a tag":     func(p *Proposal) { p.Draft.Tags[0] = "seb" },
		"two tags as one":      func(p *Proposal) { p.Draft.Tags = []string{"sea, time"} },
		"no tags":              func(p *Proposal) { p.Draft.Tags = nil },
		"kind":                 func(p *Proposal) { p.Draft.Kind = "note" },
		"language":             func(p *Proposal) { p.Draft.Lang = "de" },
		"owner":                func(p *Proposal) { p.Draft.Owner = "person:eve" },
		"valid from":           func(p *Proposal) { p.Draft.ValidFrom = p.Draft.ValidFrom.Add(time.Microsecond) },
		"valid to":             func(p *Proposal) { p.Draft.ValidTo = p.Draft.ValidTo.Add(time.Microsecond) },
		"expires":              func(p *Proposal) { p.Draft.Expires = time.Time{} },
		"media type":           func(p *Proposal) { p.Draft.MediaType = document.Plain },
		"uri":                  func(p *Proposal) { p.Draft.URI = uri.MustParse("brain://a/c") },
		"base":                 func(p *Proposal) { p.Base = 4 },
		"no base":              func(p *Proposal) { p.Base = 0 },
		"proposer":             func(p *Proposal) { p.Proposer = "agent:scouu" },
		"kind of the proposer": func(p *Proposal) { p.Proposer = "person:scout" },
		"operation":            func(p *Proposal) { p.Op = Forget },
		"prompt":               func(p *Proposal) { p.Prompt += "s" },
		"reason":               func(p *Proposal) { p.Reason = "x" },
		"id":                   func(p *Proposal) { p.ID++ },
		"finding":              func(p *Proposal) { p.Findings = Findings(note("brain://a/b", "x\u202ey")) },
	} {
		p := base()
		change(&p)
		d := p.digest()
		if was, ok := seen[d]; ok {
			t.Errorf("%s and %s have one digest", name, was)
		}
		seen[d] = name
	}
}

// No value of a field can pass for another line of the view.
func TestViewCannotBeForged(t *testing.T) {
	d := full()
	d.Body = []byte("first\r\n\u2028operation  forget\u0085\x1b[2Kx\x00\n\n  | second\n")
	p := newProposal(scout, Submission{Op: Put, Draft: d, Prompt: "x\noperation  forget\n\n  | harmless\nuri        brain://a/other", Reason: "a\nb"}, nil, 3, 7, start, time.Hour)
	view := p.View()
	head, body, _ := strings.Cut(view, "\n\n")
	names := map[string]int{}
	for l := range strings.Lines(head) {
		if l[0] != ' ' {
			names[strings.TrimSpace(l[:nameWidth])]++
		} else if !strings.HasPrefix(l, strings.Repeat(" ", nameWidth+1)) {
			t.Errorf("line of the head: %q", l)
		}
	}
	for name, n := range names {
		if n != 1 && name != "tag" {
			t.Errorf("%d lines %q in\n%s", n, name, view)
		}
	}
	for l := range strings.Lines(body) {
		if !strings.HasPrefix(l, "  | ") {
			t.Errorf("line of the body: %q", l)
		}
	}
	for _, bad := range []string{"\r", "\x1b", "\x00", "\u2028", "\u0085"} {
		if strings.Contains(view, bad) {
			t.Errorf("the view holds %q in the clear", bad)
		}
	}
}

func TestProposeAndApprove(t *testing.T) {
	w := newWorld(t, Options{})
	d := full()
	d.ValidFrom = d.ValidFrom.Add(1234567)              // to be cut to microseconds
	d.Expires = d.Expires.In(time.FixedZone("x", 3600)) // to be kept in UTC
	p := w.propose(d)
	if p.State != Pending || p.ID != w.seq() || p.Base != 0 || p.Proposer != "agent:scout" || !p.Expires.Equal(start.Add(DefaultTTL)) {
		t.Errorf("%+v", p)
	}
	if w.live("brain://a/b") != "" {
		t.Fatal("content is there before the approval")
	}
	got, err := w.Get(bg, ana, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got, cmp.AllowUnexported(Proposal{}), cmp.Comparer(func(a, b uri.URI) bool { return a == b }), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("proposed and read:\n%s", diff)
	}
	before := w.seq()
	done, rev, receipt, err := w.Decide(bg, ana, Decision{ID: p.ID, Approve: true, Digest: p.Digest, Reason: "fine"})
	if err != nil {
		t.Fatal(err)
	}
	if done.State != Approved || done.Decided.By != "person:ana" || done.Decided.Reason != "fine" || done.Decided.Seq != receipt.Seq || receipt.Seq != before+1 || w.seq() != receipt.Seq {
		t.Errorf("%+v, receipt %d", done, receipt.Seq)
	}
	if rev.N != 1 || rev.Actor != "agent:scout" || rev.Owner != "person:ana" || rev.Seq != receipt.Seq || w.live("brain://a/b") != string(d.Body) {
		t.Errorf("%+v", rev)
	}
	body := w.row(receipt.Seq, "approve", "person:ana", "brain://a/b")
	if body.Proposal != p.ID || string(body.Approval) != string(p.Digest[:]) || body.Revision != 1 ||
		string(body.Content) != string(rev.Digest[:]) || body.Outcome != "created" || body.Proposer != "agent:scout" || body.Reason != "fine" || body.Rule != "owner" {
		t.Errorf("row: %+v", body)
	}
	if got, err := w.Get(bg, scout, p.ID); err != nil || got.State != Approved || got.Decided == nil {
		t.Errorf("its proposer sees %+v, %v", got, err)
	}
	if n, err := w.Pending(); err != nil || n != 0 || len(w.list(ana, true)) != 0 || len(w.list(ana, false)) != 1 {
		t.Errorf("%d pending, %v", n, err)
	}
}

// row returns the body of a row after checking its head.
func (w *world) row(seq uint64, op, actor, name string) event.Body {
	w.t.Helper()
	for r, err := range w.db.Rows(bg, seq, seq) {
		if err != nil {
			w.t.Fatal(err)
		}
		if r.Op != op || r.Actor != actor || r.Side.URI != name || r.Class != audit.Change || r.Policy != audit.Hash(w.rules.Digest()) {
			w.t.Errorf("row %d: %s by %s on %s", seq, r.Op, r.Actor, r.Side.URI)
		}
		b, err := event.Parse(r.Side.Body)
		if err != nil {
			w.t.Errorf("row %d: %v", seq, err)
		}
		return b
	}
	w.t.Fatalf("no row %d", seq)
	return event.Body{}
}

// unchanged fails when a refused decision left a trace.
func (w *world) unchanged(p Proposal, before uint64) {
	w.t.Helper()
	if w.seq() != before {
		w.t.Errorf("%d rows were written", w.seq()-before)
	}
	if got, err := w.Get(bg, ana, p.ID); err != nil || got.State != p.State {
		w.t.Errorf("proposal is %s, %v", got.State, err)
	}
	if got := w.live(p.Draft.URI.String()); got == string(p.Draft.Body) {
		w.t.Errorf("the content was applied")
	}
}

func TestRefusedDecisions(t *testing.T) {
	long := strings.Repeat("x", MaxReason+1)
	for _, tt := range []struct {
		name  string
		by    policy.Actor
		d     func(p Proposal) Decision
		want  error
		field string
	}{
		{"no digest", ana, func(p Proposal) Decision { return Decision{ID: p.ID, Approve: true} }, ErrDigest, ""},
		{"another digest", ana, func(p Proposal) Decision {
			p.Digest[31] ^= 1
			return Decision{ID: p.ID, Approve: true, Digest: p.Digest}
		}, ErrDigest, ""},
		{"rejection without a reason", ana, func(p Proposal) Decision { return Decision{ID: p.ID} }, invalid.Err, "reason"},
		{"long reason", ana, func(p Proposal) Decision {
			return Decision{ID: p.ID, Approve: true, Digest: p.Digest, Reason: long}
		}, invalid.Err, "reason"},
		{"control character", ana, func(p Proposal) Decision { return Decision{ID: p.ID, Reason: "a\x00"} }, invalid.Err, "reason"},
		{"not UTF-8", ana, func(p Proposal) Decision { return Decision{ID: p.ID, Reason: "\xff"} }, invalid.Err, "reason"},
		{"no such proposal", ana, func(p Proposal) Decision { return Decision{ID: p.ID + 1, Reason: "no"} }, document.ErrNotFound, ""},
		{"by the proposer", scout, approval, policy.ErrDenied, ""},
		{"by a person of the same name", policy.Actor{ID: "scout", Kind: policy.Person, Roles: []string{"owner"}}, approval, policy.ErrDenied, ""},
		{"rejected by a person of the same name", policy.Actor{ID: "scout", Kind: policy.Person, Roles: []string{"owner"}}, rejection, policy.ErrDenied, ""},
		{"by a system of the same name", policy.Actor{ID: "scout", Kind: policy.System, Roles: []string{"owner"}}, approval, policy.ErrDenied, ""},
		{"by another agent, with every role", policy.Actor{ID: "other", Kind: policy.Agent, Roles: []string{"owner"}}, approval, document.ErrNotFound, ""},
		{"by somebody without rights", eve, approval, document.ErrNotFound, ""},
		{"by nobody", policy.Actor{}, approval, document.ErrNotFound, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, Options{})
			p := w.propose(note("brain://a/b", "tide"))
			before := w.seq()
			_, _, _, err := w.Decide(bg, tt.by, tt.d(p))
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			var bad *invalid.Error
			if tt.field != "" && (!errors.As(err, &bad) || bad.Field != tt.field) {
				t.Errorf("got %v, want field %s", err, tt.field)
			}
			w.unchanged(p, before)
		})
	}
}

func approval(p Proposal) Decision  { return Decision{ID: p.ID, Approve: true, Digest: p.Digest} }
func rejection(p Proposal) Decision { return Decision{ID: p.ID, Reason: "no"} }

// Bytes that change after they were shown are not applied, wherever the change
// was made: in the stored proposal, with or without its digest.
func TestChangedAfterItWasShown(t *testing.T) {
	for name, change := range map[string]func(*Proposal){
		"body":             func(p *Proposal) { p.Draft.Body[0] ^= 1 },
		"title":            func(p *Proposal) { p.Draft.Title = "x" },
		"body and digest":  func(p *Proposal) { p.Draft.Body[0] ^= 1; p.Digest = p.digest() },
		"owner and digest": func(p *Proposal) { p.Draft.Owner = "person:eve"; p.Digest = p.digest() },
		"proposer":         func(p *Proposal) { p.by.ID = "other" },
	} {
		w := newWorld(t, Options{})
		p := w.propose(note("brain://a/b", "tide"))
		w.update(func(tx *store.Tx) error {
			q, err := load(tx, p.ID, tx.Time())
			if err != nil {
				return err
			}
			change(&q)
			return q.store(tx)
		})
		before := w.seq()
		if err := w.approve(ana, p); !errors.Is(err, ErrDigest) {
			t.Errorf("%s: %v", name, err)
		}
		if w.seq() != before || w.live("brain://a/b") != "" {
			t.Errorf("%s: applied", name)
		}
	}
}

// A change between Prepare and the transaction is seen there.
func TestChangedDuringTheDecision(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.propose(note("brain://a/b", "tide"))
	w.prepare = func(document.Draft) error {
		w.write(note("brain://a/b", "somebody was faster"))
		return nil
	}
	if err := w.approve(ana, p); !errors.Is(err, document.ErrConflict) {
		t.Errorf("%v", err)
	}
	w.prepare = func(document.Draft) error {
		w.setRules(func(d *policy.Document) { d.Roles = nil })
		return nil
	}
	p = w.propose(note("brain://a/c", "tide"))
	if err := w.approve(ana, p); !errors.Is(err, policy.ErrDenied) {
		t.Errorf("%v", err)
	}
	if w.live("brain://a/c") != "" {
		t.Error("applied")
	}
}

func TestSixtyFourRacersApproveOnce(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.propose(note("brain://a/b", "tide"))
	before := w.seq()
	won, lost := race(64, func(int) error { return w.approve(ana, p) })
	if won != 1 || len(lost) != 63 {
		t.Errorf("%d won", won)
	}
	for _, err := range lost {
		if !errors.Is(err, ErrDecided) && !errors.Is(err, document.ErrConflict) {
			t.Errorf("loser got %v", err)
		}
	}
	if w.seq() != before+1 {
		t.Errorf("%d rows", w.seq()-before)
	}
	snap := w.db.Snapshot()
	defer snap.Close()
	if h, err := document.History(snap, p.Draft.URI); err != nil || len(h) != 1 || h[0].Repeats != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

// race runs fn n times at once and returns how many succeeded.
func race(n int, fn func(int) error) (won int, lost []error) {
	errs := make([]error, n)
	var ready, done sync.WaitGroup
	ready.Add(1)
	for i := range n {
		done.Go(func() {
			ready.Wait()
			errs[i] = fn(i)
		})
	}
	ready.Done()
	done.Wait()
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			lost = append(lost, err)
		}
	}
	return won, lost
}

func TestApproveAgainstReject(t *testing.T) {
	w := newWorld(t, Options{})
	states := map[State]bool{}
	for i := range 20 {
		name := fmt.Sprintf("brain://a/%d", i)
		p := w.propose(note(name, "tide"))
		before := w.seq()
		won, _ := race(8, func(i int) error {
			if i%2 == 0 {
				return w.approve(ana, p)
			}
			return w.reject(ben, p)
		})
		got, err := w.Get(bg, ana, p.ID)
		if err != nil || won != 1 || w.seq() != before+1 {
			t.Fatalf("%d won, %d rows, %v", won, w.seq()-before, err)
		}
		if (got.State == Approved) != (w.live(name) == "tide") || got.State != Approved && got.State != Rejected {
			t.Errorf("%s, but live is %q", got.State, w.live(name))
		}
		states[got.State] = true
	}
	t.Logf("states seen: %v", states)
}

func TestExpiry(t *testing.T) {
	w := newWorld(t, Options{TTL: time.Hour})
	p, q := w.propose(note("brain://a/b", "tide")), w.propose(note("brain://a/c", "ebb"))
	w.advance(time.Hour - time.Microsecond)
	if err := w.approve(ana, q); err != nil {
		t.Errorf("a microsecond before its end: %v", err)
	}
	w.advance(time.Microsecond)
	before := w.seq()
	for name, err := range map[string]error{"approve": w.approve(ana, p), "reject": w.reject(ana, p)} {
		if !errors.Is(err, ErrDecided) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("%s: %v", name, err)
		}
	}
	p.State = Expired
	w.unchanged(p, before)
	if n, err := w.Pending(); n != 0 || err != nil || len(w.list(ana, true)) != 0 {
		t.Errorf("%d pending, %v", n, err)
	}
	// A clock that is set back does not bring it to life: no time is before the
	// newest commit.
	w.write(note("brain://a/d", "any commit"))
	w.advance(-24 * time.Hour)
	if err := w.approve(ana, p); !errors.Is(err, ErrDecided) {
		t.Errorf("after the clock was set back: %v", err)
	}
	if got, err := w.Get(bg, ana, p.ID); err != nil || got.State != Expired {
		t.Errorf("%s, %v", got.State, err)
	}
}

func TestPolicyIsAskedAgain(t *testing.T) {
	deny := func(who string, do policy.Action) func(*policy.Document) {
		return func(d *policy.Document) {
			d.Paths = []policy.Rule{{ID: "no", Effect: "deny", Who: []string{who}, Do: []policy.Action{do}, On: []string{"brain://a/**"}}}
		}
	}
	for name, change := range map[string]func(*policy.Document){
		"the decider may not approve":     deny("person:ana", policy.Approve),
		"the proposer may not propose":    deny("agent:scout", policy.Propose),
		"agents may not propose any more": func(d *policy.Document) { d.Defaults = nil },
		"a floor": func(d *policy.Document) {
			d.Floors = []policy.Rule{{ID: "f", Who: []string{"any"}, Do: []policy.Action{policy.Propose}}}
		},
	} {
		w := newWorld(t, Options{})
		p := w.propose(note("brain://a/b", "tide"))
		w.setRules(change)
		before := w.seq()
		if err := w.approve(ana, p); !errors.Is(err, policy.ErrDenied) {
			t.Errorf("%s: %v", name, err)
		}
		w.unchanged(p, before)
		w.setRules(func(*policy.Document) {})
		if err := w.approve(ana, p); err != nil {
			t.Errorf("%s, allowed again: %v", name, err)
		}
	}
}

// A role that the proposer had only then counts as it was recorded; what the
// rules say of it counts as it is now.
func TestProposerKeepsItsRoles(t *testing.T) {
	w := newWorld(t, Options{})
	by := policy.Actor{ID: "dora", Kind: policy.Person, Roles: []string{"editor"}}
	editors := func(do ...policy.Action) func(*policy.Document) {
		return func(d *policy.Document) {
			d.Roles = append(d.Roles, policy.Rule{ID: "editors", Effect: "allow", Who: []string{"role:editor"}, Do: do})
		}
	}
	w.setRules(editors(policy.Read, policy.Propose))
	p, _, err := w.Propose(bg, by, Submission{Op: Put, Draft: note("brain://a/b", "tide")})
	if err != nil {
		t.Fatal(err)
	}
	w.setRules(editors(policy.Read))
	if err := w.approve(ana, p); !errors.Is(err, policy.ErrDenied) {
		t.Errorf("%v", err)
	}
	w.setRules(editors(policy.Read, policy.Propose))
	if err := w.approve(ana, p); err != nil {
		t.Errorf("%v", err)
	}
}

func TestBaseMoved(t *testing.T) {
	w := newWorld(t, Options{})
	w.write(note("brain://a/b", "one"))
	p := w.propose(note("brain://a/b", "two"))
	if p.Base != 1 {
		t.Fatalf("base %d", p.Base)
	}
	w.write(note("brain://a/b", "three"))
	before := w.seq()
	if err := w.approve(ana, p); !errors.Is(err, document.ErrConflict) {
		t.Errorf("%v", err)
	}
	w.unchanged(p, before)
	if err := w.reject(ana, p); err != nil {
		t.Errorf("it can still be rejected: %v", err)
	}
	old := uint64(1)
	d := note("brain://a/b", "four")
	d.Base = &old
	if _, _, err := w.Propose(bg, scout, Submission{Op: Put, Draft: d}); !errors.Is(err, document.ErrConflict) {
		t.Errorf("proposed on an old base: %v", err)
	}
}

func TestForgetProposals(t *testing.T) {
	w := newWorld(t, Options{})
	name := "brain://a/b"
	forget := Submission{Op: Forget, Draft: document.Draft{URI: uri.MustParse(name)}, Reason: "sold"}
	if _, _, err := w.Propose(bg, scout, forget); !errors.Is(err, document.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	w.write(note(name, "one"))
	p, _, err := w.Propose(bg, scout, forget)
	if err != nil {
		t.Fatal(err)
	}
	if v := p.View(); !strings.HasPrefix(v, "operation  forget\n") || !strings.Contains(v, "reason     sold\n") || strings.Contains(v, "  | ") {
		t.Errorf("%s", v)
	}
	_, rev, r, err := w.Decide(bg, ana, approval(p))
	if err != nil || w.live(name) != "" || rev.Reason != "sold" || rev.N != 1 {
		t.Errorf("%+v, %v", rev, err)
	}
	if b := w.row(r.Seq, "approve", "person:ana", name); b.Outcome != "forgotten" || b.Revision != 1 {
		t.Errorf("%+v", b)
	}
	w.write(note(name, "again"))
	p, _, err = w.Propose(bg, scout, forget)
	if err != nil {
		t.Fatal(err)
	}
	w.write(note(name, "newer"))
	if err := w.approve(ana, p); !errors.Is(err, document.ErrConflict) || w.live(name) != "newer" {
		t.Errorf("forgot another revision than was shown: %v", err)
	}
}

func TestHeldContent(t *testing.T) {
	w := newWorld(t, Options{})
	w.setRules(func(d *policy.Document) {
		d.Defaults[0].Do = append(d.Defaults[0].Do, policy.Write)
	})
	hold := func(a policy.Actor, name string) Proposal {
		t.Helper()
		p, _, err := w.Propose(bg, a, Submission{Op: Put, Draft: note(name, "the\u202epump"), Held: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Findings) == 0 || !p.Held {
			t.Fatalf("%+v", p)
		}
		return p
	}
	own := hold(ana, "brain://a/own")
	if err := w.approve(ana, own); err != nil {
		t.Errorf("a person releases what it wrote: %v", err)
	}
	snap := w.db.Snapshot()
	rev, err := document.Get(snap, own.Draft.URI, 0)
	snap.Close()
	if err != nil || !slices.Equal(rev.Flags, []string{"bidi"}) || rev.Actor != "person:ana" {
		t.Errorf("%+v, %v", rev, err)
	}
	agents := hold(scout, "brain://a/agent")
	for _, a := range []policy.Actor{scout, {ID: "scout", Kind: policy.Agent, Roles: []string{"owner"}}} {
		if err := w.approve(a, agents); !errors.Is(err, policy.ErrDenied) {
			t.Errorf("%s released its own: %v", a, err)
		}
	}
	if err := w.approve(ana, agents); err != nil {
		t.Errorf("a person releases what an agent wrote: %v", err)
	}
	if _, _, err := w.Propose(bg, eve, Submission{Op: Put, Draft: note("brain://a/b", "x"), Held: true}); !errors.Is(err, policy.ErrDenied) {
		t.Errorf("held without the right to write: %v", err)
	}
	gone := hold(scout, "brain://a/gone")
	w.setRules(func(*policy.Document) {})
	if err := w.approve(ana, gone); !errors.Is(err, policy.ErrDenied) {
		t.Errorf("its author may no longer write: %v", err)
	}
}

// To let a proposal with findings in is to release it: the right to approve is
// not enough.
func TestFindingsTakeTheRightToRelease(t *testing.T) {
	w := newWorld(t, Options{})
	reviewer := policy.Actor{ID: "rita", Kind: policy.Person, Roles: []string{"reviewer"}}
	rules := func(do ...policy.Action) {
		w.setRules(func(d *policy.Document) {
			d.Roles = append(d.Roles, policy.Rule{ID: "reviewers", Effect: "allow", Who: []string{"role:reviewer"}, Do: do})
		})
	}
	rules(policy.Read, policy.Review, policy.Approve, policy.Reject)
	p := w.propose(note("brain://a/b", "the\u202epump"))
	if err := w.approve(reviewer, p); !errors.Is(err, policy.ErrDenied) {
		t.Errorf("%v", err)
	}
	clean := w.propose(note("brain://a/c", "the pump"))
	if err := w.approve(reviewer, clean); err != nil {
		t.Errorf("%v", err)
	}
	rules(policy.Read, policy.Review, policy.Approve, policy.Reject, policy.Release)
	if err := w.approve(reviewer, p); err != nil {
		t.Errorf("%v", err)
	}
}

func TestOwnerStays(t *testing.T) {
	w := newWorld(t, Options{})
	w.write(note("brain://a/b", "one"))
	if p := w.propose(note("brain://a/b", "two")); p.Draft.Owner != "person:ana" || w.approve(ana, p) != nil {
		t.Errorf("an update gives it to %s", p.Draft.Owner)
	}
	if p := w.propose(note("brain://a/c", "two")); p.Draft.Owner != "agent:scout" {
		t.Errorf("a new one belongs to %s", p.Draft.Owner)
	}
	d := note("brain://a/d", "x")
	d.Owner = "team"
	if p := w.propose(d); p.Draft.Owner != "team" {
		t.Errorf("a named owner becomes %s", p.Draft.Owner)
	}
}

func TestPendingLimit(t *testing.T) {
	w := newWorld(t, Options{TTL: time.Hour})
	changes := make([]store.Change, MaxPending)
	for i := range changes {
		c, _, err := w.Change(scout, Submission{Op: Put, Draft: note(fmt.Sprintf("brain://a/%04d", i), "x")})
		if err != nil {
			t.Fatal(err)
		}
		changes[i] = c
	}
	if _, err := w.db.UpdateAll(bg, changes); err != nil {
		t.Fatal(err)
	}
	before := w.seq()
	_, _, err := w.Propose(bg, scout, Submission{Op: Put, Draft: note("brain://a/more", "x")})
	var bad *invalid.Error
	if !errors.Is(err, document.ErrQuota) || !errors.As(err, &bad) || bad.Limit != MaxPending || w.seq() != before {
		t.Errorf("%v", err)
	}
	other := policy.Actor{ID: "other", Kind: policy.Agent}
	if _, _, err := w.Propose(bg, other, Submission{Op: Put, Draft: note("brain://a/more", "x")}); err != nil {
		t.Errorf("another actor: %v", err)
	}
	first, err := w.Get(bg, ana, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.reject(ana, first); err != nil {
		t.Fatal(err)
	}
	w.propose(note("brain://a/more", "x"))
	// What has expired neither counts nor stays in the queue.
	w.advance(2 * time.Hour)
	for i := range 20 {
		w.propose(note(fmt.Sprintf("brain://b/%d", i), "x"))
	}
	if n, err := w.Pending(); n != 20 || err != nil {
		t.Errorf("%d pending, %v", n, err)
	}
	entries := 0
	snap := w.db.Snapshot()
	defer snap.Close()
	if err := queue(snap, w.time(), func([]byte, string, bool) { entries++ }); err != nil || entries != 20 {
		t.Errorf("%d entries in the queue, %v", entries, err)
	}
	if n := len(w.list(ana, false)); n != MaxPending+22 {
		t.Errorf("%d proposals are kept", n)
	}
}

func TestDailyBytes(t *testing.T) {
	w := newWorld(t, Options{DailyBytes: 100})
	w.propose(note("brain://a/b", strings.Repeat("x", 60)))
	big := Submission{Op: Put, Draft: note("brain://a/c", strings.Repeat("x", 41))}
	if _, _, err := w.Propose(bg, scout, big); !errors.Is(err, document.ErrQuota) {
		t.Errorf("%v", err)
	}
	if _, _, err := w.Propose(bg, ana, big); err != nil {
		t.Errorf("another actor: %v", err)
	}
	w.advance(24 * time.Hour)
	if _, _, err := w.Propose(bg, scout, big); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

func TestSubmissionIsChecked(t *testing.T) {
	w := newWorld(t, Options{})
	big := note("brain://a/b", "")
	big.Body = make([]byte, document.MaxBody+1)
	for _, tt := range []struct {
		name, field string
		s           Submission
	}{
		{"no operation", "op", Submission{Draft: note("brain://a/b", "x")}},
		{"unknown operation", "op", Submission{Op: "erase", Draft: note("brain://a/b", "x")}},
		{"no URI", "uri", Submission{Op: Put, Draft: document.Draft{Body: []byte("x")}}},
		{"forget without a URI", "uri", Submission{Op: Forget}},
		{"no body", "body", Submission{Op: Put, Draft: note("brain://a/b", "")}},
		{"body too large", "body", Submission{Op: Put, Draft: big}},
		{"long prompt", "prompt", Submission{Op: Put, Draft: note("brain://a/b", "x"), Prompt: strings.Repeat("x", MaxPrompt+1)}},
		{"prompt with an escape", "prompt", Submission{Op: Put, Draft: note("brain://a/b", "x"), Prompt: "\x1b[2K"}},
		{"long reason", "reason", Submission{Op: Forget, Draft: note("brain://a/b", ""), Reason: strings.Repeat("x", MaxReason+1)}},
	} {
		_, _, err := w.Propose(bg, scout, tt.s)
		var bad *invalid.Error
		if !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if w.seq() != 0 {
		t.Errorf("%d rows", w.seq())
	}
}

// The largest proposal goes through all of the gate.
func TestLargestProposal(t *testing.T) {
	w := newWorld(t, Options{})
	d := full()
	d.Body = make([]byte, document.MaxBody)
	for i := range d.Body {
		d.Body[i] = "tide and ebb\n"[i%13]
	}
	for len(d.Tags) < document.MaxTags {
		d.Tags = append(d.Tags, fmt.Sprintf("%03d%s", len(d.Tags), strings.Repeat("x", document.MaxTag-3)))
	}
	d.Title, d.Owner = strings.Repeat("t", document.MaxTitle), strings.Repeat("o", document.MaxOwner)
	by := policy.Actor{ID: strings.Repeat("i", 128), Kind: policy.Agent}
	for i := range 64 {
		by.Roles = append(by.Roles, fmt.Sprintf("%02d%s", i, strings.Repeat("r", 126)))
	}
	p, _, err := w.Propose(bg, by, Submission{Op: Put, Draft: d, Prompt: strings.Repeat("p", MaxPrompt)})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := w.Decide(bg, ana, Decision{ID: p.ID, Approve: true, Digest: p.Digest, Reason: strings.Repeat("r", MaxReason)}); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Get(bg, ana, p.ID); err != nil || got.State != Approved || len(got.Draft.Body) != document.MaxBody {
		t.Errorf("%v", err)
	}
}

func TestVisibility(t *testing.T) {
	w := newWorld(t, Options{})
	reviewer := policy.Actor{ID: "rita", Kind: policy.Person}
	blind := policy.Actor{ID: "bob", Kind: policy.Person} // may decide on what it may not read
	w.setRules(func(d *policy.Document) {
		d.Paths = []policy.Rule{
			{ID: "rita", Effect: "allow", Who: []string{"person:rita"}, Do: []policy.Action{policy.Review, policy.Read}, On: []string{"brain://open/**"}},
			{ID: "bob", Effect: "allow", Who: []string{"person:bob"}, Do: []policy.Action{policy.Review, policy.Approve, policy.Reject, policy.Release}, On: []string{"brain://secret/**"}},
		}
	})
	other := policy.Actor{ID: "other", Kind: policy.Agent}
	var open, secret []uint64
	for i := range 5 {
		open = append(open, w.propose(note(fmt.Sprintf("brain://open/%d", i), "x")).ID)
		p, _, err := w.Propose(bg, other, Submission{Op: Put, Draft: note(fmt.Sprintf("brain://secret/%d", i), "x")})
		if err != nil {
			t.Fatal(err)
		}
		secret = append(secret, p.ID)
	}
	all := slices.Sorted(slices.Values(append(slices.Clone(open), secret...)))
	for _, pending := range []bool{true, false} {
		for _, tt := range []struct {
			who  policy.Actor
			want []uint64
		}{{ana, all}, {reviewer, open}, {blind, nil}, {scout, open}, {other, secret}, {eve, nil}, {policy.Actor{}, nil}} {
			if got := w.list(tt.who, pending); !slices.Equal(got, tt.want) {
				t.Errorf("%s sees %v, want %v", tt.who, got, tt.want)
			}
		}
	}
	_, hidden := w.Get(bg, reviewer, secret[0])
	_, absent := w.Get(bg, reviewer, 4711)
	if !errors.Is(hidden, document.ErrNotFound) || strings.ReplaceAll(hidden.Error(), fmt.Sprint(secret[0]), "N") != strings.ReplaceAll(absent.Error(), "4711", "N") {
		t.Errorf("hidden: %v; absent: %v", hidden, absent)
	}
	for _, d := range []Decision{{ID: secret[0], Approve: true, Digest: document.Digest{1}}, {ID: secret[0], Reason: "no"}} {
		if _, _, _, err := w.Decide(bg, blind, d); !errors.Is(err, document.ErrNotFound) {
			t.Errorf("a decision on what may not be read: %v", err)
		}
	}
	// The cursor of a page skips what is hidden.
	var page []uint64
	if err := w.List(bg, reviewer, open[1], true, func(p Proposal) bool { page = append(page, p.ID); return len(page) < 2 }); err != nil || !slices.Equal(page, open[2:4]) {
		t.Errorf("%v, %v", page, err)
	}
	if err := w.List(bg, ana, ^uint64(0), false, func(Proposal) bool { t.Error("called"); return false }); err != nil {
		t.Error(err)
	}
}

func TestCanceled(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.propose(note("brain://a/b", "tide"))
	ctx, cancel := context.WithCancel(bg)
	before := w.seq()
	w.prepare = func(document.Draft) error { cancel(); return nil }
	if _, _, _, err := w.Decide(ctx, ana, approval(p)); !errors.Is(err, context.Canceled) {
		t.Errorf("during Prepare: %v", err)
	}
	if _, _, err := w.Propose(ctx, scout, Submission{Op: Put, Draft: note("brain://a/c", "x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := w.Get(ctx, ana, p.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := w.List(ctx, ana, 0, true, func(Proposal) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.unchanged(p, before)
	w.prepare = nil
	if err := w.approve(ana, p); err != nil {
		t.Error(err)
	}
}
