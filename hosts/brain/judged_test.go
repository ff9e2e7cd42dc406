package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed70401ef0/brain-go/hosts/brain/eval"
)

// TestJudgedFloors holds floors on public judged sets, which are not part of the
// module: it skips what is not in a folder named shared beside the checkout, and
// takes the large sets only with BRAIN_LONG=1. A floor may only rise.
func TestJudgedFloors(t *testing.T) {
	for _, f := range []struct {
		set    string
		large  bool
		mode   eval.Mode
		floors map[string]float64
	}{
		{"ir/bs25", false, eval.Hybrid, map[string]float64{"recall@5": .976, "MRR@10": .956, "nDCG@10": .958}},
		{"ir/adi", false, eval.Lexical, map[string]float64{"nDCG@10": .475}},
		{"ir/adi", false, eval.Hybrid, map[string]float64{"nDCG@10": .505}},
		{"ir/med", false, eval.Lexical, map[string]float64{"nDCG@10": .665}},
		{"ir/med", false, eval.Hybrid, map[string]float64{"nDCG@10": .710}},
		{"ir/cranfield", true, eval.Lexical, map[string]float64{"nDCG@10": .350}},
		{"ir/cranfield", true, eval.Hybrid, map[string]float64{"nDCG@10": .385}},
		{"ir/cisi", true, eval.Lexical, map[string]float64{"nDCG@10": .355}},
		{"ir/cisi", true, eval.Hybrid, map[string]float64{"nDCG@10": .390}},
		{"ir/scifact", true, eval.Lexical, map[string]float64{"nDCG@10": .675}},
		{"ir/scifact", true, eval.Hybrid, map[string]float64{"nDCG@10": .685}},
		{"conv/locomo", true, eval.Hybrid, map[string]float64{"recall@5": .530, "recall@10": .60}},
		{"multihop/musique200", true, eval.Hybrid, map[string]float64{"recall@5": .478}},
	} {
		t.Run(f.set+" "+string(f.mode), func(t *testing.T) {
			if f.large && os.Getenv("BRAIN_LONG") != "1" {
				t.Skip("a large set: BRAIN_LONG=1 runs it")
			}
			dir := filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(f.set))
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("the judged set %s is not beside this checkout", f.set)
			}
			set, err := eval.Load(os.DirFS(dir), f.set)
			if err != nil {
				t.Fatal(err)
			}
			a := newApp(context.Background(), streams{}, func(string) string { return "" }, &globals{})
			r, err := a.measure(set, &eval.Options{Mode: f.mode, Batch: batchDocuments})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{"nDCG@10": r.NDCG10, "recall@5": r.Recall5, "recall@10": r.Recall10, "MRR@10": r.MRR10}
			for name, floor := range f.floors {
				t.Logf("%s %.4f, floor %.3f", name, got[name], floor)
				if got[name] < floor {
					t.Errorf("%s is %.4f, below its floor of %.3f", name, got[name], floor)
				}
			}
		})
	}
}
