package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// tokenizerJSON is a small file with the given parts in place of its own.
func tokenizerJSON(replace ...string) string {
	s := `{"version":"1.0","truncation":{"max_length":128},"added_tokens":[],
"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":null,
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
"vocab":{"[UNK]":0,"a":1,"##b":2}}}`
	return strings.NewReplacer(replace...).Replace(s)
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, data, reason string }{
		{"empty", "", "expected {"},
		{"no vocabulary", `{"model":{"type":"WordPiece"}}`, "no model.vocab"},
		{"list of scores", `{"model":{"vocab":[["a",1.0]]}}`, "not that of a WordPiece model"},
		{"cut", tokenizerJSON()[:300], "ends inside"},
		{"trailing bytes", tokenizerJSON() + "x", "invalid character"},
		{"bad id", tokenizerJSON(`"a":1`, `"a":x`), "expected an id"},
		{"negative id", tokenizerJSON(`"a":1`, `"a":-1`), "expected an id"},
		{"fraction", tokenizerJSON(`"a":1`, `"a":1.5`), "expected ,"},
		{"huge id", tokenizerJSON(`"a":1`, `"a":1048575`), "too large"},
		{"endless id", tokenizerJSON(`"a":1`, `"a":99999999999999999999`), "too large"},
		{"id twice", tokenizerJSON(`"a":1`, `"a":2`), "given twice"},
		{"two vocabularies", tokenizerJSON(`"model":{`, `"model":{"vocab":{},`), "two vocabularies"},
		{"no unknown token", tokenizerJSON(`"unk_token":"[UNK]"`, `"unk_token":"<unk>"`), "unknown token"},
		{"long token", tokenizerJSON(`"a":1`, `"`+strings.Repeat("a", 256)+`":1`), "over the limit of 255"},
		{"invalid UTF-8", tokenizerJSON(`"a":1`, "\"\xc3\":1"), "not UTF-8"},
		{"other model", tokenizerJSON("WordPiece", "BPE"), `model type "BPE"`},
		{"other normalizer", tokenizerJSON("BertNormalizer", "NFC"), `normalizer "NFC"`},
		{"cased", tokenizerJSON(`"lowercase":true`, `"lowercase":false`), "uncased"},
		{"other pre-tokenizer", tokenizerJSON("BertPreTokenizer", "Metaspace"), `pre-tokenizer "Metaspace"`},
		{"word length", tokenizerJSON(`per_word":100`, `per_word":0`), "1 to 255"},
		{"foreign added token", tokenizerJSON(`"added_tokens":[]`, `"added_tokens":[{"id":1,"content":"b"}]`), "not the vocabulary's"},
		{"wild added token", tokenizerJSON(`"added_tokens":[]`, `"added_tokens":[{"id":-9,"content":"b"}]`), "not the vocabulary's"},
		{"normalized added token", tokenizerJSON(`"added_tokens":[]`, `"added_tokens":[{"id":1,"content":"a","normalized":true}]`), "asks for"},
		{"deep", `{"x":` + strings.Repeat("[", 1000), "nested too deeply"},
		{"bad escape", tokenizerJSON(`"a":1`, `"\x":1`), "bad escape"},
		{"bad code", tokenizerJSON(`"a":1`, `"\u12g4":1`), "bad \\u escape"},
		{"control character", tokenizerJSON(`"a":1`, "\"\n\":1"), "control character"},
	}
	for _, tt := range tests {
		tok, err := Parse([]byte(tt.data))
		var bad *invalid.Error
		if tok != nil || !errors.As(err, &bad) || !strings.Contains(bad.Error(), tt.reason) {
			t.Errorf("%s: %v, want an *invalid.Error with %q", tt.name, err, tt.reason)
		}
	}
	for _, data := range []string{"", "a\nb\n", "[UNK]\n" + strings.Repeat("x", 300)} {
		var bad *invalid.Error
		if _, err := ParseVocab([]byte(data)); !errors.As(err, &bad) {
			t.Errorf("vocab.txt %.20q: %v", data, err)
		}
	}
	if _, err := Parse(make([]byte, MaxFile+1)); !errors.Is(err, invalid.Err) {
		t.Errorf("over the cap: %v", err)
	}
}

// TestParseReadsEveryToken: any strings, escaped as encoding/json does it, come
// back under their ids; ids need not be dense or sorted.
func TestParseReadsEveryToken(t *testing.T) {
	token := rapid.StringN(1, 12, 60)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(token, 0, 30, rapid.ID).Draw(t, "tokens")
		want := map[string]int32{"[UNK]": 3}
		for i, s := range list {
			want[strings.ToValidUTF8(s, "?")] = int32(1000 - 7*i)
		}
		vocab, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := Parse([]byte(tokenizerJSON(`{"[UNK]":0,"a":1,"##b":2}`, string(vocab))))
		if err != nil {
			t.Fatal(err)
		}
		for s, id := range want {
			if got := tok.Token(id); got != s {
				t.Fatalf("token %d is %q, want %q", id, got, s)
			}
		}
		if tok.Unknown() != 3 || tok.Token(2) != "" || tok.Token(-1) != "" || tok.Token(1<<20) != "" {
			t.Fatal("unused ids have tokens")
		}
	})
}

func TestLaterDuplicateWins(t *testing.T) {
	tok, err := ParseVocab([]byte("[UNK]\na\nb\na\r\n##b\n\n##b"))
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode("ab a b"); !slices.Equal(got, []int32{3, 6, 3, 2}) {
		t.Errorf("%v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(tokenizerJSON()))
	f.Add([]byte(tokenizerJSON(`"a":1`, `"\ud83d\ude00\n\/":1`)))
	f.Add([]byte(`{"model":{"vocab":{"[UNK]":0}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := Parse(data)
		if err != nil {
			if !errors.Is(err, invalid.Err) {
				t.Fatalf("%T is not an invalid.Error", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("not JSON, yet read")
		}
		for id := range tok.Size() {
			_ = tok.Token(int32(id))
		}
		_ = tok.Encode(fmt.Sprintf("%s a世é", data))
	})
}
