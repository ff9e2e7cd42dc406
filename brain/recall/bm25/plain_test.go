package bm25

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func TestPlainTerms(t *testing.T) {
	a := NewPlainAnalyzer()
	for text, want := range map[string]string{
		"":                               "",
		"The CATS, the cats!":            "the cats",
		"foo_bar fooBar C++ x86-64":      "foo bar foobar c x86 64",
		"Häuser ΣΟΦΟΣ 北京 e\u0301t":       "häuser σοφοσ 北京 e t",
		"\xff\xfea b\xffc":               "a b c",
		strings.Repeat("é", 3*MaxTerm/2): strings.Repeat("é", MaxTerm/2),
	} {
		x := a.Terms(Doc{Body: text, Lang: "de"})
		var got []string
		start := uint32(0)
		for _, end := range x.ends {
			got = append(got, string(x.text[start:end]))
			start = end
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		q := a.analyze(text)
		if len(q.words) != len(got) {
			t.Errorf("%q: the query has %d words, the document %d", text, len(q.words), len(got))
		}
	}
	ix, _ := New(a, nil)
	for i, s := range []string{"the cat", "cats", "THE"} {
		if err := ix.Add(uint32(i), a.Terms(Doc{Body: s})); err != nil {
			t.Fatal(err)
		}
	}
	if got := ords(find(ix, "the", 9)); !slices.Equal(got, []uint32{2, 0}) {
		t.Errorf("%v, want 2 and 0", got)
	}
}

// The ID stands for what text is turned into. When this fails because terms
// changed on purpose, raise analyzerVersion and set the new sum.
func TestAnalyzerIDStandsForTerms(t *testing.T) {
	sum := func(a *Analyzer) string {
		h := sha256.New()
		for _, lang := range []string{"", "de", "ru", "fr", "zh", "xx"} {
			for _, text := range []string{
				"The running cats don't run; fooBar foo_bar C++ GB/s .NET --flag src/query.rs utf8 3.14",
				"Die Größe der Häuser über den Straßen", "Съешь же ещё этих мягких французских булок",
				"国際標準化に関する動向 학점인정 제도는 👍🏽 🇩🇪 → €", "ﬁne ＦＵＬＬ ｗｉｄｔｈ e\u0301 ſ ẞ İ \u200bx",
			} {
				x := a.Terms(Doc{Title: text, Headings: text, Body: text + text, Lang: lang})
				h.Write(x.text)
				for i := range x.ends {
					h.Write([]byte{byte(x.ends[i]), byte(x.tf[i]), byte(x.tf[i] >> 8)})
				}
				for _, n := range x.len {
					h.Write([]byte{byte(n)})
				}
				for i := range weakTerms {
					if x.weak.has(i) {
						h.Write([]byte{byte(i)})
					}
				}
			}
		}
		return hex.EncodeToString(h.Sum(nil)[:8])
	}
	for _, tt := range []struct {
		a         *Analyzer
		id, terms string
	}{
		{NewAnalyzer(), "bm25 words 1, Unicode 15.0.0 15.0.0 15.0.0", "d432c92f53244ef0"},
		{NewPlainAnalyzer(), "bm25 plain 1, Unicode 15.0.0 15.0.0 15.0.0", "3c45b6dc9cd590d1"},
	} {
		if id, terms := tt.a.ID(), sum(tt.a); id != tt.id || terms != tt.terms {
			t.Errorf("%q has terms %s, not %q with %s", id, terms, tt.id, tt.terms)
		}
	}
}
