package bm25

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// ranking is the scratch memory of ranking one part.
type ranking struct {
	acc [window]float64
	hit [window / 64]uint64
	ats [window]uint16 // places that were hit, repeats included
	n   int            // of ats, at most window

	pass  []topk.Hit // of the window that can be kept
	alone []float64  // window of a group with several terms
	held  []uint64   // its hits
	best  []float64  // of scoreGroup

	lists  []rankList
	words  []rankWord // groups that the part has, in the order of the query
	order  []int      // of words, least bound first
	prefix []float64  // sum of the bounds of the words up to this one of order
	cells  []int      // sum of their postings likewise
	shares []float64  // of one document, by word
}

// rankList is a list of a segment with a place for streaming it and one for
// looking documents up.
type rankList struct {
	scale  float64
	up     float64 // scale, widened for bounds
	stream stream
	probe  stream
}

// rankWord is a group in one segment.
type rankWord struct {
	from, to int // lists
	df       int // postings in them
	bound    float64
}

// rankSegment offers the documents of a segment to top.
func (ix *Index) rankSegment(s *search, p int, top *topk.Top) {
	seg := ix.segs[p]
	r := ranker{
		search: s, seg: seg, top: top, step: uint32(ix.shape.step),
		weight: ix.table.weight[seg.first:seg.end()],
	}
	r.exact, r.rough = least(top)
	if r.open(p) {
		r.run()
	}
}

// ranker ranks one segment.
type ranker struct {
	*search
	seg          *Segment
	top          *topk.Top
	weight       []float64 // by document
	exact, rough float64   // see least
	step         uint32    // see shape
	lookups      int       // since the window began
}

// open finds the lists of the segment and orders the words by what they can
// give; false is that no document can be kept.
func (r *ranker) open(p int) bool {
	r.words = r.words[:0]
	n := 0
	for i := range r.groups {
		g := &r.groups[i]
		w := rankWord{from: n, to: n}
		for m := g.from; m < g.to; m++ {
			ref := r.ref(m, p)
			if ref.df == 0 {
				continue
			}
			if n == len(r.lists) {
				r.lists = append(r.lists, rankList{})
			}
			l := &r.lists[n]
			l.scale = r.scale(m)
			l.up = l.scale * (1 + slack)
			l.stream.open(r.seg, *ref)
			l.probe.openLike(&l.stream)
			if l.stream.one {
				w.bound = max(w.bound, l.up*r.f.share(ref.tf, r.weight[ref.doc]))
			} else {
				w.bound = max(w.bound, l.up*l.stream.bound(&r.f))
			}
			w.df += int(ref.df)
			n++
		}
		if w.to = n; w.to > w.from {
			r.words = append(r.words, w)
		}
	}
	if len(r.words) == 0 {
		return false
	}
	r.order, r.prefix, r.cells, r.shares = r.order[:0], r.prefix[:0], r.cells[:0], r.shares[:0]
	for i := range r.words {
		r.order = append(r.order, i)
		r.shares = append(r.shares, 0)
	}
	slices.SortFunc(r.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.words[a].bound, r.words[b].bound), a-b)
	})
	sum, df := 0.0, 0
	for _, i := range r.order {
		sum += r.words[i].bound
		df += r.words[i].df
		r.prefix = append(r.prefix, sum)
		r.cells = append(r.cells, df)
	}
	return sum > r.rough
}

// lookupCost is what looking one word of a document up costs, in postings that
// are gathered.
const lookupCost = 8

// run ranks the segment by windows. In each there are three ways, all exact:
// from the postings of the one word without which no document is kept, looking
// the others up; the same from several words; and all postings of all words,
// which is cheaper where many documents would be looked up. A filter of few
// documents is looked up as it is.
func (r *ranker) run() {
	last := len(r.order) - 1
	if !r.every && r.few() {
		return
	}
	step := r.step
	if math.IsInf(r.exact, -1) {
		step = max(step/16, 64) // nothing can be passed over yet: look again soon
	}
	rate := 0.0 // lookups to a document of a window
	for lo := uint32(0); lo < r.seg.docs; {
		// A document without a word from need on cannot be kept.
		need := 0
		for need <= last && r.prefix[need] <= r.rough {
			need++
		}
		if need > last {
			return
		}
		hi := min(lo+step, r.seg.docs)
		r.lookups = 0
		w := &r.words[r.order[last]]
		switch {
		case need > 0 && float64(r.cells[need-1]) < lookupCost*rate*float64(r.seg.docs):
			r.runWindow(0, lo, hi)
			rate -= rate / 4 // so that the others are tried again
		case need == last && w.to-w.from == 1:
			r.runList(&r.lists[w.from], lo, hi)
			rate = float64(r.lookups) / float64(hi-lo)
		default:
			r.runWindow(need, lo, hi)
			rate = float64(r.lookups) / float64(hi-lo)
		}
		lo = hi
		step = min(2*step, r.step)
	}
}

