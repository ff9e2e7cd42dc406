package hnsw

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// MaxK is the largest number of hits of one search.
const MaxK = 1 << 16

// Query is one search.
type Query struct {
	Vector []int8 // of the vectors' dimension; all zero finds nothing
	K      int    // hits wanted, 0 to MaxK
	// Match is the set of ordinals that may be returned: live, readable, passing the filters (bit
	// i&63 of word i>>6; past the end = not set). As everywhere in recall, nil
	// matches nothing. It is read, not kept.
	Match []uint64
	// Ef is how many of the best matching nodes a walk keeps. More finds more and
	// costs more. 0 means EfFor for K and the graph's end.
	Ef int
	// Low and LowNorm are the second plane of Vector (Split). With it and
	// Vectors.Low, the best max(K, Rerank) are scored again by both planes.
	Low     []int8
	LowNorm float64
}

// Rerank is how many of the best candidates are scored again with the second planes.
const Rerank = 50

// EfFor returns the width of a walk for k hits in a graph of end ordinals when the
// query names none: 2k + 8·⌈log2 end⌉, for the way to a recall grows with the
// logarithm of the graph. For k = 10 it found .96 of the ten nearest of 100,000
// GloVe vectors (100 dimensions, a hard set), and more than .99 of clustered ones.
func EfFor(k, end int) int { return 2*k + 8*bits.Len(uint(end)) }

// Plan says how the ordinals inside the graph were searched. Those that are not in the graph yet are
// always scanned.
type Plan uint8

// The plans. They follow from counts alone: how many ordinals match, how many the graph holds, k and ef.
const (
	PlanNone   Plan = iota // nothing in the graph matches, or there is no graph
	PlanScan               // every matching ordinal was compared
	PlanWalk               // walked, collecting what matches
	PlanSparse             // walked along matching nodes with two-hop expansion
	PlanBack               // walked, found too few, then scanned
)

// String returns the name of the plan.
func (p Plan) String() string {
	names := [...]string{"none", "scan", "walk", "sparse", "walk+scan"}
	if int(p) < len(names) {
		return names[p]
	}
	return "unknown"
}

// Stats says what a search did.
type Stats struct {
	Plan     Plan
	Matching int // ordinals in the graph that match
	Compared int // dot products taken
}

// searchScratch is the part of a walker that only searching uses.
type searchScratch struct {
	vecs Vectors // the argument, kept here so that it does not escape
	best best
	ids  []uint32
}

// Search appends the min(q.K, matching) best ordinals of v by cosine to dst: score descending,
// ordinal ascending among equals. Ordinals without a vector never match. vecs is
// the state of the vectors to be searched: at least the ordinals that the view's graph holds; the younger
// ones are scanned exactly, and so is everything while there are fewer than
// Options.MinLen.
//
// The scores have the bits of vek.View.Search, or with second planes those of
// the finer product. What is returned depends on the arguments and the graph
// alone. It is approximate only when Stats.Plan says that the graph was walked;
// the number of hits is exact always. A bad argument is an *invalid.Error. No
// memory is allocated when dst has room.
func (v View) Search(vecs Vectors, q Query, dst []topk.Hit) ([]topk.Hit, Stats, error) {
	var stats Stats
	if err := v.checkQuery(vecs, q); err != nil {
		return dst, stats, err
	}
	norm := length(q.Vector)
	if norm == 0 || q.K == 0 || vecs.Len() == 0 {
		return dst, stats, nil
	}
	w := v.scratch()
	defer v.release(w)
	fine := q.Low != nil && vecs.Low != nil
	keep := q.K
	if fine {
		keep = max(keep, Rerank)
	}
	w.find.best.reset(keep)
	w.find.vecs = vecs
	w.reset(&w.find.vecs, v.st, q.Vector)

	end := 0
	if v.st != nil && vecs.Len() >= v.o.MinLen {
		end = v.End()
	}
	stats.Plan, stats.Matching = w.inGraph(&v.o, q, norm, end, keep)
	w.scan(q.Match, norm, end, vecs.Len())
	if fine {
		w.rerank(q)
	}
	stats.Compared = w.evaluated
	hits := w.find.best.hits
	return append(dst, hits[:min(q.K, len(hits))]...), stats, nil
}

func (v View) checkQuery(vecs Vectors, q Query) error {
	if err := vecs.check(); err != nil {
		return err
	}
	switch {
	case len(q.Vector) != vecs.Dim():
		return invalid.New("vector", "has %d components, the index has %d", len(q.Vector), vecs.Dim())
	case v.dim != 0 && v.dim != vecs.Dim():
		return invalid.New("dim", "vectors have %d components, the graph has %d", vecs.Dim(), v.dim)
	case vecs.Len() < v.End():
		return invalid.New("vectors", "%d are fewer than the %d of the graph", vecs.Len(), v.End())
	case q.K < 0 || q.K > MaxK:
		return invalid.TooLarge("k", int64(q.K), MaxK)
	case q.Ef < 0 || q.Ef > MaxLen:
		return invalid.TooLarge("ef", int64(q.Ef), MaxLen)
	case q.Low != nil && (len(q.Low) != vecs.Dim() || !(q.LowNorm > 0)):
		return invalid.New("low", "is not the second plane of the vector")
	}
	return nil
}

