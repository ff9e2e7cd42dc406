package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed70401ef0/brain-go/benchmarks/usage"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
)

// line is a result line of the peer kit.
type line struct {
	Peer      string         `json:"peer"`
	Task      string         `json:"task"`
	Dataset   string         `json:"dataset"`
	Params    map[string]any `json:"params"`
	Agreement float64        `json:"recall_at_10"`
	rates
	BuildS    float64 `json:"build_s"`
	BuildCPU  float64 `json:"build_cpu_s"`
	DocsPerS  float64 `json:"docs_per_s"`
	RSSMiB    float64 `json:"rss_mib"`
	SizeMiB   float64 `json:"size_mib"`
	Threads   int     `json:"threads"`
	Hits      int     `json:"hits"`
	OpenS     float64 `json:"open_s"`
	GoVersion string  `json:"version"`
}

// measure builds one data set and queries it in both modes.
func (c config) measure(set string) error {
	path := filepath.Join(c.dir, set)
	docs, err := read[doc](path + ".jsonl")
	if err != nil {
		return err
	}
	queries, err := read[doc](path + ".queries.jsonl")
	if err != nil {
		return err
	}
	ref, err := read[answer](path + ".ref.jsonl")
	if err != nil {
		return err
	}
	for i := range queries {
		queries[i].Text = distinct(queries[i].Text)
	}
	before := usage.HeapMiB()
	start, cpu := time.Now(), usage.CPUSeconds()
	ix, err := c.build(docs)
	if err != nil {
		return err
	}
	l := line{
		Peer: "brain", Task: "text", Dataset: set, Threads: 2, GoVersion: runtime.Version(),
		BuildS: time.Since(start).Seconds(), BuildCPU: usage.CPUSeconds() - cpu,
	}
	l.DocsPerS = float64(len(docs)) / l.BuildS
	l.RSSMiB = usage.HeapMiB() - before
	if l.SizeMiB, l.OpenS, err = c.reopen(ix); err != nil {
		return err
	}
	tags := map[string][]uint64{}
	all := make([]uint64, (len(docs)+63)/64)
	for i, d := range docs {
		if tags[d.Tag] == nil {
			tags[d.Tag] = make([]uint64, len(all))
		}
		tags[d.Tag][i>>6] |= 1 << (i & 63)
		all[i>>6] |= 1 << (i & 63)
	}
	n := len(docs)
	docs = nil // their text is no part of what is measured
	corpus := ix.Corpus(all)
	for _, mode := range []string{"or", "filter"} {
		want := make([][][2]float64, len(ref))
		filters := make([][]uint64, len(queries))
		for i, q := range queries {
			want[i], filters[i] = ref[i].All, all
			if mode == "filter" {
				want[i], filters[i] = ref[i].Tag, tags[q.Tag]
			}
		}
		l.Params = map[string]any{"mode": mode, "segments": ix.Stats().Segments, "n": n, "k": c.k}
		got := make([][]int, len(queries))
		l.Hits = 0
		for i, q := range queries {
			for _, h := range ix.Search(ix.Query(q.Text), corpus, filters[i], c.k) {
				got[i] = append(got[i], int(h.Ord))
			}
			l.Hits += len(got[i])
		}
		l.Agreement = agreement(got, want)
		l.rates = measureRates(len(queries), c.reps, func(i int) {
			ix.Search(ix.Query(queries[i].Text), corpus, filters[i], c.k)
		})
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		fmt.Println(string(b))
	}
	return nil
}

// distinct leaves out repeated words, as the peers' queries do.
func distinct(text string) string {
	words := strings.Fields(text)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

func (c config) empty() (*bm25.Index, error) {
	o := &bm25.Options{K1: 1.2, B: .75, Weights: [bm25.Fields]float64{1, 1, 1}}
	if c.words {
		return bm25.New(bm25.NewAnalyzer(), o)
	}
	return bm25.New(bm25.NewPlainAnalyzer(), o)
}

// batch is how many documents are analysed and added together.
const batch = 1000

// build analyses on one goroutine, and adds and makes segments on another.
func (c config) build(docs []doc) (*bm25.Index, error) {
	ix, err := c.empty()
	if err != nil {
		return nil, err
	}
	ready := make(chan []bm25.Terms, 8)
	go func() {
		defer close(ready)
		an := ix.Analyzer()
		for part := range slices.Chunk(docs, batch) {
			terms := make([]bm25.Terms, len(part))
			for i, d := range part {
				terms[i] = an.Terms(bm25.Doc{Body: d.Text})
			}
			ready <- terms
		}
	}()
	for terms := range ready {
		for _, t := range terms {
			if err := ix.Add(uint32(ix.Docs()), t); err != nil {
				return nil, err
			}
		}
	}
	for task := ix.Plan(); task != nil; task = ix.Plan() {
		s, err := task.Run(context.Background())
		if err == nil {
			err = ix.Install(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return ix, nil
}

// reopen stores all documents in a folder, reads them again, and returns the
// size of what was stored and the time of reading it.
func (c config) reopen(ix *bm25.Index) (mib, seconds float64, err error) {
	dir, err := os.MkdirTemp("", "text")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	segments := ix.Segments()
	if task := ix.Tail(); task != nil {
		s, err := task.Run(context.Background())
		if err != nil {
			return 0, 0, err
		}
		segments = append(segments, s)
	}
	for _, s := range segments {
		mib += float64(len(s.Bytes())) / (1 << 20)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(s.First())), s.Bytes(), 0o600); err != nil {
			return 0, 0, err
		}
	}
	start := time.Now()
	again, err := c.empty()
	if err != nil {
		return 0, 0, err
	}
	for _, s := range segments {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(s.First())))
		if err != nil {
			return 0, 0, err
		}
		s, err := bm25.Decode(data)
		if err == nil {
			err = again.Append(s)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return mib, time.Since(start).Seconds(), nil
}
