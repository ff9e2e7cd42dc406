package bm25

import (
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

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
		if !(w > 0 && w <= 1e6) {
			return out, invalid.New("weights", "%v is not in (0, 1e6]", w)
		}
	}
	return out, nil
}

// Index is an inverted index in memory over documents numbered from 0. Nothing
// is removed from it: retired documents are left out by the bitmaps that
// searches carry.
//
// One goroutine may call Add, and nothing else may run during it; all other
// methods are safe for concurrent use among each other. The caller holds a
// lock: Add under the write side, the rest under the read side.
type Index struct {
	an      *Analyzer
	opt     Options
	dict    dict
	lists   []list // by term number
	post    postings
	common  [weakTerms][]uint64 // documents of each common weak term
	lens    [][Fields]uint32    // by ordinal
	weight  []float64           // by ordinal: the length as BM25F sees it, Σ Weights·len
	langs   []lang              // by ordinal
	held    [langs]uint32       // documents in each language
	scratch sync.Pool           // of *search
}

// New returns an empty index over terms of a.
func New(a *Analyzer, o *Options) (*Index, error) {
	opt, err := o.fill()
	if err != nil {
		return nil, fmt.Errorf("bm25: %w", err)
	}
	ix := &Index{an: a, opt: opt, dict: newDict(a.seed, 1<<10)}
	ix.scratch.New = func() any { return new(search) }
	return ix, nil
}

// Docs returns how many ordinals the index holds.
func (ix *Index) Docs() int { return len(ix.lens) }

// Add appends a document. ord must be the next ordinal, which is Docs(). The
// zero Terms takes the place of a document that must not be found.
func (ix *Index) Add(ord uint32, t Terms) error {
	if uint64(ord) != uint64(len(ix.lens)) || ord == math.MaxUint32 {
		return fmt.Errorf("bm25: %w", invalid.New("ord", "%d is not the next ordinal %d", ord, len(ix.lens)))
	}
	start := uint32(0)
	for i, end := range t.ends {
		id, fresh := ix.dict.add(t.text[start:end])
		if fresh {
			ix.lists = append(ix.lists, list{})
		}
		ix.post.add(&ix.lists[id], ord, t.tf[i])
		start = end
	}
	for i := range ix.common {
		if t.weak.has(i) {
			ix.common[i] = setBit(ix.common[i], ord)
		}
	}
	ix.lens = append(ix.lens, t.len)
	ix.weight = append(ix.weight, ix.combine(t.len))
	ix.langs = append(ix.langs, t.lang)
	ix.held[t.lang]++
	return nil
}

// combine returns the weighted sum of one value per field.
func (ix *Index) combine(v [Fields]uint32) float64 {
	sum := 0.0
	for f, w := range ix.opt.Weights {
		sum += float64(w * float64(v[f]))
	}
	return sum
}

// Stats is the size of an index.
type Stats struct {
	Docs     int
	Terms    int // distinct
	Postings int // of strong terms and rare weak ones
	Bytes    int // memory of all arrays, their reserve included
}

// Stats counts; the cost is one pass over the term headers.
func (ix *Index) Stats() Stats {
	s := Stats{Docs: ix.Docs(), Terms: ix.dict.len()}
	for _, l := range ix.lists {
		s.Postings += int(l.n)
	}
	s.Bytes = ix.post.bytes() + cap(ix.lists)*int(unsafe.Sizeof(list{})) +
		cap(ix.dict.slots)*8 + cap(ix.dict.ends)*4 + cap(ix.dict.text) +
		cap(ix.lens)*4*Fields + cap(ix.weight)*8 + cap(ix.langs)
	for _, b := range ix.common {
		s.Bytes += cap(b) * 8
	}
	return s
}
