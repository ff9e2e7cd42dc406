package bm25

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// window is how many documents are scored at once where several words can each
// bring a document among the best. It holds a part in memory.
const window = unitDocs

// rankMemory offers the documents of a part in memory to top.
func (ix *Index) rankMemory(s *search, p int, top *topk.Top) {
	m := ix.mem[p-len(ix.segs)]
	some := false
	for i := range s.groups {
		g := &s.groups[i]
		several := g.to-g.from > 1
		if several {
			s.apart()
		}
		for j := g.from; j < g.to; j++ {
			r := s.ref(j, p)
			if r.df == 0 {
				continue
			}
			some = true
			scale := s.scale(j)
			s.cur.read(&m.post, m.lists[r.num])
			for ords, tfs := s.cur.next(); len(ords) > 0; ords, tfs = s.cur.next() {
				for i, o := range ords {
					if !s.may(o) {
						continue
					}
					x := float64(scale * s.f.share(tfs[i], ix.table.weight[o]))
					at := (o - m.first) & (window - 1)
					if several {
						s.alone[at] = max(s.alone[at], x)
						s.held[at>>6] |= 1 << (at & 63)
						continue
					}
					s.acc[at] += x
					s.hit[at>>6] |= 1 << (at & 63)
				}
			}
		}
		if several {
			s.join()
		}
	}
	if !some {
		return
	}
	exact, _ := least(top)
	for w, word := range s.hit {
		s.hit[w] = 0
		for ; word != 0; word &= word - 1 {
			at := w<<6 + bits.TrailingZeros64(word)
			if x := s.acc[at]; x > exact {
				top.Push(m.first+uint32(at), x)
				exact = top.Threshold()
			}
			s.acc[at] = 0
		}
	}
}

// apart makes the window of a group with several terms.
func (r *ranking) apart() {
	if r.alone == nil {
		r.alone, r.held = make([]float64, window), make([]uint64, window/64)
	}
}

// join adds what a group with several terms gave to the window and empties its
// own.
func (r *ranking) join() {
	for w, word := range r.held {
		r.held[w] = 0
		r.hit[w] |= word
		for ; word != 0; word &= word - 1 {
			at := w<<6 + bits.TrailingZeros64(word)
			r.acc[at] += r.alone[at]
			r.alone[at] = 0
		}
	}
}

// runWindow ranks the documents [lo, hi) that have a word from need on in order.
func (r *ranker) runWindow(need int, lo, hi uint32) {
	if !r.every && r.barred(lo, hi) {
		return
	}
	sum := r.rest(need)
	for _, i := range r.order[need:] {
		sum += r.boundIn(&r.words[i], lo, hi)
	}
	if sum <= r.rough {
		return
	}
	if need == 0 {
		for i := range r.words { // in the order of the query: the sums are the scores
			r.gather(&r.words[i], lo, hi)
		}
	} else {
		for _, i := range r.order[need:] {
			r.gather(&r.words[i], lo, hi)
		}
	}
	if !math.IsInf(r.rough, -1) && r.n < int(hi-lo)/4 {
		r.drainFew(need, lo)
	} else {
		r.drainAll(need, lo, hi)
	}
}

// drainAll offers what the window holds and empties it, word by word of its
// bitmap.
func (r *ranker) drainAll(need int, lo, hi uint32) {
	r.n = 0
	rest := r.rest(need)
	for w, word := range r.hit[:(hi-lo+63)/64] {
		if word == 0 {
			continue
		}
		r.hit[w] = 0
		for ; word != 0; word &= word - 1 {
			at := (w<<6 + bits.TrailingZeros64(word)) & (window - 1)
			x := r.acc[at]
			r.acc[at] = 0
			if x+rest > r.rough {
				r.offer(need, lo+uint32(at), x)
			}
		}
	}
}

