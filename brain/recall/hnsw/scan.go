package hnsw

import (
	"math/bits"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// collect scores the best keep matching nodes of the pool exactly; false if
// there are less than need.
func (w *walker) collect(norm float64, keep, need int) bool {
	ids := w.find.ids[:0]
	var last float32
	for _, k := range w.pool.keys {
		if k&matching == 0 {
			continue
		}
		// Keys are rounded to float32: those that a rounding error may have put
		// behind the last one are scored too.
		s := scoreOf(k)
		if len(ids) >= keep && s < last-float32(max(last, -last)*0x1p-21) {
			break
		}
		if len(ids) < keep {
			last = s
		}
		ids = append(ids, nodeOf(k))
	}
	w.find.ids = ids
	if len(ids) < need {
		return false
	}
	w.exact(ids, norm)
	return true
}

// exact scores ordinals that all have a vector, or are skipped, for best.
func (w *walker) exact(ids []uint32, norm float64) {
	w.dot = slices.Grow(w.dot[:0], len(ids))[:len(ids)]
	w.vecs.Dots(w.q, ids, w.dot)
	w.evaluated += len(ids)
	b := &w.find.best
	for i, id := range ids {
		if n := w.vecs.Norm(id); n != 0 {
			b.offer(topk.Hit{Ord: id, Score: cosine(w.dot[i], norm, n)})
		}
	}
}

// scan offers every matching ordinal of lo to hi-1.
func (w *walker) scan(match []uint64, norm float64, lo, hi int) {
	ids := w.find.ids[:0]
	for at := lo >> 6; at < len(match) && at<<6 < hi; at++ {
		word := match[at]
		if at<<6 < lo {
			word &= ^uint64(0) << (lo & 63)
		}
		if hi-at<<6 < 64 {
			word &= 1<<(hi&63) - 1
		}
		for ; word != 0; word &= word - 1 {
			ids = append(ids, uint32(at<<6+bits.TrailingZeros64(word)))
		}
		if len(ids) >= batchNodes {
			w.exact(ids, norm)
			ids = ids[:0]
		}
	}
	w.find.ids = ids
	w.exact(ids, norm)
}

// count returns how many bits of set below end are set.
func count(set []uint64, end int) int {
	n := 0
	full := min(len(set), end>>6)
	for _, x := range set[:full] {
		n += bits.OnesCount64(x)
	}
	if full < len(set) && end&63 != 0 {
		n += bits.OnesCount64(set[full] & (1<<(end&63) - 1))
	}
	return n
}
