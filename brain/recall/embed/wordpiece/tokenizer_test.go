package wordpiece

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/race"
	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

func readShared(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGoldenMiniLM: ids and tokens of the reference library for the unmodified
// tokenizer.json of all-MiniLM-L6-v2.
func TestGoldenMiniLM(t *testing.T) {
	fromJSON, err := Parse(readShared(t, "models", "minilm", "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	fromText, err := ParseVocab(readShared(t, "models", "minilm", "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(testdata.Shared(t, "models", "golden", "wordpiece.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); n++ {
		var want struct {
			Text   string
			IDs    []int32
			Tokens []string
		}
		if err := json.Unmarshal(sc.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		got := fromJSON.Encode(want.Text)
		if !slices.Equal(got, want.IDs) {
			t.Errorf("%q: ids %v, want %v", want.Text, got, want.IDs)
			continue
		}
		for i, id := range got {
			if tok := fromJSON.Token(id); tok != want.Tokens[i] {
				t.Errorf("%q: token %d is %q, want %q", want.Text, i, tok, want.Tokens[i])
			}
		}
		if !strings.Contains(want.Text, "[") && !slices.Equal(fromText.Encode(want.Text), want.IDs) {
			t.Errorf("%q: vocab.txt gives %v", want.Text, fromText.Encode(want.Text))
		}
	}
	if n < 300 {
		t.Errorf("only %d golden lines", n)
	}
}

func tiny(t testing.TB, words ...string) *Tokenizer {
	t.Helper()
	tok, err := ParseVocab([]byte("[PAD]\n[UNK]\n" + strings.Join(words, "\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// spell gives the tokens of text, joined.
func spell(tok *Tokenizer, text string) string {
	var out []string
	for _, id := range tok.Encode(text) {
		out = append(out, tok.Token(id))
	}
	return strings.Join(out, " ")
}

func TestEncode(t *testing.T) {
	tok := tiny(t, "un", "##want", "##ed", "want", "a", "##a", "é", "e", "(", ")", ".", "世", "界", "σ", "##σ", "ss",
		"ᄒ", "##ᅡ", "##ᆫ", "[", "]", "unk", "#", "##", "i")
	tests := []struct{ text, want string }{
		{"", ""},
		{" \t\r\n\u00a0\u3000", ""},
		{"unwanted", "un ##want ##ed"},
		{"UNWANTED", "un ##want ##ed"},
		{"unwantedx", "[UNK]"}, // no pieces of a word that is not covered
		{"a(a).a", "a ( a ) . a"},
		{"É E\u0301 é", "e e e"},
		{"a\u200ba\ufeff\x00\x7f\u00ad", "a ##a"}, // invisible characters vanish
		{"\xffa\xc3", "a"},
		{"世界a", "世 界 a"},
		{"ΣΣ", "σ ##σ"},
		{"한", "ᄒ ##ᅡ ##ᆫ"},
		{"İ", "i"},
		{"[UNK]", "[ unk ]"},
		{"##a", "# # a"},
		{strings.Repeat("a", 100), "a" + strings.Repeat(" ##a", 99)},
		{strings.Repeat("a", 101), "[UNK]"},
		{strings.Repeat("é", 100), "[UNK]"}, // e without ##e
		{strings.Repeat("a\u0301", 100), "a" + strings.Repeat(" ##a", 99)},
	}
	for _, tt := range tests {
		if got := spell(tok, tt.text); got != tt.want {
			t.Errorf("%.40q: %s; want %s", tt.text, got, tt.want)
		}
	}
}

func TestAddedTokens(t *testing.T) {
	data := `{"added_tokens":[{"id":0,"content":"[UNK]"},{"id":1,"content":"<a>"},{"id":2,"content":"<a><b>"}],
	"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},
	"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"<a>":1,"<a><b>":2,"x":3,"<":4,">":5,"\u0062":6}}}`
	tok, err := Parse([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"x<a>x":          {3, 1, 3},
		"<a><b><a>":      {2, 1},
		"<A> <b>":        {4, 0, 5, 4, 6, 5},
		"[UNK]x":         {0, 3},
		"<a":             {4, 0},
		"<a><a><a>x<a> ": {1, 1, 1, 3, 1},
	} {
		if got := tok.Encode(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// naive is the algorithm of the paper on one word, with a map.
func naive(words map[string]int32, w string) []int32 {
	var ids []int32
	for start := 0; start < len(w); {
		end := len(w)
		for ; end > start; end-- {
			piece := w[start:end]
			if start > 0 {
				piece = "##" + piece
			}
			if id, ok := words[piece]; ok {
				ids = append(ids, id)
				break
			}
		}
		if end == start {
			return []int32{words["[UNK]"]}
		}
		start = end
	}
	return ids
}

func TestEncodeEqualsNaive(t *testing.T) {
	piece := rapid.StringMatching(`(##)?[abä]{1,5}`)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(piece, 1, 40, rapid.ID).Draw(t, "vocab")
		words := map[string]int32{"[UNK]": 0}
		var text strings.Builder
		text.WriteString("[UNK]\n")
		for i, w := range list {
			w = strings.ReplaceAll(w, "ä", "β") // β stays as it is
			words[w] = int32(i + 1)
			text.WriteString(w + "\n")
		}
		tok, err := ParseVocab([]byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			w := strings.ReplaceAll(rapid.StringMatching(`[abä]{1,12}`).Draw(t, "word"), "ä", "β")
			if got, want := tok.Encode(w), naive(words, w); !slices.Equal(got, want) {
				t.Fatalf("%q with %v: %v, want %v", w, slices.Sorted(maps.Keys(words)), got, want)
			}
		}
	})
}

// TestHugeInputsEnd: 10 MB each end in well under a second, because the work
// per byte is bounded.
func TestHugeInputsEnd(t *testing.T) {
	size := 10 << 20
	if race.Enabled {
		size >>= 4
	}
	tok := tiny(t, "a", "##a", "(", "##"+strings.Repeat("b", 30))
	for _, tt := range []struct {
		unit string
		want int
	}{
		{"a", 1}, {"(", size}, {strings.Repeat("b", 99) + " ", size / 100}, {"\u0301", 0}, {"\u4e00", size / 3},
		{strings.Repeat("a", 100) + " ", size / 101 * 100}, {"\xff", 0},
	} {
		text, n := strings.Repeat(tt.unit, size/len(tt.unit)), 0
		tok.Each(text, func(int32) bool { n++; return true })
		if n != tt.want {
			t.Errorf("%.10q many times: %d tokens, want %d", tt.unit, n, tt.want)
		}
	}
}

func TestEachStops(t *testing.T) {
	tok := tiny(t, "a", "##b", "(", "世")
	for _, text := range []string{"a a a", "abbb", "((((", "世世世", "xxx x x", "a世(a", "ⅰ（（"} {
		all := len(tok.Encode(text))
		for stop := 1; stop <= all; stop++ {
			n := 0
			tok.Each(text, func(int32) bool { n++; return n < stop })
			if n != stop {
				t.Errorf("%q: stopped after %d tokens, want %d", text, n, stop)
			}
		}
	}
}

func TestEachDoesNotAllocate(t *testing.T) {
	tok := tiny(t, "a", "##b", "(")
	text := strings.Repeat("Abb é (( 한국 世 x\u0301 ", 50)
	n := 0
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	if allocs := testing.AllocsPerRun(20, func() {
		tok.Each(text, func(int32) bool { n++; return true })
	}); allocs != 0 {
		t.Fatalf("%v allocations, want 0", allocs)
	}
}

func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "Hello, wörld", "한국어 世界", "\xff\xfe", "[UNK][CLS]", "a\u0301\u200d", "ǅﬁ"} {
		f.Add(s)
	}
	tok := tiny(f, "a", "##a", "hello", ",", "w", "##orld", "世", "ᄒ", "##ᅡ", "##ᆫ")
	f.Fuzz(func(t *testing.T, text string) {
		ids := tok.Encode(text)
		if len(ids) > len(text) {
			t.Fatalf("%d tokens of %d bytes", len(ids), len(text))
		}
		for _, id := range ids {
			if id < 1 || int(id) >= tok.Size() {
				t.Fatalf("id %d is not in the vocabulary", id)
			}
		}
		if clean := strings.ToValidUTF8(text, "\ufffd"); !slices.Equal(ids, tok.Encode(clean)) {
			t.Fatalf("invalid UTF-8 is not read as U+FFFD: %q", text)
		}
		if utf8.ValidString(text) && !slices.Equal(append(ids, ids...), tok.Encode(text+" "+text)) {
			t.Fatalf("words depend on the words before them: %q", text)
		}
	})
}

func Example() {
	tok, err := ParseVocab([]byte("[UNK]\nembed\n##ding\n##s\n!\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range tok.Encode("Embeddings!") {
		fmt.Print(tok.Token(id), " ")
	}
	// Output: embed ##ding ##s !
}
