package chunk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

// notes returns n generated notes of about 1.5 KB: front matter, headings, a
// list, a link and prose.
func notes(n int, structured bool) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the brain keeps what was agreed about prices shelves owls and meetings of last week until someone forgets it for good")
	prose := func(b *bytes.Buffer, n int) {
		for range n {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(" \n"[max(0, r.IntN(12)-10)])
		}
		b.WriteString("\n\n")
	}
	out := make([][]byte, n)
	for i := range out {
		var b bytes.Buffer
		if structured {
			fmt.Fprintf(&b, "---\ntitle: Note %d\ntags: [a, b%d]\ncreated: 2026-01-02\n---\n\n# Note %d\n\n", i, i%7, i)
		}
		for j := range 4 {
			if structured {
				fmt.Fprintf(&b, "## Part %d\n\n- one [[link %d]]\n- two `code`\n\n", j, j)
			}
			prose(&b, 60)
		}
		out[i] = b.Bytes()
	}
	return out
}

func benchmarkSplit(b *testing.B, bodies [][]byte, mediaType string) {
	size := 0
	for _, body := range bodies {
		size += len(body)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	chunks := 0
	for b.Loop() {
		chunks = 0
		for _, body := range bodies {
			d, err := Split(Input{Body: body, MediaType: mediaType}, nil)
			if err != nil {
				b.Fatal(err)
			}
			chunks += len(d.Chunks)
		}
	}
	b.ReportMetric(float64(chunks), "chunks")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(bodies)), "µs/doc")
}

func BenchmarkNotes(b *testing.B) {
	b.Run("structured", func(b *testing.B) { benchmarkSplit(b, notes(10_000, true), "") })
	b.Run("prose", func(b *testing.B) { benchmarkSplit(b, notes(10_000, false), "") })
	b.Run("plain", func(b *testing.B) { benchmarkSplit(b, notes(10_000, false), "text/plain") })
}

func BenchmarkRealNotes(b *testing.B) {
	testdata.Shared(b, "data")
	var bodies [][]byte
	for _, body := range corpus(b, "brain-server/md_corpus") {
		bodies = append(bodies, body)
	}
	benchmarkSplit(b, bodies, "")
}

func BenchmarkHostile(b *testing.B) {
	for _, h := range hostile() {
		b.Run(h.name, func(b *testing.B) { benchmarkSplit(b, [][]byte{h.body()}, "") })
	}
}
