package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// set is base vectors, queries, and each query's exact nearest.
type set struct {
	base, queries [][]float32
	truth         [][]uint32
}

func load(prefix string) (*set, error) {
	base, err := readFloats(prefix + ".base.fvecs")
	if err != nil {
		return nil, err
	}
	queries, err := readFloats(prefix + ".query.fvecs")
	if err != nil {
		return nil, err
	}
	truth, err := readWords(prefix + ".gt.ivecs")
	if err != nil {
		return nil, err
	}
	if len(truth) != len(queries) || len(base) == 0 || len(queries) == 0 || len(base[0]) != len(queries[0]) || len(truth[0]) < depth {
		return nil, fmt.Errorf("%s: base, queries and answers do not belong together", prefix)
	}
	return &set{base, queries, truth}, nil
}

// readWords reads rows of a count and that many 32-bit words; every row has the
// count of the first.
func readWords(path string) ([][]uint32, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) < 4 {
		return nil, fmt.Errorf("%s: empty", path)
	}
	dim := int(binary.LittleEndian.Uint32(b))
	if dim < 1 || dim > vek.MaxDim || len(b)%(4+4*dim) != 0 {
		return nil, fmt.Errorf("%s: %d bytes are not rows of %d", path, len(b), dim)
	}
	var rows [][]uint32
	for len(b) > 0 {
		row := make([]uint32, dim)
		for i := range row {
			row[i] = binary.LittleEndian.Uint32(b[4+4*i:])
		}
		rows, b = append(rows, row), b[4+4*dim:]
	}
	return rows, nil
}

func readFloats(path string) ([][]float32, error) {
	words, err := readWords(path)
	if err != nil {
		return nil, err
	}
	rows := make([][]float32, len(words))
	for i, w := range words {
		rows[i] = make([]float32, len(w))
		for j, x := range w {
			rows[i][j] = math.Float32frombits(x)
		}
	}
	return rows, nil
}

func quantise(rows [][]float32, fine bool) (hnsw.Vectors, error) {
	var v hnsw.Vectors
	hi, err := vek.NewFlat(len(rows[0]))
	if err != nil {
		return v, err
	}
	low, err := vek.NewFlat(len(rows[0]))
	if err != nil {
		return v, err
	}
	for i, row := range rows {
		q, l, norm, err := hnsw.Split(row)
		if err != nil {
			return v, fmt.Errorf("row %d: %w", i, err)
		}
		if _, err := hi.Append(q); err != nil {
			return v, err
		}
		if !fine {
			continue
		}
		if _, err := low.Append(l); err != nil {
			return v, err
		}
		v.LowNorms = append(v.LowNorms, norm)
	}
	v.View = hi.View()
	if fine {
		lows := low.View()
		v.Low = &lows
	}
	return v, nil
}

func quantiseQueries(rows [][]float32, fine bool) ([]hnsw.Query, error) {
	out := make([]hnsw.Query, len(rows))
	for i, row := range rows {
		hi, low, norm, err := hnsw.Split(row)
		if err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		out[i] = hnsw.Query{Vector: hi, K: depth}
		if fine {
			out[i].Low, out[i].LowNorm = low, norm
		}
	}
	return out, nil
}

// filter returns the ordinals that may be returned and each query's exact
// nearest among them. A share below 1 lets through every ordinal with that
// chance, from a fixed seed.
func filter(c config, s *set, n int) ([]uint64, [][]uint32) {
	match := make([]uint64, (n+63)/64)
	if c.share >= 1 {
		for i := range n {
			match[i>>6] |= 1 << (i & 63)
		}
		return match, s.truth
	}
	r := rand.New(rand.NewPCG(1, 2))
	var in []uint32
	for i := range n {
		if r.Float64() < c.share {
			match[i>>6] |= 1 << (i & 63)
			in = append(in, uint32(i))
		}
	}
	truth := make([][]uint32, len(s.queries))
	for qi, q := range s.queries {
		scores := make([]float64, len(in))
		order := make([]int, len(in))
		for j, o := range in {
			order[j] = j
			for d, x := range s.base[o] {
				scores[j] += float64(x) * float64(q[d])
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if scores[a] > scores[b] {
				return -1
			}
			return 1
		})
		for _, j := range order[:min(depth, len(order))] {
			truth[qi] = append(truth[qi], in[j])
		}
	}
	return match, truth
}
