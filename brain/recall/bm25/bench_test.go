package bm25

import (
	"strings"
	"testing"
)

// abstracts returns the 9,076 documents of four sets and the queries of the
// first.
func abstracts(t testing.TB) ([]Doc, []judgedQuery) {
	var docs []Doc
	var queries []judgedQuery
	for _, set := range []string{"ir/scifact", "ir/cisi", "ir/cranfield", "ir/med"} {
		j := load(t, set)
		for _, d := range j.docs {
			docs = append(docs, Doc{Title: d.Title, Body: d.Text})
		}
		if queries == nil {
			queries = j.queries
		}
	}
	return docs, queries
}

func BenchmarkTerms(b *testing.B) {
	docs, _ := abstracts(b)
	a := NewAnalyzer()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		a.Terms(docs[n%len(docs)])
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkAdd(b *testing.B) {
	docs, _ := abstracts(b)
	a := NewAnalyzer()
	terms := make([]Terms, len(docs))
	for i, d := range docs {
		terms[i] = a.Terms(d)
	}
	b.ReportAllocs()
	var ix *Index
	n := 0
	for b.Loop() {
		ix, _ = New(a, nil)
		for i, t := range terms {
			if err := ix.Add(uint32(i), t); err != nil {
				b.Fatal(err)
			}
		}
		n += len(terms)
	}
	s := ix.Stats()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
	b.ReportMetric(float64(s.Bytes)/float64(s.Postings), "bytes/posting")
}

func BenchmarkSearch(b *testing.B) {
	docs, queries := abstracts(b)
	ix, _ := New(NewAnalyzer(), nil)
	var half, all []uint64
	for i, d := range docs {
		if err := ix.Add(uint32(i), ix.an.Terms(d)); err != nil {
			b.Fatal(err)
		}
		all = setBit(all, uint32(i))
		if i%2 == 0 {
			half = setBit(half, uint32(i))
		}
	}
	for name, set := range map[string][]uint64{"whole": all, "half": half} {
		b.Run(name, func(b *testing.B) {
			c := ix.Corpus(set)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				ix.Search(ix.Query(queries[n%len(queries)].Text), c, c.Bits, 100)
				n++
			}
		})
	}
}

// Text beyond ASCII: what it costs against abstracts.
func BenchmarkTermsByScript(b *testing.B) {
	for _, tt := range []struct{ name, lang, text string }{
		{"german", "de", "Die Größe der Häuser über den Straßen wäre natürlich völlig überflüssig. "},
		{"russian", "ru", "Съешь же ещё этих мягких французских булок, да выпей чаю. "},
		{"chinese", "zh", "我们最近配置的精排是什么模型，国際標準化に関する動向。"},
		{"korean", "ko", "학점인정 제도는 다음과 같이 운영한다. "},
	} {
		b.Run(tt.name, func(b *testing.B) {
			a := NewAnalyzer()
			d := Doc{Body: strings.Repeat(tt.text, 20), Lang: tt.lang}
			b.SetBytes(int64(len(d.Body)))
			for b.Loop() {
				a.Terms(d)
			}
		})
	}
}
