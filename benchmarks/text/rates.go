package main

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/seed70401ef0/brain-go/benchmarks/usage"
)

// rates are queries per second and latencies as the peer kit takes them.
type rates struct {
	QPS1   float64 `json:"qps_1t"`
	QPS2   float64 `json:"qps_2t"`
	QPSCPU float64 `json:"qps_cpu"` // per second of CPU time, one goroutine, collection included
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`
}

// measureRates calls f for n queries: best of reps on one and two goroutines,
// each repetition at least a quarter of a second, then single calls.
func measureRates(n, reps int, f func(i int)) (r rates) {
	pass := func(threads, loops int) float64 {
		var wg sync.WaitGroup
		start := time.Now()
		for t := range threads {
			wg.Go(func() {
				for range loops {
					for i := t; i < n; i += threads {
						f(i)
					}
				}
			})
		}
		wg.Wait()
		return time.Since(start).Seconds()
	}
	for threads := 1; threads <= 2; threads++ {
		loops := int(math.Ceil(.25 / pass(threads, 1)))
		best := math.Inf(1)
		for range reps {
			cpu := usage.CPUSeconds()
			best = min(best, pass(threads, loops))
			if threads == 1 {
				r.QPSCPU = max(r.QPSCPU, float64(n*loops)/(usage.CPUSeconds()-cpu))
			}
		}
		if threads == 1 {
			r.QPS1 = float64(n*loops) / best
		} else {
			r.QPS2 = float64(n*loops) / best
		}
	}
	took := make([]float64, n)
	for i := range took {
		start := time.Now()
		f(i)
		took[i] = float64(time.Since(start).Nanoseconds()) / 1e3
	}
	slices.Sort(took)
	r.P50, r.P99 = took[n/2], took[n*99/100]
	return r
}
