package main

import (
	"context"
	"iter"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/hosts/brain/input"
)

// A batch is one commit with one sync.
const (
	batchDocuments = 100
	batchBytes     = 24 << 20 // well below what one commit takes
)

// adder stores what input reads, a batch at a time. A document that the library
// finds invalid is left out alone; any other error stops it.
type adder struct {
	ctx     context.Context
	session *brain.Session
	bar     *progress
	total   int64 // bytes to read, for the bar
	tell    func(place, what string)

	batch  []input.Item
	size   int
	taken  int   // documents handed over so far
	done   int64 // bytes of input behind them
	report addReport
}

// addReport says what became of the input.
type addReport struct {
	Created  int          `json:"created"`
	Updated  int          `json:"updated"`
	Repeated int          `json:"repeated"` // same bytes as before
	Held     int          `json:"held"`     // wait for review because of what the screen found
	Skipped  int          `json:"skipped"`
	Failed   int          `json:"failed"`
	Problems []addProblem `json:"problems,omitempty"`
	Head     audit.Head   `json:"head,omitzero"` // of the log after the last commit
}

// addProblem is an input that was not stored as a document.
type addProblem struct {
	Place    string `json:"place"`
	Reason   string `json:"reason"`
	Skipped  bool   `json:"skipped,omitempty"`
	Proposal uint64 `json:"proposal,omitempty"` // that it waits in
}

// maxProblems bounds the list in the report; the counts go on.
const maxProblems = 1000

// all stores everything that items yields.
func (ad *adder) all(items iter.Seq2[input.Item, *input.Problem]) error {
	for item, problem := range items {
		if err := ad.ctx.Err(); err != nil {
			return err
		}
		if problem != nil {
			ad.done += problem.Bytes
			ad.problem(addProblem{Place: problem.Place, Reason: problem.Err.Error(), Skipped: problem.Skipped})
			continue
		}
		ad.batch = append(ad.batch, item)
		ad.size += len(item.Draft.Body)
		if len(ad.batch) == batchDocuments || ad.size >= batchBytes {
			if err := ad.flush(); err != nil {
				return err
			}
		}
	}
	return ad.flush()
}

func (ad *adder) flush() error {
	err := ad.put(ad.batch)
	for _, item := range ad.batch {
		ad.done += item.Bytes
	}
	ad.taken += len(ad.batch)
	ad.bar.move(ad.taken, ad.done, ad.total)
	ad.batch, ad.size = ad.batch[:0], 0
	return err
}

// put stores items in one commit. When one of them is invalid it halves them
// until that one stands alone.
func (ad *adder) put(items []input.Item) error {
	if len(items) == 0 {
		return nil
	}
	drafts := make([]brain.Draft, len(items))
	for i, item := range items {
		drafts[i] = item.Draft
	}
	receipts, err := ad.session.Put(ad.ctx, drafts...)
	switch {
	case err == nil:
		ad.count(items, receipts)
		return nil
	case !aboutOne(err):
		return err
	case len(items) == 1:
		ad.problem(addProblem{Place: items[0].Place, Reason: err.Error()})
		return nil
	}
	half := len(items) / 2
	if err := ad.put(items[:half]); err != nil {
		return err
	}
	return ad.put(items[half:])
}

// aboutOne reports an error of one document, which says nothing about others.
func aboutOne(err error) bool {
	code := brain.Code(err)
	return code == brain.Invalid || code == brain.Conflict
}

func (ad *adder) count(items []input.Item, receipts []brain.Receipt) {
	for i, r := range receipts {
		ad.report.Head = r.Head
		switch r.Outcome {
		case brain.Created:
			ad.report.Created++
		case brain.Updated:
			ad.report.Updated++
		case brain.Repeated:
			ad.report.Repeated++
		case brain.Held:
			ad.report.Held++
			ad.list(addProblem{Place: items[i].Place, Reason: "waits for review: it holds hidden characters", Proposal: r.Proposal})
		}
		for _, w := range r.Warnings {
			ad.tell(items[i].Place, "stored; "+w)
		}
	}
}

// problem counts and lists an input that was not stored.
func (ad *adder) problem(p addProblem) {
	if p.Skipped {
		ad.report.Skipped++
	} else {
		ad.report.Failed++
	}
	ad.list(p)
}

func (ad *adder) list(p addProblem) {
	what := p.Reason
	if p.Skipped {
		what = "skipped: " + what
	}
	ad.tell(p.Place, what)
	if len(ad.report.Problems) < maxProblems {
		ad.report.Problems = append(ad.report.Problems, p)
	}
}

// stored returns how many documents are in the brain now because of this run or
// were there before.
func (r addReport) stored() int { return r.Created + r.Updated + r.Repeated }

// print writes the report for people.
func (r addReport) print(p *page) {
	p.printf("%s: %d new, %d changed, %d unchanged", plural(r.stored(), "document", "documents"), r.Created, r.Updated, r.Repeated)
	for _, c := range []struct {
		n    int
		what string
	}{{r.Held, "held for review"}, {r.Skipped, "skipped"}, {r.Failed, "failed"}} {
		if c.n > 0 {
			p.printf(", %d %s", c.n, c.what)
		}
	}
	p.line("")
	if r.Held > 0 {
		p.line("Next: brain review")
	}
}
