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
// It is immutable and safe for concurrent use; the zero value allows nothing. It
// keeps the set that it was compiled from in memory.
type Scope struct {
	rest    bool
	reads   *reading // nil when no rule changes the answer
	effects []effect // by pattern of reads
	floors  bool     // some effect is a floor
	expires time.Time
	digest  [sha256.Size]byte
}

// ScopeRule lets or forbids the names of one pattern to be read.
type ScopeRule struct {
	Pattern uri.Pattern
	Allow   bool
}

// effect is what the rules that hold say of one pattern.
type effect uint8

const (
	pathAllow effect = 1 << iota
	pathDeny         // wins over pathAllow
	floorDeny
)

// Scope compiles the rules on reading for a at a time, as [Set.Evaluate] takes
// them: Scope(a, now).Allows(u) is Evaluate(a, Read, u, now).Allow for every u.
// An actor that may not act gets the zero Scope. It costs one byte per pattern
// that any rule on reading has, and a hash over those that concern the actor:
// callers that ask often keep it until the policy, the actor or
// [Scope.Expires] changes.
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
	sc.reads, sc.effects = &s.reads, make([]effect, len(s.reads.patterns))
	for sub, grants := range h.subjects {
		for _, p := range s.reads.places[sub] {
			switch {
			case p.floor:
				sc.effects[p.at] |= floorDeny
				sc.floors = true
			case !p.rule.allow:
				sc.effects[p.at] |= pathDeny
			case grants && p.rule.holds(now):
				sc.effects[p.at] |= pathAllow
			}
		}
	}
	same := true
	for r := range sc.Rules() {
		same = same && r.Allow == sc.rest
	}
	if same { // the rules say what holds anyway
		sc.reads, sc.effects = nil, nil
	}
	sc.digest = sc.sum()
	return sc
}

// reading is the patterns of all floors and path rules that speak of reading.
type reading struct {
	patterns []uri.Pattern // the less specific first
	texts    []string
	places   map[subject][]place
	index    trie[int] // pattern to its place in patterns
}

// place is a rule at one of its patterns.
type place struct {
	rule    *rule
	pattern uri.Pattern
	at      int // in patterns, once they are all known
	floor   bool
}

func (rd *reading) add(p uri.Pattern, who []subject, r *rule, floor bool) {
	if rd.places == nil {
		rd.places = map[subject][]place{}
	}
	for _, sub := range who {
		rd.places[sub] = append(rd.places[sub], place{rule: r, pattern: p, floor: floor})
	}
	if at := rd.index.at(p); *at == 0 {
		rd.patterns = append(rd.patterns, p)
		*at = len(rd.patterns)
	}
}

// order sorts the patterns and lets places and index point into them.
func (rd *reading) order() {
	type ranked struct {
		uri.Pattern
		rank, text string
	}
	list := make([]ranked, len(rd.patterns))
	for i, p := range rd.patterns {
		list[i] = ranked{p, p.Specificity(), p.String()}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.text, b.text))
	})
	rd.texts = make([]string, len(list))
	for i, r := range list {
		rd.patterns[i], rd.texts[i] = r.Pattern, r.text
		*rd.index.at(r.Pattern) = i
	}
	for _, places := range rd.places {
		for i := range places {
			places[i].at = *rd.index.at(places[i].pattern)
		}
	}
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
		for _, p := range s.reads.places[sub] {
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

// Allows reports whether u may be read. It costs what matching u against the
// policy's patterns does, a microsecond or so. The zero URI may not be read.
func (sc Scope) Allows(u uri.URI) bool {
	allow := sc.rest && !u.IsZero()
	if sc.reads == nil {
		return allow
	}
	decided := false
	sc.reads.index.visit(u, func(at *int) bool {
		e := sc.effects[*at]
		if e&floorDeny != 0 {
			allow, decided = false, true
			return true
		}
		if e != 0 && !decided {
			allow, decided = e == pathAllow, true
		}
		return decided && !(allow && sc.floors)
	})
	return allow
}

// All reports that every name may be read. False says nothing: denials of which
// none can match are not looked for.
func (sc Scope) All() bool { return sc.rest && sc.reads == nil }

// None reports that no name may be read. False says nothing, as for All.
func (sc Scope) None() bool { return !sc.rest && sc.reads == nil }

// Rest returns the answer for names that no rule matches.
func (sc Scope) Rest() bool { return sc.rest }

// Rules yields the rules in the order in which they apply: start from
// [Scope.Rest], and for each rule set all names that its pattern matches.
func (sc Scope) Rules() iter.Seq[ScopeRule] {
	return func(yield func(ScopeRule) bool) {
		for at, r := range sc.ordered() {
			if !yield(ScopeRule{sc.reads.patterns[at], r}) {
				return
			}
		}
	}
}

// ordered yields the place of each pattern with its effect: path rules, the less
// specific first, then floors.
func (sc Scope) ordered() iter.Seq2[int, bool] {
	return func(yield func(int, bool) bool) {
		for at, e := range sc.effects {
			if e&(pathAllow|pathDeny) != 0 && !yield(at, e&pathDeny == 0) {
				return
			}
		}
		for at, e := range sc.effects {
			if e&floorDeny != 0 && !yield(at, false) {
				return
			}
		}
	}
}

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
	for at, allow := range sc.ordered() {
		text = append(append(append(text, word(allow)...), ' '), sc.reads.texts[at]...)
		text = append(text, '\n')
	}
	return sha256.Sum256(text)
}
