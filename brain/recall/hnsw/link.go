package hnsw

import "slices"

// link writes the links that the members chose on level l and gives every node
// that was chosen a link back. A node takes all its new links in one step, in
// order of ids, so that the result does not depend on who comes first.
func (b *builder) link(l int) {
	d := &b.g.levels[l]
	b.edges = b.edges[:0]
	for i := range b.members {
		m := &b.members[i]
		if m.level < l {
			continue
		}
		d.set(m.node[l], m.links[l])
		for _, to := range m.links[l] {
			b.edges = append(b.edges, uint64(to)<<32|uint64(m.node[l]))
		}
	}
	slices.Sort(b.edges)
	b.groups = b.groups[:0]
	for i, e := range b.edges {
		if i == 0 || e>>32 != b.edges[i-1]>>32 {
			b.groups = append(b.groups, i)
			d.claim(uint32(e >> 32))
		}
	}
	st := b.g.state()
	b.each(len(b.groups), func(w *walker, i int) {
		end := len(b.edges)
		if i+1 < len(b.groups) {
			end = b.groups[i+1]
		}
		w.reset(b.v, st, nil)
		w.relink(&d.layer, b.edges[b.groups[i]:end])
	})
}

// relink gives a node the links of edges, all of which lead to it.
func (w *walker) relink(l *layer, edges []uint64) {
	node := uint32(edges[0] >> 32)
	s := &w.build
	all := append(s.neighbour[:0], l.links(node)...)
	for _, e := range edges {
		if x := uint32(e); !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	s.neighbour = all
	if len(all) > l.width {
		ord := l.ord(node)
		w.q = w.vecs.Row(ord)
		w.nodes = append(w.nodes[:0], all...)
		ords, dot := w.products(l)
		s.cand = s.cand[:0]
		for i, o := range ords {
			s.cand = append(s.cand, keyOf(float32(dot[i])*w.st.inv[o], w.nodes[i]))
		}
		w.nodes = w.nodes[:0]
		sortDown(s.cand)
		all = w.choose(l, ord, l.width)
	}
	l.set(node, all)
}

// probe is how many kept nodes a candidate is compared with at once: most that
// fall do so against the first few.
const probe = 8

// choose returns up to m of the candidates for links of the node of ord:
// from the best down, each that is nearer to ord than to all that were taken
// (algorithm 4 of the paper, without filling up). The result is the walker's.
func (w *walker) choose(l *layer, ord uint32, m int) []uint32 {
	s := &w.build
	s.kept, s.keptOrd = s.kept[:0], s.keptOrd[:0]
	for _, k := range s.cand {
		if len(s.kept) == m {
			break
		}
		node := nodeOf(k)
		o := l.ord(node)
		if w.spread(o, scoreOf(k)*w.st.inv[ord]) {
			s.kept, s.keptOrd = append(s.kept, node), append(s.keptOrd, o)
		}
	}
	return s.kept
}

// spread reports whether o is nearer to what it has the given cosine with than
// to all that were kept.
func (w *walker) spread(o uint32, cosine float32) bool {
	s := &w.build
	row, inv := w.vecs.Row(o), w.st.inv
	for from := 0; from < len(s.keptOrd); from += probe {
		ids := s.keptOrd[from:min(from+probe, len(s.keptOrd))]
		s.dot = slices.Grow(s.dot[:0], len(ids))[:len(ids)]
		w.vecs.Dots(row, ids, s.dot)
		for i, d := range s.dot {
			if float32(float32(d)*inv[ids[i]])*inv[o] > cosine {
				return false
			}
		}
	}
	return true
}
