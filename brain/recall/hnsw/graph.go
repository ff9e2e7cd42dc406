package hnsw

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Graph is one growing graph. One goroutine at a time grows it (others wait);
// Views are read by any number meanwhile. Make one with New or Load.
type Graph struct {
	o    Options
	view atomic.Pointer[View]

	mu     sync.Mutex // guards what follows: the builder's state
	dim    int        // 0 until vectors were seen
	levels []draft
	inv    []float32
	entry  uint32
	end    uint32
}

// View is a graph at one moment: immutable and safe for concurrent use. The zero
// value holds nothing.
type View struct {
	o       Options
	dim     int
	st      *state
	walkers *sync.Pool // of *walker
}

// New returns an empty graph. A bad option is an *invalid.Error.
func New(o Options) (*Graph, error) {
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	g := &Graph{o: o, entry: none, levels: []draft{{layer: layer{width: 2 * o.M}}}}
	g.publish(&sync.Pool{New: func() any { return new(walker) }})
	return g, nil
}

// Options returns the options with the defaults filled in.
func (g *Graph) Options() Options { return g.o }

// View returns what was published last.
func (g *Graph) View() View { return *g.view.Load() }

// End returns the first ordinal that is not in the view.
func (v View) End() int {
	if v.st == nil {
		return 0
	}
	return int(v.st.end)
}

// Options returns the options of the view's graph with the defaults filled in.
func (v View) Options() Options { return v.o }

// publish makes the builder's state what View returns. Pages are shared with
// the views before, except those that changed.
func (g *Graph) publish(walkers *sync.Pool) {
	st := g.state()
	for l := range g.levels {
		st.layers[l] = g.levels[l].freeze()
	}
	g.view.Store(&View{o: g.o, dim: g.dim, st: st, walkers: walkers})
}

// state returns the builder's state for reading between changes.
func (g *Graph) state() *state {
	st := &state{end: g.end, top: len(g.levels) - 1, entry: g.entry, inv: g.inv, layers: make([]layer, len(g.levels))}
	for l := range g.levels {
		st.layers[l] = g.levels[l].layer
	}
	return st
}

// Grow brings the ordinals below end into the graph and publishes the result
// once. end is a multiple of Options.Batch, at most v.Len(), usually
// Options.End(v.Len()); what is below the graph's end already is not looked at.
// id gives the id that a node's level is hashed from and may be called by
// several goroutines.
//
// It returns early with the context's error, at a batch's end; whole batches
// that were done are published then too, and a later call goes on from there.
// The cost is about one search with EfConstruction per ordinal.
func (g *Graph) Grow(ctx context.Context, v Vectors, end int, id func(ord uint32) uint64) error {
	if err := v.check(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.dim != 0 && v.Dim() != g.dim:
		return invalid.New("dim", "vectors have %d components, the graph has %d", v.Dim(), g.dim)
	case end < 0 || end > v.Len() || end%g.o.Batch != 0:
		return invalid.New("end", "%d is not a multiple of %d in 0 to %d", end, g.o.Batch, v.Len())
	case end <= int(g.end):
		return nil
	}
	g.dim = v.Dim()
	walkers := g.view.Load().walkers
	defer func() { g.publish(walkers) }()
	b := newBuilder(g, &v, walkers)
	defer b.close()
	for int(g.end) < end {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("graph at %d of %d: %w", g.end, end, err)
		}
		b.batch(id)
	}
	return nil
}

// admit appends the nodes of a batch, without links, and returns their levels;
// -1 is an ordinal without a vector.
func (g *Graph) admit(v *Vectors, n int, id func(uint32) uint64) []int {
	levels := make([]int, n)
	for i := range levels {
		ord := g.end + uint32(i)
		inv := inverse(v.Norm(ord))
		g.inv = append(g.inv, inv)
		g.levels[0].add(ord, 0, false)
		levels[i] = -1
		if inv == 0 {
			continue
		}
		levels[i] = Level(id(ord), g.o.M)
		below := ord
		for l := 1; l <= levels[i]; l++ {
			if l == len(g.levels) {
				g.levels = append(g.levels, draft{layer: layer{width: g.o.M}})
			}
			d := &g.levels[l]
			d.add(ord, below, true)
			below = uint32(d.n - 1)
		}
	}
	return levels
}

// firstEntry returns where walks start: the oldest node of the top level.
func (g *Graph) firstEntry() uint32 {
	if len(g.levels) > 1 {
		return 0
	}
	i := slices.IndexFunc(g.inv, func(x float32) bool { return x != 0 })
	if i < 0 {
		return none
	}
	return uint32(i)
}
