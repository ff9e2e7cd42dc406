package bm25

import (
	"math/bits"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// Scores holds a score per matching ordinal. The zero value is ready;
// [Index.All] fills it and it can be filled again, which reuses its memory
// (eight bytes per document of the index). Not safe for concurrent use.
type Scores struct {
	acc []float64 // by ordinal; 0 where hit is not set
	hit []uint64  // ordinals with a score
}

// reset empties s for n ordinals.
func (s *Scores) reset(n int) {
	s.drop()
	if cap(s.acc) < n {
		s.acc = make([]float64, n+n/4)
		s.hit = make([]uint64, (len(s.acc)+63)/64)
	}
	s.acc = s.acc[:n]
	s.hit = s.hit[:(n+63)/64]
}

// drop clears what is set.
func (s *Scores) drop() {
	for w, word := range s.hit {
		if word != 0 {
			first := w << 6
			clear(s.acc[first:min(first+64, len(s.acc))])
			s.hit[w] = 0
		}
	}
}

// At returns the score of ord, 0 if it does not match.
func (s *Scores) At(ord uint32) float64 {
	if int64(ord) >= int64(len(s.acc)) {
		return 0
	}
	return s.acc[ord]
}

// Len returns how many ordinals match.
func (s *Scores) Len() int {
	n := 0
	for _, word := range s.hit {
		n += bits.OnesCount64(word)
	}
	return n
}

// Each calls fn for every matching ordinal, rising. Scores are above 0.
func (s *Scores) Each(fn func(ord uint32, score float64)) {
	for w, word := range s.hit {
		for ; word != 0; word &= word - 1 {
			ord := uint32(w<<6 + bits.TrailingZeros64(word))
			fn(ord, s.acc[ord])
		}
	}
}

// Max returns the best score, 0 if nothing matches.
func (s *Scores) Max() float64 {
	best := 0.0
	s.Each(func(_ uint32, x float64) { best = max(best, x) })
	return best
}

// Top returns the best k, score descending, ties by ordinal ascending.
func (s *Scores) Top(k int) []topk.Hit {
	t := topk.New(k)
	floor := t.Threshold()
	s.Each(func(ord uint32, x float64) {
		if x > floor { // ordinals rise: an equal score would not be kept
			t.Push(ord, x)
			floor = t.Threshold()
		}
	})
	return t.Sorted()
}
