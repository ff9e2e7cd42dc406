package bm25

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// termsOf returns the strong and rare weak terms of a body in the order they
// first come.
func termsOf(a *Analyzer, text, lang string) []string {
	t := a.Terms(Doc{Body: text, Lang: lang})
	var out []string
	start := uint32(0)
	for _, end := range t.ends {
		out = append(out, string(t.text[start:end]))
		start = end
	}
	return out
}

func TestTerms(t *testing.T) {
	tests := []struct {
		name, text, lang string
		want             string // joined by spaces
		len              uint32
	}{
		{"stop words and stems", "The running dogs of the theory", "", "run dog theori", 3},
		{"language", "die Häuser", "de", "die haus", 2},
		{"language with region", "maisons", "fr-CA", "maison", 1},
		{"unknown language", "Running Häuser", "tlh", "running häuser", 2},
		{"possessive", "what's the budget, roughly?", "", "what budget rough", 3},
		{"typographic apostrophe", "don’t don't", "", "don't", 2},
		{"numbers", "3.5 1,000 1;2 v1.28", "", "3.5 1,000 1 2 v1.28 1.28", 5},
		{"camel case", "parseHTTPRequest", "", "parsehttprequest pars http request", 1},
		{"snake case", "max_open_files", "", "max open file max_open_files", 3},
		{"digits", "utf8 IL2", "", "utf8 utf il2 il", 2},
		{"plus plus", "C++, (C#) or F#.", "", "c c++ c# f f#", 3},
		{"slash", "10 GB/s", "", "10 gb s gb/s", 3},
		{"dot net", ".NET and ASP.NET...", "", "net .net asp asp.net", 3},
		{"call", "foo.bar()", "", "foo bar foo.bar", 2},
		{"flag", "`--error-on-warnings`", "", "error warn --error-on-warnings", 2},
		{"path", "see /usr/bin/env.", "", "see usr bin env /usr/bin/env", 4},
		{"hyphenated words", "a well-known, pre-edit e.g. and/or", "", "well known pre edit e g", 6},
		{"colon", "memory:safe", "", "memori safe memory:safe", 2},
		{"chinese", "rerank 精排是", "", "rerank 精 排 精排 是 排是", 4},
		{"apart", "精 排。是", "", "精 排 。 是", 3},
		{"japanese", "データ", "", "デ ー デー タ ータ", 3},
		{"half width", "ﾃﾞｰﾀ", "", "デ ー デー タ ータ", 3},
		{"korean particle after latin", "rerank를", "", "rerank 를", 2},
		{"thai", "กินข้าว", "", "กิ น กิน ข้ นข้ า ข้า ว าว", 5},
		{"full width", "ＡＢＣ１", "", "abc1 abc", 1},
		{"emoji", "👍🏽 ❤️👨‍👩‍👧", "", "👍 ❤ 👨 👩 👧", 5},
		{"flags", "🇩🇪🇫🇷", "", "🇩🇪 🇫🇷", 2},
		{"symbols", "a → b €5", "", "→ b € 5", 4},
		{"sharp s", "Straße STRASSE", "de", "strass", 2},
		{"invisible", "pass\u00adword zero\u200dwidth", "", "password zerowidth", 2},
		{"rare punctuation", "«a» — b", "", "« » — b", 1},
		{"not utf-8", "ab\xff\xfecd", "", "ab \uFFFD cd", 2},
		{"nothing", " \t\r\n\u3000", "", "", 0},
	}
	a := NewAnalyzer()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(termsOf(a, tt.text, tt.lang), " "); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
			}
			if got := a.Terms(Doc{Body: tt.text, Lang: tt.lang}).Len()[Body]; got != tt.len {
				t.Errorf("%q: length %d, want %d", tt.text, got, tt.len)
			}
		})
	}
}

func TestFieldsAreCountedApart(t *testing.T) {
	a := NewAnalyzer()
	d := a.Terms(Doc{Title: "cat cat", Headings: "the cat dog", Body: strings.Repeat("cat ", 300)})
	if want := [Fields]uint32{2, 2, 300}; d.Len() != want {
		t.Errorf("lengths %v, want %v", d.Len(), want)
	}
	if got, want := d.tf[0].fields(), [Fields]int{2, 1, 255}; got != want {
		t.Errorf("frequencies of cat %v, want %v", got, want)
	}
	many := a.Terms(Doc{Title: strings.Repeat("cat ", 20), Headings: strings.Repeat("cat ", 20)})
	if got, want := many.tf[0].fields(), [Fields]int{15, 15, 0}; got != want {
		t.Errorf("frequencies of cat %v, want %v", got, want)
	}
}

