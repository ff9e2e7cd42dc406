package main

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed70401ef0/brain-go/benchmarks/usage"
	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// depth is how many hits are asked for and judged.
const depth = 10

// result is one line of output.
type result struct {
	Peer    string         `json:"peer"`
	Task    string         `json:"task"`
	Dataset string         `json:"dataset"`
	Params  map[string]any `json:"params"`
	Recall  float64        `json:"recall_at_10"`
	QPS1    float64        `json:"qps_1t"`  // by the wall clock, one goroutine
	QPS2    float64        `json:"qps_2t"`  // two goroutines
	QPSCPU  float64        `json:"qps_cpu"` // per second of processor time, one goroutine
	P50     float64        `json:"p50_us"`
	P99     float64        `json:"p99_us"`
	Build   float64        `json:"build_s"`
	BuildC  float64        `json:"build_cpu_s"`
	RSS     float64        `json:"rss_mib"` // heap of the index and its vectors
	Size    float64        `json:"size_mib"`
	Threads int            `json:"threads"`
	Version string         `json:"version"`
	Date    string         `json:"date"`
}

// searcher runs queries at one width.
type searcher struct {
	view    hnsw.View
	vecs    hnsw.Vectors
	queries []hnsw.Query
}

func newSearcher(view hnsw.View, vecs hnsw.Vectors, queries []hnsw.Query, match []uint64, ef int) *searcher {
	s := &searcher{view, vecs, slices.Clone(queries)}
	for i := range s.queries {
		s.queries[i].Ef, s.queries[i].Match = ef, match
	}
	return s
}

// recall returns the share of the true nearest that were found, and the sum of
// what the searches did.
func (s *searcher) recall(truth [][]uint32) (float64, hnsw.Stats, error) {
	var sum hnsw.Stats
	found, want := 0, 0
	for i, q := range s.queries {
		hits, stats, err := s.view.Search(s.vecs, q, nil)
		if err != nil {
			return 0, sum, err
		}
		sum.Plan = stats.Plan
		sum.Compared += stats.Compared
		t := truth[i][:min(depth, len(truth[i]))]
		want += len(t)
		for _, h := range hits {
			if slices.Contains(t, h.Ord) {
				found++
			}
		}
	}
	return float64(found) / float64(want), sum, nil
}

// rates are queries per second and latencies in microseconds.
type rates struct{ one, two, cpu, p50, p99 float64 }

// rates runs all queries again and again for at least the given seconds a time;
// the best of reps counts. The queries were checked by recall.
func (s *searcher) rates(reps int, seconds float64) rates {
	var r rates
	n := len(s.queries)
	for _, goroutines := range []int{1, 2} {
		loops := int(math.Ceil(seconds / s.pass(goroutines, 1)))
		done := float64(n * loops)
		for range max(reps, 1) {
			cpu := usage.CPUSeconds()
			rate := done / s.pass(goroutines, loops)
			if goroutines == 1 {
				r.one = max(r.one, rate)
				r.cpu = max(r.cpu, done/(usage.CPUSeconds()-cpu))
			} else {
				r.two = max(r.two, rate)
			}
		}
	}
	single := make([]float64, n)
	var hits []topk.Hit
	for i, q := range s.queries {
		t := time.Now()
		hits, _, _ = s.view.Search(s.vecs, q, hits[:0])
		single[i] = float64(time.Since(t).Nanoseconds()) / 1e3
	}
	slices.Sort(single)
	r.p50, r.p99 = single[n/2], single[n*99/100]
	return r
}

// pass returns the seconds that the goroutines take for all queries, loops times.
func (s *searcher) pass(goroutines, loops int) float64 {
	var wg sync.WaitGroup
	start := time.Now()
	for g := range goroutines {
		wg.Go(func() {
			var hits []topk.Hit
			for range loops {
				for i := g; i < len(s.queries); i += goroutines {
					hits, _, _ = s.view.Search(s.vecs, s.queries[i], hits[:0])
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start).Seconds()
}

// round keeps five digits.
func round(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		return x
	}
	return y
}
