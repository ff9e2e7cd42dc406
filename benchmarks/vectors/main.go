// Command vectors measures recall and speed of the graph index of package hnsw on
// a set of vectors with known answers, and prints one JSON object per width of
// the search.
//
//	vectors [flags] PREFIX
//
// reads PREFIX.base.fvecs and PREFIX.query.fvecs (per row a little-endian int32
// dimension, then that many float32) and PREFIX.gt.ivecs (per query an int32
// count, then the row numbers of its exact nearest by dot product).
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/benchmarks/usage"
)

type config struct {
	prefix, dataset string
	m, efc, workers int
	rescore         bool
	reps            int
	seconds, share  float64
	index, profile  string
	widths          []int
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var c config
	f := flag.NewFlagSet("vectors", flag.ContinueOnError)
	f.StringVar(&c.dataset, "dataset", "", "name in the result lines (default the prefix's last element)")
	f.IntVar(&c.m, "m", 16, "links per node")
	f.IntVar(&c.efc, "efc", 200, "width of the search while building")
	f.IntVar(&c.workers, "workers", 2, "goroutines that build")
	f.IntVar(&c.reps, "reps", 3, "repetitions, the best counts")
	f.Func("ef", "widths to measure, separated by commas (default 10 to 1280, up to recall .99)", func(s string) error {
		for _, x := range strings.Split(s, ",") {
			n, err := strconv.Atoi(x)
			if err != nil {
				return err
			}
			c.widths = append(c.widths, n)
		}
		return nil
	})
	f.Float64Var(&c.seconds, "seconds", .25, "least duration of a repetition")
	f.StringVar(&c.index, "index", "", "file to keep the built graph in; one that is there is loaded")
	f.StringVar(&c.profile, "cpuprofile", "", "file for a processor profile of building and searching")
	f.BoolVar(&c.rescore, "rescore", false, "score the best candidates again with a second int8 plane")
	f.Float64Var(&c.share, "share", 1, "share of the ordinals that a filter lets through")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return fmt.Errorf("want one PREFIX, got %d arguments", f.NArg())
	}
	c.prefix = f.Arg(0)
	if c.dataset == "" {
		c.dataset = filepath.Base(c.prefix)
	}
	set, err := load(c.prefix)
	if err != nil {
		return err
	}
	return measure(c, set, json.NewEncoder(out))
}

// sweep returns the values of ef that are measured when none are named, in this
// order, until the recall is .99 or grows no more.
func sweep() []int {
	return []int{10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280}
}

func measure(c config, set *set, out *json.Encoder) (err error) {
	n := len(set.base)
	before := usage.HeapMiB()
	vecs, err := quantise(set.base, c.rescore)
	if err != nil {
		return err
	}
	queries, err := quantiseQueries(set.queries, c.rescore)
	if err != nil {
		return err
	}
	stop, err := usage.Profile(c.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	built, err := graph(c, vecs)
	if err != nil {
		return err
	}
	memory := usage.HeapMiB() - before
	planes := vecs.Len() * (vecs.Dim() + 8)
	if vecs.Low != nil {
		planes *= 2
	}
	match, truth := filter(c, set, vecs.Len())

	view, last := built.view, 0.0
	widths := c.widths
	if widths == nil {
		widths = sweep()
	}
	for _, ef := range widths {
		s := newSearcher(view, vecs, queries, match, ef)
		recall, stats, err := s.recall(truth)
		if err != nil {
			return err
		}
		r := s.rates(c.reps, c.seconds)
		err = out.Encode(result{
			Peer: "brain-hnsw" + suffix(c), Task: "vectors", Dataset: c.dataset,
			Params:  map[string]any{"M": c.m, "efc": c.efc, "ef": ef, "n": n, "dim": vecs.Dim(), "compared": stats.Compared / len(queries), "plan": stats.Plan.String(), "share": c.share},
			Recall:  round(recall),
			QPS1:    round(r.one),
			QPS2:    round(r.two),
			QPSCPU:  round(r.cpu),
			P50:     round(r.p50),
			P99:     round(r.p99),
			Build:   round(built.wall),
			BuildC:  round(built.cpu),
			RSS:     round(memory),
			Size:    round(float64(built.size+planes) / (1 << 20)),
			Threads: c.workers, Version: runtime.Version(), Date: time.Now().UTC().Format(time.DateOnly),
		})
		if err != nil {
			return err
		}
		if c.widths == nil && (recall >= .99 || ef >= 320 && recall-last < .002) {
			break
		}
		last = recall
	}
	return nil
}

func suffix(c config) string {
	s := "-i8"
	if c.rescore {
		s = "-i8r"
	}
	if c.share < 1 {
		s += "-f" + strconv.FormatFloat(c.share, 'g', -1, 64)
	}
	return s
}
