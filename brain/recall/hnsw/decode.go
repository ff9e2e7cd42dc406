package hnsw

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Load reads a graph that Pages wrote, over the vectors that it was built from.
// get returns the blob of a name; its error is returned as it is. Only ScanBelow
// and Workers of o are free: a graph that was stored with other options is refused
// as an *invalid.Error of field "options", for it is not the graph wanted.
//
// Damage of any page is an error that wraps ErrDamaged and names the page.
// Every link of a graph that loads leads to a node that exists, so no later
// search can fail on it. Whether the vectors are those that it was built from
// is the caller's to know: it stamps what it derives. The cost is that of
// reading the blobs once.
func Load(o Options, v Vectors, get func(Name) ([]byte, error)) (*Graph, error) {
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	name := Name{Head: true}
	body, err := fetch(get, name)
	if err != nil {
		return nil, err
	}
	h, err := decodeHead(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := h.check(o, &v); err != nil {
		return nil, err
	}
	g := &Graph{o: o, dim: h.dim, entry: h.entry, end: uint32(h.end)}
	for l, n := range h.nodes {
		d := draft{layer: layer{width: o.M}}
		if l == 0 {
			d.width = 2 * o.M
		}
		for at := 0; at < n; at += storedNodes {
			name := Name{Level: l, Index: at / storedNodes}
			body, err := fetch(get, name)
			if err == nil {
				r := reader{b: body}
				r.page(&d, l, at, n, h.end)
				err = r.close()
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if l > 0 && !d.connect(&g.levels[l-1].layer) {
			return nil, fmt.Errorf("level %d: %w: a node is not on the level below", l, ErrDamaged)
		}
		g.levels = append(g.levels, d)
	}
	for ord := range g.end {
		g.inv = append(g.inv, inverse(v.Norm(ord)))
	}
	if g.entry != g.firstEntry() {
		return nil, fmt.Errorf("head: %w: entry", ErrDamaged)
	}
	g.publish(&sync.Pool{New: func() any { return new(walker) }})
	return g, nil
}

func fetch(get func(Name) ([]byte, error), name Name) ([]byte, error) {
	b, err := get(name)
	if err != nil {
		return nil, err
	}
	if b, err = unseal(b); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// head is the decoded head of a stored graph.
type head struct {
	o        Options
	dim, end int
	entry    uint32
	nodes    []int // by level
}

func decodeHead(b []byte) (head, error) {
	r := reader{b: b}
	if f := r.number(MaxLen); f != format && r.err == nil {
		return head{}, fmt.Errorf("%w: format %d", ErrDamaged, f)
	}
	h := head{o: Options{M: r.number(1 << 20), EfConstruction: r.number(1 << 20), Batch: r.number(1 << 20), Lag: r.number(MaxLen), MinLen: r.number(MaxLen)}}
	h.dim, h.end = r.number(1<<20), r.number(MaxLen)
	h.entry = uint32(r.number(MaxLen)) - 1
	levels := r.number(maxLevels)
	for l := range levels {
		n := r.number(h.end)
		if l > 0 && (n > h.nodes[l-1] || n == 0) || l == 0 && n != h.end {
			r.fail("nodes of level %d", l)
		}
		h.nodes = append(h.nodes, n)
	}
	if levels == 0 {
		r.fail("no level")
	}
	return h, r.close()
}

// check reports whether a graph with head h is the one that o and v ask for.
func (h *head) check(o Options, v *Vectors) error {
	o.Workers, o.ScanBelow = 0, 0 // do not shape a graph
	switch {
	case o != h.o:
		return invalid.New("options", "the stored graph has %s, wanted %s", h.o, o)
	case h.end > v.Len():
		return invalid.New("vectors", "%d are fewer than the %d of the stored graph", v.Len(), h.end)
	case h.dim != v.Dim() && (h.dim != 0 || h.end > 0):
		return invalid.New("dim", "vectors have %d components, the stored graph has %d", v.Dim(), h.dim)
	case h.end%h.o.Batch != 0:
		return fmt.Errorf("head: %w: %d is not a whole number of batches", ErrDamaged, h.end)
	}
	return nil
}

// connect finds every node of d on the level below; both are in rising order.
func (d *draft) connect(below *layer) bool {
	at := uint32(0)
	for _, ord := range d.ords {
		for int(at) < below.n && below.ord(at) < ord {
			at++
		}
		if int(at) == below.n || below.ord(at) != ord {
			return false
		}
		d.down = append(d.down, at)
	}
	return true
}

// reader takes numbers from the body of a blob; the first error stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(f string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(f, args...))
	}
}

// number returns the next one, which is 0 to most in its shortest form.
func (r *reader) number(most int) int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > uint64(most) || n > 1 && r.b[n-1] == 0 {
		r.fail("number out of 0 to %d", most)
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
	return int(x)
}

func (r *reader) close() error {
	if len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	return r.err
}

// page reads nodes at to at+storedNodes of a level of n nodes into d.
func (r *reader) page(d *draft, level, at, n, end int) {
	if r.number(maxLevels) != level || r.number(MaxLen) != at/storedNodes {
		r.fail("another page")
	}
	ord := -1
	if len(d.ords) > 0 {
		ord = int(d.ords[len(d.ords)-1])
	}
	first := true
	links := make([]uint32, 0, d.width)
	for node := at; node < min(at+storedNodes, n) && r.err == nil; node++ {
		if level > 0 {
			before := ord
			step := r.number(end)
			if first {
				ord = step - 1
			} else {
				ord += step
			}
			if first = false; ord <= before || ord >= end {
				r.fail("ordinal %d", ord)
				return
			}
		}
		d.add(uint32(max(ord, 0)), 0, level > 0)
		if level > 0 {
			d.down = d.down[:0] // found by connect
		}
		links = links[:0]
		last := -1
		for range r.number(d.width) {
			if last += 1 + r.number(n); last >= n || last == node {
				r.fail("link %d of node %d", last, node)
				return
			}
			links = append(links, uint32(last))
		}
		d.set(uint32(node), links)
	}
}