func TestLongWordIsCut(t *testing.T) {
	a := NewAnalyzer()
	for letter, size := range map[string]int{
		"a": 10 << 20, "é": 10 << 20, "aB": 1 << 20, "ß": 1 << 20, "ö\u0301": 1 << 20, "\u0301": 1 << 20,
		"字": 1 << 20, "👍": 1 << 20, "İ": 1 << 20, "a.": 1 << 20, "a'": 1 << 20, "((": 1 << 20, "\u200d": 1 << 20,
	} {
		long := strings.Repeat(letter, size/len(letter))
		for _, term := range termsOf(a, long, "") {
			if len(term) > MaxTerm || !utf8.ValidString(term) {
				t.Errorf("%q…: a term of %d bytes", letter, len(term))
			}
		}
	}
	x := strings.Repeat("x", 200)
	if got := termsOf(a, x, "tlh"); len(got) != 1 || got[0] != x[:MaxTerm] {
		t.Errorf("%q", got)
	}
}

// The short ways find the tokens that UAX 29 finds.
func TestScannerEqualsUAX29(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aZ09'.,:;_-+ \t\n\"(é\u0301字한カーกิ。👍\u200b\u200d")), 0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		fast, slow := newScanner(s), newScanner(s)
		slow.slow = true
		for {
			a, okA := fast.next()
			b, okB := slow.next()
			if a != b || okA != okB {
				t.Fatalf("%q: %+v %v, by UAX 29 %+v %v", s, a, okA, b, okB)
			}
			if !okA {
				return
			}
		}
	})
}

func TestCompareFormOfSpellings(t *testing.T) {
	a := NewAnalyzer()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom([]rune("aÅéß한글ｶﾞﬁ①Ａ ' .Σςöü精")), 0, 30, -1).Draw(t, "text")
		want := termsOf(a, s, "de")
		for name, form := range map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD} {
			if got := termsOf(a, form.String(s), "de"); !slices.Equal(got, want) {
				t.Fatalf("%q: %q, in %s %q", s, want, name, got)
			}
		}
	})
}

// The short way of folding is the general one.
func TestFoldSimple(t *testing.T) {
	folder := cases.Fold()
	general := func(s string) string {
		s = norm.NFKC.String(strings.Map(dropIgnorable, folder.String(s)))
		return cut(strings.Map(foldCherokee, s), MaxTerm)
	}
	for r := range rune(0x30000) {
		s := string(r)
		if !norm.NFKC.IsNormalString(s) {
			continue
		}
		if low, ok := foldSimple(r); ok && general(s) != string(low) {
			t.Errorf("%U: %U, want %q", r, low, general(s))
		}
		if once := general(s); general(once) != once {
			t.Errorf("%U: %q, folded again %q", r, once, general(once))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := norm.NFKC.String(rapid.StringOfN(rapid.Rune(), 0, 12, -1).Draw(t, "text"))
		if got := string(fold(nil, s, folder)); got != general(s) {
			t.Fatalf("%q: %q, want %q", s, got, general(s))
		}
		if twice := string(fold(nil, general(s), folder)); twice != general(s) {
			t.Fatalf("%q: %q, folded again %q", s, general(s), twice)
		}
	})
}

func TestKindsEqualTables(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if got, want := kindOf(r), kindByTables(r); got != want {
			t.Errorf("%U: %d, by the tables %d", r, got, want)
		}
	}
}

func TestLanguages(t *testing.T) {
	for tag, want := range map[string]lang{
		"": englishLang, "en": englishLang, "EN_us": englishLang, "de-CH": germanLang, "deu": germanLang,
		"nb": norwegianLang, "zh-Hans": unstemmed, "x": unstemmed, "-": unstemmed, strings.Repeat("e", 1<<20): unstemmed,
	} {
		if got := langOf(tag); got != want {
			t.Errorf("%.10q: %d, want %d", tag, got, want)
		}
	}
}

func TestStopWords(t *testing.T) {
	for i := range stopWords {
		if w := stopWordAt(i); stopWord([]byte(w)) != i {
			t.Errorf("%q is %d, want %d", w, stopWord([]byte(w)), i)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "a", "C++ GB/s .NET", "精排 rerank", "\xff\x00", "👩‍👩‍👧", "e\u0301\u0301", "aBcD1x"} {
		f.Add(s, "de")
	}
	tags := []string{"ar", "da", "nl", "en", "fi", "fr", "de", "hu", "ga", "it", "no", "pt", "ro", "ru", "es", "sv", "ta", "tr"}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, text, lang string) {
		for _, tag := range append(tags, lang) {
			d := a.Terms(Doc{Body: text, Lang: tag})
			if len(d.ends) != len(d.tf) || len(d.ends) > 4*len(text) {
				t.Fatalf("%d terms of %d bytes", len(d.ends), len(text))
			}
			start := uint32(0)
			for _, end := range d.ends {
				if end <= start || end-start > MaxTerm || !utf8.Valid(d.text[start:end]) {
					t.Fatalf("%q: term %q", text, d.text[start:end])
				}
				start = end
			}
		}
	})
}
