package policy

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

var alice = Actor{ID: "alice", Kind: Person}

// pathRule returns a path rule for everybody.
func pathRule(id, effect string, do Action, on string) Rule {
	return Rule{ID: id, Effect: effect, Who: []string{"any"}, Do: []Action{do}, On: []string{on}}
}

func paths(rules ...Rule) Document { return Document{Version: 1, Paths: rules} }

// can asks for alice and a name that must parse.
func can(t *testing.T, doc Document, act Action, name string) bool {
	t.Helper()
	return mustNew(t, doc).Evaluate(alice, act, uri.MustParse(name), epoch).Allow
}

func expect(t *testing.T, doc Document, act Action, name string, want bool) {
	t.Helper()
	if got := can(t, doc, act, name); got != want {
		t.Errorf("%s %s: allow %v, want %v", act, name, got, want)
	}
}

func refused(t *testing.T, doc Document) {
	t.Helper()
	if s, err := New(doc); err == nil || s != nil {
		t.Errorf("accepted: %+v", doc)
	}
}

// attacks holds, by row of the shared policy cases, what this package decides.
var attacks = map[string]func(*testing.T){
	"policy-001": func(t *testing.T) {
		expect(t, paths(), Read, "wiki://a", false)
		if d := (*Set)(nil).Evaluate(alice, Read, uri.MustParse("wiki://a"), epoch); d.Allow || d.Reason != NoPolicy {
			t.Errorf("a nil set: %+v", d)
		}
	},
	"policy-002": func(t *testing.T) {
		doc := paths(pathRule("r", "allow", Read, "wiki://**"))
		doc.Paths[0].Who = []string{"person:alice"}
		expect(t, doc, Read, "wiki://a/b", true)
	},
	"policy-003": func(t *testing.T) {
		expect(t, paths(pathRule("r", "allow", Read, "wiki://**")), Write, "wiki://a/b", false)
	},
	"policy-004": func(t *testing.T) {
		expect(t, paths(pathRule("r", "allow", Write, "wiki://**")), Read, "wiki://a", false)
	},
	"policy-006": func(t *testing.T) {
		doc := paths(pathRule("d", "deny", Read, "wiki://**"), pathRule("a", "allow", Read, "wiki://secret/x"))
		expect(t, doc, Read, "wiki://secret/x", true)
		expect(t, doc, Read, "wiki://secret/y", false)
	},
	"policy-006b": func(t *testing.T) {
		doc := paths(pathRule("a", "allow", Read, "wiki://secret/x"))
		doc.Floors = []Rule{pathRule("f", "", Read, "wiki://**")}
		expect(t, doc, Read, "wiki://secret/x", false)
	},
	"policy-008": func(t *testing.T) {
		doc := paths(pathRule("r", "allow", Read, "wiki://docs/*"))
		expect(t, doc, Read, "wiki://docs/a", true)
		expect(t, doc, Read, "wiki://docs/a/b", false)
	},
	"policy-009": func(t *testing.T) { // ** matches no segment, too
		expect(t, paths(pathRule("r", "allow", Read, "wiki://docs/**")), Read, "wiki://docs", true)
	},
	"policy-014": func(t *testing.T) {
		doc := paths(pathRule("r", "allow", Read, "wiki://docs/**"))
		expect(t, doc, Read, "WIKI://docs/a", true)
		expect(t, doc, Read, "wiki://DOCS/a", false)
	},
	"policy-018": func(t *testing.T) {
		refused(t, paths(pathRule("r", "allow", Read, "*://**")))
		expect(t, paths(pathRule("r", "allow", Read, "wiki://**")), Read, "mem://x", false)
	},
	"policy-019": func(t *testing.T) {
		for _, text := range []string{
			`{"version":1,"paths":[{"id":"r","effect":"allow","who":["any"],"do":["reed"],"on":["wiki://**"]}]}`,
			`{"version":1,"paths":[{"id":"r","effect":"allow","who":["any"],"do":["read"],"on":["wiki://**"],"if":"x"}]}`,
			`{"version":1,"allow":[]}`,
		} {
			if s, err := Parse([]byte(text)); err == nil || s != nil {
				t.Errorf("loaded: %s", text)
			}
		}
	},
	"policy-021": swapWhileReading,
	"policy-022": func(t *testing.T) { // a set has no cache: the next one asked answers
		doc := paths(pathRule("r", "allow", Read, "wiki://**"))
		expect(t, doc, Read, "wiki://a", true)
		doc.Paths = nil
		expect(t, doc, Read, "wiki://a", false)
	},
	"policy-023": func(t *testing.T) {
		doc := paths(pathRule("r", "allow", Read, "wiki://**"))
		doc.Groups = []Group{{"a", []string{"group:b", "person:alice"}}, {"b", []string{"group:a"}}, {"self", []string{"group:self", "person:alice"}}}
		for _, g := range []string{"a", "b", "self"} {
			doc.Paths[0].Who = []string{"group:" + g}
			d := mustNew(t, doc).Evaluate(alice, Read, uri.MustParse("wiki://a"), epoch)
			if d.Allow || d.Reason != GroupsTooDeep {
				t.Errorf("group %s grants: %+v", g, d)
			}
			deny := doc // and still denies
			deny.Floors = []Rule{{ID: "f", Who: []string{"group:" + g}, Do: []Action{Read}}}
			if d := mustNew(t, deny).Evaluate(alice, Read, uri.MustParse("wiki://a"), epoch); d.Reason != ByFloor {
				t.Errorf("group %s does not deny: %+v", g, d)
			}
		}
	},
	"policy-024": func(t *testing.T) {
		doc := paths(pathRule("r", "allow", Read, "wiki://**"))
		doc.Groups = []Group{{"g0", []string{"person:alice"}}}
		for i := 1; i < 1_000; i++ {
			doc.Groups = append(doc.Groups, Group{fmt.Sprintf("g%d", i), []string{fmt.Sprintf("group:g%d", i-1)}})
		}
		for i, want := range map[int]bool{0: true, MaxNesting - 1: true, MaxNesting: false, 999: false} {
			doc.Paths[0].Who = []string{fmt.Sprintf("group:g%d", i)}
			d := mustNew(t, doc).Evaluate(alice, Read, uri.MustParse("wiki://a"), epoch)
			if d.Allow != want || !want && d.Reason != GroupsTooDeep {
				t.Errorf("group %d: %+v", i, d)
			}
		}
	},
	"policy-026": func(t *testing.T) { // the scope that lists use has no name below secret
		doc := paths(pathRule("a", "allow", Read, "wiki://**"), pathRule("d", "deny", Read, "wiki://secret/**"))
		sc := mustNew(t, doc).Scope(alice, epoch)
		if !sc.Allows(uri.MustParse("wiki://a")) || sc.Allows(uri.MustParse("wiki://secret")) || sc.Allows(uri.MustParse("wiki://secret/x")) {
			t.Error("the scope lists what is secret")
		}
	},
	"policy-029": func(t *testing.T) {
		doc := paths(pathRule("d", "deny", Read, "wiki://p/**"))
		expect(t, doc, Read, "wiki://p/c", false)
		doc.Paths = append(doc.Paths, pathRule("a", "allow", Read, "wiki://p/c"))
		expect(t, doc, Read, "wiki://p/c", true)
		expect(t, doc, Read, "wiki://p", false)
		expect(t, doc, Read, "wiki://p/d", false)
	},
	"policy-036": func(t *testing.T) {
		s := mustNew(t, paths(pathRule("a", "allow", Approve, "wiki://**"), pathRule("b", "allow", Reject, "wiki://**")))
		u := uri.MustParse("wiki://a")
		for _, act := range []Action{Approve, Reject} {
			other := Actor{ID: "bob", Kind: Agent}
			if d := s.EvaluateProposal(alice, act, u, other, epoch); !d.Allow {
				t.Errorf("%s another's: %+v", act, d)
			}
			for _, own := range []Actor{alice, {ID: "alice", Kind: Agent}, {ID: "alice", Kind: Person, Roles: []string{"second-token"}}, {}} {
				if d := s.EvaluateProposal(alice, act, u, own, epoch); d.Allow || d.Reason != OwnProposal {
					t.Errorf("%s of %v: %+v", act, own, d)
				}
			}
			if d := s.Evaluate(alice, act, u, epoch); d.Allow || d.Reason != OwnProposal {
				t.Errorf("%s of nobody's: %+v", act, d)
			}
		}
	},
	"policy-038": func(t *testing.T) { // an agent's approval does not exist, so no quorum counts it
		s := mustNew(t, Document{Version: 1, Defaults: []Rule{{ID: "all", Effect: "allow", Who: []string{"any"}, Do: Actions()}}})
		bot := Actor{ID: "bot", Kind: Agent, Roles: []string{"owner"}}
		for act, want := range map[Action]bool{Approve: false, Reject: false, Review: false, Release: false, ChangePolicy: false, Audit: true, Write: true, Forget: true} {
			d := s.EvaluateProposal(bot, act, uri.MustParse("wiki://a"), alice, epoch)
			if d.Allow != want || !want && d.Reason != NotForAgents {
				t.Errorf("%s: %+v", act, d)
			}
		}
	},
	"policy-051": func(t *testing.T) {
		for _, name := range []string{"", "a:b", "a/b", "a\x00b", `a\b`, " a", "a\u200bb", "cafe\u0301", "a\xff", "\u202ea", "a\ufe0f", "\ufffd", strings.Repeat("a", 129)} {
			for _, who := range []string{"person:" + name, "agent:" + name, "role:" + name, "group:" + name} {
				doc := paths(pathRule("r", "allow", Read, "wiki://**"))
				doc.Paths[0].Who = []string{who}
				doc.Groups = []Group{{"ok", []string{who}}}
				refused(t, doc)
				doc.Groups = nil
				refused(t, doc)
			}
			refused(t, Document{Version: 1, Groups: []Group{{Name: name}}})
			open := mustNew(t, paths(pathRule("r", "allow", Read, "wiki://**")))
			for _, a := range []Actor{{ID: name, Kind: Person}, {ID: "x", Kind: Person, Roles: []string{name}}} {
				if d := open.Evaluate(a, Read, uri.MustParse("wiki://a"), epoch); d.Allow || d.Reason != BadActor {
					t.Errorf("%q: %+v", a, d)
				}
			}
		}
		same := paths(pathRule("r", "allow", Read, "wiki://**"))
		same.Groups = []Group{{"alice", []string{"person:bob"}}}
		expect(t, same, Read, "wiki://a", false) // alice is a group's name
		same.Paths[0].Who = []string{"person:alice"}
		refused(t, same)
		same.Paths[0].Who = []string{"any"}
		same.Groups = append(same.Groups, Group{"g", []string{"agent:alice"}})
		refused(t, same)
	},
	"policy-052": func(t *testing.T) {
		s := mustNew(t, Document{Version: 1, Defaults: []Rule{{ID: "all", Effect: "allow", Who: []string{"any"}, Do: Actions()}}})
		for _, a := range []Actor{{}, {ID: "", Kind: Person}, {ID: "x"}, {ID: "x", Kind: 9}, {Roles: []string{"owner"}}} {
			for _, act := range Actions() {
				if d := s.EvaluateProposal(a, act, uri.MustParse("wiki://a"), alice, epoch); d.Allow || d.Reason != BadActor {
					t.Errorf("%v %s: %+v", a, act, d)
				}
			}
			if sc := s.Scope(a, epoch); !sc.None() {
				t.Errorf("%v has a scope", a)
			}
		}
	},
	"policy-053": func(t *testing.T) {
		doc := Document{Version: 1, Roles: []Rule{{ID: "admin", Effect: "allow", Who: []string{"role:admin"}, Do: []Action{ChangePolicy, Audit}}}}
		s, admin := mustNew(t, doc), Actor{ID: "root", Kind: Person, Roles: []string{"admin"}}
		if s.Evaluate(admin, Read, uri.MustParse("wiki://x"), epoch).Allow || !s.Evaluate(admin, ChangePolicy, uri.URI{}, epoch).Allow {
			t.Error("the admin reads, or does not administer")
		}
	},
	"policy-054": func(t *testing.T) { // the caller passes max(now, stored), so it never moves back
		end := epoch.Add(time.Hour)
		doc := paths(pathRule("r", "allow", Read, "wiki://**"))
		doc.Paths[0].Until = &end
		s := mustNew(t, doc)
		for now, want := range map[time.Time]bool{
			epoch: true, end.Add(-1): true, end: false, end.AddDate(10, 0, 0): false, {}: false,
			end.Add(-1).In(time.FixedZone("x", 7200)): true, end.In(time.FixedZone("x", -7200)): false,
		} {
			if got := s.Evaluate(alice, Read, uri.MustParse("wiki://a"), now).Allow; got != want {
				t.Errorf("at %v: %v", now, got)
			}
		}
	},
}

