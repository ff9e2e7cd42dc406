package bm25

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// zipf is an index of 131,072 documents of 60 words with Zipf's frequencies, in
// one segment, and queries of 2 to 6 of their words.
var zipf = sync.OnceValues(func() (*Index, []string) {
	const docs, words, vocabulary = 1 << 17, 60, 300_000
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() int { return int(math.Exp(rng.Float64()*math.Log(vocabulary))) + int(rng.Uint32N(2)) }
	ix, _ := New(NewPlainAnalyzer(), nil)
	var queries []string
	var b strings.Builder
	for i := range docs {
		b.Reset()
		for range words/2 + rng.IntN(words) {
			fmt.Fprintf(&b, "w%d ", word())
		}
		if i%512 == 0 {
			f := strings.Fields(b.String())
			at := rng.IntN(len(f) - 6)
			queries = append(queries, strings.Join(f[at:at+2+rng.IntN(5)], " "))
		}
		if err := ix.Add(uint32(i), ix.an.Terms(Doc{Body: b.String()})); err != nil {
			panic(err)
		}
	}
	for task := ix.Plan(); task != nil; task = ix.Plan() {
		s, err := task.Run(context.Background())
		if err == nil {
			err = ix.Install(s)
		}
		if err != nil {
			panic(err)
		}
	}
	return ix, queries
})

// part returns a pseudo-random share of n ordinals.
func part(n int, share float64) []uint64 {
	rng := rand.New(rand.NewPCG(3, 4))
	b := make([]uint64, (n+63)/64)
	for i := range n {
		if rng.Float64() < share {
			b[i>>6] |= 1 << (i & 63)
		}
	}
	return b
}

// What recall asks for: the best of a leg at several depths, then the scores of
// what both legs found, in scopes and under filters of several sizes.
func BenchmarkScale(b *testing.B) {
	ix, queries := zipf()
	n := ix.Docs()
	for _, scope := range []float64{1, .5, .1} {
		c := ix.Corpus(part(n, scope+1e-9))
		for _, filter := range []float64{1, .1, .01, .001} {
			f := c.Bits
			if filter < 1 {
				f = part(n, filter)
			}
			for _, k := range []int{10, 256, 1000} {
				b.Run(fmt.Sprintf("search/scope=%v/filter=%v/k=%d", scope, filter, k), func(b *testing.B) {
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						ix.Search(ix.Query(queries[i%len(queries)]), c, f, k)
						i++
					}
				})
			}
		}
	}
	c := ix.Corpus(everything(n))
	for _, m := range []int{64, 512, 2000} {
		b.Run(fmt.Sprintf("score/%d", m), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 6))
			ords, out := make([]uint32, m), make([]float64, m)
			for i := range ords {
				ords[i] = rng.Uint32N(uint32(n))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				ix.Score(ix.Query(queries[i%len(queries)]), c, ords, out)
				i++
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		var s Scores
		i := 0
		for b.Loop() {
			ix.All(ix.Query(queries[i%len(queries)]), c, c.Bits, &s)
			i++
		}
	})
	b.Run("recount", func(b *testing.B) {
		set := everything(n)
		for i := 0; b.Loop(); i++ {
			set = append([]uint64(nil), set...)
			set[i%len(set)] ^= 1
			c = ix.Recount(c, set)
		}
	})
	data := ix.Segments()[0].Bytes()
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := Decode(data); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ix.Stats().Postings), "ns/posting")
	})
}
