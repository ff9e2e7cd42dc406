package eval

import (
	"context"
	"fmt"
	"time"
)

// Options say how to measure. The zero value is ready to use; nil means it.
type Options struct {
	Mode     Mode             // legs that answer; default Hybrid
	K        int              // limit of the timed call, in hits; default 10
	Batch    int              // documents per call of Add; default 100
	MaxLimit int              // the largest limit the system takes, in hits; default 1,000
	Now      func() time.Time // clock; default time.Now
}

// filled returns a copy of o with the defaults in place.
func (o *Options) filled() (Options, error) {
	var f Options
	if o != nil {
		f = *o
	}
	if f.Mode == "" {
		f.Mode = Hybrid
	}
	if _, err := ParseMode(string(f.Mode)); err != nil {
		return f, err
	}
	if f.Now == nil {
		f.Now = time.Now
	}
	for _, n := range []struct {
		name     string
		v        *int
		fallback int
	}{{"k", &f.K, 10}, {"batch", &f.Batch, 100}, {"max limit", &f.MaxLimit, 1000}} {
		switch {
		case *n.v < 0:
			return f, fmt.Errorf("%w: %s: %d is negative", ErrOption, n.name, *n.v)
		case *n.v == 0:
			*n.v = n.fallback
		}
	}
	if f.K > f.MaxLimit {
		return f, fmt.Errorf("%w: k: %d is over the limit of %d", ErrOption, f.K, f.MaxLimit)
	}
	return f, nil
}

// Run puts the corpus of d into sys, asks its questions and returns what came
// out: Ingest, then Measure.
func Run(ctx context.Context, sys System, d *Dataset, o *Options) (*Report, error) {
	in, err := Ingest(ctx, sys, d, o)
	if err != nil {
		return nil, err
	}
	return Measure(ctx, sys, d, in, o)
}

// Ingested is what putting the corpus in took.
type Ingested struct {
	Documents int           // put in
	Blank     int           // left out: neither title nor text, so nothing could find them
	Elapsed   time.Duration // inside Add
}

// Rate returns documents per second, 0 when nothing was measured.
func (in Ingested) Rate() float64 {
	if in.Elapsed <= 0 {
		return 0
	}
	return float64(in.Documents) / in.Elapsed.Seconds()
}

// Ingest puts the corpus of d into sys in its order, in batches, and times the
// calls of Add. It stops at the first error.
func Ingest(ctx context.Context, sys System, d *Dataset, o *Options) (Ingested, error) {
	opt, err := o.filled()
	if err != nil {
		return Ingested{}, err
	}
	var in Ingested
	docs := make([]Document, 0, len(d.Documents))
	for i := range d.Documents {
		if d.Documents[i].blank() {
			in.Blank++
			continue
		}
		docs = append(docs, d.Documents[i])
	}
	for len(docs) > 0 {
		if err := ctx.Err(); err != nil {
			return in, err
		}
		batch := first(docs, opt.Batch)
		start := opt.Now()
		if err := sys.Add(ctx, batch); err != nil {
			return in, fmt.Errorf("add documents %q to %q: %w", batch[0].ID, batch[len(batch)-1].ID, err)
		}
		in.Elapsed += opt.Now().Sub(start)
		in.Documents += len(batch)
		docs = docs[len(batch):]
	}
	return in, nil
}

// Measure asks sys, which holds the corpus of d, every question that counts: all
// of them once for latency and abstention, then the ranked ones again for their
// ranks. in is what Ingest returned. Several modes of one system are several
// calls of Measure.
func Measure(ctx context.Context, sys System, d *Dataset, in Ingested, o *Options) (*Report, error) {
	opt, err := o.filled()
	if err != nil {
		return nil, err
	}
	ranked, unanswerable, unjudged := d.asked()
	r := &run{sys: sys, opt: opt, scope: make(map[string]string, len(d.Documents))}
	for i := range d.Documents {
		r.scope[d.Documents[i].ID] = d.Documents[i].Scope
	}
	rep := &Report{Dataset: d.Name, Mode: opt.Mode, IngestRate: in.Rate(),
		Corpus: Corpus{Documents: in.Documents, Blank: in.Blank, Unjudged: unjudged, Tally: d.Tally}}
	if err := r.time(ctx, rep, ranked, unanswerable); err != nil {
		return nil, err
	}
	for _, q := range ranked {
		docs, err := r.rank(ctx, q)
		if err != nil {
			return nil, err
		}
		rep.Outcomes = append(rep.Outcomes, outcomeOf(q, docs, d.Grades[q.ID]))
	}
	rep.Scores = meanOf(rep.Outcomes)
	rep.ByCategory = byCategory(rep.Outcomes)
	if s, ok := sys.(Sizer); ok {
		bytes, chunks, err := s.IndexSize(ctx)
		if err != nil {
			return nil, fmt.Errorf("index size: %w", err)
		}
		if chunks > 0 {
			per := float64(bytes) / float64(chunks)
			rep.BytesPerChunk = &per
		}
	}
	return rep, nil
}
