package policy

import (
	"slices"
	"strings"
	"time"
)

// oracle answers a request straight from the text of the package comment, by
// trying everything. It shares no code with the implementation, works on the
// document as written, and assumes that New accepts it.
type oracle struct{ doc Document }

func (o oracle) allows(a Actor, act Action, name, proposer string, now time.Time) bool {
	switch {
	case a.ID == "", a.Kind.String() == "", name == "" && act != "policy" && act != "audit",
		slices.ContainsFunc(o.doc.Groups, func(g Group) bool { return g.Name == a.ID }),
		a.Kind == Agent && slices.Contains([]Action{"review", "approve", "reject", "release", "policy"}, act),
		(act == "approve" || act == "reject") && (proposer == "" || proposer == a.ID):
		return false
	}
	for _, f := range o.doc.Floors {
		if o.holds(f, a, act, now) && (len(f.On) == 0 || len(o.matching(f.On, name)) > 0) {
			return false
		}
	}
	// Path rules: keep the rules whose best pattern is not beaten by another's.
	best, at := "", []Rule(nil)
	for _, r := range o.doc.Paths {
		if !o.holds(r, a, act, now) {
			continue
		}
		for _, p := range o.matching(r.On, name) {
			switch c := compareOracle(p, best); {
			case best == "" || c > 0:
				best, at = p, []Rule{r}
			case c == 0:
				at = append(at, r)
			}
		}
	}
	for _, tier := range [][]Rule{at, o.doc.Users, o.doc.Roles, o.doc.Defaults} {
		allow := false
		for _, r := range tier {
			if o.holds(r, a, act, now) {
				if r.Effect == "deny" {
					return false
				}
				allow = true
			}
		}
		if allow {
			return true
		}
	}
	return false
}

func (o oracle) holds(r Rule, a Actor, act Action, now time.Time) bool {
	expired := r.Until != nil && (now.IsZero() || !now.Before(*r.Until))
	if expired || !slices.Contains(r.Do, act) {
		return false
	}
	for _, who := range r.Who {
		word, name, _ := strings.Cut(who, ":")
		switch {
		case who == "any", who == a.Kind.String()+":"+a.ID, who == "kind:"+a.Kind.String(),
			word == "role" && slices.Contains(a.Roles, name),
			word == "group" && slices.Contains(o.groupsOf(a, r.Effect == "allow"), name):
			return true
		}
	}
	return false
}

// groupsOf climbs one level of groups at a time: 16 levels of groups that do
// not contain themselves for a grant, as many as there are groups for a denial.
func (o oracle) groupsOf(a Actor, grant bool) []string {
	var all []string
	level := []string{a.Kind.String() + ":" + a.ID}
	for n := range o.doc.Groups {
		if grant && n == 16 {
			break
		}
		var up []string
		for _, g := range o.doc.Groups {
			listed := slices.ContainsFunc(level, func(m string) bool { return slices.Contains(g.Members, m) })
			if listed && !(grant && o.reaches(g.Name, g.Name, nil)) {
				up = append(up, "group:"+g.Name)
				all = append(all, g.Name)
			}
		}
		level = up
	}
	return all
}

// reaches reports whether group to contains group from, at any depth.
func (o oracle) reaches(from, to string, seen []string) bool {
	for _, g := range o.doc.Groups {
		if slices.Contains(g.Members, "group:"+from) && !slices.Contains(seen, g.Name) {
			if g.Name == to || o.reaches(g.Name, to, append(seen, g.Name)) {
				return true
			}
		}
	}
	return false
}

func (o oracle) matching(patterns []string, name string) (hits []string) {
	for _, p := range patterns {
		if matchOracle(strings.Split(p, "/"), strings.Split(name, "/")) {
			hits = append(hits, p)
		}
	}
	return hits
}

func matchOracle(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return true
	case len(name) == 0:
		return false
	}
	return (pattern[0] == "*" || pattern[0] == name[0]) && matchOracle(pattern[1:], name[1:])
}

// compareOracle orders two patterns that match one name: literal, then *, then
// the end, then **, from the left.
func compareOracle(p, q string) int {
	rank := func(s string, i int) int {
		switch append(strings.Split(s, "/"), "end")[i] {
		case "**":
			return 0
		case "end":
			return 1
		case "*":
			return 2
		}
		return 3
	}
	i := 0
	for rank(p, i) == rank(q, i) && rank(p, i) > 1 {
		i++
	}
	return rank(p, i) - rank(q, i)
}
