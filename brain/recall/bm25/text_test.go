package bm25

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

// Texts that broke the query grammar, the tokeniser or the ranking of other
// systems (arabold/docs-mcp-server#262, getzep/graphiti#1820 and #1440,
// weaviate/weaviate#4719, claude-obsidian#120, mem0#4884, aside-codemode#30 and
// others).
func reported() []string {
	return []string{
		`"--error-on-warnings"`, `don't use agents`, `say "hi`, `memory:safe`, `(python`, `foo AND bar`,
		`pre-edit`, `C++`, `GB/s`, `what's the budget, roughly?`, `_`, ``, strings.Repeat("(", 10000),
		`the is`, `the science is`, `!!! ...`, `精排`, `模型`, `rerank`, `国際標準化`, `학점`, `grössen.md`,
		norm.NFD.String(`학점인정`), norm.NFD.String(`grössen.md`), `NOT`, `AND OR`, `*`, `a*`, `title:x`,
		`^`, `~`, `\`, `'`, `--`, `/* */`, `{}`, `[`, `NEAR(a b)`, "\x00", "a\x00b", "\xff\xfe", "\ufeff",
		"👍", "🇩🇪", "👩‍👩‍👧‍👦", "❤️", "\u200d", "\u0301", "\u202e", "．", "％",
	}
}

