package hnsw

import "slices"

// state is what a walk reads: the published form of a graph, or the builder's
// own between batches.
type state struct {
	end    uint32    // ordinals below it are in the graph
	top    int       // highest level with a node
	entry  uint32    // node of the top level where walks start; none in a graph without vectors
	layers []layer   // by level
	inv    []float32 // by ordinal: factor of keys, 0 = no vector
}

// walker is the scratch of one search or one worker of the builder. Not safe for
// concurrent use.
type walker struct {
	vecs *Vectors
	st   *state
	q    []int8

	visited   []uint64 // by node of the layer at hand
	pool      pool
	nodes     []uint32 // not visited before, waiting for their products
	ords      []uint32
	dot       []int32
	evaluated int    // products taken since reset
	touched   uint32 // keeps the compiler from leaving out loads made early

	build builderScratch
	find  searchScratch
}

// batchNodes is how many nodes are collected before their products are taken.
const batchNodes = 128

func (w *walker) reset(v *Vectors, st *state, q []int8) {
	w.vecs, w.st, w.q, w.evaluated = v, st, q, 0
}

// visit marks a node and reports whether it was new.
func (w *walker) visit(node uint32) bool {
	p, bit := &w.visited[node>>6], uint64(1)<<(node&63)
	if *p&bit != 0 {
		return false
	}
	*p |= bit
	return true
}

// open makes the pool and the visited set ready for a layer.
func (w *walker) open(l *layer, limit int) {
	words := (l.n + 63) / 64
	w.visited = slices.Grow(w.visited[:0], words)[:words]
	clear(w.visited)
	w.pool.reset(limit)
}

// products fills w.dot for w.nodes, which are nodes of l.
func (w *walker) products(l *layer) (ords []uint32, dot []int32) {
	ords = w.nodes
	if l.ords != nil {
		ords = w.ords[:0]
		for _, x := range w.nodes {
			ords = append(ords, l.ords[x])
		}
		w.ords = ords
	}
	w.dot = slices.Grow(w.dot[:0], len(ords))[:len(ords)]
	w.vecs.Dots(w.q, ords, w.dot)
	w.evaluated += len(ords)
	return ords, w.dot
}

// offer takes the products of w.nodes, puts them into the pool where they reach
// it, and empties w.nodes. match is the set of ordinals that may be returned,
// nil when all may.
func (w *walker) offer(l *layer, match []uint64) {
	if len(w.nodes) == 0 {
		return
	}
	ords, dot := w.products(l)
	inv, worst := w.st.inv, w.pool.threshold()
	for i, o := range ords {
		k := keyOf(float32(dot[i])*inv[o], w.nodes[i])
		if k <= worst {
			continue
		}
		if match == nil || has(match, o) {
			k |= matching
		}
		w.pool.insert(k)
		worst = w.pool.threshold()
	}
	w.nodes = w.nodes[:0]
}

// ahead is how many nodes are expanded at once. A walk waits for memory: the links
// of four nodes and the rows that they lead to are fetched side by side, at the
// price of less than one comparison in a hundred more than one after the other at
// the widths that matter.
const ahead = 4

// run expands the pool until nothing in it waits. With a nil match it is
// algorithm 2 of the paper, a few nodes at a time; else nodes outside of match are
// walked but do not count for the limit, so the walk goes on until that many
// matching ones are the best. budget bounds the comparisons; false means that it
// was used up.
func (w *walker) run(l *layer, match []uint64, budget int) bool {
	var now [ahead]uint32
	for w.evaluated <= budget {
		n := 0
		for n < len(now) {
			k, ok := w.pool.take()
			if !ok {
				break
			}
			now[n] = nodeOf(k)
			n++
		}
		if n == 0 {
			return true
		}
		for _, x := range now[:n] {
			w.touched += l.slots(x)[0] // starts the fetch
		}
		for _, x := range now[:n] {
			w.gather(l, x)
		}
		w.offer(l, match)
	}
	return false
}

// gather appends the links of a node that were not visited before to w.nodes.
func (w *walker) gather(l *layer, node uint32) {
	n := len(w.nodes)
	w.nodes = slices.Grow(w.nodes, l.width)
	visited, nodes := w.visited, w.nodes[:n+l.width]
	for _, x := range l.slots(node) {
		if x == none {
			break
		}
		// Whether a node was visited cannot be foretold, so no branch depends on it.
		p := &visited[x>>6]
		was := *p >> (x & 63) & 1
		*p |= 1 << (x & 63)
		nodes[n] = x
		n += int(1 - was)
	}
	w.nodes = nodes[:n]
}

// runSparse is run for a match that few nodes are in: only matching nodes are
// compared, and where a link leads to one that does not match, its links are
// followed at once (the two-hop expansion of ACORN, arXiv:2403.04871).
func (w *walker) runSparse(l *layer, match []uint64, budget int) bool {
	for w.evaluated <= budget {
		k, ok := w.pool.take()
		if !ok {
			return true
		}
		for _, x := range l.links(nodeOf(k)) {
			if !w.visit(x) {
				continue
			}
			if has(match, l.ord(x)) {
				w.nodes = append(w.nodes, x)
				continue
			}
			for _, y := range l.links(x) {
				if has(match, l.ord(y)) && w.visit(y) {
					w.nodes = append(w.nodes, y)
				}
			}
			if len(w.nodes) >= batchNodes {
				w.offer(l, match)
			}
		}
		w.offer(l, match)
	}
	return false
}

// descend walks greedily from the entry to the level above the wanted one and
// returns the node on the wanted level where it arrives.
func (w *walker) descend(level int) uint32 {
	node := w.st.entry
	for l := w.st.top; l > level; l-- {
		layer := &w.st.layers[l]
		node = layer.down[w.greedy(layer, node)]
	}
	return node
}

// greedy follows the best link until none is better.
func (w *walker) greedy(l *layer, node uint32) uint32 {
	best := key(0)
	w.nodes = append(w.nodes[:0], node)
	for {
		ords, dot := w.products(l)
		at := best
		for i, o := range ords {
			best = max(best, keyOf(float32(dot[i])*w.st.inv[o], w.nodes[i]))
		}
		w.nodes = w.nodes[:0]
		if best == at {
			return nodeOf(best)
		}
		w.nodes = append(w.nodes, l.links(nodeOf(best))...)
	}
}

// start opens a layer with the given nodes in the pool.
func (w *walker) start(l *layer, limit int, match []uint64, nodes ...uint32) {
	w.open(l, limit)
	w.nodes = w.nodes[:0]
	for _, x := range nodes {
		w.visit(x)
		w.nodes = append(w.nodes, x)
	}
	w.offer(l, match)
}

// has reports whether bit i of set is set; beyond its end it is not.
func has(set []uint64, i uint32) bool {
	w := int(i >> 6)
	return w < len(set) && set[w]>>(i&63)&1 != 0
}
