package hnsw

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// builder brings batches into a graph.
type builder struct {
	g       *Graph
	v       *Vectors
	walkers []*walker
	pool    *sync.Pool
	members []member
	edges   []uint64 // of one level: target<<32 | source
	groups  []int    // start of each target's edges
}

// member is one ordinal of the batch at hand.
type member struct {
	ord   uint32
	level int        // -1 = no vector
	node  []uint32   // by level
	links [][]uint32 // by level: the nodes chosen
}

// builderScratch is the part of a walker that only building uses.
type builderScratch struct {
	mates     []uint32 // ordinals of the members before, with a vector
	mateAt    []int    // their indexes in the batch
	mateDot   []int32
	cand      []key
	kept      []uint32
	keptOrd   []uint32
	dot       []int32
	neighbour []uint32
}

func newBuilder(g *Graph, v *Vectors, pool *sync.Pool) *builder {
	b := &builder{g: g, v: v, pool: pool}
	for range g.o.Workers {
		b.walkers = append(b.walkers, pool.Get().(*walker))
	}
	return b
}

func (b *builder) close() {
	for _, w := range b.walkers {
		w.reset(nil, nil, nil)
		b.pool.Put(w)
	}
}

// each calls fn for 0 to n-1, spread over the workers, and returns when all are
// done. Which worker takes which number must not matter.
func (b *builder) each(n int, fn func(w *walker, i int)) {
	var next atomic.Int64
	work := func(w *walker) {
		for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
			fn(w, i)
		}
	}
	var wg sync.WaitGroup
	for _, w := range b.walkers[1:] {
		wg.Go(func() { work(w) })
	}
	work(b.walkers[0])
	wg.Wait()
}

// batch brings the next Options.Batch ordinals into the graph.
func (b *builder) batch(id func(uint32) uint64) {
	g := b.g
	frozen := g.state()
	counts := make([]uint32, 64)
	for l := range g.levels {
		counts[l] = uint32(g.levels[l].n)
	}
	levels := g.admit(b.v, g.o.Batch, id)
	// The walks see the links from before; the new nodes are there only so that
	// their ordinals can be looked up.
	now := g.state()
	now.top, now.entry = frozen.top, frozen.entry

	b.members = slices.Grow(b.members[:0], len(levels))[:len(levels)]
	for i, level := range levels {
		m := &b.members[i]
		m.ord, m.level, m.node = g.end+uint32(i), level, m.node[:0]
		for l := 0; l <= level || l == 0; l++ {
			m.node = append(m.node, counts[l])
			counts[l]++
		}
		for len(m.links) <= level {
			m.links = append(m.links, nil)
		}
	}
	b.each(len(levels), func(w *walker, i int) { b.search(w, now, i) })
	for l := range g.levels {
		b.link(l)
	}
	g.end += uint32(len(levels))
	if g.entry == none || len(g.levels) > len(frozen.layers) {
		g.entry = g.firstEntry()
	}
}

// search chooses the links of one member.
func (b *builder) search(w *walker, st *state, i int) {
	m := &b.members[i]
	if m.level < 0 {
		return
	}
	w.reset(b.v, st, b.v.Row(m.ord))
	b.mates(w, i)
	start := none
	if st.entry != none {
		start = w.descend(m.level)
	}
	for l := m.level; l >= 0; l-- {
		layer := &st.layers[l]
		w.build.cand = w.build.cand[:0]
		if start != none && l <= st.top {
			if l == min(m.level, st.top) {
				w.start(layer, b.g.o.EfConstruction, nil, start)
			} else {
				w.below(layer, &st.layers[l+1], b.g.o.EfConstruction)
			}
			w.run(layer, nil, math.MaxInt)
			w.build.cand = append(w.build.cand, w.pool.keys...)
		}
		b.joinMates(w, i, l)
		m.links[l] = append(m.links[l][:0], w.choose(layer, m.ord, b.g.o.M)...)
	}
}

// below opens a layer with what the pool found on the layer above.
func (w *walker) below(l, above *layer, limit int) {
	w.build.neighbour = w.build.neighbour[:0]
	for _, k := range w.pool.keys {
		w.build.neighbour = append(w.build.neighbour, above.down[nodeOf(k)])
	}
	w.start(l, limit, nil, w.build.neighbour...)
}

// mates takes the products of member i with those before it: the graph as it was
// does not hold them, and the neighbours of a text are often written beside it.
func (b *builder) mates(w *walker, i int) {
	s := &w.build
	s.mates, s.mateAt = s.mates[:0], s.mateAt[:0]
	for j := range b.members[:i] {
		if b.members[j].level >= 0 {
			s.mates, s.mateAt = append(s.mates, b.members[j].ord), append(s.mateAt, j)
		}
	}
	s.mateDot = slices.Grow(s.mateDot[:0], len(s.mates))[:len(s.mates)]
	b.v.Dots(w.q, s.mates, s.mateDot)
}

// joinMates adds the members before i that reach level l to the candidates and
// keeps the best EfConstruction.
func (b *builder) joinMates(w *walker, i, l int) {
	s := &w.build
	found := len(s.cand)
	for j, at := range s.mateAt {
		if m := &b.members[at]; m.level >= l {
			s.cand = append(s.cand, keyOf(float32(s.mateDot[j])*w.st.inv[m.ord], m.node[l]))
		}
	}
	if len(s.cand) > found {
		sortDown(s.cand)
	}
	s.cand = s.cand[:min(len(s.cand), b.g.o.EfConstruction)]
}

// sortDown sorts keys, best first.
func sortDown(keys []key) {
	slices.SortFunc(keys, func(a, b key) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
}
