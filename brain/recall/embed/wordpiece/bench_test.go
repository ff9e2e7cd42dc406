package wordpiece

import (
	"testing"
)

func BenchmarkParse(b *testing.B) {
	data := readShared(b, "models", "static", "tokenizer.json")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseChars(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseChars(charsText); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEach(b *testing.B) {
	tok, err := Parse(readShared(b, "models", "static", "tokenizer.json"))
	if err != nil {
		b.Fatal(err)
	}
	text := string(readShared(b, "models", "MODELS.md"))
	n := 0
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tok.Each(text, func(int32) bool { n++; return true })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/token")
}
