package hnsw

import (
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
)

// MaxK is the largest number of hits of one search.
const MaxK = 1 << 16

// Query is one search.
type Query struct {
	Vector []int8 // of the vectors' dimension; all zero finds nothing
	K      int    // hits wanted, 0 to MaxK
	// Match is the set of ordinals that may be returned: live, readable,
	// passing the filters (bit i&63 of word i>>6; past the end = not set). As
	// everywhere in recall, nil matches nothing. It is read, not kept.
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

// Search appends the min(q.K, matching) best ordinals of v by cosine to dst:
// score descending, ordinal ascending among equals. Ordinals without a vector
// never match. vecs is the state of the vectors to be searched: at least the
// ordinals that the view's graph holds; the younger ones are scanned exactly,
// and so is everything while there are fewer than Options.MinLen.
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
