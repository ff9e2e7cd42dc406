package eval

import (
	"fmt"
	"strings"
)

// Asking says whose questions a combined dataset asks.
type Asking uint8

// The choices of Asking.
const (
	AskFirst Asking = iota // those of the first dataset
	AskAll                 // those of every dataset
)

// Combine puts the corpora of several datasets into one, to measure a brain that
// holds more than the questions are about. Ids and scopes get their dataset's
// name and a slash in front, so that they stay distinct; a question without a
// scope is asked over everything. One dataset alone is returned as it is. Names
// must be distinct and without a slash, else ErrOption. The sets are not changed.
func Combine(asking Asking, sets ...*Dataset) (*Dataset, error) {
	switch len(sets) {
	case 0:
		return nil, fmt.Errorf("%w: datasets: there is none", ErrOption)
	case 1:
		return sets[0], nil
	}
	out := &Dataset{Grades: map[string]Grades{}}
	names := make([]string, 0, len(sets))
	seen := map[string]bool{}
	for i, d := range sets {
		if d.Name == "" || strings.Contains(d.Name, "/") || seen[d.Name] {
			return nil, fmt.Errorf("%w: dataset name %q: must be distinct, not empty and without a slash", ErrOption, d.Name)
		}
		seen[d.Name] = true
		names = append(names, d.Name)
		out.addDocuments(d)
		if asking == AskAll || i == 0 {
			out.addQueries(d)
		}
	}
	if len(out.Documents) > MaxDocuments {
		return nil, fmt.Errorf("%w: documents: %d is over the limit of %d", ErrOption, len(out.Documents), MaxDocuments)
	}
	out.Name = strings.Join(names, "+")
	return out, nil
}

func (d *Dataset) addDocuments(from *Dataset) {
	for _, doc := range from.Documents {
		doc.ID = from.Name + "/" + doc.ID
		doc.Scope = prefixed(from.Name, doc.Scope)
		d.Documents = append(d.Documents, doc)
	}
}

func (d *Dataset) addQueries(from *Dataset) {
	for _, q := range from.Queries {
		grades := make(Grades, len(from.Grades[q.ID]))
		for doc, g := range from.Grades[q.ID] {
			grades[from.Name+"/"+doc] = g
		}
		q.ID = from.Name + "/" + q.ID
		q.Scope = prefixed(from.Name, q.Scope)
		d.Queries = append(d.Queries, q)
		d.Grades[q.ID] = grades
	}
	d.Tally = d.Tally.plus(from.Tally)
}

func prefixed(name, scope string) string {
	if scope == "" {
		return ""
	}
	return name + "/" + scope
}
