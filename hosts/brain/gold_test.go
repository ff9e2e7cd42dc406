package main

import (
	"context"
	"testing"

	"github.com/seed70401ef0/brain-go/hosts/brain/demo"
	"github.com/seed70401ef0/brain-go/hosts/brain/eval"
)

// TestGoldFloors holds what the demo notes' judged questions measured at first,
// less .02. A floor may only rise.
func TestGoldFloors(t *testing.T) {
	set, err := eval.LoadNotes(demo.Notes(), demo.Gold(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		mode                         eval.Mode
		ndcg10, recall5, mrr10, hit1 float64
	}{
		{eval.Hybrid, .759, .788, .791, .692},
		{eval.Lexical, .725, .730, .762, .682},
		{eval.Vector, .605, .641, .640, .501},
	} {
		t.Run(string(f.mode), func(t *testing.T) {
			a := newApp(context.Background(), streams{}, func(string) string { return "" }, &globals{})
			r, err := a.measure(set, &eval.Options{Mode: f.mode, Batch: batchDocuments})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []struct {
				name       string
				got, floor float64
			}{
				{"nDCG@10", r.NDCG10, f.ndcg10}, {"recall@5", r.Recall5, f.recall5}, {"MRR@10", r.MRR10, f.mrr10}, {"hit@1", r.Hit1, f.hit1},
			} {
				t.Logf("%s %.3f, floor %.3f", m.name, m.got, m.floor)
				if m.got < m.floor {
					t.Errorf("%s is %.3f, below its floor of %.3f", m.name, m.got, m.floor)
				}
			}
		})
	}
}
