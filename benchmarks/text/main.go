// Text measures the lexical leg as the peer kit measures other engines: OR
// queries with and without a tag filter over a JSON-lines corpus, plain terms,
// BM25 with k1 = 1.2 and b = .75. It prints one JSON line per mode, with the
// peers' fields.
//
//	go run ./benchmarks/text -data CACHE/text docs180k scifact
//
// A data set T is T.jsonl, T.queries.jsonl and T.ref.jsonl: documents, queries
// with their tag, and the exact answers.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/seed70401ef0/brain-go/benchmarks/usage"
)

func main() {
	data := flag.String("data", "", "folder of the data sets")
	k := flag.Int("k", 10, "hits per query")
	reps := flag.Int("reps", 3, "best of this many repetitions")
	words := flag.Bool("words", false, "the analyser of brain in place of plain terms; agreement is then meaningless")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if err := run(config{dir: *data, k: *k, reps: *reps, words: *words, profile: *profile}, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type config struct {
	dir     string
	k, reps int
	words   bool
	profile string
}

func run(c config, sets []string) (err error) {
	stop, err := usage.Profile(c.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for _, set := range sets {
		if err := c.measure(set); err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
	}
	return nil
}
