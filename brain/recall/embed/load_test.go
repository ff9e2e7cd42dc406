package embed

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	iofs "io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
	"github.com/seed70401ef0/brain-go/brain/recall/embed/safetensors"
)

// TestDefaultIsItsDirectory: the model folder is a genuine model2vec directory
// with the digest that the program names.
func TestDefaultIsItsDirectory(t *testing.T) {
	s, err := LoadStatic(os.DirFS("model"))
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(s.ID(), "@")
	if _, got, _ := strings.Cut(Default().ID(), "@"); got != want {
		t.Errorf("Default is %s, the directory %s", got, want)
	}
	a, b := one(t, s, "the same model"), one(t, Default(), "the same model")
	for j := range a {
		if a[j] != b[j] {
			t.Fatal("another vector from the directory")
		}
	}
}

// fixture reads the files of a model2vec-rs fixture, with the tokenizer that
// three of them share.
func fixture(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	dir := testdata.Shared(t, "models", "model2vec-fixtures", "tests", "fixtures")
	add := func(from, name string) {
		if data, err := os.ReadFile(dir + "/" + from + "/" + name); err == nil {
			out[name] = &fstest.MapFile{Data: data}
		}
	}
	add("test-model-int8", "tokenizer.json")
	for _, file := range []string{"config.json", "config_sentence_transformers.json", "model.safetensors", "tokenizer.json"} {
		add(name, file)
	}
	return out
}

func expected(t *testing.T, name string) []float64 {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "models", "model2vec-fixtures", "tests", "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	var v [][]float64
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v[0]
}

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d components, want %d", what, len(got), len(want))
		return
	}
	for j, x := range got {
		if math.Abs(float64(x)-want[j]) > tolerance {
			t.Errorf("%s: component %d is %v, want %v", what, j, x, want[j])
			return
		}
	}
}

func TestFixturesOfModel2vec(t *testing.T) {
	nested := func(m fstest.MapFS) fstest.MapFS {
		for _, name := range []string{"model.safetensors", "tokenizer.json"} {
			m["0_StaticEmbedding/"+name] = m[name]
			delete(m, name)
		}
		return m
	}
	long := strings.TrimSpace(strings.Repeat("hello ", 1000))
	for _, tt := range []struct {
		name      string
		fsys      fstest.MapFS
		tolerance float64
	}{
		{"float32", fixture(t, "test-model-float32"), 1e-5},
		{"float16", fixture(t, "test-model-float16"), 1e-3},
		{"int8", fixture(t, "test-model-int8"), 2e-2},
		{"sentence-transformers", fixture(t, "test-model-sentence-transformers"), 1e-5},
		{"nested", nested(fixture(t, "test-model-sentence-transformers")), 1e-5},
	} {
		s, err := LoadStatic(tt.fsys)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		near(t, tt.name+" short", one(t, s, "hello world"), expected(t, "embeddings_short.json"), tt.tolerance)
		near(t, tt.name+" long", one(t, s, long), expected(t, "embeddings_long.json"), tt.tolerance)
		if s.Dim() != 2 || s.Deterministic() != true || !strings.HasPrefix(s.ID(), "model2vec@sha256:") {
			t.Errorf("%s: dim %d, id %s", tt.name, s.Dim(), s.ID())
		}
		if sum, _ := s.Sum("hello"); (sum != nil) != (tt.name == "int8") {
			t.Errorf("%s: exact sum %v", tt.name, sum)
		}
	}
}

// TestFixtureWithMapping: its Unigram tokenizer is refused by name; its table,
// mapping and weights give the published vector for the token it makes.
func TestFixtureWithMapping(t *testing.T) {
	fsys := fixture(t, "test-model-vocab-quantized")
	var bad *invalid.Error
	if _, err := LoadStatic(fsys); !errors.As(err, &bad) || bad.Field != "tokenizer.json" {
		t.Fatalf("%v, want an error of tokenizer.json", err)
	}
	var file struct {
		Model struct{ Vocab [][]any }
	}
	if err := json.Unmarshal(fsys["tokenizer.json"].Data, &file); err != nil {
		t.Fatal(err)
	}
	var vocab bytes.Buffer
	for _, entry := range file.Model.Vocab {
		fmt.Fprintln(&vocab, strings.TrimPrefix(entry[0].(string), "▁"))
	}
	delete(fsys, "tokenizer.json")
	fsys["vocab.txt"] = &fstest.MapFile{Data: vocab.Bytes()}
	s, err := LoadStatic(fsys)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mapping", one(t, s, strings.Repeat("hello ", 1000)), expected(t, "embeddings_vocab_quantized.json"), 1e-5)
}