func naughty(t testing.TB) []string {
	data, err := os.ReadFile(testdata.Shared(t, "data", "spec", "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Every text is content that is found by itself, and a query that does no harm.
func TestEveryTextFindsItself(t *testing.T) {
	t.Run("reported", func(t *testing.T) { findThemselves(t, reported()) })
	t.Run("naughty", func(t *testing.T) { findThemselves(t, naughty(t)) })
}

func findThemselves(t *testing.T, texts []string) {
	var docs []Doc
	for _, s := range texts {
		docs = append(docs, Doc{Body: s}, Doc{Title: "note", Body: "before " + s + " after"})
	}
	ix := newIndex(t, nil, docs...)
	for i, s := range texts {
		hits := ords(find(ix, s, len(docs)))
		if sorted := slices.Sorted(slices.Values(hits)); len(slices.Compact(sorted)) != len(hits) || len(hits) > len(docs) {
			t.Errorf("%.40q: documents twice in %v", s, hits)
		}
		if ix.Query(s).Empty() {
			if strings.TrimFunc(s, func(r rune) bool { return kindOf(r) == blank }) != "" {
				t.Errorf("%.40q has no terms", s)
			}
			continue
		}
		alone, within := uint32(2*i), uint32(2*i+1)
		if !slices.Contains(hits, alone) || !slices.Contains(hits, within) {
			t.Errorf("%.40q is not found by itself", s)
		}
		candidates := ix.Candidates(s)
		for _, d := range []uint32{alone, within} {
			if !bit(candidates, d) || !MatchPhrase(docs[d].Body, s) || !MatchCode(docs[d].Body, s) {
				t.Errorf("%.40q is no phrase or no code of %.40q", s, docs[d].Body)
			}
		}
	}
}

// What is asked is what comes first.
func TestFirstHit(t *testing.T) {
	docs := bodies(
		"我们最近配置的 rerank 精排是什么模型",
		"国際標準化に関する動向",
		"학점인정",
		"データベースの設計",
		"we write it in C and it runs",
		"we write it in C++ and it runs",
		"the bus moves 10 GB/s at most",
		"the net income of .NET shops",
		"run it with `--error-on-warnings` in CI",
		"no error, warnings only",
		"see src/search/query.rs for parseRequest",
		"a request to parse, a search, a query, a src",
		"a thumb 👍🏽 and a flag 🇩🇪",
		"the größe of the grössen.md file",
		"max_open_files is 10",
		"C# is a language and F# too",
		"the "+norm.NFD.String("Ångström")+" unit",
		"ＦＵＬＬ ｗｉｄｔｈ",
	)
	ix := newIndex(t, nil, docs...)
	for query, want := range map[string]uint32{
		"精排": 0, "模型": 0, "模": 0, "rerank": 0, "国際標準化": 1, "動向": 1, "학점": 2, "인정": 2,
		norm.NFD.String("학점"): 2, "データ": 3, "ﾃﾞｰﾀ": 3, "ベース": 3, "C++": 5, "c++": 5, "GB/s": 6, "gb/S": 6,
		".NET": 7, "--error-on-warnings": 8, `"--error-on-warnings"`: 8, "src/search/query.rs": 10,
		"parseRequest": 10, "👍": 12, "👍🏿": 12, "🇩🇪": 12, "GRÖSSE": 13, norm.NFD.String("größe"): 13,
		"open files": 14, "max_open_files": 14, "C#": 15, "ångström": 16, "full": 17, "WIDTH": 17,
	} {
		if hits := find(ix, query, 3); len(hits) == 0 || hits[0].Ord != want {
			t.Errorf("%q: %v, want %d first", query, hits, want)
		}
	}
}

// Stop words and punctuation are looked for only when there is nothing else.
func TestWeakTermsOnlyAlone(t *testing.T) {
	ix := newIndex(t, nil, bodies("the science is old", "the is", "science", "so!", "a_b", "x ((((", "no words")...)
	for query, want := range map[string][]uint32{
		"the science is": {2, 0}, "the is": {0, 1}, "the": {0, 1}, "!!!": {3}, "!!! ...": {3}, "_": {4},
		"((((": {5}, "science!!!": {2, 0}, "the !": {3, 0, 1}, "": {}, " \n": {}, "?": {},
	} {
		if got := ords(find(ix, query, 10)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}

// A query is read in every language of the corpus, and in no other.
func TestQueryLanguages(t *testing.T) {
	docs := []Doc{
		{Body: "the universities", Lang: "en"},
		{Body: "die Häuser der Stadt", Lang: "de"},
		{Body: "les maisons", Lang: "fr"},
		{Body: "running", Lang: "tlh"},
		{Body: "haus", Lang: "en"},
	}
	ix := newIndex(t, nil, docs...)
	for query, want := range map[string]uint32{"maison": 2, "running": 3, "university": 0} {
		if got := find(ix, query, 5); len(got) == 0 || got[0].Ord != want {
			t.Errorf("%q: %v, want %d", query, got, want)
		}
	}
	if got := ords(find(ix, "Häuser", 5)); !slices.Contains(got, 1) {
		t.Errorf("Häuser: %v, want 1 among them", got)
	}
	english := setBit(setBit(nil, 0), 4)
	c := ix.Corpus(english)
	if got := ix.Search(ix.Query("Häuser"), c, english, 5); len(got) != 0 {
		t.Errorf("%v is found by a reading in a language that only documents outside the corpus have", got)
	}
	one := ix.Corpus(everything(len(docs)))
	var s Scores
	ix.All(ix.Query("maison"), one, one.Bits, &s)
	if parts := ix.Explain(ix.Query("maison"), one, 2); len(parts) != 1 || parts[0].Score != s.At(2) {
		t.Errorf("one word counts as %v", parts)
	}
}

// A term that only a hidden document has does not even group the query's words.
func TestHiddenTermsDoNotGroup(t *testing.T) {
	ix := newIndex(t, nil, Doc{Body: "run"}, Doc{Body: "Haus", Lang: "de"}, Doc{Body: "running", Lang: "de"})
	q := ix.Query("run running running")
	c := ix.Corpus([]uint64{0b011})
	if parts := ix.Explain(q, c, 0); len(parts) != 1 || parts[0].Count != 3 {
		t.Errorf("hidden: %+v", parts)
	}
	all := ix.Corpus(everything(3))
	if parts := ix.Explain(q, all, 0); len(parts) != 2 {
		t.Errorf("seen: %+v", parts)
	}
}

func TestPhraseSearchEqualsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a1", "b1"}), 0, 40).Draw(t, "text")
		phrase := rapid.SliceOfN(rapid.SampledFrom([]string{"a1", "b1"}), 1, 8).Draw(t, "phrase")
		if n := rapid.IntRange(0, min(16, len(text))).Draw(t, "cut out"); n > 0 {
			from := rapid.IntRange(0, len(text)-n).Draw(t, "from")
			phrase = text[from : from+n]
		}
		want := false
		for i := range max(0, len(text)-len(phrase)+1) {
			want = want || slices.Equal(text[i:i+len(phrase)], phrase)
		}
		if got := MatchPhrase(strings.Join(text, " "), strings.Join(phrase, " ")); got != want {
			t.Fatalf("%q in %q: %v", phrase, text, got)
		}
	})
}

func TestMatchPhrase(t *testing.T) {
	tests := []struct {
		text, phrase string
		want         bool
	}{
		{"The Quick,\n brown fox", "quick brown", true},
		{"The Quick,\n brown fox", "brown quick", false},
		{"quick tests", "quick test", false},
		{"head of the state", "head of state", false},
		{"head of state", "Head-of-State", true},
		{"ＦＵＬＬ ｗｉｄｔｈ", "full width", true},
		{norm.NFD.String("die Größe"), "größe", true},
		{"die GRÖSSE", "größe", true},
		{"학점인정", "점인", true},
		{"精排是什么", "排是", true},
		{"so what!!!", "!!!", true},
		{"so what!!", "!!!", false},
		{"a a a b", "a a b", true},
		{"x x y x x x y x x x y y", "x x y x x x y y", true},
		{"pass\u00adword", "password", true},
		{"anything", "", false},
		{"anything", " \t", false},
		{"", "x", false},
	}
	for _, tt := range tests {
		if got := MatchPhrase(tt.text, tt.phrase); got != tt.want {
			t.Errorf("%q in %q: %v", tt.phrase, tt.text, got)
		}
	}
}

func TestMatchCode(t *testing.T) {
	tests := []struct {
		text, code string
		want       bool
	}{
		{"see `src/search/query.rs`.", "src/search", true},
		{"see src/searching", "src/search", false},
		{"use foo.bar() now", "foo.bar()", true},
		{"use foo.bar () now", "foo.bar()", false},
		{"use foo bar", "foo.bar", false},
		{"C++ and C", "c++", true},
		{"C + +", "c++", false},
		{"run x --error-on-warnings", "--error-on-warnings", true},
		{"error on warnings", "error-on-warnings", false},
		{"if  a ==\tb {", "a == b", true},
		{"max_open_files", "open_files", true},
		{"parseRequest", "parse", false},
		{"x", "", false},
	}
	for _, tt := range tests {
		if got := MatchCode(tt.text, tt.code); got != tt.want {
			t.Errorf("%q in %q: %v", tt.code, tt.text, got)
		}
	}
}

// Candidates lose no document that a phrase or code is in.
func TestCandidatesAreASuperset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := genDocs(t)
		ix := newIndexRapid(t, nil, docs)
		phrase := genText(t, 3)
		if len(docs) > 0 && rapid.Bool().Draw(t, "cut out of a document") {
			runes := []rune(docs[rapid.IntRange(0, len(docs)-1).Draw(t, "doc")].Body)
			from := rapid.IntRange(0, len(runes)).Draw(t, "from")
			phrase = string(runes[from:rapid.IntRange(from, len(runes)).Draw(t, "to")])
		}
		candidates := ix.Candidates(phrase)
		for i, d := range docs {
			for _, text := range []string{d.Title, d.Headings, d.Body} {
				if (MatchPhrase(text, phrase) || MatchCode(text, phrase)) && !bit(candidates, uint32(i)) {
					t.Fatalf("%q is in %q (%s), which is no candidate", phrase, text, d.Lang)
				}
			}
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, s := range reported() {
		f.Add(s, "the cat, "+s)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		ix := newIndex(t, nil, Doc{Body: text}, Doc{Title: query}, Doc{Body: text + " " + query, Lang: "de"})
		q := ix.Query(query)
		if len(q.words) > MaxQueryWords || len(q.words) > 4*len(query) {
			t.Fatalf("%d words of %d bytes", len(q.words), len(query))
		}
		c := ix.Corpus(everything(3))
		hits := ix.Search(q, c, c.Bits, 10)
		if !q.Empty() && !slices.Contains(ords(hits), 1) {
			t.Fatalf("%q does not find itself: %v", query, hits)
		}
		for _, h := range hits {
			if !(h.Score > 0) {
				t.Fatalf("score %v", h.Score)
			}
		}
		if MatchCode(text, query) && !bit(ix.Candidates(query), 0) {
			t.Fatalf("%q is in %q, which is no candidate", query, text)
		}
	})
}
