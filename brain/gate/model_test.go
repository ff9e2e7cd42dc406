package gate

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/policy"
)

// model is what a gate with one TTL does, in plain words: a list of proposals
// with their states, and the live revision of each name.
type model struct {
	w       *world
	ttl     time.Duration
	now     time.Time // of the newest commit or the clock
	props   []modelProposal
	live    map[string]modelDoc
	changes uint64 // rows that must have been written
}

type modelProposal struct {
	Proposal
	body string
}

type modelDoc struct {
	body string
	n    uint64 // live revision, 0 = none
	last uint64
}

var modelActors = []policy.Actor{ana, ben, eve, scout,
	{ID: "other", Kind: policy.Agent},
	{ID: "scout", Kind: policy.Person, Roles: []string{"owner"}},
	{ID: "ana", Kind: policy.Agent},
}

func owner(a policy.Actor) bool { return len(a.Roles) > 0 && a.Kind == policy.Person }

func (m *model) state(p *modelProposal) State {
	if p.State == Pending && !m.now.Before(p.Expires) {
		return Expired
	}
	return p.State
}

func (m *model) name(t *rapid.T) string {
	return fmt.Sprintf("brain://a/%d", rapid.IntRange(0, 2).Draw(t, "name"))
}

func (m *model) propose(t *rapid.T) {
	name, by := m.name(t), rapid.SampledFrom(modelActors).Draw(t, "by")
	s := Submission{Op: Put, Draft: note(name, rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "body"))}
	if rapid.Bool().Draw(t, "forget") {
		s = Submission{Op: Forget, Draft: document.Draft{URI: s.Draft.URI}}
	}
	p, _, err := m.w.Propose(bg, by, s)
	doc := m.live[name]
	switch {
	case !owner(by) && by.Kind != policy.Agent:
		want(t, err, policy.ErrDenied)
	case s.Op == Forget && doc.n == 0:
		want(t, err, document.ErrNotFound)
	default:
		want(t, err, nil)
		m.changes++
		if p.Base != doc.n || p.State != Pending || p.ID != m.changes {
			t.Fatalf("%+v, live is %+v", p, doc)
		}
		m.props = append(m.props, modelProposal{p, string(s.Draft.Body)})
	}
}

func (m *model) decide(t *rapid.T) {
	if len(m.props) == 0 {
		return
	}
	p := &m.props[rapid.IntRange(0, len(m.props)-1).Draw(t, "proposal")]
	by := rapid.SampledFrom(modelActors).Draw(t, "by")
	d := Decision{ID: p.ID, Approve: rapid.Bool().Draw(t, "approve"), Digest: p.Digest, Reason: "because"}
	if other := &m.props[rapid.IntRange(0, len(m.props)-1).Draw(t, "digest of")]; rapid.IntRange(0, 3).Draw(t, "another digest") == 0 {
		d.Digest = other.Digest
	}
	name := p.Draft.URI.String()
	doc := m.live[name]
	_, rev, _, err := m.w.Decide(bg, by, d)
	switch {
	case by.String() != p.Proposer && !owner(by):
		want(t, err, document.ErrNotFound)
	case !owner(by), by.ID == p.by.ID:
		want(t, err, policy.ErrDenied)
	case m.state(p) != Pending:
		want(t, err, ErrDecided)
	case !d.Approve:
		want(t, err, nil)
		m.changes++
		p.State = Rejected
	case d.Digest != p.Digest:
		want(t, err, ErrDigest)
	case doc.n != p.Base:
		want(t, err, document.ErrConflict)
	default:
		want(t, err, nil)
		m.changes++
		p.State = Approved
		switch {
		case p.Op == Forget:
			doc.n, doc.body = 0, ""
		case doc.n != 0 && doc.body == p.body: // said again
		default:
			doc.last++
			doc.n, doc.body = doc.last, p.body
		}
		m.live[name] = doc
		if p.Op == Put && rev.N != doc.n {
			t.Fatalf("revision %d, want %d", rev.N, doc.n)
		}
	}
}

func (m *model) pass(t *rapid.T) {
	d := rapid.SampledFrom([]time.Duration{time.Second, m.ttl / 2, m.ttl}).Draw(t, "time")
	m.w.advance(d)
	m.now = m.now.Add(d)
}

func (m *model) check(t *rapid.T) {
	if got := m.w.seq(); got != m.changes {
		t.Fatalf("%d rows, want %d", got, m.changes)
	}
	waiting := 0
	for i := range m.props {
		p := &m.props[i]
		if m.state(p) == Pending {
			waiting++
		}
		got, err := m.w.Get(bg, ana, p.ID)
		if err != nil || got.State != m.state(p) || got.Digest != p.Digest || string(got.Draft.Body) != p.body {
			t.Fatalf("proposal %d: %s, want %s, %v", p.ID, got.State, m.state(p), err)
		}
		_, err = m.w.Get(bg, eve, p.ID)
		want(t, err, document.ErrNotFound)
	}
	if n, err := m.w.Pending(); err != nil || n != waiting || len(m.w.list(ana, true)) != waiting || len(m.w.list(ana, false)) != len(m.props) {
		t.Fatalf("%d pending, want %d, %v", n, waiting, err)
	}
	for name, doc := range m.live {
		if got := m.w.live(name); got != doc.body {
			t.Fatalf("%s says %q, want %q", name, got, doc.body)
		}
	}
}

func want(t *rapid.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || (want == nil) != (err == nil) {
		t.Fatalf("got %v, want %v", err, want)
	}
}

func TestGateAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{w: newWorld(t, Options{TTL: time.Hour}), ttl: time.Hour, now: start, live: map[string]modelDoc{}}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				m.propose(rt)
			case 2, 3, 4:
				m.decide(rt)
			default:
				m.pass(rt)
			}
			m.check(rt)
		}
	})
}
