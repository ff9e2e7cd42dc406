package bm25

// formula is BM25F with its corpus filled in. Robertson, Zaragoza and Taylor,
// Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004: term
// frequencies and lengths are summed over the fields with their weights, and
// the sums go into BM25. With equal weights of 1 it is BM25 over the fields as
// one text. The constant factor k1 + 1 is left out.
type formula struct {
	weights [Fields]float64
	k1      float64
	fixed   float64 // k1·(1−b)
	slope   float64 // k1·b / mean length
}

func (ix *Index) formula(c Corpus) formula {
	o := ix.opt
	f := formula{weights: o.Weights, k1: o.K1, fixed: float64(o.K1 * (1 - o.B))}
	if mean := ix.meanLen(c); mean > 0 {
		f.slope = float64(o.K1*o.B) / mean
	}
	return f
}

// freqOf is the weighted sum of frequencies.
func freqOf(weights *[Fields]float64, t tf) float64 {
	sum := float64(weights[Body] * float64(t&maxBodyTF))
	if t > maxBodyTF {
		sum += float64(weights[Headings] * float64(t>>8&maxHeadTF))
		sum += float64(weights[Title] * float64(t>>12))
	}
	return sum
}

// share is the part of the idf that a document gets: tf/(tf + k1·(1−b+b·len/mean)).
func (f *formula) share(t tf, length float64) float64 {
	sum := freqOf(&f.weights, t)
	return sum / (sum + f.fixed + float64(f.slope*length))
}

// bound is at least the share of every posting that the maxima of pairs, codes
// of frequency and length, stand for; apart from rounding, see slack.
func (f *formula) bound(pairs []byte) float64 {
	best := 0.0
	for ; len(pairs) >= 2; pairs = pairs[2:] {
		x := high(pairs[0])
		best = max(best, x/(x+f.fixed+float64(f.slope*low(pairs[1]))))
	}
	return best
}

// slack widens bounds against what rounding may do to a sum of at most
// MaxQueryWords shares in another order: 4,096 · 2⁻⁵² is below 1e-12.
const slack = 1e-9

// flat is share for a weak term, which has neither frequency nor length: one
// occurrence in a document of mean length.
func (f *formula) flat() float64 { return 1 / (1 + f.k1) }
