package bm25

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// A segment has unitDocs·2^k ordinals from a multiple of that on, and at most
// maxSegmentDocs; n documents are in the fewest such segments, as in the binary
// form of n. So the segments are a function of n, and a document is rewritten
// once for each k.
const (
	unitDocs       = 1 << 12
	maxSegmentDocs = 1 << 18
)

// shape has the sizes that answers do not depend on; tests make them smaller. All
// are powers of two from 64 on.
type shape struct {
	unit int // ordinals of a part
	most int // ordinals of the largest segment
	step int // documents that are scored at once, at most window
}

// Task is the work of making one segment of several parts of an index. It holds
// all that it needs.
type Task struct {
	opt   Options
	first uint32
	docs  int
	parts []source
	table docTable
}

// Docs returns how many ordinals the segment will have; the work grows with the
// postings in them.
func (t *Task) Docs() int { return t.docs }

// Plan returns the next segment to make, the one of the lowest ordinals, nil
// when everything but the last documents, fewer than unitDocs (4,096), is in as
// few segments as can be. The index is used and added to while the task runs,
// and [Index.Install] puts the result in place.
func (ix *Index) Plan() *Task {
	unit := ix.shape.unit
	full := ix.Docs() / unit * unit
	for at := 0; at < full; {
		size := min(1<<(bits.Len(uint(full-at))-1), ix.shape.most)
		if i := ix.segmentAt(uint32(at)); i < 0 || ix.segs[i].Docs() != size {
			return ix.task(at, size)
		}
		at += size
	}
	return nil
}

// Tail returns the task to store the documents that are in no whole unit, nil if
// there are none. Unlike those of Plan it must be run before the next Add; its
// segment is to be stored and given to [Index.Append], not to Install.
func (ix *Index) Tail() *Task {
	n, unit := ix.Docs(), ix.shape.unit
	if n%unit == 0 {
		return nil
	}
	return ix.task(n/unit*unit, n%unit)
}

func (ix *Index) task(first, docs int) *Task {
	end := first + docs
	t := &Task{opt: ix.opt, first: uint32(first), docs: docs, table: docTable{
		lens:   ix.table.lens[first:end:end],
		weight: ix.table.weight[first:end:end],
		langs:  ix.table.langs[first:end:end],
	}}
	for i, b := range ix.table.common {
		last := min(len(b), (end+63)/64)
		t.table.common[i] = b[min(first/64, last):last:last]
	}
	for _, s := range ix.segs {
		if s.first >= t.first && int(s.first) < end {
			t.parts = append(t.parts, newSegmentSource(s))
		}
	}
	for _, m := range ix.mem {
		if m.first >= t.first && int(m.first) < end {
			t.parts = append(t.parts, newMemorySource(m))
		}
	}
	return t
}

// Run makes the segment. It takes no lock of the index and may run on any
// goroutine, once. It fails when ctx ends or the segment would be over 1 GiB.
func (t *Task) Run(ctx context.Context) (*Segment, error) {
	w := newSegmentWriter(t.first, t.opt.Weights, t.table)
	var docs []uint32
	var tfs []tf
	m := newMerger(t.parts)
	for n := 0; m.next(); n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		docs, tfs = m.postings(t.first, docs[:0], tfs[:0])
		w.add(m.text, docs, tfs)
	}
	data, err := w.bytes()
	if err != nil {
		return nil, err
	}
	return newSegment(data)
}

// Install puts the segment that a task made in place of the parts that it was
// made of. It fails, and changes nothing, when these are not what the index has
// at its ordinals. The cost is that of copying two short slices.
func (ix *Index) Install(s *Segment) error {
	var segs []*Segment
	var mem []*memory
	covered := 0
	for p := range ix.parts() {
		first, end := ix.span(p)
		if first >= s.first && end <= s.end() {
			covered += int(end - first)
			if covered == s.Docs() {
				segs = append(segs, s)
			}
			continue
		}
		if p < len(ix.segs) {
			segs = append(segs, ix.segs[p])
		} else {
			mem = append(mem, ix.mem[p-len(ix.segs)])
		}
	}
	if covered != s.Docs() || s.weights != ix.opt.Weights || !ix.shape.regular(s) || len(mem) > 0 && mem[0].first < s.first {
		return fmt.Errorf("bm25: %w", invalid.New("segment", "%d documents from %d are no parts of the index", s.docs, s.first))
	}
	ix.segs, ix.mem = segs, mem
	return nil
}

// regular reports whether s has the ordinals of a segment of an index.
func (h *shape) regular(s *Segment) bool {
	n := s.Docs()
	return n >= h.unit && n <= h.most && n&(n-1) == 0 && int64(s.first)%int64(n) == 0
}

// Append puts the documents of a stored segment at the end of the index, in
// place of one Add for each. s.First() must be Docs(), its weights those of the
// index, and it must come from a task of Plan or, as the last one, of Tail. The
// cost is one step per document; for a segment of Tail, one per posting.
func (ix *Index) Append(s *Segment) error {
	unit := uint32(ix.shape.unit)
	tail := s.docs < unit && s.first%unit == 0
	if uint64(s.first) != uint64(ix.Docs()) || s.weights != ix.opt.Weights || !ix.shape.regular(s) && !tail || len(ix.mem) > 0 {
		return fmt.Errorf("bm25: %w", invalid.New("segment", "%d documents from %d do not follow %d", s.docs, s.first, ix.Docs()))
	}
	t, section, ok := s.table(func(l [Fields]uint32) float64 { return combine(&ix.opt.Weights, l) })
	if !ok {
		return corrupt(section, "%d documents", s.docs)
	}
	ix.table.lens = append(ix.table.lens, t.lens...)
	ix.table.weight = append(ix.table.weight, t.weight...)
	ix.table.langs = append(ix.table.langs, t.langs...)
	for _, l := range t.langs {
		ix.held[l]++
	}
	word := int(s.first / 64)
	for i, b := range t.common {
		if len(b) == 0 {
			continue
		}
		have := ix.table.common[i]
		have = append(have, make([]uint64, word-len(have))...)
		ix.table.common[i] = append(have, b...)
	}
	if !tail {
		ix.segs = append(slices.Clip(ix.segs), s)
		return nil
	}
	ix.mem = append(ix.mem, thaw(ix, s))
	return nil
}

// thaw returns the postings of s as a part that can grow.
func thaw(ix *Index, s *Segment) *memory {
	m := newMemory(ix.an.seed, s.first)
	m.end = s.end()
	var docs []uint32
	var tfs []tf
	for src := newSegmentSource(s); src.next(); {
		docs, tfs = src.postings(0, docs[:0], tfs[:0])
		m.dict.add(src.term())
		var l list
		for i, ord := range docs {
			m.post.add(&l, ord, tfs[i])
		}
		m.lists = append(m.lists, l)
	}
	return m
}

// segmentAt returns the place of the segment that begins at an ordinal, or -1.
func (ix *Index) segmentAt(first uint32) int {
	return slices.IndexFunc(ix.segs, func(s *Segment) bool { return s.first == first })
}
