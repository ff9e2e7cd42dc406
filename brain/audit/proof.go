package audit

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrProof is returned for a proof that does not prove what it is held against,
// and for a question that no proof answers.
var ErrProof = errors.New("audit proof")

// ProveInclusion returns the proof that the log of size rows holds row seq, from
// the stored hashes that r reads. It has at most 1+log2(size) hashes. 1 ≤ seq ≤
// size ≤ MaxSeq, else [ErrProof]; an error of r is returned wrapped.
func ProveInclusion(size, seq uint64, r tlog.HashReader) (tlog.RecordProof, error) {
	if err := checkInclusion(size, seq); err != nil {
		return nil, err
	}
	p, err := tlog.ProveRecord(int64(size), int64(seq-1), r)
	if err != nil {
		return nil, fmt.Errorf("inclusion of row %d of %d: %w", seq, size, err)
	}
	return p, nil
}

// CheckInclusion returns nil when p proves that the log with head h holds, as
// row seq, the leaf with this hash ([LeafHash]); else [ErrProof].
func CheckInclusion(p tlog.RecordProof, h Head, seq uint64, leaf Hash) error {
	if err := checkInclusion(h.Seq, seq); err != nil {
		return err
	}
	if err := tlog.CheckRecord(p, int64(h.Seq), h.Root, int64(seq-1), leaf); err != nil {
		return fmt.Errorf("%w: row %d is not in the log of %d rows", ErrProof, seq, h.Seq)
	}
	return nil
}

func checkInclusion(size, seq uint64) error {
	if seq < 1 || seq > size || size > MaxSeq {
		return fmt.Errorf("%w: no row %d in a log of %d rows", ErrProof, seq, size)
	}
	return nil
}

// ProveConsistency returns the proof that the log of size rows begins with the
// rows of the log of old rows, from the stored hashes that r reads. It has at
// most 1+log2(size) hashes, none when old is 0 or size. 0 ≤ old ≤ size ≤ MaxSeq,
// else [ErrProof]; an error of r is returned wrapped.
func ProveConsistency(size, old uint64, r tlog.HashReader) (tlog.TreeProof, error) {
	if err := checkConsistency(size, old); err != nil {
		return nil, err
	}
	if old == 0 {
		return tlog.TreeProof{}, nil
	}
	p, err := tlog.ProveTree(int64(size), int64(old), r)
	if err != nil {
		return nil, fmt.Errorf("consistency of %d with %d rows: %w", size, old, err)
	}
	return p, nil
}

// CheckConsistency returns nil when p proves that the log with head h begins
// with exactly the rows of the log with head old; else [ErrProof].
func CheckConsistency(p tlog.TreeProof, h, old Head) error {
	if err := checkConsistency(h.Seq, old.Seq); err != nil {
		return err
	}
	ok := true
	if old.Seq == 0 { // tlog has no proofs for the empty log, which begins every log
		ok = old == EmptyHead() && len(p) == 0 && (h.Seq > 0 || h == old)
	} else {
		ok = tlog.CheckTree(p, int64(h.Seq), h.Root, int64(old.Seq), old.Root) == nil
	}
	if !ok {
		return fmt.Errorf("%w: the log of %d rows does not begin with that of %d rows", ErrProof, h.Seq, old.Seq)
	}
	return nil
}

func checkConsistency(size, old uint64) error {
	if old > size || size > MaxSeq {
		return fmt.Errorf("%w: no log of %d rows within one of %d", ErrProof, old, size)
	}
	return nil
}
