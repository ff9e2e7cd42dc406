package eval

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func sample() *Report {
	per := 812.5
	all := []Outcome{
		{ID: "q1", Category: "exact", Scores: ScoresOf([]string{"d"}, Grades{"d": 1}), First: 1},
		{ID: "q2", Category: "dated", Scores: ScoresOf([]string{"x"}, Grades{"d": 1})},
	}
	return &Report{Dataset: "set", Mode: Hybrid, Scores: meanOf(all), P50: 90, P95: 200, P99: 1500,
		IngestRate: 1234.56, BytesPerChunk: &per, ByCategory: byCategory(all), Outcomes: all,
		Abstention: abstentionOf(4, 3, 2, 1),
		Corpus:     Corpus{Documents: 7, Unjudged: 1, Tally: Tally{UnknownDocuments: 2}}}
}

func TestReportJSON(t *testing.T) {
	got, err := json.Marshal(sample())
	if err != nil {
		t.Fatal(err)
	}
	scores := func(n, v string) string {
		return `"queries":` + n + `,"ndcg@10":` + v + `,"recall@1":` + v + `,"recall@2":` + v + `,"recall@5":` + v +
			`,"recall@10":` + v + `,"recall@20":` + v + `,"recall@100":` + v + `,"mrr@10":` + v + `,"hit@1":` + v
	}
	want := `{"dataset":"set","mode":"hybrid",` + scores("2", "0.5") +
		`,"p50_us":90,"p95_us":200,"p99_us":1500,"ingest_docs_s":1234.56,"bytes_per_chunk":812.5` +
		`,"by_category":{"dated":{` + scores("1", "0") + `},"exact":{` + scores("1", "1") + `}}` +
		`,"abstention":{"unanswerable":4,"abstained":3,"false_answers":1,"share":0.75,"lost_answerable":1,"lost_share":0.5}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back Report
	if err := json.Unmarshal(got, &back); err != nil || back.Scores != sample().Scores || back.P99 != 1500 {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if got, err := json.Marshal(&Report{}); err != nil || !strings.Contains(string(got), `"bytes_per_chunk":null`) {
		t.Errorf("unknown size: %s, %v", got, err)
	}
}

func TestWriteTable(t *testing.T) {
	var b strings.Builder
	if err := sample().WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	want := `set, hybrid, 7 documents

         queries  ndcg@10    r@1    r@2    r@5   r@10   r@20  r@100  mrr@10  hit@1
    all        2    0.500  0.500  0.500  0.500  0.500  0.500  0.500   0.500  0.500
  dated        1    0.000  0.000  0.000  0.000  0.000  0.000  0.000   0.000  0.000
  exact        1    1.000  1.000  1.000  1.000  1.000  1.000  1.000   1.000  1.000

latency     p50 90 µs, p95 200 µs, p99 1500 µs
ingest      1235 documents/s
index       812 bytes/chunk
abstention  3 of 4 unanswerable (75 %), the other 1 answered all the same
unanswered  1 of 2 answerable (50 %)
not counted 1 queries without a relevant document, not asked
not counted 2 judgements of unknown documents, kept in denominators
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := sample().WriteTable(full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

func TestWriteOutcomes(t *testing.T) {
	var b strings.Builder
	if err := sample().WriteOutcomes(&b); err != nil {
		t.Fatal(err)
	}
	want := `first  ndcg@10  r@10   category  query
1      1.000    1.000  exact     q1
-      0.000    0.000  dated     q2
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
