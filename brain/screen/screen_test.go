package screen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for name, s := range map[string]string{
		"empty": "", "ascii": "plain text\twith\nlines", "bom at the start": "\ufeff# Title",
		"emoji":        "👨\u200d👩\u200d👧 ❤\ufe0f ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 #\ufe0f\u20e3 ©\ufe0f ‼\ufe0f 🏳\ufe0f\u200d🌈",
		"flag":         "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
		"flags":        strings.Repeat("\U0001f3f4\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f", 3),
		"persian":      "می\u200cخواهم کتاب\u200cها را",
		"chillu":       "ന്\u200d അവ",
		"soft hyphens": "Donau\u00addampf\u00adschiff\u00adfahrt",
		"thai":         "ภาษา\u200bไทย\u200bง่าย", "khmer": "អ្វី\u200bដែល\u200bអ្នក", "japanese": "葛\U000e0101城",
		"marks": "עברית\u200f (abc)\u200e", "isolates": "שלום \u2066name\u2069 שלום", "ltr isolate alone": "user \u2068bob\u2069 left",
		"translator": "the area of \u200b\u200bIT", "stray at an end": "word\u200b", "bom in the middle": "a\n\ufeffb",
		"pdf": "exam\u00ad\nple", "hebrew points": "\u05e9\u05b8\u034f\u05c1", "old hangul": "\u1112\u1160\u11ab \u115f\u1161",
		"stray selector": "a\ufe0f b", "math": "x≨\ufe00y", "invalid": "\xff\xc0\xae\xed\xa0\x80", "far strays": "a \u200b b c \u200b d e \u200b f",
	} {
		if got := Check([]byte(s)); got != nil {
			t.Errorf("%s: %q: %+v", name, s, got)
		}
	}
}

