package recall

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The cost of one search, by leg, over 10,000 chunks of 25 words.
func BenchmarkSearch(b *testing.B) {
	w := newWorld(b, nil)
	words := rapid.Custom(func(t *rapid.T) string { return sentence(t, "text") })
	for i := range 10_000 {
		w.note(fmt.Sprintf("brain://a/%05d", i), words.Example(i))
	}
	scope := reader(b, everything...)
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = words.Example(1_000_000 + i)
	}
	for _, mode := range []Mode{Lexical, Vector, Hybrid} {
		b.Run(string(mode), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q := Query{Text: texts[i%len(texts)], Mode: mode}
				if _, err := w.ix.Search(context.Background(), q, scope, w.now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
