package recall

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// part is the vector leg of one partition: a domain, or a source. Its vectors
// are numbered by local ordinals, in order of commit within the partition, so
// that its graph is a function of the partition alone.
//
// The graph that searches use holds exactly the ordinals that hnsw.Options.End
// says for the number of vectors. While it does, the next batch is built beside
// it; the commit that makes that batch due takes it over, and waits for it only
// when it is not done yet.
type part struct {
	name  string
	ords  []uint32 // ordinal of the index by local ordinal, rising
	vec   *vek.Flat
	graph *hnsw.Graph
	view  hnsw.View  // what searches use
	ahead chan error // says when the batch after view is built; nil = none under way
}

// partOf names the partition of a document.
func partOf(u uri.URI) string {
	if d := u.Domain(); d != "" {
		return "brain://" + d
	}
	return u.Scheme() + "://"
}

func (v *view) newPart(name string) (*part, error) {
	vec, err := vek.NewFlat(v.dim)
	if err != nil {
		return nil, err
	}
	o := v.graph
	o.Workers = runtime.GOMAXPROCS(0)
	g, err := hnsw.New(o)
	if err != nil {
		return nil, err
	}
	p := &part{name: name, vec: vec, graph: g, view: g.View()}
	v.parts[name] = p
	v.order = append(v.order, p)
	slices.SortFunc(v.order, func(a, b *part) int { return cmp.Compare(a.name, b.name) })
	return p, nil
}

// settle brings the graph that searches use to the vectors that the partition
// has, and starts on the batch after it. ctx ends that work.
func (p *part) settle(work *background) error {
	o, n := p.graph.Options(), p.vec.View().Len()
	if end := o.End(n); end > p.view.End() {
		if p.ahead != nil {
			err := <-p.ahead
			p.ahead = nil
			if err != nil {
				return err
			}
			p.view = p.graph.View()
		}
		if end > p.view.End() {
			if err := p.grow(work.ctx, p.vec.View(), end); err != nil {
				return err
			}
			p.view = p.graph.View()
		}
	}
	if next := p.view.End() + o.Batch; p.ahead == nil && next <= n && n >= o.MinLen {
		vectors, done := p.vec.View(), make(chan error, 1)
		p.ahead = done
		work.start(func() { done <- p.grow(work.ctx, vectors, next) })
	}
	return nil
}

func (p *part) grow(ctx context.Context, vectors vek.View, end int) error {
	return p.graph.Grow(ctx, hnsw.Of(vectors), end, localID)
}

// localID is what the level of a node is hashed from.
func localID(ord uint32) uint64 { return uint64(ord) }

// vectorLeg is one query's search over all partitions of a view.
type vectorLeg struct {
	v      *view
	c      *corpus
	query  []int8
	filter []uint64
	exact  bool // no graph: the view is not the live one
	walked bool // a graph answered, so that the list may miss something
}

// search returns the best k chunks by cosine.
func (l *vectorLeg) search(k int) ([]topk.Hit, error) {
	top := topk.New(k)
	l.walked = false
	for _, p := range l.v.order {
		match := l.match(p)
		hits, err := l.ask(p, match, k)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			top.Push(p.ords[h.Ord], h.Score)
		}
	}
	return top.Sorted(), nil
}

func (l *vectorLeg) ask(p *part, match []uint64, k int) ([]topk.Hit, error) {
	if match == nil {
		return nil, nil
	}
	if l.exact || !l.c.whole[p] {
		return p.vec.View().Search(l.query, match, k)
	}
	hits, stats, err := p.view.Search(hnsw.Of(p.vec.View()), hnsw.Query{Vector: l.query, K: k, Match: match}, nil)
	l.walked = l.walked || stats.Plan == hnsw.PlanWalk || stats.Plan == hnsw.PlanSparse
	return hits, err
}

// match returns the filter in local ordinals of p.
func (l *vectorLeg) match(p *part) []uint64 {
	if len(l.filter) > 0 && len(l.c.bits) > 0 && &l.filter[0] == &l.c.bits[0] {
		return l.c.local[p]
	}
	return p.local(l.filter)
}

// local translates a set of ordinals into local ordinals of p; nil when none is
// of p. The cost is one step per vector of p.
func (p *part) local(set []uint64) []uint64 {
	var out []uint64
	for i, ord := range p.ords {
		if w := ord >> 6; int(w) < len(set) && set[w]>>(ord&63)&1 != 0 {
			if out == nil {
				out = make([]uint64, (len(p.ords)+63)/64)
			}
			out[i>>6] |= 1 << (i & 63)
		}
	}
	return out
}

// score writes the cosine of each ordinal, or vek.Missing. ords rise.
func (l *vectorLeg) score(ords []uint32, out []float64) error {
	local := make([]uint32, 0, len(ords))
	for i := 0; i < len(ords); {
		p := l.v.docs[l.v.chunks[ords[i]].doc].part
		local = local[:0]
		j := i
		for ; j < len(ords); j++ {
			d := &l.v.docs[l.v.chunks[ords[j]].doc]
			if d.part != p {
				break
			}
			local = append(local, d.local+ords[j]-d.first)
		}
		if err := p.vec.View().Score(l.query, local, out[i:j]); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// partition fills what the corpus knows of the partitions: the local form of its
// bits, and which partitions the scope may read as a whole, including what is no
// longer live.
func (c *corpus) partition(v *view, allowed *roaring.Bitmap) {
	c.local, c.whole = map[*part][]uint64{}, map[*part]bool{}
	for _, p := range v.order {
		c.local[p] = p.local(c.bits)
		c.whole[p] = p.allIn(allowed)
	}
}

// allIn reports whether every ordinal of p is in set.
func (p *part) allIn(set *roaring.Bitmap) bool {
	it := set.Iterator()
	for _, ord := range p.ords {
		it.AdvanceIfNeeded(ord)
		if !it.HasNext() || it.PeekNext() != ord {
			return false
		}
	}
	return true
}
