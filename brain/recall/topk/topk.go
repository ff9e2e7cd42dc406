// Package topk keeps the k best scored ordinals of a stream. It is the one
// place that says what "best" means inside a leg of recall: higher score first,
// and of equal scores the lower ordinal. The answer depends on the set of
// pushed pairs alone, not on their order, so a scan, a graph walk and a rebuilt
// index agree.
//
// It does not know documents, filters or other legs.
package topk

import (
	"math"
	"slices"
)

// Hit is one kept pair.
type Hit struct {
	Ord   uint32  // ordinal of the chunk
	Score float64 // higher is better, never NaN
}

// better reports whether a ranks before b.
func better(a, b Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && a.Ord < b.Ord
}

// Top holds the best k of what was pushed, in O(k) memory: a binary heap with
// the worst kept hit at its root. The zero value keeps nothing. Not safe for
// concurrent use.
type Top struct {
	k    int
	heap []Hit
}

// initialCap bounds what New reserves: a large k costs memory only when that
// many hits come.
const initialCap = 128

// New returns a Top that keeps k hits; k ≤ 0 keeps nothing.
func New(k int) *Top {
	k = max(k, 0)
	return &Top{k: k, heap: make([]Hit, 0, min(k, initialCap))}
}

// Push offers a hit. NaN is dropped. The cost is one comparison for a hit that
// does not reach the kept ones, else O(log k). Pushing one ordinal twice keeps
// it twice.
func (t *Top) Push(ord uint32, score float64) {
	h := Hit{Ord: ord, Score: score}
	switch {
	case score != score:
	case len(t.heap) < t.k:
		t.heap = append(t.heap, h)
		t.up(len(t.heap) - 1)
	case t.k > 0 && better(h, t.heap[0]):
		t.heap[0] = h
		t.down(0)
	}
}

// Threshold returns the score below which a hit is not kept: the worst kept
// score once k hits are there, -Inf before, +Inf when k is 0. A hit equal to
// the threshold is kept only if its ordinal is lower than that of the worst
// kept one, so a scan in rising order of ordinals may skip everything that is
// not above the threshold.
func (t *Top) Threshold() float64 {
	switch {
	case t.k == 0:
		return math.Inf(1)
	case len(t.heap) < t.k:
		return math.Inf(-1)
	}
	return t.heap[0].Score
}

// Len returns how many hits are kept now.
func (t *Top) Len() int { return len(t.heap) }

// Sorted returns the kept hits, score descending, ordinal ascending among equal
// scores. The slice is new and the caller's; t is unchanged and can be pushed
// to further. The cost is O(k log k).
func (t *Top) Sorted() []Hit {
	out := slices.Clone(t.heap)
	slices.SortFunc(out, func(a, b Hit) int {
		if better(a, b) {
			return -1
		}
		if better(b, a) {
			return 1
		}
		return 0
	})
	return out
}

func (t *Top) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !better(t.heap[p], t.heap[i]) {
			return
		}
		t.heap[p], t.heap[i] = t.heap[i], t.heap[p]
		i = p
	}
}

func (t *Top) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(t.heap) {
			return
		}
		if c+1 < len(t.heap) && better(t.heap[c], t.heap[c+1]) {
			c++
		}
		if !better(t.heap[i], t.heap[c]) {
			return
		}
		t.heap[i], t.heap[c] = t.heap[c], t.heap[i]
		i = c
	}
}
