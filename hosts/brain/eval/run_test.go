package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is a System that answers from a table and keeps its clock: every Add
// takes 10 ms per document, every Search as many µs as its limit.
type script struct {
	answers map[string][]string // hits by question, best first
	unsure  map[string]bool     // questions with the abstention flag
	now     time.Time
	added   []string
	batches []int
	asked   []Request
	fail    error
}

func (s *script) clock() time.Time { return s.now }

func (s *script) Add(_ context.Context, docs []Document) error {
	s.batches = append(s.batches, len(docs))
	for _, d := range docs {
		s.added = append(s.added, d.ID)
	}
	s.now = s.now.Add(time.Duration(len(docs)) * 10 * time.Millisecond)
	return s.fail
}

func (s *script) Search(_ context.Context, r Request) (Result, error) {
	s.asked = append(s.asked, r)
	s.now = s.now.Add(time.Duration(r.Limit) * time.Microsecond)
	return Result{Documents: first(s.answers[r.Text], r.Limit), Abstained: s.unsure[r.Text]}, s.fail
}

// sized is a script that tells its size.
type sized struct{ script }

func (s *sized) IndexSize(context.Context) (int64, int64, error) { return 1000, 8, nil }

func numbered(n int) []Document {
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = Document{ID: fmt.Sprint("d", i), Text: "text"}
	}
	return docs
}

func TestRun(t *testing.T) {
	d := &Dataset{Name: "set", Documents: append(numbered(5), Document{ID: "blank", Text: " \n"}),
		Queries: []Query{
			{ID: "1", Text: "one", Answerable: true, Category: "a"},
			{ID: "2", Text: "two", Answerable: true, Category: "b"},
			{ID: "3", Text: "unjudged", Answerable: true},
			{ID: "4", Text: "only zeros", Answerable: true},
			{ID: "5", Text: "rightly silent"},
			{ID: "6", Text: "wrongly answered"},
			{ID: "7", Text: "flagged"},
			{ID: "8", Text: "lost", Answerable: true, Category: "a"},
		},
		Grades: map[string]Grades{
			"1": {"d0": 1}, "2": {"d1": 2, "d2": 1}, "4": {"d0": 0}, "6": {"d3": 1}, "8": {"d4": 1},
		},
	}
	s := &sized{script{answers: map[string][]string{
		"one":              {"d0", "d0", "d1"},
		"two":              {"d3", "d3", "d2", "d3", "d1"},
		"wrongly answered": {"d3"},
		"flagged":          {"d3"},
	}, unsure: map[string]bool{"flagged": true}}}
	rep, err := Run(t.Context(), s, d, &Options{Batch: 2, Now: s.clock, Mode: Lexical})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{2, 2, 1}; !slices.Equal(s.batches, want) || slices.Contains(s.added, "blank") {
		t.Errorf("batches %v of %v, want %v and no blank document", s.batches, s.added, want)
	}
	near(t, "documents/s", rep.IngestRate, 100) // 10 ms each
	if rep.Queries != 3 || rep.Mode != Lexical || rep.Corpus.Unjudged != 2 || rep.Corpus.Blank != 1 || rep.Corpus.Documents != 5 {
		t.Errorf("%+v", rep)
	}
	// "two" ranks d3, d2, d1: DCG = 1·.63093 + 2·.5 = 1.63093; IDCG = 2 + .63093.
	near(t, "ndcg@10 of b", rep.ByCategory["b"].NDCG10, 1.63093/2.63093)
	near(t, "recall@2 of b", rep.ByCategory["b"].Recall2, .5) // d2 is on rank 2, not on hit 3
	near(t, "mrr@10", rep.MRR10, (1+.5+0)/3)
	near(t, "hit@1", rep.Hit1, 1./3)
	want := Abstention{Unanswerable: 3, Abstained: 2, FalseAnswers: 1, Share: 2. / 3, LostAnswerable: 1, LostShare: 1. / 3}
	if rep.Abstention != want {
		t.Errorf("%+v, want %+v", rep.Abstention, want)
	}
	if rep.P50 != 10 || rep.P99 != 10 {
		t.Errorf("p50 %d, p99 %d µs, want 10: the deepening was timed", rep.P50, rep.P99)
	}
	if rep.BytesPerChunk == nil || *rep.BytesPerChunk != 125 {
		t.Errorf("bytes per chunk %v, want 1000/8", rep.BytesPerChunk)
	}
	if o := rep.Outcomes[1]; o.ID != "2" || o.First != 2 || o.Documents != 3 {
		t.Errorf("%+v", o)
	}
	// 6 timed calls with limit 10, then the 3 ranked questions once with 100.
	var limits []int
	for _, r := range s.asked {
		limits = append(limits, r.Limit)
	}
	if want := []int{10, 10, 10, 10, 10, 10, 100, 100, 100}; !slices.Equal(limits, want) {
		t.Errorf("limits %v, want %v", limits, want)
	}
}

