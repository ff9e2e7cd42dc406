package audit

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Entry is a row as it is stored.
type Entry struct {
	Leaf []byte // not retained after the next entry is asked for

	// Hash is the leaf hash that the stored tree has for this row, zero when it
	// is not at hand. With it an edited row is named exactly; without it, by the
	// break of the chain that it leaves.
	Hash Hash
}

// Want is what a log is checked against. What is not known is left zero, and
// then not checked.
type Want struct {
	// Store is the store that wrote the log. Default: that of row 1.
	Store StoreID
	// Head counts the rows exactly: a row more or less is a defect. Default: the
	// log ends where its rows end. Note that [EmptyHead] is not the zero Head.
	Head Head
	// Held are older heads from receipts and checkpoints, in any order. The log
	// must agree with each and reach the newest.
	Held []Head
}

// Verify reads a log from row 1 to its end and checks that every row is in
// canonical form, numbered without a gap, of one store, of an epoch that only an
// event row raises, chained to the row before, and that the roots of the tree
// are those of the heads in want. It returns a *[Defect] as error, also in the
// report, for the first bad row; any other error is one of rows, wrapped.
//
// With one head that is known to be right, every edit, deletion, insertion,
// reordering, repetition, truncation and rewriting of the rows it counts is
// found. Without any, a rewritten suffix and a cut tail are not.
//
// It takes memory for the right edge of the tree and 16 bytes per epoch, and
// about two microseconds per row.
func Verify(rows iter.Seq2[Entry, error], want Want) (Report, error) {
	v := newVerifier(want)
	for e, err := range rows {
		if err != nil {
			return v.report(), fmt.Errorf("audit log: reading row %d: %w", v.tree.size+1, err)
		}
		if v.defect == nil {
			v.row(e)
		} else if !v.after(e) {
			break
		}
	}
	if v.defect == nil {
		v.end()
	}
	rep := v.report()
	if rep.Defect != nil {
		return rep, rep.Defect
	}
	return rep, nil
}

// verifier is the state of Verify between two rows.
type verifier struct {
	want  Want
	heads []Head // known heads, by Seq; the first held of them agreed
	held  int

	tree   Tree
	prev   Hash // leaf hash of the last good row
	epoch  uint64
	epochs []Epoch

	defect *Defect
	after  func(Entry) (more bool) // looks at later rows to say more about defect
	leaf   []byte
	stored []Hash
}

func newVerifier(want Want) *verifier {
	v := &verifier{want: want, heads: slices.Clone(want.Held)}
	if want.Head != (Head{}) {
		v.heads = append(v.heads, want.Head)
	}
	slices.SortStableFunc(v.heads, func(a, b Head) int { return cmp.Compare(a.Seq, b.Seq) })
	v.checkHeads()
	return v
}

func (v *verifier) report() Report {
	return Report{Store: v.want.Store, Head: v.tree.Head(), Epochs: v.epochs, Held: v.held, Defect: v.defect}
}

func (v *verifier) fail(seq uint64, why Reason, format string, args ...any) {
	v.defect = &Defect{Seq: seq, Reason: why, Detail: fmt.Sprintf(format, args...)}
	v.after = func(Entry) bool { return false }
}

// row checks the next row and adds it to the tree, or sets the defect.
func (v *verifier) row(e Entry) {
	seq := v.tree.size + 1
	if v.want.Head != (Head{}) && seq > v.want.Head.Seq {
		v.fail(seq, Extra, "the head counts %d rows", v.want.Head.Seq)
		return
	}
	r, buf, err := parseLeaf(e.Leaf, v.leaf)
	v.leaf = buf
	if err != nil {
		v.fail(seq, Edited, "%v", err)
		return
	}
	hash := LeafHash(e.Leaf)
	if v.want.Store == (StoreID{}) {
		v.want.Store = r.Store
	}
	switch {
	case e.Hash != (Hash{}) && e.Hash != hash:
		v.fail(seq, Edited, "its hash is %s, the tree has %s", hash, e.Hash)
	case r.Store != v.want.Store:
		v.fail(seq, WrongStore, "store %s, not %s", r.Store, v.want.Store)
	case r.Seq < seq:
		v.fail(r.Seq, Repeated, "it stands again where row %d belongs", seq)
	case r.Seq > seq:
		v.fail(seq, Missing, "row %d stands in its place", r.Seq)
		v.after = v.findMissing
	case r.Epoch < v.epoch:
		v.fail(seq, WrongEpoch, "epoch %d after epoch %d", r.Epoch, v.epoch)
	case v.epoch > 0 && r.Epoch > v.epoch && r.Class != Event:
		v.fail(seq, WrongEpoch, "epoch %d begins with a row of class %s", r.Epoch, r.Class)
	case r.Prev != v.prev:
		v.fail(seq, Edited, "prev is %s, the row before hashes to %s", r.Prev, v.prev)
		v.after = func(next Entry) bool { return v.blame(hash, next) }
	default:
		v.add(r, hash)
	}
}

func (v *verifier) add(r Row, hash Hash) {
	if r.Epoch > v.epoch {
		v.epochs = append(v.epochs, Epoch{Epoch: r.Epoch, First: r.Seq})
	}
	v.epoch, v.prev = r.Epoch, hash
	v.stored = v.tree.grow(hash, v.stored[:0])
	v.checkHeads()
}

// checkHeads compares the root with every known head of this size.
func (v *verifier) checkHeads() {
	for v.held < len(v.heads) && v.heads[v.held].Seq == v.tree.size {
		want, got := v.heads[v.held], v.tree.Head()
		if want != got {
			var good uint64
			if v.held > 0 {
				good = v.heads[v.held-1].Seq
			}
			v.fail(good+1, RootMismatch, "the root of %d rows is %s, the known head has %s; rows 1 to %d agree with a known head",
				got.Seq, got.Root, want.Root, good)
			return
		}
		v.held++
	}
}

// end checks that the rows reach the newest known head.
func (v *verifier) end() {
	if n := len(v.heads); n > v.held {
		v.fail(v.tree.size+1, Truncated, "a known head counts %d rows", v.heads[n-1].Seq)
	}
}

// findMissing looks for the missing row among later ones.
func (v *verifier) findMissing(e Entry) bool {
	r, buf, err := parseLeaf(e.Leaf, v.leaf)
	v.leaf = buf
	if err != nil || r.Seq != v.defect.Seq {
		return true
	}
	v.defect.Reason = Reordered
	return false
}

// blame decides which side of a broken link was edited. When the next row
// follows from the one that does not fit, that one is as it was written, and the
// row before it is not.
func (v *verifier) blame(hash Hash, next Entry) bool {
	r, _, err := parseLeaf(next.Leaf, nil)
	if err == nil && r.Prev == hash && r.Seq == v.defect.Seq+1 {
		v.defect.Seq--
		v.defect.Detail = "the next row does not follow from it: " + v.defect.Detail
	}
	return false
}
