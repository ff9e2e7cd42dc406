package eval

// Report is the result of one measurement in one mode. As JSON it has the keys
// of the tags and no others, in this order; a figure that a system does not give
// is null.
type Report struct {
	Dataset string `json:"dataset"`
	Mode    Mode   `json:"mode"`
	Scores         // means over the ranked questions
	// Latency of one call with limit K, one at a time, in microseconds, over the
	// ranked and the unanswerable questions; see Percentile.
	P50           int64             `json:"p50_us"`
	P95           int64             `json:"p95_us"`
	P99           int64             `json:"p99_us"`
	IngestRate    float64           `json:"ingest_docs_s"`   // documents per second inside Add
	BytesPerChunk *float64          `json:"bytes_per_chunk"` // nil when the system is no Sizer or empty
	ByCategory    map[string]Scores `json:"by_category"`     // questions without a category are in none
	Abstention    Abstention        `json:"abstention"`
	Outcomes      []Outcome         `json:"-"` // per ranked question, in the order of the dataset
	Corpus        Corpus            `json:"-"`
}

// Abstention says how well the system knows what it cannot answer. A question
// counts as abstained when its timed call had no hits or the system said so.
type Abstention struct {
	Unanswerable   int     `json:"unanswerable"`    // questions that no document answers
	Abstained      int     `json:"abstained"`       // of these: rightly not answered
	FalseAnswers   int     `json:"false_answers"`   // of these: answered all the same
	Share          float64 `json:"share"`           // Abstained / Unanswerable, 0 when there are none
	LostAnswerable int     `json:"lost_answerable"` // ranked questions that were not answered
	LostShare      float64 `json:"lost_share"`      // LostAnswerable / ranked questions, 0 when there are none
}

func abstentionOf(unanswerable, right, ranked, lost int) Abstention {
	return Abstention{
		Unanswerable:   unanswerable,
		Abstained:      right,
		FalseAnswers:   unanswerable - right,
		Share:          share(right, unanswerable),
		LostAnswerable: lost,
		LostShare:      share(lost, ranked),
	}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Outcome is one ranked question.
type Outcome struct {
	ID, Category string
	Scores       Scores
	First        int // rank of the first relevant document, from 1; 0 when none was found
	Documents    int // how many documents were ranked, at most Depth
}

func outcomeOf(q Query, docs []string, g Grades) Outcome {
	return Outcome{ID: q.ID, Category: q.Category, Scores: ScoresOf(docs, g),
		First: firstRelevant(docs, g), Documents: len(docs)}
}

// Corpus says what was measured on, and what of it did not count.
type Corpus struct {
	Documents int // put in
	Blank     int // left out, see Ingested
	Unjudged  int // answerable questions without a relevant document, not asked
	Tally     Tally
}