func TestRankDeepens(t *testing.T) {
	// chunks(n, m): n documents with m chunks each, document by document.
	chunks := func(n, m int) (out []string) {
		for i := range n {
			for range m {
				out = append(out, fmt.Sprint("d", i))
			}
		}
		return out
	}
	tests := []struct {
		name   string
		hits   []string
		max    int
		limits []int
		docs   int
	}{
		{"one chunk each", chunks(300, 1), 1000, []int{100}, 100},
		{"three chunks each", chunks(300, 3), 1000, []int{100, 200, 400}, 100},
		{"the system's limit", chunks(300, 50), 1000, []int{100, 200, 400, 800, 1000}, 20},
		{"no more hits", chunks(5, 30), 1000, []int{100, 200}, 5},
		{"exactly as many as asked for", chunks(50, 2), 1000, []int{100, 200}, 50},
		{"a small limit", chunks(300, 1), 30, []int{30}, 30},
		{"nothing", nil, 1000, []int{100}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &Dataset{Name: "set", Documents: numbered(300),
				Queries: []Query{{ID: "q", Text: "q", Answerable: true}}, Grades: map[string]Grades{"q": {"d0": 1}}}
			s := &script{answers: map[string][]string{"q": tt.hits}}
			rep, err := Measure(t.Context(), s, d, Ingested{}, &Options{MaxLimit: tt.max, Now: s.clock})
			if err != nil {
				t.Fatal(err)
			}
			var limits []int
			for _, r := range s.asked[1:] {
				limits = append(limits, r.Limit)
			}
			if !slices.Equal(limits, tt.limits) || rep.Outcomes[0].Documents != tt.docs {
				t.Errorf("limits %v and %d documents, want %v and %d", limits, rep.Outcomes[0].Documents, tt.limits, tt.docs)
			}
		})
	}
}

func TestMeasureRefusesBrokenAnswers(t *testing.T) {
	d := &Dataset{Name: "set", Documents: []Document{{ID: "in", Text: "t", Scope: "s"}, {ID: "out", Text: "t", Scope: "x"}},
		Queries: []Query{{ID: "q7", Text: "q", Answerable: true, Scope: "s"}}, Grades: map[string]Grades{"q7": {"in": 1}}}
	for hit, want := range map[string]string{"out": "outside scope", "nowhere": "not a document"} {
		s := &script{answers: map[string][]string{"q": {hit}}}
		_, err := Run(t.Context(), s, d, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"q7"`) {
			t.Errorf("hit %q: %v", hit, err)
		}
	}
	if _, err := Run(t.Context(), greedy{}, d, nil); err == nil || !strings.Contains(err.Error(), "for a limit of 10") {
		t.Errorf("too many hits: %v", err)
	}
}

type greedy struct{}

func (greedy) Add(context.Context, []Document) error { return nil }
func (greedy) Search(_ context.Context, r Request) (Result, error) {
	return Result{Documents: make([]string, r.Limit+1)}, nil
}

func TestErrorsOfTheSystem(t *testing.T) {
	d := &Dataset{Name: "set", Documents: numbered(2),
		Queries: []Query{{ID: "q7", Text: "q", Answerable: true}}, Grades: map[string]Grades{"q7": {"d0": 1}}}
	broken := errors.New("broken")
	s := &script{fail: broken}
	if _, err := Ingest(t.Context(), s, d, nil); !errors.Is(err, broken) || !strings.Contains(err.Error(), `"d0"`) {
		t.Errorf("add: %v", err)
	}
	if _, err := Measure(t.Context(), s, d, Ingested{}, nil); !errors.Is(err, broken) || !strings.Contains(err.Error(), `"q7"`) {
		t.Errorf("search: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ingest(gone, &script{}, d, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled ingest: %v", err)
	}
	if _, err := Measure(gone, &script{}, d, Ingested{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled measurement: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for field, o := range map[string]Options{
		"mode":      {Mode: "graph"},
		"k":         {K: -1},
		"batch":     {Batch: -1},
		"max limit": {MaxLimit: -1},
		"k:":        {K: 1001},
	} {
		if _, err := Run(t.Context(), &script{}, &Dataset{}, &o); !errors.Is(err, ErrOption) || !strings.HasPrefix(err.Error(), "bad option: "+field) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, m := range []Mode{Hybrid, Lexical, Vector} {
		if got, err := ParseMode(string(m)); err != nil || got != m {
			t.Errorf("%s: %v, %v", m, got, err)
		}
	}
	for _, m := range []string{"", "graph", "Hybrid", " hybrid"} {
		if _, err := ParseMode(m); !errors.Is(err, ErrOption) {
			t.Errorf("mode %q was taken", m)
		}
	}
	rep, err := Run(t.Context(), &script{}, &Dataset{Name: "empty"}, nil)
	if err != nil || (rep.Scores != Scores{}) || rep.IngestRate != 0 || rep.BytesPerChunk != nil {
		t.Errorf("empty dataset: %+v, %v", rep, err)
	}
}
