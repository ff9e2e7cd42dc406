package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/brain/uri"
)

// maker draws small documents and requests over a tiny alphabet, so that rules
// meet. The same seed draws the same.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

var epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func pick[T any](m maker, list ...T) T { return list[m.IntN(len(list))] }

func some[T any](m maker, draw func() T) []T {
	out := make([]T, 1+m.IntN(2))
	for i := range out {
		out[i] = draw()
	}
	return out
}

func (m maker) actor() Actor {
	a := Actor{ID: pick(m, "al", "bo", "cy"), Kind: pick(m, Person, Person, Agent, System)}
	for _, r := range []string{"r", "s"} {
		if m.IntN(3) == 0 {
			a.Roles = append(a.Roles, r)
		}
	}
	switch m.IntN(40) {
	case 0:
		return Actor{}
	case 1:
		a.ID = "g1" // a group's name
	}
	return a
}

func (m maker) path(leaves ...string) string {
	segs := make([]string, 1+m.IntN(3))
	for i := range segs {
		segs[i] = pick(m, append(leaves, "a", "a", "b")...)
	}
	return pick(m, "w", "w", "w", "x") + "://" + strings.Join(segs, "/")
}

func (m maker) pattern() string {
	s := m.path("*")
	switch m.IntN(4) {
	case 0:
		return s[:4] + "**"
	case 1:
		return s + "/**"
	}
	return s
}

func (m maker) name() uri.URI {
	if m.IntN(30) == 0 {
		return uri.URI{}
	}
	return uri.MustParse(m.path())
}

func (m maker) action() Action {
	if m.IntN(2) == 0 {
		return Read
	}
	return pick(m, Actions()...)
}

func (m maker) moment() time.Time {
	if m.IntN(20) == 0 {
		return time.Time{}
	}
	return epoch.Add(time.Duration(m.IntN(5)) * time.Hour)
}

// document draws rules of every tier, and groups that nest, also too deep and
// in circles.
func (m maker) document() Document {
	doc := Document{Version: 1}
	groups := m.IntN(5)
	if m.IntN(8) == 0 {
		groups = 15 + m.IntN(5)
	}
	for i := range groups {
		g := Group{Name: fmt.Sprintf("g%d", i)}
		for range m.IntN(3) {
			g.Members = append(g.Members, pick(m, "person:al", "person:bo", "agent:al", "system:cy"))
		}
		if i > 0 && m.IntN(10) > 0 {
			g.Members = append(g.Members, fmt.Sprintf("group:g%d", i-1))
		}
		if m.IntN(12) == 0 {
			g.Members = append(g.Members, fmt.Sprintf("group:g%d", m.IntN(groups)))
		}
		doc.Groups = append(doc.Groups, g)
	}
	user := func() string {
		if groups > 0 && m.IntN(2) == 0 {
			if m.IntN(3) == 0 {
				return fmt.Sprintf("group:g%d", groups-1)
			}
			return fmt.Sprintf("group:g%d", m.IntN(groups))
		}
		return pick(m, "person:al", "person:bo", "agent:al", "system:cy")
	}
	role := func() string { return pick(m, "role:r", "role:s") }
	base := func() string { return pick(m, "kind:person", "kind:agent", "kind:system", "any") }
	anyone := func() string { return pick(m, user, role, base)() }
	n := 0
	rule := func(who func() string) Rule {
		n++
		r := Rule{ID: fmt.Sprintf("n%d", n), Effect: pick(m, "allow", "allow", "deny"), Who: some(m, who), Do: some(m, m.action)}
		if r.Effect == "allow" && m.IntN(3) == 0 {
			until := epoch.Add(time.Duration(m.IntN(5)) * time.Hour)
			r.Until = &until
		}
		return r
	}
	scoped := func(who func() string) Rule {
		r := rule(who)
		r.On = some(m, m.pattern)
		for i, a := range r.Do {
			if a == ChangePolicy || a == Audit {
				r.Do[i] = Read
			}
		}
		return r
	}
	for range m.IntN(6) {
		doc.Paths = append(doc.Paths, scoped(anyone))
	}
	for range m.IntN(2) {
		f := scoped(anyone)
		if m.IntN(6) == 0 {
			f.On = nil
		}
		f.Effect, f.Until = "", nil
		doc.Floors = append(doc.Floors, f)
	}
	for range m.IntN(3) {
		doc.Users = append(doc.Users, rule(user))
	}
	for range m.IntN(3) {
		doc.Roles = append(doc.Roles, rule(role))
	}
	for range m.IntN(3) {
		doc.Defaults = append(doc.Defaults, rule(base))
	}
	return doc
}