// drainFew is drainAll where few documents were hit and fewer can be kept: it
// goes by the places, whose branches a processor foresees, and sorts those that
// pass.
func (r *ranker) drainFew(need int, lo uint32) {
	clear(r.hit[:])
	rest := r.rest(need)
	pass := r.pass[:0]
	for _, at := range r.ats[:r.n] {
		at &= window - 1
		x := r.acc[at]
		r.acc[at] = 0
		if x > 0 && x+rest > r.rough {
			pass = append(pass, topk.Hit{Ord: lo + uint32(at), Score: x})
		}
	}
	r.n, r.pass = 0, pass
	slices.SortFunc(pass, func(a, b topk.Hit) int { return cmp.Compare(a.Ord, b.Ord) })
	for _, h := range pass {
		if h.Score+rest > r.rough {
			r.offer(need, h.Ord, h.Score)
		}
	}
}

// offer offers document d, to which the words from need on in order give sum.
func (r *ranker) offer(need int, d uint32, sum float64) {
	if need == 0 {
		r.push(d, sum)
		return
	}
	if !r.complete(need, d, sum) {
		return
	}
	r.lookups += len(r.order) - need
	for _, i := range r.order[need:] {
		r.shares[i] = r.share(&r.words[i], d)
	}
	r.keep(d)
}

// barred reports whether no document of [lo, hi) may match.
func (r *ranker) barred(lo, hi uint32) bool {
	from := int(r.seg.first+lo) >> 6
	to := int(r.seg.first+hi+63) >> 6
	for w := from; w < min(to, len(r.allow)); w++ {
		if r.allow[w] != 0 {
			return false
		}
	}
	return true
}

// boundIn is what a word can give to a document of [lo, hi) at most. It moves
// its streams to lo.
func (r *ranker) boundIn(w *rankWord, lo, hi uint32) float64 {
	best := 0.0
	for j := w.from; j < w.to; j++ {
		l := &r.lists[j]
		if l.stream.seek(lo) && l.stream.base < hi {
			best = max(best, l.up*l.stream.boundTo(hi, &r.f))
		}
	}
	return best
}

// gather adds the shares of a word to the documents [lo, hi) of the window.
func (r *ranker) gather(w *rankWord, lo, hi uint32) {
	several := w.to-w.from > 1
	if several {
		r.apart()
	}
	for j := w.from; j < w.to; j++ {
		l := &r.lists[j]
		s := &l.stream
		for ok := s.seek(lo); ok && s.base < hi; ok = !s.done() {
			s.loadAll()
			i := s.pos
			for i < s.n && s.docs[i] < lo {
				i++
			}
			end := s.n
			if s.last >= hi {
				for end = i; end < s.n && s.docs[end] < hi; end++ {
				}
			}
			if several {
				r.gatherApart(l, i, end, lo)
			} else {
				r.gatherSome(l, i, end, lo)
			}
			if s.pos = end; end < s.n {
				break
			}
			s.advance()
		}
	}
	if several {
		r.join()
		r.n = window // its places are not among ats
	}
}

// gatherSome adds postings [i, end) of the block of l to the window from lo on.
func (r *ranker) gatherSome(l *rankList, i, end int, lo uint32) {
	docs := l.stream.docs[i:end]
	freqs := l.stream.freqs[i:end]
	if r.n+len(docs) > window {
		r.n = window - len(docs) // the window is not one of few
	}
	n := r.n
	for i, d := range docs {
		if !r.every && !bit(r.allow, r.seg.first+d) {
			continue
		}
		at := (d - lo) & (window - 1)
		r.acc[at] += float64(l.scale * r.f.share(freqs[i], r.weight[d]))
		r.hit[at>>6] |= 1 << (at & 63)
		r.ats[n&(window-1)] = uint16(at)
		n++
	}
	r.n = n
}

// gatherApart is gatherSome for one of the terms of a word that has several.
func (r *ranker) gatherApart(l *rankList, i, end int, lo uint32) {
	for ; i < end; i++ {
		if d := l.stream.docs[i]; r.may(r.seg.first + d) {
			at := d - lo
			r.alone[at] = max(r.alone[at], float64(l.scale*r.f.share(l.stream.freqs[i], r.weight[d])))
			r.held[at>>6] |= 1 << (at & 63)
		}
	}
}
