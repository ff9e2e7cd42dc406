package embed

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/race"
	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// lines decodes each line of a JSON-lines file.
func lines[T any](t testing.TB, name string) (out []T) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// TestScifactFloor: the int8 way from text to ranking reaches the published
// nDCG@10 of the model's float vectors on scifact, 0.533, but for rounding.
func TestScifactFloor(t *testing.T) {
	type doc struct{ ID, Title, Text string }
	if race.Enabled {
		t.Skip("one goroutine and a minute of work under the race detector")
	}
	dir := testdata.Shared(t, "data", "ir", "scifact")
	s := Default()
	flat, err := vek.NewFlat(s.Dim())
	if err != nil {
		t.Fatal(err)
	}
	docs := lines[doc](t, dir+"/corpus.jsonl")
	for _, d := range docs {
		q, _, _ := s.Quantized(d.Title + ". " + d.Text)
		if _, err := flat.Append(q); err != nil {
			t.Fatal(err)
		}
	}
	judged := map[string]map[string]float64{}
	qrels, err := os.ReadFile(dir + "/qrels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(qrels)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[len(f)-1] == "0" || strings.Contains(f[len(f)-1], "score") {
			continue
		}
		if judged[f[0]] == nil {
			judged[f[0]] = map[string]float64{}
		}
		judged[f[0]][f[len(f)-2]] = 1
	}
	all := make([]uint64, (len(docs)+63)/64)
	for i := range all {
		all[i] = math.MaxUint64
	}
	sum, n := 0.0, 0
	for _, query := range lines[doc](t, dir+"/queries.jsonl") {
		relevant := judged[query.ID]
		if len(relevant) == 0 {
			continue
		}
		q, _, _ := s.Quantized(query.Text)
		hits, err := flat.View().Search(q, all, 10)
		if err != nil {
			t.Fatal(err)
		}
		var dcg, ideal float64
		for i, h := range hits {
			dcg += relevant[docs[h.Ord].ID] / math.Log2(float64(i+2))
		}
		for i := range min(10, len(relevant)) {
			ideal += 1 / math.Log2(float64(i+2))
		}
		sum, n = sum+dcg/ideal, n+1
	}
	got := sum / float64(n)
	t.Logf("nDCG@10 %.4f over %d queries, %d documents", got, n, len(docs))
	if n != 300 || got < .530 {
		t.Errorf("nDCG@10 %.4f over %d queries, want at least .530 over 300", got, n)
	}
}
