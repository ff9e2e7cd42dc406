package embed

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

func one(t testing.TB, e Embedder, text string) []float32 {
	t.Helper()
	v, err := e.Embed(context.Background(), []string{text})
	if err != nil || len(v) != 1 {
		t.Fatalf("Embed: %d vectors, %v", len(v), err)
	}
	return v[0]
}

type golden struct {
	Text       string
	IDs        []int32
	IDsWithUnk []int32 `json:"ids_with_unk"`
	Tokens     int
	MeanNorm   float64   `json:"mean_norm"`
	Vec        []float64 `json:"vec"`
	SumSHA256  string    `json:"sum_sha256"`
}

func goldens(t testing.TB) (out []golden) {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, "models", "golden", "static.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var g golden
		if err := json.Unmarshal(sc.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if sc.Err() != nil || len(out) < 78 {
		t.Fatalf("%d golden texts, %v", len(out), sc.Err())
	}
	return out
}

func sumDigest(sum []int64) string {
	h := sha256.New()
	for _, x := range sum {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(x)))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestGoldenStatic: ids and integer sums exactly, vectors within 1e-5.
func TestGoldenStatic(t *testing.T) {
	s := Default()
	for _, g := range goldens(t) {
		want := g.IDs
		if g.IDsWithUnk != nil {
			want = g.IDsWithUnk
		}
		if got := s.tok.Encode(g.Text); !slices.Equal(got, want) {
			t.Errorf("%.60q: ids %v, want %v", g.Text, got, want)
		}
		sum, n := s.Sum(g.Text)
		if n != g.Tokens || sumDigest(sum) != g.SumSHA256 {
			t.Errorf("%.60q: %d tokens, want %d; sum digest %s, want %s", g.Text, n, g.Tokens, sumDigest(sum), g.SumSHA256)
		}
		var squares float64
		for _, x := range sum {
			squares += float64(float64(x) * float64(x))
		}
		if mean := math.Sqrt(squares) * Unit / float64(max(n, 1)); math.Abs(mean-g.MeanNorm) > 1e-5 {
			t.Errorf("%.60q: norm of the mean %v, want %v", g.Text, mean, g.MeanNorm)
		}
		for j, x := range one(t, s, g.Text) {
			if math.Abs(float64(x)-g.Vec[j]) > 1e-5 {
				t.Errorf("%.60q: component %d is %v, want %v", g.Text, j, x, g.Vec[j])
				break
			}
		}
	}
}

// TestGoldenBits: the bits of vectors, so that machines can be compared.
func TestGoldenBits(t *testing.T) {
	const want = "d4717e309013a019dc7d78d79c275a43ac978b7aee975d224873156a9ce96fef"
	h := sha256.New()
	s := Default()
	for _, text := range hostile() {
		for _, x := range one(t, s, text) {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		q, norm, _ := s.Quantized(text)
		for _, x := range q {
			h.Write([]byte{byte(x)})
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(norm)))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func hostile() []string {
	return []string{"", " ", "\x00", "\xff\xfe", "👋🏽", "the", "The quick brown fox jumps over the lazy dog.",
		"[UNK] [CLS]", strings.Repeat("word ", 5000), strings.Repeat("x", 200), "naïve café 한국어 世界 Ελλάδα",
		"func (s *Static) Sum(text string)", "1234567890", "?!?!"}
}

func TestQuantizedIsFromTheExactSum(t *testing.T) {
	s := Default()
	for _, text := range hostile() {
		sum, n := s.Sum(text)
		want, norm := vek.QuantizeSums(sum)
		q, length, ok := s.Quantized(text)
		if !slices.Equal(q, want) || length != norm || ok != (want != nil) || n == 0 && ok {
			t.Errorf("%.40q: %v, %v, %v; want %v, %v", text, q, length, ok, want, norm)
		}
		v := one(t, s, text)
		for j := range q { // the way over floats differs by rounding at most
			most := float64(slices.Max(v))
			most = max(most, -float64(slices.Min(v)))
			if d := math.Abs(float64(v[j])/most*127 - float64(q[j])); d > 0.5001 {
				t.Errorf("%.40q: component %d is %v in floats, %d quantised", text, j, v[j], q[j])
			}
		}
	}
}

// TestSumIsOrderFree: any order of words and any number of repeats give the sum
// of the words' own sums, beyond what the packed lanes hold at once.
func TestSumIsOrderFree(t *testing.T) {
	s := Default()
	words := []string{"river", "bank", "money", "boat", "interest", "water"}
	rapid.Check(t, func(t *rapid.T) {
		pick := rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(t, "words")
		repeat := rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "repeat")
		text := strings.Repeat(strings.Join(pick, " ")+" ", repeat)
		want := make([]int64, s.Dim())
		for _, w := range pick {
			one, _ := s.Sum(w)
			for j, x := range one {
				want[j] += x * int64(repeat)
			}
		}
		if got, n := s.Sum(text); !slices.Equal(got, want) || n != len(pick)*repeat {
			t.Fatalf("%d tokens, sums differ", n)
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	s := Default()
	want := map[string]string{}
	for _, text := range hostile() {
		sum, _ := s.Sum(text)
		want[text] = sumDigest(sum)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for text, digest := range want {
				if sum, _ := s.Sum(text); sumDigest(sum) != digest {
					t.Errorf("%.40q: another sum beside other goroutines", text)
				}
			}
		})
	}
	wg.Wait()
}

func TestEmbedStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v, err := Default().Embed(ctx, []string{"a"}); v != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", v, err)
	}
}

func TestSumsDoNotAllocate(t *testing.T) {
	s := Default()
	text := strings.Repeat("Zero allocation per token, naïve or not. ", 50)
	// One is the result; an accumulator is three, when the pool has been emptied.
	if n := testing.AllocsPerRun(50, func() { s.Quantized(text) }); n > 4 {
		t.Errorf("%v allocations in Quantized of 600 tokens, want at most 4", n)
	}
}

func TestHugeTextsEnd(t *testing.T) {
	const size = 1 << 18
	for _, unit := range []string{"a", "(", "ab "} {
		if _, n := Default().Sum(strings.Repeat(unit, size)); unit != "a" && n < size {
			t.Errorf("%d tokens of %q", n, unit)
		}
	}
}
