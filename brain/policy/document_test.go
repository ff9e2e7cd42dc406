package policy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

const sample = `{"version":1,
 "groups":[{"name":"staff","members":["person:bob","group:leads","person:bob"]},{"name":"leads","members":["person:alice"]}],
 "floors":[{"id":"vault","who":["kind:agent"],"do":["read","write"],"on":["WIKI://cafe\u0301/**"]}],
 "paths":[{"id":"docs","effect":"allow","who":["group:staff"],"do":["write","read"],"on":["wiki://docs/**"],"until":"2026-05-01T14:00:00+02:00"}],
 "users":[{"id":"u","effect":"deny","who":["person:mallory"],"do":["read"]}],
 "roles":[{"id":"owner","effect":"allow","who":["role:owner"],"do":["policy"]}],
 "defaults":[{"id":"d","effect":"allow","who":["any"],"do":["propose"]}]}`

// sampleDigest pins the canonical spelling: digests are in the log for ever.
const sampleDigest = "30965f17770564e18a64eda36f3a0b1d90559c4663fa87af954eaaf638078f23"

func TestParseCanonical(t *testing.T) {
	s, err := Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	text := s.Encode()
	if d := s.Digest(); hex.EncodeToString(d[:]) != sampleDigest {
		t.Errorf("digest %x of\n%s", d, text)
	}
	for _, want := range []string{`"wiki://café/**"`, `"2026-05-01T12:00:00Z"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	again, err := Parse(text)
	if err != nil || string(again.Encode()) != string(text) {
		t.Errorf("not a fixed point: %v\n%s", err, again.Encode())
	}
	fromDoc, err := New(s.Document())
	if err != nil || fromDoc.Digest() != s.Digest() {
		t.Errorf("Document does not rebuild the set: %v", err)
	}
}

// TestDocumentIsACopy changes what went in and what came out.
func TestDocumentIsACopy(t *testing.T) {
	until := epoch.Add(time.Hour)
	doc := paths(pathRule("r", "allow", Read, "wiki://**"))
	doc.Paths[0].Until = &until
	s := mustNew(t, doc)
	before := string(s.Encode())
	doc.Paths[0].Who[0], doc.Paths[0].On[0] = "person:x", "x://**"
	until = epoch.Add(-time.Hour)
	out := s.Document()
	out.Paths[0].Who[0], out.Paths[0].Do[0] = "person:y", Write
	*out.Paths[0].Until = epoch.Add(-time.Hour)
	s.Encode()[0] = 'x'
	if string(s.Encode()) != before || !s.Evaluate(alice, Read, uri.MustParse("wiki://a"), epoch).Allow || len(s.Document().Paths) != 1 {
		t.Error("the set changed from outside")
	}
	if got := s.Document(); !got.Paths[0].Until.After(epoch) || got.Paths[0].Who[0] != "any" {
		t.Errorf("the kept document changed: %+v", got)
	}
}

func TestParseRefuses(t *testing.T) {
	rule := func(list, body string) string { return fmt.Sprintf(`{"version":1,"%s":[{%s}]}`, list, body) }
	const path = `"id":"r","effect":"allow","who":["any"],"do":["read"],"on":["wiki://**"]`
	swap := func(old, new string) string { return rule("paths", strings.Replace(path, old, new, 1)) }
	if _, err := Parse([]byte(rule("paths", path))); err != nil {
		t.Fatalf("the base case: %v", err)
	}
	for name, text := range map[string]string{
		"empty": "", "not json": "{", "array": "[]", "number": "1", "null": "null", "deep": strings.Repeat("[", 1000),
		"trailing": `{"version":1}{}`, "trailing text": `{"version":1} x`, "utf-8": "{\"version\":1,\"groups\":[{\"name\":\"\xff\",\"members\":[]}]}",
		"no version": `{}`, "version 2": `{"version":2}`, "version twice": `{"version":1,"version":1}`, "case": `{"Version":1}`,
		"unknown key": `{"version":1,"rules":[]}`, "unknown rule key": swap(`"id"`, `"if":"x","id"`), "rule key case": swap(`"id"`, `"ID"`),
		"long s": swap(`"on"`, `"u`+"ſ"+`ers":[],"on"`), "rule key twice": swap(`"id":"r"`, `"id":"r","id":"r"`), "null list": `{"version":1,"paths":null}`,
		"null until": swap(`"id"`, `"until":null,"id"`), "lone surrogate": swap("any", `person:\ud800`), "type": swap(`["read"]`, `"read"`),
		"no id": swap(`"id":"r",`, ""), "bad id": swap(`"r"`, `"a:b"`), "empty id": swap(`"r"`, `""`), "long id": swap(`"r"`, `"`+strings.Repeat("r", 65)+`"`),
		"same id":              `{"version":1,"paths":[{` + path + `},{` + path + `}]}`,
		"same id in two lists": `{"version":1,"paths":[{` + path + `}],"floors":[{"id":"r","who":["any"],"do":["read"]}]}`,
		"no effect":            swap(`"effect":"allow",`, ""), "bad effect": swap("allow", "Allow"), "no who": swap(`"any"`, ""), "no do": swap(`"read"`, ""), "no on": swap(`"wiki://**"`, ""),
		"unknown action": swap("read", "reed"), "star action": swap("read", "*"), "whole brain on a path": swap("read", "audit"),
		"unknown type": swap("any", "user:bob"), "unknown kind": swap("any", "kind:robot"), "no type": swap("any", "bob"), "unknown group": swap("any", "group:none"), "any with a name": swap("any", "any:x"),
		"scheme star": swap("wiki", "*"), "bad pattern": swap("wiki://**", "wiki://a/../b"), "inner star": swap("wiki://**", "wiki://**/a"),
		"deny until": swap(`"allow"`, `"deny","until":"2026-05-01T12:00:00Z"`), "until zero": swap(`"id"`, `"until":"0001-01-01T00:00:00Z","id"`), "until text": swap(`"id"`, `"until":"tomorrow","id"`),
		"floor with effect": rule("floors", path), "floor until": rule("floors", `"id":"f","who":["any"],"do":["read"],"until":"2026-05-01T12:00:00Z"`),
		"user with a pattern": rule("users", strings.Replace(path, "any", "person:a", 1)),
		"role among users":    rule("users", `"id":"r","effect":"allow","who":["role:a"],"do":["read"]`),
		"user among roles":    rule("roles", `"id":"r","effect":"allow","who":["person:a"],"do":["read"]`),
		"group among roles":   rule("roles", `"id":"r","effect":"allow","who":["any"],"do":["read"]`),
		"role by default":     rule("defaults", `"id":"r","effect":"allow","who":["role:a"],"do":["read"]`),
		"group twice":         `{"version":1,"groups":[{"name":"g","members":[]},{"name":"g","members":[]}]}`,
		"role in a group":     `{"version":1,"groups":[{"name":"g","members":["role:x"]}]}`,
		"kind in a group":     `{"version":1,"groups":[{"name":"g","members":["kind:agent"]}]}`,
		"any in a group":      `{"version":1,"groups":[{"name":"g","members":["any"]}]}`,
		"no such group":       `{"version":1,"groups":[{"name":"g","members":["group:h"]}]}`,
		"group is an actor":   `{"version":1,"groups":[{"name":"g","members":["person:g"]}]}`,
	} {
		s, err := Parse([]byte(text))
		var bad *invalid.Error
		if !errors.As(err, &bad) || bad.Field != "policy" || s != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

func TestLimits(t *testing.T) {
	many := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("person:p%d", i)
		}
		return out
	}
	wide := Rule{ID: "w", Effect: "allow", Who: many(maxList), Do: []Action{Read}}
	for i := range maxList {
		wide.On = append(wide.On, fmt.Sprintf("w://p%d", i))
	}
	next := wide
	next.ID = "next"
	long := wide
	long.Who, long.On = many(maxList+1), long.On[:1]
	rules := make([]Rule, MaxRules+1)
	for i := range rules {
		rules[i] = Rule{ID: fmt.Sprint(i), Effect: "deny", Who: []string{"any"}, Do: []Action{Read}}
	}
	for name, tt := range map[string]struct {
		doc   Document
		limit int64
	}{
		"list":    {paths(long), maxList},
		"pairs":   {paths(wide, next), maxPairs},
		"rules":   {Document{Version: 1, Defaults: rules}, MaxRules},
		"groups":  {Document{Version: 1, Groups: make([]Group, MaxGroups+1)}, MaxGroups},
		"members": {Document{Version: 1, Groups: []Group{{"g", make([]string, maxMembers+1)}}}, maxMembers},
	} {
		var bad *invalid.Error
		if _, err := New(tt.doc); !errors.As(err, &bad) || bad.Limit != tt.limit {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := Document{Version: 1, Groups: make([]Group, MaxGroups)}
	for i := range full.Groups {
		full.Groups[i].Name = fmt.Sprint("g", i)
	}
	mustNew(t, full)
	var bad *invalid.Error
	if _, err := Parse(make([]byte, MaxBytes+1)); !errors.As(err, &bad) || bad.Limit != MaxBytes {
		t.Errorf("bytes: %v", err)
	}
}

// TestEdges holds what is just inside and just outside of a limit of one rule.
func TestEdges(t *testing.T) {
	until := func(text string) func(*Rule) {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return func(r *Rule) { r.Until = &at }
	}
	id := func(n int) func(*Rule) { return func(r *Rule) { r.ID = strings.Repeat("i", n) } }
	who := func(n int) func(*Rule) {
		return func(r *Rule) { r.Who = []string{"role:" + strings.Repeat("n", n)} }
	}
	for i, tt := range []struct {
		in, out func(*Rule)
	}{
		{id(64), id(65)},
		{who(maxNameBytes), who(maxNameBytes + 1)},
		{until("1970-01-01T00:00:00Z"), until("1970-01-01T00:00:00+01:00")},
		{until("9999-12-31T23:59:59Z"), until("9999-12-31T23:59:59-01:00")},
	} {
		doc := paths(pathRule("r", "allow", Read, "wiki://**"))
		tt.in(&doc.Paths[0])
		s := mustNew(t, doc)
		if again, err := Parse(s.Encode()); err != nil || again.Digest() != s.Digest() {
			t.Errorf("%d: %v", i, err)
		}
		tt.out(&doc.Paths[0])
		refused(t, doc)
	}
}

func TestDefault(t *testing.T) {
	s := Default()
	u := uri.MustParse("brain://sales/x")
	owner := Actor{ID: "ana", Kind: Person, Roles: []string{"owner"}}
	bot := Actor{ID: "bot", Kind: Agent}
	for _, act := range Actions() {
		if d := s.EvaluateProposal(owner, act, u, bot, epoch); !d.Allow || d.Rule != "owner" || d.Digest != s.Digest() {
			t.Errorf("owner %s: %+v", act, d)
		}
		want := act == Read || act == Propose
		if d := s.EvaluateProposal(bot, act, u, alice, epoch); d.Allow != want {
			t.Errorf("agent %s: %+v", act, d)
		}
		if d := s.EvaluateProposal(alice, act, u, bot, epoch); d.Allow {
			t.Errorf("a person without a role %s: %+v", act, d)
		}
	}
	if d := s.EvaluateProposal(owner, Approve, u, owner, epoch); d.Allow {
		t.Errorf("the owner approves its own proposal: %+v", d)
	}
	if !s.Scope(owner, epoch).All() || !s.Scope(bot, epoch).All() || !s.Scope(alice, epoch).None() {
		t.Error("scopes of the default policy")
	}
}

func TestActor(t *testing.T) {
	for _, a := range []Actor{{ID: "alice", Kind: Person}, {ID: "bot 7", Kind: Agent}, {ID: "mount@host", Kind: System}, {ID: "日本", Kind: Person}} {
		got, err := ParseActor(a.String())
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%v: %v, %v", a, got, err)
		}
	}
	for _, s := range []string{"", "alice", "robot:x", "person:", ":x", "person:a:b", "PERSON:a"} {
		var bad *invalid.Error
		if _, err := ParseActor(s); !errors.As(err, &bad) || bad.Field != "actor" {
			t.Errorf("%q: %v", s, err)
		}
	}
	if err := (Actor{ID: "a", Kind: Person, Roles: make([]string, maxRoles+1)}).Check(); err == nil {
		t.Error("65 roles accepted")
	}
}

func TestDecisionText(t *testing.T) {
	seen := map[string]bool{}
	for r := NoPolicy; r <= GroupsTooDeep; r++ {
		if s := r.String(); seen[s] || s == "unknown reason" {
			t.Errorf("reason %d: %q", r, s)
		}
		seen[r.String()] = true
	}
	if Reason(99).String() != "unknown reason" || Kind(9).String() != "" {
		t.Error("text of unknown values")
	}
	d := Decision{Rule: "docs", Reason: ByPath}
	var denial *Denial
	if err := d.Err(); !errors.Is(err, ErrDenied) || !errors.As(err, &denial) || denial.Decision != d || err.Error() != "denied by policy: path rule docs" {
		t.Errorf("%v", err)
	}
	if none := (Decision{Reason: NoRule}); none.Err().Error() != "denied by policy: no rule" || none.Because() != "no rule" || d.Because() != "docs" {
		t.Errorf("%v, %q, %q", none.Err(), none.Because(), d.Because())
	}
	if (Decision{Allow: true}).Err() != nil {
		t.Error("an allowed decision is an error")
	}
}

// TestRuleNamed holds which rule a decision names where several agree.
func TestRuleNamed(t *testing.T) {
	doc := paths(pathRule("b", "allow", Read, "w://a"), pathRule("a", "allow", Read, "w://a"), pathRule("0", "allow", Read, "w://**"))
	u := uri.MustParse("w://a")
	if d := mustNew(t, doc).Evaluate(alice, Read, u, epoch); d.Rule != "a" || d.Reason != ByPath {
		t.Errorf("%+v", d)
	}
	doc.Paths = append(doc.Paths, pathRule("z", "deny", Read, "w://a"), pathRule("y", "deny", Read, "w://a"))
	if d := mustNew(t, doc).Evaluate(alice, Read, u, epoch); d.Rule != "y" || d.Allow {
		t.Errorf("%+v", d)
	}
	doc.Floors = []Rule{pathRule("f2", "", Read, "w://a"), pathRule("f1", "", Read, "w://**")}
	if d := mustNew(t, doc).Evaluate(alice, Read, u, epoch); d.Rule != "f1" || d.Reason != ByFloor {
		t.Errorf("%+v", d)
	}
	if d := mustNew(t, doc).Evaluate(alice, "reed", u, epoch); d.Allow || d.Reason != BadAction {
		t.Errorf("%+v", d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add(Default().Encode())
	m := newMaker(9)
	for range 4 {
		f.Add(mustNew(f, m.document()).Encode())
	}
	f.Add([]byte(`{"version":1,"paths":[{"id":"r","effect":"allow","who":["any"],"do":["read"],"on":["w://\\*/*"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			if !errors.Is(err, invalid.Err) || s != nil {
				t.Fatalf("%v, %v", s, err)
			}
			return
		}
		again, err := Parse(s.Encode())
		if err != nil || again.Digest() != s.Digest() {
			t.Fatalf("canonical text is no fixed point: %v\n%s", err, s.Encode())
		}
		m := newMaker(1)
		for range 5 {
			a, u, now := m.actor(), m.name(), m.moment()
			if s.Evaluate(a, Read, u, now).Allow != s.Scope(a, now).Allows(u) {
				t.Fatalf("scope and answer differ for %v %q", a, u)
			}
		}
	})
}
