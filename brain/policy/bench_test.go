package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/uri"
)

// large returns a policy of n path rules over two sources: folders for teams,
// documents for people, private corners by star, all of reading.
func large(b *testing.B, n int) (*Set, []Actor, []uri.URI) {
	b.Helper()
	m := newMaker(11)
	doc := Default().Document()
	for g := range 100 {
		members := []string{fmt.Sprintf("group:team%d", (g+1)%100/10*10)}
		for i := range 20 {
			members = append(members, fmt.Sprintf("person:p%d", g*20+i))
		}
		if g%10 == 0 {
			members = members[1:]
		}
		doc.Groups = append(doc.Groups, Group{fmt.Sprintf("team%d", g), members})
	}
	for i := range n {
		r := Rule{ID: fmt.Sprint("r", i), Effect: pick(m, "allow", "allow", "deny"), Do: []Action{Read, Write}}
		team := m.IntN(100)
		switch i % 4 {
		case 0:
			r.Who, r.On = []string{fmt.Sprintf("group:team%d", team)}, []string{fmt.Sprintf("brain://team%d/area%d/**", team, m.IntN(50))}
		case 1:
			r.Who, r.On = []string{fmt.Sprintf("person:p%d", m.IntN(2000))}, []string{fmt.Sprintf("brain://team%d/area%d/doc%d", team, m.IntN(50), m.IntN(50))}
		case 2:
			r.Who, r.On = []string{"any"}, []string{fmt.Sprintf("notes://*/area%d/*/x%d/**", m.IntN(50), m.IntN(50))}
		default:
			r.Who, r.On = []string{"kind:person"}, []string{fmt.Sprintf("notes://team%d/*/doc%d", team, m.IntN(50))}
		}
		doc.Paths = append(doc.Paths, r)
	}
	s := mustNew(b, doc)
	actors, names := make([]Actor, 512), make([]uri.URI, 512)
	for i := range names {
		actors[i] = Actor{ID: fmt.Sprintf("p%d", m.IntN(2000)), Kind: Person, Roles: []string{"reader"}}
		names[i] = uri.MustParse(fmt.Sprintf("%s://team%d/area%d/doc%d/x%d/y", pick(m, "brain", "notes"), m.IntN(100), m.IntN(50), m.IntN(50), m.IntN(50)))
	}
	return s, actors, names
}

// percentile reports the 99th percentile of single calls beside the mean.
func percentile(b *testing.B, call func(i int)) {
	const sample = 20_000
	took := make([]time.Duration, sample)
	for i := range took {
		start := time.Now()
		call(i)
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	i := 0
	for b.Loop() {
		call(i)
		i++
	}
	b.ReportMetric(float64(took[sample*99/100].Nanoseconds()), "p99-ns")
}

func BenchmarkEvaluate10000(b *testing.B) {
	s, actors, names := large(b, 10_000)
	b.ReportAllocs()
	percentile(b, func(i int) { s.Evaluate(actors[i&511], Read, names[i*7&511], epoch) })
}

func BenchmarkScopeAllows10000(b *testing.B) {
	s, actors, names := large(b, 10_000)
	sc := s.Scope(actors[0], epoch)
	b.ReportAllocs()
	percentile(b, func(i int) { sc.Allows(names[i&511]) })
}

func BenchmarkScope10000(b *testing.B) {
	s, actors, _ := large(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		s.Scope(actors[0], epoch)
	}
}

func BenchmarkNew10000(b *testing.B) {
	s, _, _ := large(b, 10_000)
	text := s.Encode()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
