package embedtest

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/recall/embed"
)

func TestStaticConforms(t *testing.T) { Run(t, embed.Default()) }

// toy counts letters; each field breaks one clause of the contract.
type toy struct {
	id            func() string
	deterministic bool
	embed         func(ctx context.Context, texts []string) ([][]float32, error)
}

func (y toy) ID() string          { return y.id() }
func (y toy) Deterministic() bool { return y.deterministic }
func (y toy) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return y.embed(ctx, texts)
}

func letters(text string) []float32 {
	v := make([]float32, 8)
	for i := range len(text) {
		v[text[i]%8]++
	}
	return v
}

func good(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = letters(text)
	}
	return out, nil
}

// after returns good with its vectors changed.
func after(change func(texts []string, v [][]float32) [][]float32) func(context.Context, []string) ([][]float32, error) {
	return func(ctx context.Context, texts []string) ([][]float32, error) {
		v, err := good(ctx, texts)
		if err != nil {
			return nil, err
		}
		return change(texts, v), nil
	}
}

type quantizing struct{ toy }

func (quantizing) Quantized(text string) ([]int8, float64, bool) {
	q := make([]int8, 8)
	q[0] = 127
	return q, 127, true
}

func TestSuiteFindsWhatIsBroken(t *testing.T) {
	name := func() string { return "toy@1" }
	var calls atomic.Int64
	shared := letters("shared")
	tests := []struct {
		name, want string // "" = conforms
		e          embed.Embedder
	}{
		{"good", "", toy{name, true, good}},
		{"no id", "ID:", toy{func() string { return "" }, true, good}},
		{"id with a space", "ID:", toy{func() string { return "a b" }, true, good}},
		{"changing id", "ID:", toy{func() string { return strings.Repeat("x", int(calls.Add(1)%9)+1) }, true, good}},
		{"one too few", "Shape:", toy{name, true, after(func(_ []string, v [][]float32) [][]float32 { return v[:max(0, len(v)-1)] })}},
		{"all zero", "Shape:", toy{name, true, after(func(_ []string, v [][]float32) [][]float32 {
			for _, x := range v {
				clear(x)
			}
			return v
		})}},
		{"NaN", "Hostile:", toy{name, true, after(func(texts []string, v [][]float32) [][]float32 {
			for i, text := range texts {
				if text == "\x00" {
					v[i][0] = float32(math.NaN())
				}
			}
			return v
		})}},
		{"a vector for nothing", "Hostile:", toy{name, true, after(func(texts []string, v [][]float32) [][]float32 {
			for i, text := range texts {
				if text == "" {
					v[i][0] = 1
				}
			}
			return v
		})}},
		{"depends on the batch", "Batch:", toy{name, true, after(func(_ []string, v [][]float32) [][]float32 {
			for i := range v {
				v[i][1] += float32(i)
			}
			return v
		})}},
		{"noise, declared", "deterministic", toy{name, true, after(noise)}},
		{"noise, not declared", "", toy{name, false, after(noise)}},
		{"keeps its vectors", "Ownership:", toy{name, true, after(func(_ []string, v [][]float32) [][]float32 {
			for i := range v {
				v[i] = shared
			}
			return v
		})}},
		{"changes texts", "Ownership:", toy{name, true, after(func(texts []string, v [][]float32) [][]float32 {
			if len(texts) > 0 {
				texts[0] = strings.ToUpper(texts[0])
			}
			return v
		})}},
		{"ignores its context", "Context:", toy{name, true, func(_ context.Context, texts []string) ([][]float32, error) {
			return good(context.Background(), texts)
		}}},
		{"quantises to something else", "Quantizer:", quantizing{toy{name, true, good}}},
	}
	for _, tt := range tests {
		err := Check(context.Background(), tt.e)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func noise(_ []string, v [][]float32) [][]float32 {
	for i := range v {
		for j := range v[i] {
			v[i][j] *= 1 + float32(rand.Float64())*1e-4
		}
	}
	return v
}
