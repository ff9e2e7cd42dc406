package hnsw

import (
	"math"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/vek"
)

// lowSteps is how many steps of the second plane make one of the first.
const lowSteps = 254

// Split quantises v in two planes: hi is vek.Quantize's, low is what its
// rounding lost, in steps of 1/254, so that v is about hi + low/254 up to
// scale, as good as 16 bits. norm is the length of that sum. The zero vector
// gives nil, nil, 0. NaN and infinities are refused as by vek.Quantize. The
// same vectors give the same bits on every machine.
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
	return hi, low, math.Sqrt(fineProduct(vek.Dot(hi, hi), vek.Dot(hi, low), vek.Dot(low, hi), vek.Dot(low, low))), nil
}

// fineProduct is the dot product of two vectors in two planes, from the
// products of the planes: an exact integer, divided once. It is below 2^53 for
// every dimension up to vek.MaxDim.
func fineProduct(hiHi, hiLow, lowHi, lowLow int32) float64 {
	n := int64(hiHi)*lowSteps*lowSteps + (int64(hiLow)+int64(lowHi))*lowSteps + int64(lowLow)
	return float64(n) / (lowSteps * lowSteps)
}

// rerank scores what is kept again with both planes. A row without a second
// plane keeps its score.
func (w *walker) rerank(q Query) {
	hits := w.find.best.hits
	ids, n := w.find.ids[:0], len(hits)
	for _, h := range hits {
		ids = append(ids, h.Ord)
	}
	w.find.ids = ids
	w.dot = slices.Grow(w.dot[:0], 4*n)[:4*n]
	hiHi, hiLow, lowHi, lowLow := w.dot[:n], w.dot[n:2*n], w.dot[2*n:3*n], w.dot[3*n:]
	w.vecs.Dots(q.Vector, ids, hiHi)
	w.vecs.Dots(q.Low, ids, lowHi)
	w.vecs.Low.Dots(q.Vector, ids, hiLow)
	w.vecs.Low.Dots(q.Low, ids, lowLow)
	for i, id := range ids {
		if norm := w.vecs.LowNorms[id]; norm != 0 {
			hits[i].Score = fineProduct(hiHi[i], hiLow[i], lowHi[i], lowLow[i]) / float64(q.LowNorm*norm)
		}
	}
	w.find.best.sort()
}
