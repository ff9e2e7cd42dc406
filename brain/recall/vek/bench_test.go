package vek

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func perKernel(b *testing.B, dims []int, run func(b *testing.B, k kernel, dim int)) {
	for _, k := range kernels() {
		for _, dim := range dims {
			b.Run(fmt.Sprintf("%v/%d", k, dim), func(b *testing.B) { run(b, k, dim) })
		}
	}
}

// hot are the dimensions of the default embedder and of common encoders, and two
// with tails; cold needs the first only.
var hot, cold = []int{100, 256, 384, 768, 1030}, []int{256, 384}

func BenchmarkDot(b *testing.B) {
	perKernel(b, hot, func(b *testing.B, k kernel, dim int) {
		r := rand.New(rand.NewPCG(1, 1))
		x, y := randomVector(r, dim), randomVector(r, dim)
		b.ReportAllocs()
		var sum int32
		for b.Loop() {
			sum += k.dot(x, y)
		}
		_ = sum
	})
}

// benchmarkRows reports the time of one row of lists of the given length, drawn
// from so many rows.
func benchmarkRows(b *testing.B, k kernel, dim, n, list int, random bool) {
	r := rand.New(rand.NewPCG(1, 1))
	f, err := NewFlat(dim)
	if err != nil {
		b.Fatal(err)
	}
	q := randomVector(r, dim)
	for range n {
		if _, err := f.Append(q); err != nil {
			b.Fatal(err)
		}
	}
	lists := make([]uint32, max(n, list*1024)/list*list)
	for i := range lists {
		if lists[i] = uint32(i % n); random {
			lists[i] = uint32(r.IntN(n))
		}
	}
	out := make([]int32, list)
	b.ReportAllocs()
	at := 0
	for b.Loop() {
		k.dots(q, &f.v.rows, lists[at:at+list], out)
		if at += list; at == len(lists) {
			at = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*list), "ns/row")
}

// BenchmarkRowsHot stays within the first cache.
func BenchmarkRowsHot(b *testing.B) {
	perKernel(b, hot, func(b *testing.B, k kernel, dim int) { benchmarkRows(b, k, dim, 64, 64, false) })
}

// BenchmarkRowsList is the neighbours of one node of a graph over 256 MiB.
func BenchmarkRowsList(b *testing.B) {
	perKernel(b, cold, func(b *testing.B, k kernel, dim int) { benchmarkRows(b, k, dim, 1<<28/dim, 13, true) })
}

// BenchmarkRowsScan runs through 256 MiB.
func BenchmarkRowsScan(b *testing.B) {
	perKernel(b, cold, func(b *testing.B, k kernel, dim int) { benchmarkRows(b, k, dim, 1<<28/dim, 64, false) })
}

// BenchmarkSearch is of the four judged collections in one index: 9,076 vectors,
// under a filter of all of them and of a few.
func BenchmarkSearch9076x256(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([][]int8, 9076)
	for i := range rows {
		rows[i] = randomVector(r, 256)
	}
	v, q := mustFlat(b, 256, rows), randomVector(r, 256)
	few := make([]uint64, (len(rows)+63)/64)
	for i := range few {
		few[i] = r.Uint64() & r.Uint64() & r.Uint64()
	}
	for _, k := range kernels() {
		for name, filter := range map[string][]uint64{"all": allBits(len(rows)), "eighth": few} {
			b.Run(fmt.Sprintf("%v/%s", k, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := v.search(k, q, filter, 100); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