// build makes a safetensors file of named tensors.
func build(tensors map[string]safetensors.Tensor) []byte {
	header, body := map[string]any{}, []byte{}
	for name, t := range tensors {
		header[name] = map[string]any{"dtype": t.DType, "shape": t.Shape, "data_offsets": []int{len(body), len(body) + len(t.Data)}}
		body = append(body, t.Data...)
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), body...)
}

func floats(shape []int, values ...float32) safetensors.Tensor {
	t := safetensors.Tensor{DType: safetensors.F32, Shape: shape}
	for _, x := range values {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(x))
	}
	return t
}

func bytesTensor(shape []int, values ...int8) safetensors.Tensor {
	t := safetensors.Tensor{DType: safetensors.I8, Shape: shape}
	for _, x := range values {
		t.Data = append(t.Data, byte(x))
	}
	return t
}

// model is a directory with the tokens [UNK], a, b.
func model(config string, tensors map[string]safetensors.Tensor) fstest.MapFS {
	m := fstest.MapFS{
		"vocab.txt":         {Data: []byte("[UNK]\na\nb\n")},
		"model.safetensors": {Data: build(tensors)},
	}
	if config != "" {
		m["config.json"] = &fstest.MapFile{Data: []byte(config)}
	}
	return m
}

func TestSettings(t *testing.T) {
	rows := bytesTensor([]int{3, 3}, 9, 9, 9, 3, 0, -128, 0, 4, 127)
	f32 := floats([]int{3, 3}, 9, 9, 9, 3, 0, -128, 0, 4, 127)
	tests := []struct {
		name, config, text string
		tensors            map[string]safetensors.Tensor
		want               []float64
	}{
		{"unit length by default", "", "a zzz b", map[string]safetensors.Tensor{"embeddings": rows}, []float64{3 / math.Sqrt(26), 4 / math.Sqrt(26), -1 / math.Sqrt(26)}},
		{"mean", `{"normalize":false}`, "a b b zzz b", map[string]safetensors.Tensor{"embeddings": rows}, []float64{.75, 3, 63.25}},
		{"mean of floats", `{"normalize":false}`, "a b b zzz b", map[string]safetensors.Tensor{"embeddings": f32}, []float64{.75, 3, 63.25}},
		{"no limit", `{"normalize":false,"max_length":null}`, strings.Repeat("a ", 1000), map[string]safetensors.Tensor{"embeddings": rows}, []float64{3, 0, -128}},
		{"exact weights of both signs", `{"normalize":false}`, "a b", map[string]safetensors.Tensor{"embeddings": rows, "weights": floats([]int{3}, 0, -2, .5)}, []float64{-3, 1, 159.75}},
		{"inexact weights", `{"normalize":false}`, "a b", map[string]safetensors.Tensor{"embeddings": rows, "weights": floats([]int{3}, 0, 0x1p-30, 1)}, []float64{3 * 0x1p-31, 2, 63.5 - 0x1p-24}},
		{"huge weights", `{"normalize":false}`, "a b", map[string]safetensors.Tensor{"embeddings": rows, "weights": floats([]int{3}, 0, 1024, 0)}, []float64{1536, 0, -65536}},
		{"zero sum", "", "a b", map[string]safetensors.Tensor{"embeddings": bytesTensor([]int{3, 1}, 1, 5, -5)}, []float64{0}},
	}
	for _, tt := range tests {
		s, err := LoadStatic(model(tt.config, tt.tensors))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		near(t, tt.name, one(t, s, tt.text), tt.want, 1e-6)
	}
}

// TestMaxLength: tokens are counted without the unknown ones, and the text is cut
// before at the limit times the median token length, here 2*3 characters.
func TestMaxLength(t *testing.T) {
	fsys := model(`{"normalize":false,"max_length":2}`, map[string]safetensors.Tensor{"embeddings": bytesTensor([]int{3, 2}, 9, 9, 1, 0, 0, 1)})
	fsys["vocab.txt"] = &fstest.MapFile{Data: []byte("[UNK]\naaa\nb\n")}
	s, err := LoadStatic(fsys)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]float64{
		"b b b b":     {0, 1},
		"aaa b":       {.5, .5},
		"aaa  b":      {.5, .5},
		"aaa   b":     {1, 0}, // the cut
		"z z b":       {0, 1},
		"aab":         {0, 0},
		"é\u00e9 b b": {0, 1}, // characters, not bytes
		"b aaab":      {0, 1},
	} {
		near(t, text, one(t, s, text), want, 1e-6)
	}
	if _, n := s.Sum("b b b b"); n != 2 {
		t.Errorf("%d tokens, want 2", n)
	}
	if _, n := s.Sum("éé é b"); n != 1 {
		t.Errorf("%d tokens, want 1: the cut counts bytes", n)
	}
}