// few ranks the documents that may match by looking each up, if that is cheaper
// than any way by postings.
func (r *ranker) few() bool {
	n, most := 0, r.cells[len(r.cells)-1]/(lookupCost*len(r.order))
	from := int(r.seg.first) >> 6
	end := min(from+int(r.seg.docs+63)>>6, len(r.allow))
	for w := from; w < end && n <= most; w++ {
		n += bits.OnesCount64(r.allow[w])
	}
	if n > most {
		return false
	}
	for w := from; w < end; w++ {
		for word := r.allow[w]; word != 0; word &= word - 1 {
			d := uint32(w<<6+bits.TrailingZeros64(word)) - r.seg.first
			if r.complete(len(r.order), d, 0) {
				r.keep(d)
			}
		}
	}
	return true
}

// rest is what the words before i in order can add.
func (r *ranker) rest(i int) float64 {
	if i == 0 {
		return 0
	}
	return r.prefix[i-1]
}

// runList ranks the postings of l, the list of the last word in order, in the
// documents [lo, hi): every document that can be kept has it.
func (r *ranker) runList(l *rankList, lo, hi uint32) {
	last := len(r.order) - 1
	rest := r.rest(last)
	s := &l.stream
	for ok := s.seek(lo); ok && s.base < hi; ok = !s.done() {
		if float64(l.up*s.boundHere(&r.f))+rest <= r.rough {
			if s.last >= hi {
				return
			}
			s.advance()
			continue
		}
		s.loadAll()
		i := s.pos
		for ; i < s.n && s.docs[i] < hi; i++ {
			d := s.docs[i]
			if d < lo || !r.may(r.seg.first+d) {
				continue
			}
			x := float64(l.scale * r.f.share(s.freqs[i], r.weight[d]))
			if x+rest <= r.rough || !r.complete(last, d, x) {
				continue
			}
			r.shares[r.order[last]] = x
			r.keep(d)
		}
		if s.pos = i; i < s.n {
			return
		}
		s.advance()
	}
}

// complete looks document d up in the words before i in order, given the sum of
// the shares of the others; false is that it cannot be kept.
func (r *ranker) complete(i int, d uint32, sum float64) bool {
	for i--; i >= 0; i-- {
		if sum+r.prefix[i] <= r.rough {
			return false
		}
		w := &r.words[r.order[i]]
		if l := &r.lists[w.from]; w.to-w.from == 1 && l.probe.seek(d) && !l.probe.loaded &&
			sum+float64(l.up*l.probe.boundHere(&r.f))+r.rest(i) <= r.rough {
			return false
		}
		r.lookups++
		x := r.share(w, d)
		r.shares[r.order[i]] = x
		sum += x
	}
	return sum > r.rough
}

// share returns what a word gives to document d.
func (r *ranker) share(w *rankWord, d uint32) float64 {
	best := 0.0
	for j := w.from; j < w.to; j++ {
		l := &r.lists[j]
		if t, ok := l.probe.find(d); ok {
			best = max(best, float64(l.scale*r.f.share(t, r.weight[d])))
		}
	}
	return best
}

// keep offers document d with the shares of all words, added in the order of the
// query.
func (r *ranker) keep(d uint32) {
	sum := 0.0
	for _, x := range r.shares {
		sum += x
	}
	r.push(d, sum)
}

func (r *ranker) push(d uint32, score float64) {
	if score > r.exact && score > 0 { // 0 is no match
		r.top.Push(r.seg.first+d, score)
		r.exact, r.rough = least(r.top)
	}
}
