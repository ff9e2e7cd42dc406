package bm25

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Erase makes documents what the zero Terms would have made them: they keep
// their ordinals, and nothing of them is in any segment that a task of [Index.Plan]
// or [Index.Tail] makes from now on. Plan returns the segments that still have
// something of them, so after its tasks every byte is as if they had never been
// added. Until then they are found like before, so the caller retires them
// first: no Corpus that holds one of them may be used again, for Recount
// neither. Stored segments that are read again are those of before; their owner
// erases again what it erased since it stored them.
//
// It is a change like Add and takes the same side of the lock. The cost is a
// copy of what the index has per document, as running tasks read the old one.
func (ix *Index) Erase(ords []uint32) error {
	for _, o := range ords {
		if int64(o) >= int64(ix.Docs()) {
			return fmt.Errorf("bm25: %w", invalid.New("ord", "%d is not below %d", o, ix.Docs()))
		}
	}
	t := &ix.table
	t.lens, t.weight, t.langs = slices.Clone(t.lens), slices.Clone(t.weight), slices.Clone(t.langs)
	for i := range t.common {
		t.common[i] = slices.Clone(t.common[i])
	}
	for _, o := range ords {
		if bit(ix.erased, o) {
			continue
		}
		ix.erased = setBit(ix.erased, o)
		ix.held[t.langs[o]]--
		ix.held[unstemmed]++
		t.lens[o], t.weight[o], t.langs[o] = [Fields]uint32{}, 0, unstemmed
		for i := range t.common {
			if bit(t.common[i], o) {
				t.common[i][o>>6] &^= 1 << (o & 63)
			}
		}
	}
	return nil
}

// erasedIn returns the words of the erased ordinals from first on, a multiple of
// 64, and how many of them are among n.
func (ix *Index) erasedIn(first, n int) (words []uint64, count int) {
	end := min((first+n+63)/64, len(ix.erased))
	words = ix.erased[min(first/64, end):end]
	for i, w := range words {
		count += bits.OnesCount64(w & below(n, i))
	}
	return words, count
}

// stale reports whether s has something of a document that was erased since it
// was made.
func (ix *Index) stale(s *Segment) bool {
	_, n := ix.erasedIn(int(s.first), s.Docs())
	return n > s.erased
}

// without takes the erased documents out of postings.
func without(erased []uint64, docs []uint32, tfs []tf) ([]uint32, []tf) {
	n := 0
	for i, d := range docs {
		if !bit(erased, d) {
			docs[n], tfs[n] = d, tfs[i]
			n++
		}
	}
	return docs[:n], tfs[:n]
}
