package policy

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Set is a policy ready to answer. It is immutable and safe for concurrent
// use; a nil Set denies everything.
type Set struct {
	doc    Document
	text   []byte
	digest [sha256.Size]byte

	groups     membership
	groupNames map[string]bool
	floors     trie[table] // floors that name patterns
	everywhere table       // floors that do not
	paths      trie[table] // path rules
	tiers      [3]table    // users, roles, defaults
	reads      reading     // floors and path rules that speak of reading
}

// table holds the rules of one pattern or tier by subject.
type table map[subject][]*rule

// rule is a Rule made ready.
type rule struct {
	id      string
	allow   bool
	actions uint16
	until   time.Time // zero: for ever
}

// New returns the set of a document, or an *invalid.Error of field "policy"
// that names what is wrong and where. It copies what it keeps.
func New(doc Document) (*Set, error) {
	s := &Set{}
	if doc.Version != version {
		return nil, invalid.New("policy", "version %d, want %d", doc.Version, version)
	}
	lists := [][]Rule{doc.Floors, doc.Paths, doc.Users, doc.Roles, doc.Defaults}
	if err := checkSizes(doc.Groups, lists); err != nil {
		return nil, err
	}
	actors := map[string]bool{} // IDs that the document names
	if err := s.addGroups(doc.Groups, actors); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for t, list := range lists {
		for _, r := range list {
			if why := checkID(r.ID); why != "" {
				return nil, invalid.New("policy", "a rule's id: %s", why)
			}
			if ids[r.ID] {
				return nil, invalid.New("policy", "two rules with id %s", r.ID)
			}
			ids[r.ID] = true
			if err := s.addRule(tier(t), r, actors); err != nil {
				err.Reason = "rule " + r.ID + ": " + err.Reason
				return nil, err
			}
		}
	}
	for id := range actors {
		if s.groupNames[id] {
			return nil, invalid.New("policy", "%q names both an actor and a group", id)
		}
	}
	s.reads.order()
	s.doc = canonical(doc)
	text, err := encode(s.doc)
	if err != nil {
		return nil, err
	}
	s.text, s.digest = text, sha256.Sum256(text)
	return s, nil
}

// checkSizes refuses a document over a limit before any of it is looked at.
func checkSizes(groups []Group, lists [][]Rule) error {
	members, rules, pairs := 0, 0, 0
	for _, g := range groups {
		members += len(g.Members)
	}
	for _, list := range lists {
		rules += len(list)
		for _, r := range list {
			if n := max(len(r.Who), len(r.Do), len(r.On)); n > maxList {
				return invalid.TooLarge("policy", int64(n), maxList)
			}
			pairs += len(r.Who) * max(1, len(r.On))
		}
	}
	for _, size := range [][2]int{{len(groups), MaxGroups}, {members, maxMembers}, {rules, MaxRules}, {pairs, maxPairs}} {
		if size[0] > size[1] {
			return invalid.TooLarge("policy", int64(size[0]), int64(size[1]))
		}
	}
	return nil
}

// Encode returns the canonical JSON of the rules. Parse of it gives an equal
// set. The bytes are the caller's.
func (s *Set) Encode() []byte { return bytes.Clone(s.text) }

// Digest returns the SHA-256 of the canonical JSON: equal for two documents
// that differ only in order, repeats and spelling.
func (s *Set) Digest() [sha256.Size]byte {
	if s == nil {
		return [sha256.Size]byte{}
	}
	return s.digest
}

// Document returns a copy of the rules in canonical order, to change and hand
// to [New].
func (s *Set) Document() Document { return canonical(s.doc) }

func (s *Set) addGroups(groups []Group, actors map[string]bool) *invalid.Error {
	s.groupNames = make(map[string]bool, len(groups))
	names := make([]string, 0, len(groups))
	for _, g := range groups {
		if why := checkName(g.Name); why != "" {
			return invalid.New("policy", "name of a group: %s", why)
		}
		if s.groupNames[g.Name] {
			return invalid.New("policy", "two groups %q", g.Name)
		}
		s.groupNames[g.Name] = true
		names = append(names, g.Name)
	}
	s.groups.parents = map[subject][]string{}
	for _, g := range groups {
		for _, text := range sorted(g.Members) {
			m, why := parseSubject(text)
			switch {
			case why != "":
				return invalid.New("policy", "group %q: member %q: %s", g.Name, text, why)
			case m.isActor():
				actors[m.name] = true
			case m.kind != subGroup:
				return invalid.New("policy", "group %q: member %q is no actor or group", g.Name, text)
			case !s.groupNames[m.name]:
				return invalid.New("policy", "group %q: no group %q", g.Name, m.name)
			}
			s.groups.parents[m] = append(s.groups.parents[m], g.Name)
		}
	}
	s.groups.cyclic = findCycles(s.groups.parents, names)
	return nil
}