// elsewhere names, for every other row, the test or the part that decides it.
var elsewhere = map[string]string{
	"policy-007": "TestOrderMeansNothing", "policy-056": "TestOracle", "policy-057": "TestMetamorphic",
	"policy-011": "uri", "policy-012": "uri", "policy-013": "uri", "policy-016": "uri", "policy-017": "uri",
	"policy-027": "recall: statistics of scope and live", "policy-028": "recall: graph leg",
	"policy-031": "brain: a move asks read and write of both names", "policy-032": "gate: asked again in the deciding transaction",
	"policy-033": "brain: history under the policy of now", "policy-034": "hosts: matrix of calls, roles and actions",
	"policy-037": "gate: quorum", "policy-039": "gate: digest", "policy-041": "gate: one decision per proposal",
	"policy-042": "gate: expiry", "policy-043": "gate: asked again in the deciding transaction", "policy-044": "gate: one final state",
	"policy-046": "gate: base revision", "policy-047": "recall: quarantine, with action review", "policy-048": "recall: graph leg",
	"policy-049": "privacy", "policy-058": "a mutation run over this package, not a test of it",
}

// TestAttacks runs every row of the shared policy cases that the evaluator
// decides, and holds that no row is dropped.
func TestAttacks(t *testing.T) {
	f, err := os.Open(testdata.Shared(t, "data", "attacks", "policy.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := map[string]bool{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var row struct{ ID, Setup, Expected string }
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows[row.ID] = true
		if attacks[row.ID] == nil && elsewhere[row.ID] == "" {
			t.Errorf("%s: no test and no part that decides it: %s: %s", row.ID, row.Setup, row.Expected)
		}
	}
	for id, test := range attacks {
		if !rows[id] {
			t.Errorf("%s is no row", id)
		}
		t.Run(id, test)
	}
}

// swapWhileReading replaces the policy under 64 readers: each answer is the one
// of the policy whose digest it names.
func swapWhileReading(t *testing.T) {
	open := mustNew(t, paths(pathRule("r", "allow", Read, "wiki://**")))
	shut := mustNew(t, paths(pathRule("r", "deny", Read, "wiki://**")))
	var now atomic.Pointer[Set]
	now.Store(open)
	var wg sync.WaitGroup
	u := uri.MustParse("wiki://a")
	for range 64 {
		wg.Go(func() {
			for range 200 {
				d := now.Load().Evaluate(alice, Read, u, epoch)
				if d.Allow != (d.Digest == open.Digest()) || !d.Allow && d.Digest != shut.Digest() {
					t.Errorf("mixed answer %+v", d)
				}
			}
		})
	}
	for range 100 {
		now.Store(shut)
		now.Store(open)
	}
	wg.Wait()
	if err := shut.Evaluate(alice, Read, u, epoch).Err(); !errors.Is(err, ErrDenied) {
		t.Errorf("%v", err)
	}
}
