package term

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLineAndBlock(t *testing.T) {
	for _, c := range []struct{ in, line, block string }{
		{"plain", "plain", "plain"},
		{"", "", ""},
		{"a\nb\tc", "a⟨U+000A⟩b⟨U+0009⟩c", "a\nb    c"},
		{"a\r\nb\rc", "a⟨U+000D⟩⟨U+000A⟩b⟨U+000D⟩c", "a\nb⟨U+000D⟩c"},
		{"\x1b[31mred\x07", "⟨U+001B⟩[31mred⟨U+0007⟩", "⟨U+001B⟩[31mred⟨U+0007⟩"},
		{"\u009b31m", "⟨U+009B⟩31m", "⟨U+009B⟩31m"},
		{"\x7f\x00", "⟨U+007F⟩⟨U+0000⟩", "⟨U+007F⟩⟨U+0000⟩"},
		{"bad \xff", "bad ⟨byte FF⟩", "bad ⟨byte FF⟩"},
		{"Größe 日本 👍", "Größe 日本 👍", "Größe 日本 👍"},
		{"a\u2028b", "a⟨U+2028⟩b", "a⟨U+2028⟩b"},
		{"a\u202eb", "a⟨U+202E⟩b", "a⟨U+202E⟩b"},
	} {
		if got := Line(c.in); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.line)
		}
		if got := Block(c.in); got != c.block {
			t.Errorf("Block(%q) = %q, want %q", c.in, got, c.block)
		}
	}
}

func TestLineNeverDrivesATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		for _, r := range Line(in) {
			if unicode.IsControl(r) {
				t.Fatalf("Line(%q) holds %U", in, r)
			}
		}
		for _, r := range Block(in) {
			if unicode.IsControl(r) && r != '\n' {
				t.Fatalf("Block(%q) holds %U", in, r)
			}
		}
	})
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text") + "\u202e\u0085\x7f\U000e0041<&>"
		var b bytes.Buffer
		if err := JSON(&b, in); err != nil {
			t.Fatal(err)
		}
		line := strings.TrimSuffix(b.String(), "\n")
		for _, r := range line {
			if hidden(r) || unicode.IsControl(r) {
				t.Fatalf("JSON line holds %U", r)
			}
		}
		var out string
		if err := json.Unmarshal([]byte(line), &out); err != nil || out != in {
			t.Fatalf("got %q, %v; want %q", out, err, in)
		}
	})
}

func TestJSONRefusesWhatDoesNotEncode(t *testing.T) {
	if err := JSON(&bytes.Buffer{}, func() {}); err == nil {
		t.Error("no error for a function")
	}
}

func TestStyle(t *testing.T) {
	off, on := Style{}, NewStyle(true)
	if got := off.Bold("x") + off.Dim("x") + off.Good("x") + off.Bad("x") + off.Name("x"); got != "xxxxx" {
		t.Errorf("off: %q", got)
	}
	if got := on.Bold("x"); got != "\x1b[1mx\x1b[0m" {
		t.Errorf("on: %q", got)
	}
	if w := Width("a" + on.Bold("bc") + on.Name("日")); w != 5 {
		t.Errorf("width of painted text is %d, want 5", w)
	}
	if got := on.Bold(""); got != "" {
		t.Errorf("on, empty: %q", got)
	}
}

func TestWrap(t *testing.T) {
	up := strings.ToUpper
	for _, c := range []struct {
		text   string
		width  int
		marked []Span
		want   string
	}{
		{"", 10, nil, ""},
		{"  \n ", 10, nil, ""},
		{"one two  three\nfour", 9, nil, "one two|three|four"},
		{"abcdefghijklmnop qr", 8, nil, "abcdefgh|ijklmnop|qr"},
		{"one two", 20, []Span{{4, 7}}, "one TWO"},
		{"one two", 20, []Span{{0, 7}}, "ONE TWO"},
		{"abcdefghijkl", 8, []Span{{6, 10}}, "abcdefGH|IJkl"},
		{"日本語日本語 x", 8, nil, "日本語日|本語 x"},
	} {
		if got := strings.Join(Wrap(c.text, c.width, c.marked, up), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestWrapKeepsTextAndWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := Block(rapid.String().Draw(t, "text"))
		width := rapid.IntRange(8, 40).Draw(t, "width")
		lines := Wrap(text, width, nil, nil)
		for _, l := range lines {
			if Width(l) > width {
				t.Fatalf("line %q is %d columns, limit %d", l, Width(l), width)
			}
		}
		squeeze := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r < 0x80 && isSpace(byte(r)) {
					return -1
				}
				return r
			}, s)
		}
		if got := squeeze(strings.Join(lines, "")); got != squeeze(text) {
			t.Fatalf("wrapped text %q, want %q", got, squeeze(text))
		}
	})
}

func TestSnippet(t *testing.T) {
	text := "Opening words that say nothing at all about it. " + strings.Repeat("Filler text goes on. ", 20) +
		"The price of the lantern rises in May. " + strings.Repeat("More filler follows. ", 20)
	got, spans := Snippet(text, []Term{{"pric", 1}, {"lantern", 2}}, 80)
	if !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") || len(got) > 90 {
		t.Errorf("snippet %q", got)
	}
	var words []string
	for _, s := range spans {
		words = append(words, got[s.Start:s.End])
	}
	if strings.Join(words, " ") != "price lantern" {
		t.Errorf("marked %q in %q", words, got)
	}
	if got, spans := Snippet("short text", nil, 80); got != "short text" || spans != nil {
		t.Errorf("whole text: %q %v", got, spans)
	}
	if got, _ := Snippet("short text", []Term{{"t", 1}}, 80); got != "short text" {
		t.Errorf("a term of one letter marks nothing: %q", got)
	}
}

func TestSnippetBegins(t *testing.T) {
	filler := strings.Repeat("filler ", 20)
	for _, c := range []struct{ name, text, want string }{
		{"at a block", filler + "end.\n\n- first item\n- price here", "… - price here"},
		{"at a sentence", filler + "end. Then the price here", "… Then the price here"},
		{"at a word", filler + "price here", "… filler filler filler price here"},
		{"where a heavy word is", "the price the the the " + filler + "gold here", "… filler filler filler gold here"},
	} {
		got, _ := Snippet(c.text, []Term{{"price", 1}, {"gold", 9}, {"the", .1}}, 72)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSnippetCutsWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zäöü日 ]{0,9}|日本){0,40}`).Draw(t, "text")
		var terms []Term
		for _, w := range rapid.SliceOfN(rapid.StringMatching(`[a-zä]{1,4}`), 0, 3).Draw(t, "terms") {
			terms = append(terms, Term{w, float64(len(w))})
		}
		size := rapid.IntRange(1, 60).Draw(t, "size")
		got, spans := Snippet(text, terms, size)
		if !utf8.ValidString(got) {
			t.Fatalf("cut a character: %q", got)
		}
		last := 0
		for _, s := range spans {
			if s.Start < last || s.End > len(got) || s.Start >= s.End {
				t.Fatalf("span %v in %q", s, got)
			}
			last = s.End
		}
	})
}
