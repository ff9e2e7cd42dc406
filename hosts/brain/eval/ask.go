package eval

import (
	"context"
	"fmt"
	"time"
)

// Depth is the number of documents that a ranking is deepened to.
const Depth = 100

// run is one measurement in progress.
type run struct {
	sys   System
	opt   Options
	scope map[string]string // by id, of every document of the corpus
}

// time asks each question once with the limit of a user and fills in latency and
// abstention.
func (r *run) time(ctx context.Context, rep *Report, ranked, unanswerable []Query) error {
	elapsed := make([]time.Duration, 0, len(ranked)+len(unanswerable))
	ask := func(queries []Query) (abstained int, err error) {
		for _, q := range queries {
			res, took, err := r.search(ctx, q, r.opt.K)
			if err != nil {
				return 0, err
			}
			elapsed = append(elapsed, took)
			if res.abstained() {
				abstained++
			}
		}
		return abstained, nil
	}
	lost, err := ask(ranked)
	if err != nil {
		return err
	}
	right, err := ask(unanswerable)
	if err != nil {
		return err
	}
	rep.Abstention = abstentionOf(len(unanswerable), right, len(ranked), lost)
	rep.P50 = Percentile(elapsed, 50).Microseconds()
	rep.P95 = Percentile(elapsed, 95).Microseconds()
	rep.P99 = Percentile(elapsed, 99).Microseconds()
	return nil
}

// rank returns the documents that answer q, best chunk first, each once, at most
// Depth of them. It asks for twice as many hits each time until there are enough
// documents, no more hits, or the system's limit is reached: a document of many
// chunks can fill a short list alone.
func (r *run) rank(ctx context.Context, q Query) ([]string, error) {
	for limit := min(Depth, r.opt.MaxLimit); ; limit = min(2*limit, r.opt.MaxLimit) {
		res, _, err := r.search(ctx, q, limit)
		if err != nil {
			return nil, err
		}
		docs := distinct(res.Documents)
		if len(docs) >= Depth || len(res.Documents) < limit || limit == r.opt.MaxLimit {
			return first(docs, Depth), nil
		}
	}
}

func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// search asks once and returns how long the system alone took.
func (r *run) search(ctx context.Context, q Query, limit int) (Result, time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, 0, err
	}
	req := Request{Text: q.Text, Scope: q.Scope, Limit: limit, Mode: r.opt.Mode}
	start := r.opt.Now()
	res, err := r.sys.Search(ctx, req)
	took := r.opt.Now().Sub(start)
	if err == nil {
		err = r.check(q, limit, res)
	}
	if err != nil {
		return Result{}, 0, fmt.Errorf("query %q: %w", q.ID, err)
	}
	return res, took, nil
}

// check refuses an answer that the contract of System rules out: figures made
// from it would mean nothing.
func (r *run) check(q Query, limit int, res Result) error {
	if len(res.Documents) > limit {
		return fmt.Errorf("%d hits for a limit of %d", len(res.Documents), limit)
	}
	for _, id := range res.Documents {
		scope, ok := r.scope[id]
		switch {
		case !ok:
			return fmt.Errorf("hit %q is not a document of the corpus", id)
		case q.Scope != "" && scope != q.Scope:
			return fmt.Errorf("hit %q is outside scope %q", id, q.Scope)
		}
	}
	return nil
}
