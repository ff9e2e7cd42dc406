package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func benchStore(b *testing.B) *DB {
	b.ReportAllocs()
	return mustOpen(b, b.TempDir(), &Options{BallastBytes: -1, MinFreeBytes: -1})
}

// One caller: every commit waits for its own sync.
func BenchmarkUpdate1(b *testing.B) {
	db := benchStore(b)
	val := make([]byte, 200)
	var took []time.Duration
	i := 0
	for b.Loop() {
		began := time.Now()
		if _, err := db.Update(context.Background(), change("put"), set(fmt.Sprint(i), string(val))); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		i++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
}

// 64 callers share syncs.
func BenchmarkUpdate64(b *testing.B) {
	db := benchStore(b)
	val := make([]byte, 200)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range 64 {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if _, err := db.Update(context.Background(), change("put"), set(fmt.Sprint(i), string(val))); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	m := db.Metrics()
	b.ReportMetric(float64(m.Rows)/float64(max(m.Groups, 1)), "rows/group")
}

// A batch of 100 documents of 1 KiB as one commit.
func BenchmarkUpdateAll100(b *testing.B) {
	db := benchStore(b)
	val := string(make([]byte, 1<<10))
	n := 0
	for b.Loop() {
		changes := make([]Change, 100)
		for i := range changes {
			changes[i] = Change{change("put"), set(fmt.Sprint(n), val)}
			n++
		}
		if _, err := db.UpdateAll(context.Background(), changes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "changes/s")
}

func BenchmarkSnapshotGet(b *testing.B) {
	db := benchStore(b)
	mustSet(b, db, "k", "v")
	key := Document.Key([]byte("k"))
	for b.Loop() {
		s := db.Snapshot()
		if _, err := s.Get(key); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkVerify(b *testing.B) {
	db := benchStore(b)
	for range 20 {
		changes := make([]Change, 1000)
		for i := range changes {
			changes[i] = Change{Event: change("put")}
		}
		if _, err := db.UpdateAll(context.Background(), changes); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := db.Verify(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*20_000/b.Elapsed().Seconds(), "rows/s")
}