func (v View) scratch() *walker {
	if v.walkers == nil {
		return new(walker)
	}
	return v.walkers.Get().(*walker)
}

func (v View) release(w *walker) {
	w.reset(nil, nil, nil)
	w.find.vecs = Vectors{}
	if v.walkers != nil {
		v.walkers.Put(w)
	}
}

// inGraph puts the best matching ordinals below end into the scratch's best.
func (w *walker) inGraph(o *Options, q Query, norm float64, end, keep int) (Plan, int) {
	matching := count(q.Match, end)
	if matching == 0 {
		return PlanNone, 0
	}
	ef := q.Ef
	if ef == 0 {
		ef = EfFor(q.K, end)
	}
	ef = max(ef, keep)
	plan := o.planOf(matching, end, keep, ef)
	if plan != PlanScan && w.st.entry != none {
		match := q.Match
		if matching == end {
			match = nil
		}
		if w.walk(plan, match, ef, o.budget(plan, matching, end)) && w.collect(norm, keep, min(keep, matching)) {
			return plan, matching
		}
		plan = PlanBack
		w.find.best.reset(keep)
	}
	w.scan(q.Match, norm, 0, end)
	if plan != PlanBack {
		plan = PlanScan
	}
	return plan, matching
}

// planOf decides from counts: matching of the end ordinals in the graph match.
func (o *Options) planOf(matching, end, keep, ef int) Plan {
	m := int64(matching)
	switch {
	case m <= 2*int64(keep) || m*m <= int64(o.ScanBelow)*int64(ef)*int64(end):
		return PlanScan
	case m >= int64(end)/sparseBelow:
		return PlanWalk
	}
	return PlanSparse
}

// A share of less than 1/sparseBelow is walked along matching nodes alone.
const sparseBelow = 8

// budget is how many comparisons a walk may take before a scan is begun instead:
// about what a scan costs, by the measured cost of a comparison in each. It matters
// when what matches lies far from the query.
func (o *Options) budget(plan Plan, matching, end int) int {
	switch {
	case o.ScanBelow == 0 || matching == end:
		return math.MaxInt
	case plan == PlanSparse:
		return matching / 8
	}
	return matching / 2
}

// walk fills the pool on level 0. false means that the budget was used up.
func (w *walker) walk(plan Plan, match []uint64, ef, budget int) bool {
	start := w.descend(0)
	level0 := &w.st.layers[0]
	w.start(level0, ef, match, start)
	if plan == PlanSparse {
		return w.runSparse(level0, match, budget)
	}
	return w.run(level0, match, budget)
}

// collect scores the best keep matching nodes of the pool exactly; false if there are
// less than need.
func (w *walker) collect(norm float64, keep, need int) bool {
	ids := w.find.ids[:0]
	var last float32
	for _, k := range w.pool.keys {
		if k&matching == 0 {
			continue
		}
		// Keys are rounded to float32: those that a rounding error may have put
		// behind the last one are scored too.
		s := scoreOf(k)
		if len(ids) >= keep && s < last-float32(max(last, -last)*0x1p-21) {
			break
		}
		if len(ids) < keep {
			last = s
		}
		ids = append(ids, nodeOf(k))
	}
	w.find.ids = ids
	if len(ids) < need {
		return false
	}
	w.exact(ids, norm)
	return true
}

// exact scores ordinals that all have a vector, or are skipped, for best.
func (w *walker) exact(ids []uint32, norm float64) {
	w.dot = slices.Grow(w.dot[:0], len(ids))[:len(ids)]
	w.vecs.Dots(w.q, ids, w.dot)
	w.evaluated += len(ids)
	b := &w.find.best
	for i, id := range ids {
		if n := w.vecs.Norm(id); n != 0 {
			b.offer(topk.Hit{Ord: id, Score: cosine(w.dot[i], norm, n)})
		}
	}
}

// scan offers every matching ordinal of lo to hi-1.
func (w *walker) scan(match []uint64, norm float64, lo, hi int) {
	ids := w.find.ids[:0]
	for at := lo >> 6; at < len(match) && at<<6 < hi; at++ {
		word := match[at]
		if at<<6 < lo {
			word &= ^uint64(0) << (lo & 63)
		}
		if hi-at<<6 < 64 {
			word &= 1<<(hi&63) - 1
		}
		for ; word != 0; word &= word - 1 {
			ids = append(ids, uint32(at<<6+bits.TrailingZeros64(word)))
		}
		if len(ids) >= batchNodes {
			w.exact(ids, norm)
			ids = ids[:0]
		}
	}
	w.find.ids = ids
	w.exact(ids, norm)
}

// count returns how many bits of set below end are set.
func count(set []uint64, end int) int {
	n := 0
	full := min(len(set), end>>6)
	for _, x := range set[:full] {
		n += bits.OnesCount64(x)
	}
	if full < len(set) && end&63 != 0 {
		n += bits.OnesCount64(set[full] & (1<<(end&63) - 1))
	}
	return n
}