// TestLanesAreExact: the packed sum equals the plain one at the ends of the
// ranges, for dimensions that do not fill a word, over many tokens.
func TestLanesAreExact(t *testing.T) {
	for dim := 1; dim <= 19; dim++ {
		for _, w := range []float32{1, -1, 7.99, -7.99, Unit} {
			w = float32(math.Trunc(float64(w)/Unit) * Unit)
			values := make([]int8, 3*dim)
			for j := range values {
				values[j] = []int8{-128, 127, 0, -1}[j%4]
			}
			s, err := LoadStatic(model(`{"max_length":null}`, map[string]safetensors.Tensor{
				"embeddings": bytesTensor([]int{3, dim}, values...), "weights": floats([]int{3}, 0, w, -w)}))
			if err != nil {
				t.Fatal(err)
			}
			sum, n := s.Sum(strings.Repeat("a a b ", 300))
			for j, got := range sum {
				want := int64(float64(w)/Unit) * 300 * (2*int64(values[dim+j]) - int64(values[2*dim+j]))
				if got != want || n != 900 {
					t.Fatalf("dim %d, weight %v: component %d is %d, want %d", dim, w, j, got, want)
				}
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	ok := bytesTensor([]int{3, 1}, 1, 2, 3)
	tests := []struct {
		name, config, field string
		tensors             map[string]safetensors.Tensor
	}{
		{"no table", "", "embeddings", map[string]safetensors.Tensor{"x": ok}},
		{"flat table", "", "embeddings", map[string]safetensors.Tensor{"embeddings": bytesTensor([]int{3}, 1, 2, 3)}},
		{"no columns", "", "embeddings", map[string]safetensors.Tensor{"embeddings": bytesTensor([]int{3, 0})}},
		{"integer table", "", "embeddings", map[string]safetensors.Tensor{"embeddings": {DType: safetensors.I32, Shape: []int{1, 1}, Data: make([]byte, 4)}}},
		{"few rows", "", "embeddings", map[string]safetensors.Tensor{"embeddings": bytesTensor([]int{2, 1}, 1, 2)}},
		{"NaN", "", "embeddings", map[string]safetensors.Tensor{"embeddings": floats([]int{3, 1}, 1, float32(math.NaN()), 2)}},
		{"few weights", "", "weights", map[string]safetensors.Tensor{"embeddings": ok, "weights": floats([]int{2}, 1, 2)}},
		{"integer weights", "", "weights", map[string]safetensors.Tensor{"embeddings": ok, "weights": bytesTensor([]int{3}, 1, 2, 3)}},
		{"infinite weight", "", "weights", map[string]safetensors.Tensor{"embeddings": ok, "weights": floats([]int{3}, 1, 2, float32(math.Inf(1)))}},
		{"few mappings", "", "mapping", map[string]safetensors.Tensor{"embeddings": ok, "mapping": bytesTensor([]int{2}, 0, 1)}},
		{"mapping beyond", "", "mapping", map[string]safetensors.Tensor{"embeddings": ok, "mapping": bytesTensor([]int{3}, 0, 1, 3)}},
		{"negative mapping", "", "mapping", map[string]safetensors.Tensor{"embeddings": ok, "mapping": bytesTensor([]int{3}, 0, 1, -1)}},
		{"float mapping", "", "mapping", map[string]safetensors.Tensor{"embeddings": ok, "mapping": floats([]int{3}, 0, 1, 1)}},
		{"config", "{", "config.json", map[string]safetensors.Tensor{"embeddings": ok}},
		{"length 0", `{"max_length":0}`, "config.json", map[string]safetensors.Tensor{"embeddings": ok}},
		{"length text", `{"max_length":"x"}`, "config.json", map[string]safetensors.Tensor{"embeddings": ok}},
	}
	for _, tt := range tests {
		var bad *invalid.Error
		if s, err := LoadStatic(model(tt.config, tt.tensors)); s != nil || !errors.As(err, &bad) || bad.Field != tt.field {
			t.Errorf("%s: %v, want an *invalid.Error of %s", tt.name, err, tt.field)
		}
	}
	for _, missing := range []string{"vocab.txt", "model.safetensors"} {
		fsys := model("", map[string]safetensors.Tensor{"embeddings": ok})
		delete(fsys, missing)
		if _, err := LoadStatic(fsys); !errors.Is(err, iofs.ErrNotExist) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}
