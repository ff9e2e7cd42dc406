package eval

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// WriteTable writes the report for people: one line of figures for all ranked
// questions and one per category, then latency, ingest, size, abstention, and
// what did not count.
func (r *Report) WriteTable(w io.Writer) error {
	var b bytes.Buffer // whose writes do not fail
	fmt.Fprintf(&b, "%s, %s, %d documents\n\n", r.Dataset, r.Mode, r.Corpus.Documents)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tqueries\tndcg@10\tr@1\tr@2\tr@5\tr@10\tr@20\tr@100\tmrr@10\thit@1\t\n")
	row(t, "all", r.Scores)
	for _, name := range slices.Sorted(maps.Keys(r.ByCategory)) {
		row(t, name, r.ByCategory[name])
	}
	_ = t.Flush() // into b
	fmt.Fprintf(&b, "\nlatency     p50 %d µs, p95 %d µs, p99 %d µs\n", r.P50, r.P95, r.P99)
	fmt.Fprintf(&b, "ingest      %.0f documents/s\n", r.IngestRate)
	if r.BytesPerChunk != nil {
		fmt.Fprintf(&b, "index       %.0f bytes/chunk\n", *r.BytesPerChunk)
	}
	if a := r.Abstention; a.Unanswerable > 0 {
		fmt.Fprintf(&b, "abstention  %d of %d unanswerable (%.0f %%), the other %d answered all the same\n",
			a.Abstained, a.Unanswerable, 100*a.Share, a.FalseAnswers)
	}
	if a := r.Abstention; a.LostAnswerable > 0 {
		fmt.Fprintf(&b, "unanswered  %d of %d answerable (%.0f %%)\n", a.LostAnswerable, r.Queries, 100*a.LostShare)
	}
	r.Corpus.write(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func row(w io.Writer, name string, s Scores) {
	fmt.Fprintf(w, "%s\t%d\t", name, s.Queries)
	for _, f := range s.figures() {
		fmt.Fprintf(w, "%.3f\t", *f)
	}
	fmt.Fprintln(w)
}

// write names what did not count; nothing when all did.
func (c Corpus) write(w io.Writer) {
	for _, n := range []struct {
		n    int
		what string
	}{
		{c.Unjudged, "queries without a relevant document, not asked"},
		{c.Blank, "documents without title and text, not added"},
		{c.Tally.UnknownQueries, "judgements of unknown queries, dropped"},
		{c.Tally.UnknownDocuments, "judgements of unknown documents, kept in denominators"},
		{c.Tally.Repeated, "repeated judgements, dropped"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, "not counted %d %s\n", n.n, n.what)
		}
	}
}

// WriteOutcomes writes one line per ranked question: the rank of its first
// relevant document ("-" for none), nDCG@10, recall@10, its category and id. For
// sets too small for a mean to say much.
func (r *Report) WriteOutcomes(w io.Writer) error {
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "first\tndcg@10\tr@10\tcategory\tquery\n")
	for _, o := range r.Outcomes {
		rank := "-"
		if o.First > 0 {
			rank = fmt.Sprint(o.First)
		}
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%s\t%s\n", rank, o.Scores.NDCG10, o.Scores.Recall10, o.Category, o.ID)
	}
	_ = t.Flush() // into b
	_, err := w.Write(b.Bytes())
	return err
}
