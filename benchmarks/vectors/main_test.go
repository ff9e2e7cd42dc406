package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// write makes a small set of files: n base vectors and 20 queries.
func write(t *testing.T, n, dim int) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "small")
	r := rand.New(rand.NewPCG(1, 1))
	make2 := func(n int) ([][]float32, []byte) {
		var rows [][]float32
		var b []byte
		for range n {
			row := make([]float32, dim)
			b = binary.LittleEndian.AppendUint32(b, uint32(dim))
			for i := range row {
				row[i] = float32(r.NormFloat64())
			}
			var norm float32
			for _, x := range row {
				norm += x * x
			}
			for i := range row {
				row[i] /= float32(math.Sqrt(float64(norm)))
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(row[i]))
			}
			rows = append(rows, row)
		}
		return rows, b
	}
	base, baseBytes := make2(n)
	queries, queryBytes := make2(20)
	var truth []byte
	for _, q := range queries {
		order := make([]int, n)
		score := make([]float32, n)
		for i := range order {
			order[i] = i
			for j := range q {
				score[i] += q[j] * base[i][j]
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if score[a] > score[b] {
				return -1
			}
			return 1
		})
		truth = binary.LittleEndian.AppendUint32(truth, depth)
		for _, o := range order[:depth] {
			truth = binary.LittleEndian.AppendUint32(truth, uint32(o))
		}
	}
	for name, b := range map[string][]byte{".base.fvecs": baseBytes, ".query.fvecs": queryBytes, ".gt.ivecs": truth} {
		if err := os.WriteFile(prefix+name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return prefix
}

func TestLinesOfSmallSet(t *testing.T) {
	prefix := write(t, 1500, 16)
	for _, flags := range [][]string{nil, {"-rescore"}, {"-share", ".5"}} {
		var out bytes.Buffer
		if err := run(append(append([]string{"-reps", "1", "-seconds", ".001", "-efc", "60"}, flags...), prefix), &out); err != nil {
			t.Fatal(err)
		}
		best := 0.0
		for d := json.NewDecoder(&out); d.More(); {
			var r result
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			if r.Dataset != "small" || r.QPS1 <= 0 || r.Build <= 0 || r.Params["dim"] != 16.0 {
				t.Fatalf("%v: %+v", flags, r)
			}
			best = max(best, r.Recall)
		}
		if best < .95 {
			t.Errorf("%v: recall %v", flags, best)
		}
	}
}

func TestRefusesBadFiles(t *testing.T) {
	for _, args := range [][]string{nil, {"nothing here"}, {"-m", "x"}} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
	for name, bad := range map[string][]byte{".base.fvecs": {1, 0, 0}, ".query.fvecs": {2, 0, 0, 0, 1, 1, 1, 1}, ".gt.ivecs": {0, 0, 0, 0}} {
		prefix := write(t, 60, 4)
		if err := os.WriteFile(prefix+name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{prefix}, &bytes.Buffer{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
