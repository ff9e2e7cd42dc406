// Command scale measures a whole brain as it grows: governed ingest (chunk,
// embed, index, audit, one sync per batch), governed recall on one thread, the
// time to open it again and the memory it takes. Documents come from a seed, so
// it needs no data.
//
//	go run ./benchmarks/scale -chunks 10000
//
// It prints one JSON line. Times are wall clock; cpu figures are of this process
// and hold on a busy machine too.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/seed70401ef0/brain-go/benchmarks/synth"
	"github.com/seed70401ef0/brain-go/benchmarks/usage"
	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// line is the result. Times are microseconds unless the name says otherwise.
type line struct {
	Task        string  `json:"task"`
	Chunks      int     `json:"chunks"`
	Batch       int     `json:"batch"`
	IngestDocsS float64 `json:"ingest_docs_s"`
	IngestCPU   float64 `json:"ingest_cpu_us_per_doc"`
	P50         int64   `json:"p50_us"`
	P95         int64   `json:"p95_us"`
	P99         int64   `json:"p99_us"`
	RecallCPU   float64 `json:"recall_cpu_us"`
	OpenMS      int64   `json:"open_ms"`
	RSSMiB      float64 `json:"rss_mib"`
	BytesChunk  float64 `json:"index_bytes_per_chunk"`
	DiskMiB     float64 `json:"disk_mib"`
	Machine     string  `json:"machine"`
	Threads     int     `json:"threads"`
	Seed        uint64  `json:"seed"`
}

func run() error {
	chunks := flag.Int("chunks", 10_000, "documents to store, of one chunk each")
	batch := flag.Int("batch", 100, "documents of one commit")
	queries := flag.Int("queries", 500, "questions to time")
	seed := flag.Uint64("seed", 42, "seed of the corpus")
	k := flag.Int("k", 5, "hits of a question")
	profile := flag.String("cpuprofile", "", "file for a CPU profile of the questions")
	ingestProfile := flag.String("ingestprofile", "", "file for a CPU profile of the ingest")
	flag.Parse()
	dir, err := os.MkdirTemp("", "brain-scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := line{Task: "scale", Chunks: *chunks, Batch: *batch, Machine: usage.Machine(), Threads: runtime.GOMAXPROCS(0), Seed: *seed}
	ctx, corpus := context.Background(), synth.New(*seed)
	if err := ingest(ctx, dir, corpus, &out, *ingestProfile); err != nil {
		return err
	}
	start := time.Now()
	db, err := brain.Open(ctx, dir, &brain.Options{BallastBytes: -1})
	if err != nil {
		return err
	}
	defer db.Close()
	out.OpenMS = time.Since(start).Milliseconds()
	if err := ask(ctx, db, corpus, *queries, *k, &out, *profile); err != nil {
		return err
	}
	stats, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	out.Chunks = stats.Index.Chunks
	out.BytesChunk = float64(stats.Index.Bytes) / float64(max(stats.Index.Chunks, 1))
	out.DiskMiB = float64(stats.Store.PrimaryBytes+stats.Store.DerivedBytes) / (1 << 20)
	debug.FreeOSMemory()
	out.RSSMiB = usage.RSSMiB()
	return json.NewEncoder(os.Stdout).Encode(out)
}

func ingest(ctx context.Context, dir string, corpus *synth.Corpus, out *line, profile string) error {
	db, err := brain.Open(ctx, dir, &brain.Options{BallastBytes: -1, DailyBytes: -1})
	if err != nil {
		return err
	}
	stop, err := usage.Profile(profile)
	if err != nil {
		return err
	}
	s, total := db.As(brain.Person("bench", "owner")), out.Chunks
	var made time.Duration // making the texts is not ingest
	var madeCPU float64
	start, cpu := time.Now(), usage.CPUSeconds()
	for done := 0; done < total; done += out.Batch {
		t, c := time.Now(), usage.CPUSeconds()
		drafts := make([]brain.Draft, min(out.Batch, total-done))
		for i := range drafts {
			d := corpus.Next()
			u, err := uri.Parse("brain://bench/" + d.Name)
			if err != nil {
				return err
			}
			drafts[i] = brain.Draft{URI: u, Title: d.Title, Body: []byte(d.Text)}
		}
		made += time.Since(t)
		madeCPU += usage.CPUSeconds() - c
		if _, err := s.Put(ctx, drafts...); err != nil {
			return err
		}
	}
	out.IngestDocsS = float64(total) / (time.Since(start) - made).Seconds()
	out.IngestCPU = (usage.CPUSeconds() - cpu - madeCPU) * 1e6 / float64(total)
	return errors.Join(stop(), db.Close())
}

func ask(ctx context.Context, db *brain.DB, corpus *synth.Corpus, n, k int, out *line, profile string) error {
	s := db.As(brain.Agent("bench"))
	times := make([]time.Duration, 0, n)
	questions := make([]string, n)
	for i := range questions {
		questions[i] = corpus.Question()
	}
	for _, q := range questions[:min(20, n)] { // warm
		if _, err := s.Recall(ctx, brain.Query{Text: q, Limit: k}); err != nil {
			return err
		}
	}
	stop, err := usage.Profile(profile)
	if err != nil {
		return err
	}
	cpu := usage.CPUSeconds()
	for _, q := range questions {
		start := time.Now()
		if _, err := s.Recall(ctx, brain.Query{Text: q, Limit: k}); err != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	if err := stop(); err != nil {
		return err
	}
	out.RecallCPU = (usage.CPUSeconds() - cpu) * 1e6 / float64(n)
	slices.Sort(times)
	at := func(p int) int64 { return times[min(n-1, n*p/100)].Microseconds() }
	out.P50, out.P95, out.P99 = at(50), at(95), at(99)
	return nil
}