func TestFindings(t *testing.T) {
	tags := func(s string) string {
		return strings.Map(func(r rune) rune { return r + 0xE0000 }, s)
	}
	bytesAsSelectors := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(0xE0100 + rune(s[i]) - 16)
		}
		return b.String()
	}
	tests := []struct{ name, before, run, after, rule string }{
		{"tags", "hello ", tags("ignore this"), " world", "tags"},
		{"one tag", "x", "\U000e0041", "", "tags"},
		{"tags after a flag", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", tags("hi"), ".", "tags"},
		{"flag without an end", "\U0001f3f4", tags("gbeng"), "", "tags"},
		{"flag with a sentence", "\U0001f3f4", tags("ignoreit") + "\U000e007f", "", "tags"},
		{"flag with capitals", "\U0001f3f4", tags("GBENG") + "\U000e007f", "", "tags"},
		{"flag too short", "\U0001f3f4", tags("gb") + "\U000e007f", "", "tags"},
		{"selectors on a letter", "D", bytesAsSelectors("obey"), "o", "variation-selectors"},
		{"selectors on an ideograph", "请\U000e0100", bytesAsSelectors("x"), "描", "variation-selectors"},
		{"low selectors", "a ", "\ufe00\ufe01\ufe02", " b", "variation-selectors"},
		{"zero-width bits", "end. ", "\u200b\u200c\u200b\u200b", "", "zero-width"},
		{"split word", "ig", "\u200b", "nore", "zero-width"},
		{"split by a joiner", "ig", "\u200d", "nore", "zero-width"},
		{"split by bom", "ig", "\ufeff", "nore", "zero-width"},
		{"every letter", "", "\u200bI \u200b \u200bg\u200b", ".", "zero-width"},
		{"soft hyphen each letter", "I", "\u00adg\u00adn\u00ado\u00ad", "r", "zero-width"},
		{"word joiners", "a ", "\u2060\u2060\u2060", " b", "zero-width"},
		{"fillers", "- ", "\u3164\u3164\uffa0", " b", "zero-width"},
		{"override", "invoice", "\u202e", "fdp.exe", "bidi"},
		{"override closed", "a", "\u202db\u202c", " c", "bidi"},
		{"isolate left open", "x = 1 /* ", "\u2067", "*/ if admin", "bidi"},
		{"open in hebrew", "שלום ", "\u2066", "x", "bidi"},
		{"closed before opened", "שלום ", "\u2069x\u2066", "", "bidi"},
		{"turned latin", "a ", "\u2067b\u2069", " c", "bidi"},
		{"marks without reason", "a ", "\u200e\u200f\u200e", " b", "bidi"},
		{"line of its own", "שלום\n", "\u202b", "latin", "bidi"},
	}
	for _, tt := range tests {
		got := Check([]byte(tt.before + tt.run + tt.after))
		if len(got) != 1 || got[0].Rule != tt.rule || got[0].Reason == "" {
			t.Errorf("%s: %+v", tt.name, got)
			continue
		}
		if got[0].Start < len(tt.before) || got[0].End > len(tt.before)+len(tt.run) {
			t.Errorf("%s: [%d:%d] is not in [%d:%d]", tt.name, got[0].Start, got[0].End, len(tt.before), len(tt.before)+len(tt.run))
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	text := bytes.Repeat([]byte("word word \u202e "), 10_000)
	if got := Check(text); len(got) != MaxFindings {
		t.Errorf("%d findings", len(got))
	}
}

type row struct {
	Text string
	Kind string
}

func rows(t *testing.T, name string, fn func(row)) {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "data", "screen", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		var r row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		fn(r)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestFalseAlarms holds real text that uses such characters rightly to at most
// one alarm in a hundred per set.
func TestFalseAlarms(t *testing.T) {
	for _, set := range []string{"emoji-zwj-benign", "udhr-benign-unicode", "notinject", "wildguard-benign", "skills-benign"} {
		t.Run(set, func(t *testing.T) {
			n, alarms := 0, 0
			rows(t, set, func(r row) {
				n++
				if got := Check([]byte(r.Text)); got != nil {
					alarms++
					t.Logf("alarm: %+v in %q", got[0], Reveal(r.Text[max(0, got[0].Start-40):min(len(r.Text), got[0].End+40)]))
				}
			})
			t.Logf("%d alarms in %d texts", alarms, n)
			if n == 0 || alarms*100 > n {
				t.Errorf("%d alarms in %d texts", alarms, n)
			}
		})
	}
}

// TestHiddenText holds the share of texts with a message in characters that
// nobody sees that is found, and that base64, which everybody sees, is left.
func TestHiddenText(t *testing.T) {
	total, found := map[string]int{}, map[string]int{}
	rows(t, "derived-invisible", func(r row) {
		total[r.Kind]++
		if Check([]byte(r.Text)) != nil {
			found[r.Kind]++
		}
	})
	for kind, n := range total {
		t.Logf("%s: %d of %d", kind, found[kind], n)
		if want := n * 99 / 100; kind != "base64" && found[kind] < want {
			t.Errorf("%s: %d of %d found, want %d", kind, found[kind], n, want)
		}
	}
	if len(total) != 5 || found["base64"] != 0 {
		t.Errorf("kinds %v, base64 found %d", total, found["base64"])
	}
}

func TestReveal(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain é\n\t日": "plain é\n\t日",
		"a\u202eb": "a⟨U+202E⟩b", "\ufeff\u200b": "⟨U+FEFF⟩⟨U+200B⟩", "x\U000e0041\U000e007f": "x⟨U+E0041 A⟩⟨U+E007F⟩",
		"\x1b]0;\x07": "⟨U+001B⟩]0;⟨U+0007⟩", "\xffz": "⟨byte FF⟩z", "\ufffd": "\ufffd", "a\r\u2028": "a⟨U+000D⟩⟨U+2028⟩", "❤\ufe0f": "❤⟨U+FE0F⟩",
	} {
		if got := Reveal(in); got != want {
			t.Errorf("Reveal(%q) = %q, want %q", in, got, want)
		}
	}
}

// laws hold for every text.
func laws(t interface{ Errorf(string, ...any) }, text []byte) {
	last := 0
	for _, f := range Check(text) {
		if f.Start < last || f.End <= f.Start || f.End > len(text) || f.Rule == "" {
			t.Errorf("%q: %+v after %d", text, f, last)
			return
		}
		last = f.End
		first, _ := utf8.DecodeRune(text[f.Start:])
		end, _ := utf8.DecodeLastRune(text[f.Start:f.End])
		if classOf(first) == visible || classOf(end) == visible {
			t.Errorf("%q: %+v begins or ends with a visible character", text, f)
		}
	}
	shown := Reveal(string(text))
	if got := Check([]byte(shown)); got != nil || Reveal(shown) != shown || !utf8.ValidString(shown) || len(shown) > 13*len(text) {
		t.Errorf("%q: shown as %q", text, shown)
	}
}

func TestLaws(t *testing.T) {
	alphabet := []rune("ab \n请ש\u0645\u0e01❤\U0001f3f4\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u202a\u202c\u202e\u2066\u2067\u2069\ufe0f\ufeff\U000e0061\U000e0062\U000e007f\U000e0101\U000e01ef")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom(alphabet)).Draw(t, "text")
		laws(t, []byte(text))
		// A message of tags put anywhere is found, whatever is around it.
		at := rapid.IntRange(0, len([]rune(text))).Draw(t, "at")
		r := []rune(text)
		attacked := string(r[:at]) + "\U000e0049\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e0020" + string(r[at:])
		if Check([]byte(attacked)) == nil {
			t.Fatalf("tags not found in %q", attacked)
		}
	})
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"plain", "a\u202eb", "👨\u200d👩", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f", "\xff\u200b\u200b\u200b", "ש\u2066a\u2069\n\u2067"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { laws(t, text) })
}

func BenchmarkCheck10KB(b *testing.B) {
	for name, unit := range map[string]string{
		"ascii": "The quick brown fox jumps over the lazy dog. ", "cyrillic": "Съешь ещё этих мягких булок. ",
		"emoji": "👨\u200d👩\u200d👧 ", "persian": "می\u200cخواهم ", "attack": "\U000e0061\u200b\u202ex", "open": "\u2066x\n", "zero": "\u200b",
	} {
		text := []byte(strings.Repeat(unit, 10_240/len(unit)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Check(text)
			}
		})
	}
}
