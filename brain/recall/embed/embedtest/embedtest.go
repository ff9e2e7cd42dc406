// Package embedtest is the conformance suite of embed.Embedder. An embedder of
// one's own is fit for a store when
//
//	func TestEmbedder(t *testing.T) { embedtest.Run(t, newEmbedder(t)) }
//
// passes. The suite checks the contract, not the quality of the vectors.
package embedtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/recall/embed"
)

// tolerance is the least cosine between two vectors of one text from an
// embedder that does not declare itself deterministic.
const tolerance = 0.999

// Run runs every check of the suite as a subtest. e must be safe for concurrent
// use. A run embeds a few hundred short texts and one of 64 KiB.
func Run(t *testing.T, e embed.Embedder) {
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(t.Context(), e); err != nil {
				t.Error(err)
			}
		})
	}
}

// Check runs the suite outside a test and returns what it found, joined; each
// error begins with the name of its check.
func Check(ctx context.Context, e embed.Embedder) error {
	var all []error
	for _, c := range checks() {
		if err := c.run(ctx, e); err != nil {
			all = append(all, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	return errors.Join(all...)
}

type check struct {
	name string
	run  func(context.Context, embed.Embedder) error
}

func checks() []check {
	return []check{
		{"ID", checkID},
		{"Shape", checkShape},
		{"Hostile", checkHostile},
		{"Batch", checkBatch},
		{"Ownership", checkOwnership},
		{"Context", checkContext},
		{"Concurrent", checkConcurrent},
		{"Quantizer", checkQuantizer},
	}
}

func texts() []string {
	return []string{
		"The harbour opens at six.", "Invoices are due within thirty days.", "hello", "Hello",
		"naïve café", "世界", "func main() {}", "a b c a b c", "1234567890",
	}
}

// hostile texts must not fail; what they mean is the embedder's business.
func hostile() []string {
	return []string{
		"", " ", "\n\t\r", "\x00", "\xff\xfe\xfd", "\ufffd", "\u202e\u200b", "👋🏽", "[CLS] [UNK] [SEP]",
		strings.Repeat("x", 4096), strings.Repeat("e\u0301", 300), strings.Repeat("(", 2048),
		strings.Repeat("many words in one text ", 64<<10/23),
	}
}

func embedAll(ctx context.Context, e embed.Embedder, texts []string) ([][]float32, error) {
	v, err := e.Embed(ctx, texts)
	if err == nil {
		_, err = embed.Check(v, len(texts), 0)
	}
	return v, err
}

func checkID(_ context.Context, e embed.Embedder) error {
	id := e.ID()
	if id == "" || len(id) > 255 {
		return fmt.Errorf("an id has 1 to 255 bytes, this one %d", len(id))
	}
	if i := strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }); i >= 0 {
		return fmt.Errorf("byte %d of id %q is not printable ASCII", i, id)
	}
	if again := e.ID(); again != id {
		return fmt.Errorf("the id was %q, then %q", id, again)
	}
	return nil
}

func checkShape(ctx context.Context, e embed.Embedder) error {
	for _, none := range [][]string{nil, {}} {
		if v, err := e.Embed(ctx, none); err != nil || len(v) != 0 {
			return fmt.Errorf("no texts give %d vectors and %v", len(v), err)
		}
	}
	v, err := embedAll(ctx, e, texts())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(v, func(x []float32) bool { return length(x) > 0 }) {
		return errors.New("every vector is zero")
	}
	return nil
}

func checkHostile(ctx context.Context, e embed.Embedder) error {
	v, err := embedAll(ctx, e, hostile())
	if err != nil {
		return err
	}
	if length(v[0]) != 0 {
		return errors.New("the empty text has a vector")
	}
	return nil
}

// checkBatch: neither the batch nor the order decides a vector.
func checkBatch(ctx context.Context, e embed.Embedder) error {
	list := append(texts(), hostile()[:8]...)
	all, err := embedAll(ctx, e, list)
	if err != nil {
		return err
	}
	backward := slices.Clone(list)
	slices.Reverse(backward)
	reversed, err := embedAll(ctx, e, backward)
	if err != nil {
		return err
	}
	for i, text := range list {
		alone, err := embedAll(ctx, e, []string{text})
		if err != nil {
			return err
		}
		if err := same(e, alone[0], all[i]); err != nil {
			return fmt.Errorf("text %d alone and in a batch: %w", i, err)
		}
		if err := same(e, reversed[len(list)-1-i], all[i]); err != nil {
			return fmt.Errorf("text %d in another order: %w", i, err)
		}
	}
	return nil
}

func checkOwnership(ctx context.Context, e embed.Embedder) error {
	list := texts()
	before := slices.Clone(list)
	first, err := embedAll(ctx, e, list)
	if err != nil {
		return err
	}
	if !slices.Equal(list, before) {
		return errors.New("the texts were changed")
	}
	want := make([][]float32, len(first))
	for i, v := range first {
		want[i] = slices.Clone(v)
		for j := range v {
			v[j] = 1e9
		}
		_ = append(v, 1e9)
		if i > 0 && slices.Contains(want[i], 1e9) {
			return fmt.Errorf("vector %d shares memory with the one before", i)
		}
	}
	second, err := embedAll(ctx, e, list)
	if err != nil {
		return err
	}
	for i := range second {
		if err := same(e, second[i], want[i]); err != nil {
			return fmt.Errorf("vector %d after the caller wrote to its own: %w", i, err)
		}
	}
	return nil
}

func checkContext(ctx context.Context, e embed.Embedder) error {
	done, cancel := context.WithCancel(ctx)
	cancel()
	v, err := e.Embed(done, texts())
	if err == nil || v != nil {
		return fmt.Errorf("a done context gives %d vectors and %v", len(v), err)
	}
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("a cancelled context gives %w, which is not context.Canceled", err)
	}
	return nil
}

