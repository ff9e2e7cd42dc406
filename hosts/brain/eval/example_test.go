package eval_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing/fstest"

	"github.com/seed70401ef0/brain-go/hosts/brain/eval"
)

// words finds the documents that share a word with the question.
type words struct{ docs []eval.Document }

func (w *words) Add(_ context.Context, docs []eval.Document) error {
	w.docs = append(w.docs, docs...)
	return nil
}

func (w *words) Search(_ context.Context, r eval.Request) (eval.Result, error) {
	var res eval.Result
	for _, d := range w.docs {
		for _, word := range strings.Fields(r.Text) {
			if strings.Contains(d.Text, word) && len(res.Documents) < r.Limit {
				res.Documents = append(res.Documents, d.ID)
			}
		}
	}
	return res, nil
}

func ExampleRun() {
	files := fstest.MapFS{ // os.DirFS of a folder in real life
		"corpus.jsonl": {Data: []byte(`{"id":"tide","text":"the tide is twenty centimetres"}
{"id":"wind","text":"no lifting above twelve metres per second"}`)},
		"queries.jsonl": {Data: []byte(`{"id":"1","text":"lifting limit"}
{"id":"2","text":"ferry timetable","answerable":false}`)},
		"qrels.tsv": {Data: []byte("1\twind\t2\n")},
	}
	data, err := eval.Load(files, "harbour")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	rep, err := eval.Run(context.Background(), &words{}, data, &eval.Options{Mode: eval.Lexical})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Printf("%d ranked, nDCG@10 %.2f, recall@5 %.2f\n", rep.Queries, rep.NDCG10, rep.Recall5)
	fmt.Printf("abstained on %d of %d\n", rep.Abstention.Abstained, rep.Abstention.Unanswerable)
	// Output:
	// 1 ranked, nDCG@10 1.00, recall@5 1.00
	// abstained on 1 of 1
}
