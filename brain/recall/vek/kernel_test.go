package vek

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// checkKernels holds every kernel of the machine to the sums of naiveDot: one by
// one and as a list, forwards and with gaps.
func checkKernels(t interface{ Fatalf(string, ...any) }, q []int8, r *rows, n int) {
	ids := make([]uint32, n)
	want := make([]int32, n)
	for i := range ids {
		ids[i] = uint32(n - 1 - i)
		want[i] = naiveDot(q, r.row(ids[i], len(q)))
	}
	for _, k := range kernels() {
		for i, id := range ids {
			row := r.row(id, len(q))
			if a, b := k.dot(q, row), k.dot(row, q); a != want[i] || b != want[i] {
				t.Fatalf("%v, dim %d, row %d: dot %d and %d, want %d", k, len(q), id, a, b, want[i])
			}
		}
		out := make([]int32, n+1)
		out[n] = math.MinInt32
		k.dots(q, r, ids, out[:n])
		if !slices.Equal(out[:n], want) {
			t.Fatalf("%v, dim %d: dots %v, want %v", k, len(q), out[:n], want)
		}
		if out[n] != math.MinInt32 {
			t.Fatalf("%v, dim %d, %d rows: wrote past the end of out", k, len(q), n)
		}
	}
}

// blocksOf cuts random rows into blocks that start at odd addresses.
func blocksOf(r *rand.Rand, n int, shift uint, stride int) *rows {
	rs := &rows{shift: shift, stride: stride}
	for at := 0; at < n; at += 1 << shift {
		rs.blocks = append(rs.blocks, randomVector(r, stride<<shift+1)[1:])
	}
	return rs
}

func TestKernelsOnAllDims(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for dim := 1; dim <= 1030; dim++ {
		n := 1 + r.IntN(10)
		checkKernels(t, randomVector(r, dim), blocksOf(r, n, uint(r.IntN(4)), dim+r.IntN(3)), n)
	}
}

func TestKernelsAtTheLimits(t *testing.T) {
	limits := []int8{-128, -127, -1, 0, 1, 127}
	for _, dim := range []int{1, 15, 16, 17, 64, 255, 256, 257, MaxDim - 3, MaxDim} {
		base := make([]int8, len(limits)*dim)
		for i := range base {
			base[i] = limits[i/dim]
		}
		r := &rows{[][]int8{base}, 32, dim}
		for i := range limits {
			checkKernels(t, r.row(uint32(i), dim), r, len(limits))
		}
	}
}

func TestKernelProperties(t *testing.T) {
	component := rapid.OneOf(rapid.Int8(), rapid.SampledFrom([]int8{-128, 127, 0}))
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SliceOfN(component, 1, 300).Draw(t, "q")
		dim := len(q)
		n := rapid.IntRange(1, 9).Draw(t, "rows")
		stride := dim + rapid.IntRange(0, 70).Draw(t, "gap")
		base := rapid.SliceOfN(component, n*stride, n*stride).Draw(t, "base")
		checkKernels(t, q, &rows{[][]int8{base}, 32, stride}, n)
	})
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{128, 128, 128, 128}, uint16(1))
	f.Add(make([]byte, 1100), uint16(100))
	f.Fuzz(func(t *testing.T, data []byte, dim uint16) {
		d := int(dim)%1030 + 1
		if len(data) < 2*d {
			return
		}
		v := make([]int8, len(data))
		for i, b := range data {
			v[i] = int8(b)
		}
		checkKernels(t, v[:d], &rows{[][]int8{v[d:]}, 32, d}, (len(v)-d)/d)
	})
}

// TestKernelsGiveOneAnswer: what an index answers has the same bits with every
// kernel.
func TestKernelsGiveOneAnswer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, dim := range []int{1, 7, 100, 256, 384} {
		vectors := make([][]int8, 1500)
		for i := range vectors {
			if i%7 != 0 {
				vectors[i] = randomVector(r, dim)
			}
		}
		v, q := mustFlat(t, dim, vectors), randomVector(r, dim)
		filter := make([]uint64, 24)
		for i := range filter {
			switch filter[i] = math.MaxUint64; i % 3 {
			case 1:
				filter[i] = r.Uint64()
			case 2:
				filter[i] = 1 << r.IntN(64)
			}
		}
		ords := make([]uint32, len(vectors))
		for i := range ords {
			ords[i] = uint32(r.IntN(len(ords) + 10))
		}
		answers := make(map[string]kernel)
		for _, k := range kernels() {
			hits, err := v.search(k, q, filter, 50)
			out := make([]float64, len(ords))
			if err2 := v.score(k, q, ords, out); err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			answers[fmt.Sprint(hits, out)] = k
		}
		if len(answers) != 1 {
			t.Fatalf("dim %d: %d answers from %d kernels", dim, len(answers), len(kernels()))
		}
	}
}
