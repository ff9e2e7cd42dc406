package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/uri"
)

func mustNew(t testing.TB, doc Document) *Set {
	t.Helper()
	s, err := New(doc)
	if err != nil {
		t.Fatalf("%v\n%+v", err, doc)
	}
	return s
}

// TestOracle compares 10^5 random requests to 5,000 random policies with the
// brute-force reading of the specification.
func TestOracle(t *testing.T) {
	const seed, policies, requests = 1, 5_000, 20
	m := newMaker(seed)
	allowed, reasons := 0, map[Reason]int{}
	for range policies {
		doc := m.document()
		s, o := mustNew(t, doc), oracle{doc}
		for range requests {
			a, act, u, proposer, now := m.actor(), m.action(), m.name(), m.actor(), m.moment()
			got := s.EvaluateProposal(a, act, u, proposer, now)
			id := proposer.ID
			if s.groupNames[id] {
				continue // whether a proposal of a group's name counts is not the oracle's
			}
			if got.Allow != o.allows(a, act, u.Key(), id, now) {
				t.Fatalf("seed %d: %v %s %q by proposer %q at %v: got %+v\n%s", seed, a, act, u, id, now, got, s.Encode())
			}
			if got.Allow {
				allowed++
			}
			reasons[got.Reason]++
		}
	}
	if allowed < policies*requests/20 {
		t.Errorf("only %d requests allowed: the comparison is hollow", allowed)
	}
	for r := BadActor; r <= GroupsTooDeep; r++ {
		if r != BadAction && reasons[r] == 0 {
			t.Errorf("no request was decided by %q", r)
		}
	}
}

// TestScopeIsEvaluate holds the compiled answer equal to the asked one, and its
// list of rules equal to its index.
func TestScopeIsEvaluate(t *testing.T) {
	m := newMaker(2)
	all, none, partial := 0, 0, 0
	for range 3_000 {
		s := mustNew(t, m.document())
		a, now := m.actor(), m.moment()
		sc := s.Scope(a, now)
		for range 20 {
			u := m.name()
			want := s.Evaluate(a, Read, u, now).Allow
			if sc.Allows(u) != want {
				t.Fatalf("%v reads %q at %v: scope %v, evaluate %v\n%s", a, u, now, sc.Allows(u), want, s.Encode())
			}
			listed := sc.Rest() && !u.IsZero()
			for r := range sc.Rules() {
				if r.Pattern.Match(u) {
					listed = r.Allow
				}
			}
			if listed != want {
				t.Fatalf("%v reads %q: rules say %v, evaluate %v", a, u, listed, want)
			}
			if !u.IsZero() && (sc.All() && !want || sc.None() && want) {
				t.Fatalf("all %v, none %v, but %q is %v", sc.All(), sc.None(), u, want)
			}
		}
		switch {
		case sc.All():
			all++
		case sc.None():
			none++
		default:
			partial++
		}
	}
	if min(all, none, partial) < 100 {
		t.Errorf("all %d, none %d, partial %d: the comparison is hollow", all, none, partial)
	}
}

// TestScopeExpires holds that nothing changes before Expires and that the digest
// tells when the answer has.
func TestScopeExpires(t *testing.T) {
	m := newMaker(3)
	changed := 0
	for range 3_000 {
		s, a, now := mustNew(t, m.document()), m.actor(), epoch
		sc := s.Scope(a, now)
		end := sc.Expires()
		if end.IsZero() {
			if later := s.Scope(a, now.Add(1e5*time.Hour)); later.Digest() != sc.Digest() {
				t.Fatalf("a scope without expiry changed\n%s", s.Encode())
			}
			continue
		}
		if !end.After(now) {
			t.Fatalf("expires %v, at %v", end, now)
		}
		if s.Scope(a, end.Add(-1)).Digest() != sc.Digest() {
			t.Fatalf("the scope changed before it expired\n%s", s.Encode())
		}
		if s.Scope(a, end).Digest() != sc.Digest() {
			changed++
		}
	}
	if changed < 100 {
		t.Errorf("only %d scopes changed when they expired", changed)
	}
}