func (s *Set) addRule(t tier, r Rule, actors map[string]bool) *invalid.Error {
	made := &rule{id: r.ID}
	scoped := (t == tierPath || t == tierFloor) && len(r.On) > 0
	switch {
	case t == tierFloor && r.Effect != "":
		return invalid.New("policy", "a floor has no effect: it denies")
	case t != tierFloor && r.Effect != "allow" && r.Effect != "deny":
		return invalid.New("policy", "effect %q, want allow or deny", r.Effect)
	case r.Effect != "allow" && r.Until != nil:
		return invalid.New("policy", "only an allow may expire")
	case t == tierPath && !scoped:
		return invalid.New("policy", "a path rule names no pattern")
	case t > tierPath && len(r.On) > 0:
		return invalid.New("policy", "patterns belong to path rules and floors")
	case len(r.Who) == 0 || len(r.Do) == 0:
		return invalid.New("policy", "names no subject or no action")
	case r.Until != nil && (r.Until.UTC().Year() < 1970 || r.Until.UTC().Year() > 9999):
		return invalid.New("policy", "until is not in the years 1970 to 9999")
	}
	if r.Until != nil {
		made.until = r.Until.UTC().Round(0)
	}
	made.allow = r.Effect == "allow"
	for _, a := range r.Do {
		tr, known := a.traits()
		if !known {
			return invalid.New("policy", "unknown action %q", a)
		}
		if tr.whole && scoped {
			return invalid.New("policy", "action %s is of the whole brain and has no pattern", a)
		}
		made.actions |= tr.bit
	}
	who, err := s.subjects(t, r.Who, actors)
	if err != nil {
		return err
	}
	return s.place(t, made, who, r.On)
}

func (s *Set) subjects(t tier, list []string, actors map[string]bool) ([]subject, *invalid.Error) {
	var who []subject
	for _, text := range sorted(list) {
		sub, why := parseSubject(text)
		switch {
		case why != "":
			return nil, invalid.New("policy", "subject %q: %s", text, why)
		case !sub.fits(t):
			return nil, invalid.New("policy", "subject %q does not belong in this list", text)
		case sub.kind == subGroup && !s.groupNames[sub.name]:
			return nil, invalid.New("policy", "no group %q", sub.name)
		case sub.isActor():
			actors[sub.name] = true
		}
		who = append(who, sub)
	}
	return who, nil
}

// place puts a rule where Evaluate and Scope look for it.
func (s *Set) place(t tier, r *rule, who []subject, on []string) *invalid.Error {
	read, _ := Read.traits()
	patterns := map[string]uri.Pattern{}
	for _, text := range on {
		p, err := uri.ParsePattern(text)
		if err != nil {
			return invalid.New("policy", "pattern %q: %v", text, err)
		}
		patterns[p.String()] = p
	}
	for _, p := range patterns {
		index := &s.paths
		if t == tierFloor {
			index = &s.floors
		}
		index.at(p).add(who, r)
		if r.actions&read.bit != 0 {
			s.reads.add(p, who, r, t == tierFloor)
		}
	}
	switch {
	case t == tierFloor && len(patterns) == 0:
		s.everywhere.add(who, r)
	case t >= tierUser:
		s.tiers[t-tierUser].add(who, r)
	}
	return nil
}

func (t *table) add(who []subject, r *rule) {
	if *t == nil {
		*t = table{}
	}
	for _, sub := range who {
		(*t)[sub] = append((*t)[sub], r)
	}
}

// checkID says what is wrong with the id of a rule; "" if nothing. It leaves
// ":" to the ids of what is built in.
func checkID(id string) string {
	const legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	switch {
	case id == "":
		return "empty"
	case len(id) > 64:
		return "over 64 bytes"
	case strings.Trim(id, legal) != "":
		return "want letters, digits and . _ - only"
	}
	return ""
}
