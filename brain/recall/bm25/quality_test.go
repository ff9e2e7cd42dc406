package bm25

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

// judged is one retrieval set: documents, queries with grades by document.
type judged struct {
	docs    []judgedDoc
	queries []judgedQuery
	grades  map[string]map[string]float64 // query id, document id
}

type judgedDoc struct {
	ID, Title, Text, Scope string
}

type judgedQuery struct {
	ID, Text, Scope string
	Answerable      *bool
}

func load(t testing.TB, set string) judged {
	t.Helper()
	dir := []string{"data", set}
	var j judged
	lines(t, testdata.Shared(t, append(dir, "corpus.jsonl")...), func(line []byte) {
		var d judgedDoc
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		j.docs = append(j.docs, d)
	})
	lines(t, testdata.Shared(t, append(dir, "queries.jsonl")...), func(line []byte) {
		var q judgedQuery
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		if q.Answerable == nil || *q.Answerable {
			j.queries = append(j.queries, q)
		}
	})
	j.grades = map[string]map[string]float64{}
	lines(t, testdata.Shared(t, append(dir, "qrels.tsv")...), func(line []byte) {
		f := strings.Split(string(line), "\t")
		if g, err := strconv.ParseFloat(f[2], 64); err == nil && g > 0 {
			if j.grades[f[0]] == nil {
				j.grades[f[0]] = map[string]float64{}
			}
			j.grades[f[0]][f[1]] = g
		}
	})
	return j
}

func lines(t testing.TB, path string, fn func([]byte)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if len(s.Bytes()) > 0 {
			fn(s.Bytes())
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

// build indexes the documents of j whole.
func build(t testing.TB, j judged, o *Options) *Index {
	t.Helper()
	ix, err := New(NewAnalyzer(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range j.docs {
		if err := ix.Add(uint32(i), ix.an.Terms(Doc{Title: d.Title, Body: d.Text})); err != nil {
			t.Fatal(err)
		}
	}
	return ix
}

// measure returns nDCG@10 with linear gain and recall@5, means over the judged
// queries, each searched in its scope.
func measure(ix *Index, j judged) (ndcg, recall float64) {
	scopes := map[string][]uint64{}
	for i, d := range j.docs {
		scopes[d.Scope] = setBit(scopes[d.Scope], uint32(i))
	}
	n := 0.0
	for _, q := range j.queries {
		grades := j.grades[q.ID]
		if len(grades) == 0 {
			continue
		}
		c := ix.Corpus(scopes[q.Scope])
		gain, found := 0.0, 0.0
		for i, h := range ix.Search(ix.Query(q.Text), c, c.Bits, 10) {
			g := grades[j.docs[h.Ord].ID]
			gain += g / math.Log2(float64(i+2))
			if g > 0 && i < 5 {
				found++
			}
		}
		var best []float64
		for _, g := range grades {
			best = append(best, g)
		}
		slices.Sort(best)
		slices.Reverse(best)
		ideal := 0.0
		for i, g := range best[:min(10, len(best))] {
			ideal += g / math.Log2(float64(i+2))
		}
		ndcg += gain / ideal
		recall += found / float64(len(grades))
		n++
	}
	return ndcg / n, recall / n
}

// Floors of the lexical leg on documents as one unit.
func TestQualityFloors(t *testing.T) {
	tests := []struct {
		set          string
		ndcg, recall float64
	}{
		{"ir/scifact", .693, 0},
		{"ir/cranfield", .355, 0},
		{"ir/med", .667, 0},
		{"ir/cisi", .365, 0},
		{"ir/adi", .485, 0},
		{"ir/bs25", .912, .915},
		{"conv/locomo", 0, .501},
	}
	for _, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			j := load(t, tt.set)
			ix := build(t, j, nil)
			ndcg, recall := measure(ix, j)
			t.Logf("nDCG@10 %.4f, recall@5 %.4f, %+v", ndcg, recall, ix.Stats())
			if ndcg < tt.ndcg || recall < tt.recall {
				t.Errorf("floors are %.3f and %.3f", tt.ndcg, tt.recall)
			}
		})
	}
}

// An engine that gave these queries to a query grammar with AND had no answer
// for 66 of 106. Five share no word with any document.
func TestQueriesAreNotEmpty(t *testing.T) {
	j := load(t, "ir/bs25")
	ix := build(t, j, nil)
	var empty []string
	for _, q := range j.queries {
		if len(find(ix, q.Text, 1)) == 0 {
			empty = append(empty, q.Text)
		}
	}
	if len(empty) > 5 {
		t.Errorf("%d queries have no hit: %q", len(empty), empty)
	}
}
