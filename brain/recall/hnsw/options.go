package hnsw

import (
	"fmt"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// MaxLen is the largest number of ordinals of a graph: two bits of an ordinal's
// word in the walk's keys are flags.
const MaxLen = 1 << 30

// Options are fixed for the life of a graph: all but ScanBelow and Workers decide
// its bytes. The zero value means the defaults.
type Options struct {
	// M is the number of links of a node above level 0 and that a new node asks
	// for; level 0 keeps up to twice as many. 4 to 64. Default 16.
	M int
	// EfConstruction is how many candidates the search for the links of a new node
	// keeps. M to 4,096. Default 200.
	EfConstruction int
	// Batch is how many ordinals enter at once. 1 to 4,096. Default 256.
	Batch int
	// Lag is how many of the youngest ordinals stay outside the graph at least, to
	// be scanned. 0 to MaxLen. Default 4,096; -1 means 0.
	Lag int
	// MinLen is the number of vectors below which a search does not use the graph.
	// Default 8,192; -1 means 0.
	MinLen int
	// ScanBelow is how readily a filtered search compares all that matches
	// instead of walking: it scans while matching² ≤ ScanBelow·ef·end, as a
	// scan costs in proportion to what matches, and a walk to ef over the share
	// that matches. It does not change the graph. 0 to 1,024. Default 40, where
	// both took the same time on 100,000 vectors of 100 dimensions; -1 means 0:
	// walk when more than 2·k match.
	ScanBelow int
	// Workers is how many goroutines build. It does not change the graph. 1 to 256.
	// Default 1.
	Workers int
}

func (o Options) fill() (Options, error) {
	set := func(p *int, def int) {
		switch *p {
		case 0:
			*p = def
		case -1:
			*p = 0
		}
	}
	set(&o.Lag, 4096)
	set(&o.MinLen, 8192)
	set(&o.ScanBelow, 40)
	for _, f := range []struct {
		name            string
		v               *int
		def, least, top int
	}{
		{"m", &o.M, 16, 4, 64},
		{"ef_construction", &o.EfConstruction, 200, 4, 4096},
		{"batch", &o.Batch, 256, 1, 4096},
		{"lag", &o.Lag, 0, 0, MaxLen},
		{"min_len", &o.MinLen, 0, 0, MaxLen},
		{"scan_below", &o.ScanBelow, 0, 0, 1024},
		{"workers", &o.Workers, 1, 1, 256},
	} {
		if *f.v == 0 {
			*f.v = f.def
		}
		if *f.v < f.least || *f.v > f.top {
			return o, &invalid.Error{Field: f.name, Reason: fmt.Sprintf("%d is not in %d to %d", *f.v, f.least, f.top), Limit: int64(f.top)}
		}
	}
	if o.EfConstruction < o.M {
		return o, invalid.New("ef_construction", "%d is less than m, %d", o.EfConstruction, o.M)
	}
	return o, nil
}

// End returns how many ordinals a graph of n vectors holds:
// Batch·⌊(n−Lag)/Batch⌋, and 0 while n is less than Lag. o must come from
// Graph.Options or have no zero field that has a default.
func (o Options) End(n int) int {
	if n < o.Lag || o.Batch < 1 {
		return 0
	}
	return (n - o.Lag) / o.Batch * o.Batch
}

// String returns what decides the bytes of a graph, for a stamp of derived state.
func (o Options) String() string {
	return fmt.Sprintf("hnsw1 m=%d efc=%d batch=%d lag=%d min=%d", o.M, o.EfConstruction, o.Batch, o.Lag, o.MinLen)
}

// Level returns the level of the node with the given id in a graph of m links:
// the number of l ≥ 1 for which splitmix64(id) is below 2^64/m^l, so that one
// node in m^l reaches level l, as with the exponential draw of the paper's
// section 4.1. Integer arithmetic alone; at most 63.
func Level(id uint64, m int) int {
	if m < 2 {
		return 0
	}
	h, l := splitmix(id), 0
	for t := ^uint64(0) / uint64(m); h <= t && t > 0; t /= uint64(m) {
		l++
	}
	return l
}

// splitmix is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) after
// one step of its sequence.
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
