package main

import (
	"fmt"
	"testing"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/hosts/brain/eval"
)

// A question of a scope is asked by somebody for whom the other scopes do not
// exist: they count in no statistic.
func TestScopesAreRightsAndNotFilters(t *testing.T) {
	set := &eval.Dataset{Name: "set"}
	for i := range 30 {
		set.Documents = append(set.Documents, eval.Document{
			ID: fmt.Sprint(i), Text: "lantern on the quay", Scope: []string{"a b", "b", ""}[i%3],
		})
	}
	rules, err := scopeRules(set)
	if err != nil {
		t.Fatal(err)
	}
	db, err := brain.Open(t.Context(), t.TempDir(), &brain.Options{Policy: rules})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := newSubject(db, set)
	if err := s.Add(t.Context(), set.Documents); err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]int{"a b": 10, "b": 10, "": 30} {
		res, err := s.Search(t.Context(), eval.Request{Text: "lantern", Scope: scope, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Documents) != want {
			t.Errorf("scope %q: %d documents, want %d", scope, len(res.Documents), want)
		}
	}
	res, err := db.As(readerOf(s.scope["b"])).Recall(t.Context(), brain.Query{Text: "lantern"})
	if err != nil || res.Stats.Corpus != 10 {
		t.Errorf("statistics are of %d chunks, want 10 (%v)", res.Stats.Corpus, err)
	}
	if _, chunks, err := s.IndexSize(t.Context()); err != nil || chunks != 30 {
		t.Errorf("index of %d chunks, %v", chunks, err)
	}
}

func TestDocumentThatIsNotStoredFailsTheMeasurement(t *testing.T) {
	db, err := brain.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	set := &eval.Dataset{Documents: []eval.Document{{ID: "x", Text: "hidden \u202e text"}}}
	if err := newSubject(db, set).Add(t.Context(), set.Documents); err == nil {
		t.Error("a document that waits for review is measured as if it were there")
	}
}
