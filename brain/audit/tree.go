package audit

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Head is the state of a log after row Seq: Root is the RFC 6962 root over rows
// 1 to Seq.
type Head struct {
	Seq  uint64 `json:"seq"`
	Root Hash   `json:"root"`
}

// EmptyHead returns the head of a log without rows: Seq 0, Root SHA-256 of
// nothing.
func EmptyHead() Head { return Head{Root: sha256.Sum256(nil)} }

// Tree grows the RFC 6962 tree of a log and knows its root. It keeps the right
// edge only, at most 53 hashes, so Append and Head read nothing. It is not safe
// for concurrent use.
type Tree struct {
	size uint64
	edge []Hash // roots of the full subtrees that make up size, largest first
}

// NewTree returns the tree of a log with size rows. It reads the right edge, at
// most 1+log2(size) stored hashes, from r in one call; with size 0 it reads
// nothing and r may be nil. It cannot tell a wrong hash from a right one: compare
// Head with a head that is known.
func NewTree(size uint64, r tlog.HashReader) (*Tree, error) {
	if size > MaxSeq {
		return nil, fmt.Errorf("tree of %d rows, the limit is %d", size, int64(MaxSeq))
	}
	t := &Tree{size: size}
	if size == 0 {
		return t, nil
	}
	index := make([]int64, 0, bits.Len64(size))
	var done uint64
	for level := bits.Len64(size) - 1; level >= 0; level-- {
		if size>>level&1 == 1 {
			index = append(index, tlog.StoredHashIndex(level, int64(done>>level)))
			done += 1 << level
		}
	}
	edge, err := r.ReadHashes(index)
	if err != nil {
		return nil, fmt.Errorf("right edge of a tree of %d rows: %w", size, err)
	}
	if len(edge) != len(index) {
		return nil, fmt.Errorf("right edge of a tree of %d rows: %d hashes read, not %d", size, len(edge), len(index))
	}
	t.edge = slices.Clone(edge)
	return t, nil
}

// Append adds the row Size()+1 by its leaf hash and returns the hashes to
// persist, in order, at the stored hash indexes that begin with
// tlog.StoredHashIndex(0, size before the call). There are two on average, and at
// most 1+log2(size). The slice is the caller's. The caller keeps to [MaxSeq],
// which [Row.Leaf] enforces.
func (t *Tree) Append(leaf Hash) []Hash {
	full := bits.TrailingZeros64(^t.size) // subtrees that this row completes
	return t.grow(leaf, make([]Hash, 0, 1+full))
}

// grow is Append into a buffer.
func (t *Tree) grow(leaf Hash, stored []Hash) []Hash {
	stored = append(stored, leaf)
	h := leaf
	for range bits.TrailingZeros64(^t.size) {
		last := len(t.edge) - 1
		h = tlog.NodeHash(t.edge[last], h)
		t.edge = t.edge[:last]
		stored = append(stored, h)
	}
	t.edge = append(t.edge, h)
	t.size++
	return stored
}

// Size returns the number of rows.
func (t *Tree) Size() uint64 { return t.size }

// Head returns the head of the log so far. It hashes at most log2(Size) nodes.
func (t *Tree) Head() Head {
	if t.size == 0 {
		return EmptyHead()
	}
	i := len(t.edge) - 1
	root := t.edge[i]
	for i--; i >= 0; i-- {
		root = tlog.NodeHash(t.edge[i], root)
	}
	return Head{Seq: t.size, Root: root}
}

// Clone returns a tree that grows on its own, for a writer that may have to take
// rows back.
func (t *Tree) Clone() *Tree {
	return &Tree{size: t.size, edge: slices.Clone(t.edge)}
}
