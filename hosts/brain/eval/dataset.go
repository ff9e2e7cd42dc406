package eval

// Caps of what a dataset may hold. Load refuses more with a *DataError that
// names the limit. The sizes in bytes of one document and one question are those
// that a brain takes.
const (
	MaxDocuments  = 2_000_000
	MaxQueries    = 100_000
	MaxJudgements = 5_000_000
	MaxCorpus     = 1 << 30  // bytes of all titles and texts together
	MaxText       = 16 << 20 // bytes of one document
	MaxQueryText  = 64 << 10 // bytes of one question
	MaxID         = 1024     // bytes of an id, a category or a scope
	MaxLine       = 32 << 20 // bytes of a line, escapes included
	MaxGrade      = 100      // grades lie in -MaxGrade … MaxGrade
)

// Document is one unit of the corpus: what goes in, and what a rank names.
type Document struct {
	ID        string // unique in the dataset
	Title     string // empty where the text brings its own, as notes do
	Text      string
	Scope     string // the part of the corpus it belongs to, empty for none
	MediaType string // "text/markdown" for a note, empty where the source does not say
}

// blank reports whether there is nothing in d that a search could find.
func (d *Document) blank() bool { return isBlank(d.Title) && isBlank(d.Text) }

// Query is one question.
type Query struct {
	ID         string // unique in the dataset
	Text       string // never blank
	Category   string // empty for none
	Scope      string // search only documents of this scope; empty for all
	Answerable bool   // false when no document answers it; true where the source does not say
}

// Grades are the judgements of one question: grade by document id. A document is
// relevant when its grade is above 0; a missing one has grade 0.
type Grades map[string]int

// relevant returns the number of relevant documents.
func (g Grades) relevant() int {
	n := 0
	for _, grade := range g {
		if grade > 0 {
			n++
		}
	}
	return n
}

// Dataset is a corpus with its questions and judgements. It is read-only after
// Load or Combine and then safe for concurrent use.
type Dataset struct {
	Name      string
	Documents []Document
	Queries   []Query
	Grades    map[string]Grades // by query id; unknown queries are left out
	Tally     Tally
}

// Tally counts what Load read and what it found odd but not wrong.
type Tally struct {
	Judgements       int // lines of qrels.tsv
	Repeated         int // of these: the same query, document and grade again, dropped
	UnknownQueries   int // of these: the query is not in queries.jsonl, dropped
	UnknownDocuments int // of these: the document is not in the corpus, kept in denominators
}

func (t Tally) plus(u Tally) Tally {
	return Tally{
		Judgements:       t.Judgements + u.Judgements,
		Repeated:         t.Repeated + u.Repeated,
		UnknownQueries:   t.UnknownQueries + u.UnknownQueries,
		UnknownDocuments: t.UnknownDocuments + u.UnknownDocuments,
	}
}

// asked returns the questions that are ranked and those that are unanswerable,
// in the order of the dataset, and how many are neither.
func (d *Dataset) asked() (ranked, unanswerable []Query, unjudged int) {
	for _, q := range d.Queries {
		switch {
		case !q.Answerable:
			unanswerable = append(unanswerable, q)
		case d.Grades[q.ID].relevant() > 0:
			ranked = append(ranked, q)
		default:
			unjudged++
		}
	}
	return ranked, unanswerable, unjudged
}
