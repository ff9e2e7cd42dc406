package policy

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"
	"time"

	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Scope is what one actor may read, as a value: a list of patterns, of which the
// last that matches a name decides, and an answer for names that none matches.
// It is immutable and safe for concurrent use; the zero value allows nothing.
type Scope struct {
	rest    bool
	rules   []ScopeRule
	index   *scopeIndex
	expires time.Time
	digest  [sha256.Size]byte
}

// ScopeRule lets or forbids the names of one pattern to be read.
type ScopeRule struct {
	Pattern uri.Pattern
	Allow   bool
}

// scopeIndex finds the decisive rule of a name without trying all.
type scopeIndex struct {
	floors trie[struct{}]
	paths  trie[bool]
}

// Scope compiles the rules on reading for a at a time, as [Set.Evaluate] takes
// them: Scope(a, now).Allows(u) is Evaluate(a, Read, u, now).Allow for every u.
// An actor that may not act gets the zero Scope. It costs O(r log r) in the rules
// that name the actor, so callers that ask often keep it until the policy, the
// actor or [Scope.Expires] changes.
func (s *Set) Scope(a Actor, now time.Time) Scope {
	if s == nil || !s.acts(a) {
		return Scope{}
	}
	h := s.groups.of(a)
	tr, _ := Read.traits()
	if s.everywhere.verdict(h, tr.bit, now) != nil {
		return Scope{}
	}
	var d Decision
	s.fallBack(&d, h, tr.bit, now)
	sc := Scope{rest: d.Allow, expires: s.expiry(h, tr.bit, now)}
	floors, paths := s.readRules(h, now)
	sc.rules = append(inOrder(paths), inOrder(floors)...)
	if !slices.ContainsFunc(sc.rules, func(r ScopeRule) bool { return r.Allow != sc.rest }) {
		sc.rules = nil // they say what holds anyway
	}
	sc.digest = sc.sum()
	if len(sc.rules) > 0 {
		sc.index = &scopeIndex{}
		for _, r := range sc.rules[:len(sc.rules)-len(floors)] {
			*sc.index.paths.at(r.Pattern) = r.Allow
		}
		for _, r := range sc.rules[len(sc.rules)-len(floors):] {
			sc.index.floors.at(r.Pattern)
		}
	}
	return sc
}

// readRules returns the effect of each pattern that a floor or a path rule holds
// for h at.
func (s *Set) readRules(h held, now time.Time) (floors, paths map[string]ScopeRule) {
	floors, paths = map[string]ScopeRule{}, map[string]ScopeRule{}
	for sub, grants := range h.subjects {
		for _, p := range s.reads[sub] {
			key := p.pattern.String()
			switch {
			case p.floor:
				floors[key] = ScopeRule{Pattern: p.pattern}
			case !p.rule.allow:
				paths[key] = ScopeRule{Pattern: p.pattern}
			case grants && p.rule.holds(now):
				if _, ok := paths[key]; !ok {
					paths[key] = ScopeRule{Pattern: p.pattern, Allow: true}
				}
			}
		}
	}
	return floors, paths
}

// inOrder returns rules with the less specific first.
func inOrder(rules map[string]ScopeRule) []ScopeRule {
	type ranked struct {
		ScopeRule
		rank, text string
	}
	list := make([]ranked, 0, len(rules))
	for text, r := range rules {
		list = append(list, ranked{r, r.Pattern.Specificity(), text})
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.text, b.text))
	})
	out := make([]ScopeRule, len(list))
	for i, r := range list {
		out[i] = r.ScopeRule
	}
	return out
}

// expiry returns the first instant at which a grant that now holds for h ends.
func (s *Set) expiry(h held, bit uint16, now time.Time) time.Time {
	var first time.Time
	see := func(r *rule) {
		if r.allow && r.actions&bit != 0 && !r.until.IsZero() && r.holds(now) && (first.IsZero() || r.until.Before(first)) {
			first = r.until
		}
	}
	for sub, grants := range h.subjects {
		if !grants {
			continue
		}
		for _, p := range s.reads[sub] {
			see(p.rule)
		}
		for i := range s.tiers {
			for _, r := range s.tiers[i][sub] {
				see(r)
			}
		}
	}
	return first
}

// Allows reports whether u may be read, in time linear in u. The zero URI may
// not.
func (sc Scope) Allows(u uri.URI) bool {
	switch {
	case u.IsZero():
		return false
	case sc.index == nil:
		return sc.rest
	}
	denied := false
	sc.index.floors.visit(u, func(*struct{}) bool {
		denied = true
		return true
	})
	if denied {
		return false
	}
	allow := sc.rest
	sc.index.paths.visit(u, func(effect *bool) bool {
		allow = *effect
		return true
	})
	return allow
}

// All reports that every name may be read. False says nothing: denials of which
// none can match are not looked for.
func (sc Scope) All() bool { return sc.rest && len(sc.rules) == 0 }

// None reports that no name may be read. False says nothing, as for All.
func (sc Scope) None() bool { return !sc.rest && len(sc.rules) == 0 }

// Rest returns the answer for names that no rule matches.
func (sc Scope) Rest() bool { return sc.rest }

// Rules yields the rules in the order in which they apply: start from
// [Scope.Rest], and for each rule set all names that its pattern matches.
func (sc Scope) Rules() iter.Seq[ScopeRule] { return slices.Values(sc.rules) }

// Expires returns the instant from which the scope may allow less, because a
// grant in it ends; the zero time if none does.
func (sc Scope) Expires() time.Time { return sc.expires }

// Digest returns the SHA-256 of the rules of the scope: equal digests allow the
// same names. It does not tell actors, policies or expiry apart.
func (sc Scope) Digest() [sha256.Size]byte {
	if sc.digest == [sha256.Size]byte{} {
		return sc.sum()
	}
	return sc.digest
}

// sum hashes the text "scope 1\n", then "allow\n" or "deny\n" for names that no
// rule matches, then a line "allow PATTERN\n" or "deny PATTERN\n" per rule.
func (sc Scope) sum() [sha256.Size]byte {
	word := func(allow bool) string {
		if allow {
			return "allow"
		}
		return "deny"
	}
	text := []byte("scope 1\n" + word(sc.rest) + "\n")
	for _, r := range sc.rules {
		text = append(append(append(text, word(r.Allow)...), ' '), r.Pattern.String()...)
		text = append(text, '\n')
	}
	return sha256.Sum256(text)
}