func checkConcurrent(ctx context.Context, e embed.Embedder) error {
	want, err := embedAll(ctx, e, texts())
	if err != nil {
		return err
	}
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for g := range errs {
		wg.Go(func() {
			for range 4 {
				v, err := embedAll(ctx, e, texts())
				for i := 0; i < len(v) && err == nil; i++ {
					err = same(e, v[i], want[i])
				}
				if err != nil {
					errs[g] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// checkQuantizer: the int8 vector points where the float vector does.
func checkQuantizer(ctx context.Context, e embed.Embedder) error {
	z, ok := e.(embed.Quantizer)
	if !ok {
		return nil
	}
	list := append(texts(), hostile()...)
	vectors, err := embedAll(ctx, e, list)
	if err != nil {
		return err
	}
	for i, v := range vectors {
		q, norm, ok := z.Quantized(list[i])
		if ok != (length(v) > 0) || !ok && q != nil {
			return fmt.Errorf("text %d: quantised %v, the float vector has length %v", i, ok, length(v))
		}
		if !ok {
			continue
		}
		if len(q) != len(v) {
			return fmt.Errorf("text %d: %d int8 components, %d floats", i, len(q), len(v))
		}
		most, f := 0, make([]float32, len(q))
		for j, x := range q {
			f[j] = float32(x)
			most = max(most, int(x), -int(x))
		}
		if most != 127 || math.Abs(length(f)-norm) > 1e-9*norm {
			return fmt.Errorf("text %d: largest magnitude %d, norm %v of a vector of length %v", i, most, norm, length(f))
		}
		if c := cosine(f, v); c < tolerance {
			return fmt.Errorf("text %d: cosine %v between int8 and float vector", i, c)
		}
	}
	return nil
}

// same compares two vectors of one text, bit for bit where e says so.
func same(e embed.Embedder, a, b []float32) error {
	d, ok := e.(embed.Deterministic)
	if ok && d.Deterministic() {
		if !slices.Equal(a, b) {
			return errors.New("differs, though the embedder is declared deterministic")
		}
		return nil
	}
	if len(a) != len(b) || (length(a) > 0) != (length(b) > 0) {
		return fmt.Errorf("lengths %d and %d, norms %v and %v", len(a), len(b), length(a), length(b))
	}
	if c := cosine(a, b); length(a) > 0 && c < tolerance {
		return fmt.Errorf("cosine %v", c)
	}
	return nil
}

func length(v []float32) float64 {
	var s float64
	for _, x := range v {
		s += float64(float64(x) * float64(x))
	}
	return math.Sqrt(s)
}

func cosine(a, b []float32) float64 {
	var s float64
	for i, x := range a {
		s += float64(float64(x) * float64(b[i]))
	}
	return s / (length(a) * length(b))
}
