package hnsw

// pool is the working set of a walk: keys in falling order, cut after the limit-th
// that matches. One array serves as the queue of what to expand next and as the
// result, for what is not among the kept is never expanded. For the few hundred
// keys of a search, moving memory costs less than two heaps.
type pool struct {
	keys    []key
	next    int // no key before it waits for expansion
	limit   int // how many matching keys are kept
	matches int // how many are there
}

func (p *pool) reset(limit int) {
	p.keys, p.next, p.limit, p.matches = p.keys[:0], 0, limit, 0
}

// threshold returns the key that a new one has to exceed.
func (p *pool) threshold() key {
	if p.matches < p.limit {
		return 0
	}
	return p.keys[len(p.keys)-1]
}

// insert adds k, which is above the threshold.
func (p *pool) insert(k key) {
	// Binary search without unpredictable branches.
	base, n := 0, len(p.keys)
	for n > 0 {
		half := n >> 1
		at := base + half
		if p.keys[at] > k {
			base = at + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	p.keys = append(p.keys, 0)
	copy(p.keys[base+1:], p.keys[base:])
	p.keys[base] = k
	if base < p.next {
		p.next = base
	}
	if k&matching == 0 {
		return
	}
	if p.matches++; p.matches > p.limit {
		p.matches--
		end := len(p.keys) - 1
		for end > 0 && p.keys[end-1]&matching == 0 {
			end--
		}
		p.keys = p.keys[:end]
	}
}

// take marks the best key that waits for expansion and returns it; ok is false when
// none does.
func (p *pool) take() (k key, ok bool) {
	for i := p.next; i < len(p.keys); i++ {
		if k = p.keys[i]; k&expanded == 0 {
			p.keys[i] = k | expanded
			p.next = i + 1
			return k, true
		}
	}
	p.next = len(p.keys)
	return 0, false
}
