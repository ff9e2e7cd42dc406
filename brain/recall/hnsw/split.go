package hnsw

import (
	"math"

	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// lowSteps is how many steps of the second plane make one of the first.
const lowSteps = 254

// Split quantises v in two planes: hi is vek.Quantize's, low is what its rounding
// lost, in steps of 1/254, so that v is about hi + low/254 up to scale, as good
// as 16 bits. norm is the length of that sum. The zero vector gives nil, nil, 0. NaN and infinities are
// refused as by vek.Quantize. The same vectors give the same bits on every machine.
func Split(v []float32) (hi, low []int8, norm float64, err error) {
	hi, _, err = vek.Quantize(v)
	if err != nil || hi == nil {
		return nil, nil, 0, err
	}
	var most float64
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	low = make([]int8, len(v))
	for i, x := range v {
		rest := float64(float64(x)*127)/most - float64(hi[i])
		low[i] = int8(math.Round(rest * lowSteps))
	}
	return hi, low, math.Sqrt(fineProduct(hi, low, hi, low)), nil
}

// fineProduct is the dot product of a + al/254 and b + bl/254: an exact
// integer, divided once. It is below 2^53 for every dimension up to vek.MaxDim.
func fineProduct(a, al, b, bl []int8) float64 {
	n := int64(vek.Dot(a, b))*lowSteps*lowSteps +
		(int64(vek.Dot(al, b))+int64(vek.Dot(a, bl)))*lowSteps +
		int64(vek.Dot(al, bl))
	return float64(n) / (lowSteps * lowSteps)
}

// rerank scores what is kept again with both planes. A row without a second
// plane keeps its score.
func (w *walker) rerank(q Query) {
	hits := w.find.best.hits
	for i := range hits {
		o := hits[i].Ord
		if n := w.vecs.LowNorms[o]; n != 0 {
			hits[i].Score = fineProduct(q.Vector, q.Low, w.vecs.Row(o), w.vecs.Low.Row(o)) / float64(q.LowNorm*n)
		}
	}
	w.find.best.sort()
}
