package hnsw

import (
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// best keeps the k best hits, sorted: package topk's order, in memory that is
// used again.
type best struct {
	k    int
	hits []topk.Hit
}

func (b *best) reset(k int) { b.k, b.hits = k, b.hits[:0] }

// before reports whether a ranks before b.
func before(a, b topk.Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && a.Ord < b.Ord
}

// offer adds h where it ranks. No ordinal is offered twice.
func (b *best) offer(h topk.Hit) {
	n := len(b.hits)
	if n >= b.k {
		if n == 0 || !before(h, b.hits[n-1]) {
			return
		}
		b.hits = b.hits[:n-1]
	}
	at, _ := slices.BinarySearchFunc(b.hits, h, func(x, h topk.Hit) int {
		if before(x, h) {
			return -1
		}
		return 1
	})
	b.hits = slices.Insert(b.hits, at, h)
}

// sort puts the hits in order after their scores have changed.
func (b *best) sort() {
	slices.SortFunc(b.hits, func(x, y topk.Hit) int {
		if before(x, y) {
			return -1
		}
		return 1
	})
}
