package embed

import (
	"context"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

// abstracts are the documents of scifact, title and text.
func abstracts(b *testing.B) []string {
	b.Helper()
	type doc struct{ Title, Text string }
	var texts []string
	for _, d := range lines[doc](b, testdata.Shared(b, "data", "ir", "scifact", "corpus.jsonl")) {
		texts = append(texts, d.Title+". "+d.Text)
	}
	return texts
}

func BenchmarkQuantizedAbstract(b *testing.B) {
	texts, s := abstracts(b), Default()
	bytes, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		s.Quantized(texts[i%len(texts)])
		bytes += len(texts[i%len(texts)])
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "texts/s")
	b.ReportMetric(float64(bytes)/float64(i), "bytes/text")
}

func BenchmarkEmbedAbstract(b *testing.B) {
	texts, s := abstracts(b), Default()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Embed(context.Background(), texts[i%len(texts):i%len(texts)+1]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkTokenizeAbstract(b *testing.B) {
	texts, s := abstracts(b), Default()
	i, n := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		s.tok.Each(texts[i%len(texts)], func(int32) bool { n++; return true })
		i++
	}
	b.ReportMetric(float64(n)/float64(i), "tokens/text")
}

func BenchmarkLoadDefault(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newStatic("bench", modelDigest, files{weights: bytesOf(modelWeights), tokenizer: bytesOf(modelTokenizer)}); err != nil {
			b.Fatal(err)
		}
	}
}
