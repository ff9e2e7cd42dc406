package bm25

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// maxWeight bounds the weight of a field.
const maxWeight = 1e6

// Options are the constants of the ranking function. The zero value, and nil,
// are the defaults. A title counts twice by default: against (1, 1, 1) that is
// +.005 nDCG@10 on scifact, +.007 on cranfield, cisi and adi, and med has no
// titles.
type Options struct {
	K1      float64         // saturation of term frequency, > 0; default 0.9
	B       float64         // influence of length, 0 < B ≤ 1; default 0.4
	Weights [Fields]float64 // of title, headings and body, > 0; default 2, 1, 1
}

func (o *Options) fill() (Options, error) {
	out := Options{K1: 0.9, B: 0.4, Weights: [Fields]float64{2, 1, 1}}
	if o == nil {
		return out, nil
	}
	if o.K1 != 0 {
		out.K1 = o.K1
	}
	if o.B != 0 {
		out.B = o.B
	}
	if o.Weights != [Fields]float64{} {
		out.Weights = o.Weights
	}
	if !(out.K1 > 0 && out.K1 <= 1e6) {
		return out, invalid.New("k1", "%v is not in (0, 1e6]", out.K1)
	}
	if !(out.B > 0 && out.B <= 1) {
		return out, invalid.New("b", "%v is not in (0, 1]", out.B)
	}
	for _, w := range out.Weights {
		if !(w > 0 && w <= maxWeight) {
			return out, invalid.New("weights", "%v is not in (0, %v]", w, float64(maxWeight))
		}
	}
	return out, nil
}

// Index is an inverted index over documents numbered from 0. Nothing is removed
// from it: retired documents are left out by the bitmaps that searches carry.
//
// It has two kinds of parts, one after the other in ordinals: immutable segments
// in their stored form, and parts in memory, of which the last one grows. Every
// unitDocs ordinals a new one begins, so that a part that is full can become a
// segment ([Index.Plan]) while the index is in use.
//
// One goroutine may call Add, Install or Append, and nothing else may run during
// it; all other methods are safe for concurrent use among each other. The caller
// holds a lock: those three under the write side, the rest under the read side.
type Index struct {
	an      *Analyzer
	opt     Options
	shape   shape
	segs    []*Segment
	mem     []*memory // after the segments; all but the last are full
	table   docTable  // by ordinal
	held    [langs]uint32
	scratch sync.Pool // of *search
}

// New returns an empty index over terms of a.
func New(a *Analyzer, o *Options) (*Index, error) {
	opt, err := o.fill()
	if err != nil {
		return nil, fmt.Errorf("bm25: %w", err)
	}
	ix := &Index{an: a, opt: opt, shape: shape{unitDocs, maxSegmentDocs, window}}
	ix.scratch.New = func() any { return newSearch(a.seed) }
	return ix, nil
}

// Analyzer returns what makes the terms of ix.
func (ix *Index) Analyzer() *Analyzer { return ix.an }

// Docs returns how many ordinals the index holds.
func (ix *Index) Docs() int { return len(ix.table.lens) }

// Add appends a document. ord must be the next ordinal, which is Docs(). The
// zero Terms takes the place of a document that must not be found.
func (ix *Index) Add(ord uint32, t Terms) error {
	n := ix.Docs()
	if uint64(ord) != uint64(n) || ord == math.MaxUint32 {
		return fmt.Errorf("bm25: %w", invalid.New("ord", "%d is not the next ordinal %d", ord, n))
	}
	if n%ix.shape.unit == 0 || len(ix.mem) == 0 {
		ix.mem = append(ix.mem, newMemory(ix.an.seed, ord))
	}
	ix.mem[len(ix.mem)-1].add(ord, t)
	for i := range ix.table.common {
		if t.weak.has(i) {
			ix.table.common[i] = setBit(ix.table.common[i], ord)
		}
	}
	ix.table.lens = append(ix.table.lens, t.len)
	ix.table.weight = append(ix.table.weight, combine(&ix.opt.Weights, t.len))
	ix.table.langs = append(ix.table.langs, t.lang)
	ix.held[t.lang]++
	return nil
}

// combine returns the weighted sum of one value per field.
func combine(weights *[Fields]float64, v [Fields]uint32) float64 {
	sum := 0.0
	for f, w := range weights {
		sum += float64(w * float64(v[f]))
	}
	return sum
}

// Segments returns the segments of the index in the order of their ordinals, from
// 0 on without a gap. The slice is the caller's.
func (ix *Index) Segments() []*Segment { return slices.Clone(ix.segs) }

// parts is how many parts the index has; they are numbered in the order of
// their ordinals.
func (ix *Index) parts() int { return len(ix.segs) + len(ix.mem) }

// find looks term up in part p.
func (ix *Index) find(p int, term []byte) ref {
	if p < len(ix.segs) {
		return ix.segs[p].find(term)
	}
	return ix.mem[p-len(ix.segs)].find(term)
}

// span returns the ordinals of part p, [first, end).
func (ix *Index) span(p int) (first, end uint32) {
	if p < len(ix.segs) {
		return ix.segs[p].first, ix.segs[p].end()
	}
	m := ix.mem[p-len(ix.segs)]
	return m.first, m.end
}

// Stats is the size of an index.
type Stats struct {
	Docs     int
	Terms    int // distinct
	Postings int // of strong terms and rare weak ones
	Segments int
	Bytes    int // memory of all arrays, their reserve included
}

// Stats counts; the cost is one pass over the terms of all parts, sorted.
func (ix *Index) Stats() Stats {
	s := Stats{Docs: ix.Docs(), Segments: len(ix.segs)}
	var sources []source
	for _, g := range ix.segs {
		s.Bytes += g.size()
		s.Postings += int(g.postings)
		sources = append(sources, newSegmentSource(g))
	}
	for _, m := range ix.mem {
		s.Bytes += m.size()
		for _, l := range m.lists {
			s.Postings += int(l.n)
		}
		sources = append(sources, newMemorySource(m))
	}
	for m := newMerger(sources); m.next(); {
		s.Terms++
	}
	t := &ix.table
	s.Bytes += cap(t.lens)*4*Fields + cap(t.weight)*8 + cap(t.langs)
	for _, b := range t.common {
		s.Bytes += cap(b) * 8
	}
	return s
}
