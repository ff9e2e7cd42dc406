package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
)

// items yields n documents; those in bad have a kind that is refused.
func items(n int, bad ...int) iter.Seq2[input.Item, *input.Problem] {
	return func(yield func(input.Item, *input.Problem) bool) {
		for i := range n {
			d := brain.Draft{URI: uri.MustParse(fmt.Sprintf("s://d%d", i)), Body: []byte("x")}
			if slices.Contains(bad, i) {
				d.Kind = "NOT A KIND"
			}
			if !yield(input.Item{Place: fmt.Sprintf("place %d", i), Draft: d}, nil) {
				return
			}
		}
	}
}

func newAdder(t *testing.T, o *brain.Options) (*adder, *brain.DB) {
	t.Helper()
	db, err := brain.Open(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &adder{ctx: t.Context(), session: db.As(brain.Person("ana", "owner")), bar: &progress{}, tell: func(string, string) {}}, db
}

func TestAdderCommitsBatches(t *testing.T) {
	ad, db := newAdder(t, nil)
	before := db.Metrics().Store.Groups
	if err := ad.all(items(250)); err != nil {
		t.Fatal(err)
	}
	if got := db.Metrics().Store.Groups - before; got != 3 {
		t.Errorf("250 documents in %d commits, want 3", got)
	}
	if ad.report.Created != 250 || ad.report.Failed != 0 {
		t.Errorf("report %+v", ad.report)
	}
}

func TestAdderLeavesOutBadDocumentsAlone(t *testing.T) {
	ad, _ := newAdder(t, nil)
	if err := ad.all(items(130, 0, 57, 99, 100, 129)); err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, p := range ad.report.Problems {
		places = append(places, p.Place)
	}
	want := []string{"place 0", "place 57", "place 99", "place 100", "place 129"}
	if ad.report.Created != 125 || ad.report.Failed != 5 || !slices.Equal(places, want) {
		t.Errorf("created %d, failed %d at %q", ad.report.Created, ad.report.Failed, places)
	}
	if ad.report.Problems[0].Reason == "" {
		t.Error("a problem without a reason")
	}
}

func TestAdderStopsWhenRefused(t *testing.T) {
	ad, db := newAdder(t, nil)
	ad.session = db.As(brain.Agent("bot"))
	if err := ad.all(items(300)); brain.Code(err) != brain.Denied {
		t.Errorf("error %v, want denied", err)
	}
	if ad.taken > batchDocuments {
		t.Errorf("went on to %d documents after a refusal", ad.taken)
	}

	ad, _ = newAdder(t, &brain.Options{DailyBytes: 150})
	if err := ad.all(items(300)); brain.Code(err) != brain.Quota {
		t.Errorf("error %v, want quota", err)
	}
	if ad.report.Created != 100 {
		t.Errorf("%d documents before the quota, want the first batch", ad.report.Created)
	}
}

func TestAdderStopsWhenCancelled(t *testing.T) {
	ad, _ := newAdder(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ad.ctx = ctx
	seen := 0
	err := ad.all(func(yield func(input.Item, *input.Problem) bool) {
		for item, problem := range items(1000) {
			if seen++; seen == 150 {
				cancel()
			}
			if !yield(item, problem) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) || ad.report.Created != 100 || seen != 150 {
		t.Errorf("error %v after %d documents, %d stored", err, seen, ad.report.Created)
	}
}