// TestMetamorphic adds and removes rules: a denial more or an allow less never
// lets more through, an allow more never less.
func TestMetamorphic(t *testing.T) {
	m := newMaker(4)
	moved := 0
	for range 2_000 {
		doc := m.document()
		extra := m.document()
		lists := []*[]Rule{&doc.Paths, &doc.Users, &doc.Roles, &doc.Defaults}
		more := [][]Rule{extra.Paths, extra.Users, extra.Roles, extra.Defaults}
		before := mustNew(t, doc)
		i := m.IntN(len(lists))
		old, effect := *lists[i], ""
		switch m.IntN(3) {
		case 0: // a floor
			if len(extra.Floors) == 0 {
				continue
			}
			f := extra.Floors[0]
			f.ID, f.Who, effect = "extra", []string{"any"}, "deny"
			doc.Floors = append(slices.Clip(doc.Floors), f)
		case 1: // a rule
			if len(more[i]) == 0 {
				continue
			}
			r := more[i][0]
			r.ID, effect = "extra", r.Effect
			for _, who := range r.Who {
				if len(who) > 6 && who[:6] == "group:" {
					r.Who = []string{"person:al"}
					if i >= 2 {
						t.Fatal("a group in the wrong list")
					}
				}
			}
			*lists[i] = append(slices.Clip(old), r)
		default: // a rule less
			if len(old) == 0 {
				continue
			}
			j := m.IntN(len(old))
			effect = map[string]string{"allow": "deny", "deny": "allow"}[old[j].Effect]
			*lists[i] = slices.Delete(slices.Clone(old), j, j+1)
		}
		after := mustNew(t, doc)
		for range 30 {
			a, act, u, now := m.actor(), m.action(), m.name(), m.moment()
			was, is := before.Evaluate(a, act, u, now).Allow, after.Evaluate(a, act, u, now).Allow
			if was != is {
				moved++
				if is != (effect == "allow") {
					t.Fatalf("effect %s: %v %s %q went from %v to %v\n%s%s", effect, a, act, u, was, is, before.Encode(), after.Encode())
				}
			}
		}
	}
	if moved < 500 {
		t.Errorf("only %d answers moved", moved)
	}
}

// permutations calls fn with every order of list.
func permutations[T any](list []T, fn func([]T)) {
	if len(list) < 2 {
		fn(list)
		return
	}
	for i := range list {
		rest := append(slices.Clone(list[:i]), list[i+1:]...)
		permutations(rest, func(tail []T) { fn(append([]T{list[i]}, tail...)) })
	}
}

// TestOrderMeansNothing holds all 720 orders of six rules, and random orders of
// every list inside the rules, to one digest and one answer.
func TestOrderMeansNothing(t *testing.T) {
	m := newMaker(5)
	doc := m.document()
	for len(doc.Paths) < 5 || len(doc.Groups) < 3 {
		doc = m.document()
	}
	doc.Paths = append(doc.Paths, Rule{ID: "tie", Effect: "deny", Who: []string{"any"}, Do: []Action{Read}, On: doc.Paths[0].On})
	doc.Paths = doc.Paths[len(doc.Paths)-6:]
	want := mustNew(t, doc)
	var requests []func(s *Set) Decision
	for range 40 {
		a, act, u, now := m.actor(), m.action(), m.name(), m.moment()
		requests = append(requests, func(s *Set) Decision { return s.Evaluate(a, act, u, now) })
	}
	orders := 0
	permutations(doc.Paths, func(paths []Rule) {
		orders++
		other := doc
		other.Paths = paths
		other.Groups = slices.Clone(doc.Groups)
		slices.Reverse(other.Groups)
		for i := range other.Paths {
			r := &other.Paths[i]
			r.Who, r.On, r.Do = slices.Clone(r.Who), slices.Clone(r.On), slices.Clone(r.Do)
			m.Shuffle(len(r.Who), func(i, j int) { r.Who[i], r.Who[j] = r.Who[j], r.Who[i] })
			m.Shuffle(len(r.On), func(i, j int) { r.On[i], r.On[j] = r.On[j], r.On[i] })
			m.Shuffle(len(r.Do), func(i, j int) { r.Do[i], r.Do[j] = r.Do[j], r.Do[i] })
		}
		got := mustNew(t, other)
		if got.Digest() != want.Digest() {
			t.Fatalf("digest changed with the order:\n%s%s", got.Encode(), want.Encode())
		}
		for _, ask := range requests {
			if g, w := ask(got), ask(want); g != w {
				t.Fatalf("answer changed with the order: %+v, %+v", g, w)
			}
		}
	})
	if orders != 720 {
		t.Errorf("%d orders", orders)
	}
}

// TestDigestOfScopeIgnoresTheRest holds that rules about others leave the scope's
// digest alone, so that a cache by digest survives them.
func TestDigestOfScopeIgnoresTheRest(t *testing.T) {
	doc := Document{Version: 1, Paths: []Rule{{ID: "a", Effect: "allow", Who: []string{"person:al"}, Do: []Action{Read}, On: []string{"w://a/**"}}}}
	al := Actor{ID: "al", Kind: Person}
	before := mustNew(t, doc).Scope(al, epoch)
	doc.Paths = append(doc.Paths, Rule{ID: "b", Effect: "deny", Who: []string{"person:bo"}, Do: []Action{Read}, On: []string{"w://a/**"}})
	if mustNew(t, doc).Scope(al, epoch).Digest() != before.Digest() {
		t.Error("a rule about bo changed the scope of al")
	}
	doc.Paths[1].Who[0] = "person:al"
	if mustNew(t, doc).Scope(al, epoch).Digest() == before.Digest() {
		t.Error("a denial left the digest alone")
	}
	if (Scope{}).Digest() != mustNew(t, Document{Version: 1}).Scope(al, epoch).Digest() || !(Scope{}).None() || (Scope{}).Allows(uri.MustParse("a://b")) {
		t.Error("the zero scope is not the scope of nothing")
	}
}
