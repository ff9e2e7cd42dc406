package embed

import (
	"context"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/recall/embed/safetensors"
	"github.com/seed70401ef0/brain-go/brain/recall/embed/wordpiece"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// Unit is the unit of the exact sums of Static.Sum: 2**-20.
const Unit = 1.0 / (1 << unitBits)

const unitBits = 20

// Static is a token table in the manner of model2vec: the vector of a text is
// the sum over its tokens, repeats included, of table row times token weight,
// scaled to unit length. Unknown words count nothing. It is immutable and safe
// for concurrent use.
type Static struct {
	id        string
	tok       *wordpiece.Tokenizer
	rows      safetensors.Tensor // [rows][dim]
	dim       int
	mapping   []int32   // token id → row; nil: the id is the row
	weights   []float64 // by token id; nil: all 1
	units     []int32   // weights in units of 2**-20; nil: all 1, or not exact
	flush     int       // tokens that packed sums hold; 0: sums are not exact
	normalize bool
	maxTokens int // 0: no limit
	maxChars  int // cut before tokenising; 0: no limit
	scratch   sync.Pool
}

var (
	_ Embedder      = (*Static)(nil)
	_ Deterministic = (*Static)(nil)
	_ Quantizer     = (*Static)(nil)
)

// ID returns name@sha256:digest+tables, where the digest is of the model's
// files and tables names the frozen Unicode tables of the tokenizer.
func (s *Static) ID() string { return s.id }

// Dim returns the number of components of every vector.
func (s *Static) Dim() int { return s.dim }

// Deterministic reports true: sums are of integers where the model allows it,
// and else of float64 in token order without fused operations.
func (s *Static) Deterministic() bool { return true }

// Embed implements Embedder. It fails only when ctx is done. Vectors have unit
// length or are zero, unless the model's own config turns normalising off. The
// cost is about 0.2 microseconds per token, and one allocation per text.
func (s *Static) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = s.vector(text)
	}
	return out, nil
}

// Sum returns the exact sum over the tokens of text in units of 2**-20, before
// dividing by their number, and that number. For a model whose table is not of
// integers sum is nil. The slice is the caller's.
func (s *Static) Sum(text string) (sum []int64, tokens int) {
	if s.flush == 0 {
		return nil, 0
	}
	p := s.packed()
	defer s.scratch.Put(p)
	tokens = p.add(s, text)
	return append([]int64(nil), p.sum...), tokens
}

// Quantized implements Quantizer: for integer models from the exact sum in
// integer arithmetic alone. norm is the Euclidean length of q.
func (s *Static) Quantized(text string) (q []int8, norm float64, ok bool) {
	if s.flush == 0 {
		q, norm, err := vek.Quantize(s.vector(text))
		return q, norm, err == nil && q != nil // finite by the checks at load
	}
	p := s.packed()
	defer s.scratch.Put(p)
	p.add(s, text)
	q, norm = vek.QuantizeSums(p.sum)
	return q, norm, q != nil
}

// vector returns the finished vector of text.
func (s *Static) vector(text string) []float32 {
	v := make([]float32, s.dim)
	if s.flush == 0 {
		sum := make([]float64, s.dim)
		n := s.addFloats(sum, text)
		finish(v, sum, float64(n), s.normalize)
		return v
	}
	p := s.packed()
	defer s.scratch.Put(p)
	n := p.add(s, text)
	finish(v, p.sum, float64(n)/Unit, s.normalize)
	return v
}

// finish writes sum to v, divided by its own length or else by count; a sum
// that has none leaves v zero.
func finish[T int64 | float64](v []float32, sum []T, count float64, normalize bool) {
	div := count
	if normalize {
		var squares float64
		for _, x := range sum {
			squares += float64(float64(x) * float64(x))
		}
		div = math.Sqrt(squares)
	}
	if div == 0 {
		return
	}
	for j, x := range sum {
		v[j] = float32(float64(x) / div)
	}
}

// tokens calls add with the id of each token that counts and returns how many
// there were.
func (s *Static) tokens(text string, add func(id int32)) int {
	if s.maxChars > 0 && len(text) > s.maxChars {
		text = cut(text, s.maxChars)
	}
	n, unk := 0, s.tok.Unknown()
	s.tok.Each(text, func(id int32) bool {
		if id == unk {
			return true
		}
		n++
		add(id)
		return n != s.maxTokens
	})
	return n
}

// cut returns the first n characters of text.
func cut(text string, n int) string {
	for i := 0; i < len(text); n-- {
		if n == 0 {
			return text[:i]
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text
}

// row returns the table row of a token.
func (s *Static) row(id int32) int {
	if s.mapping != nil {
		return int(s.mapping[id])
	}
	return int(id)
}
