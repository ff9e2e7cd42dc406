package audit

import (
	"errors"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

func numbered(n int) [][]byte {
	d := make([][]byte, n)
	for i := range d {
		d[i] = fmt.Appendf(nil, "leaf %d", i)
	}
	return d
}

func grown(d [][]byte) (*Tree, memTree) {
	var tree Tree
	var stored memTree
	for _, leaf := range d {
		stored = append(stored, tree.Append(LeafHash(leaf))...)
	}
	return &tree, stored
}

func TestTreeAgainstNaive(t *testing.T) {
	d := numbered(140)
	var tree Tree
	var stored memTree
	for n := 0; n <= len(d); n++ {
		if n > 0 {
			at := int64(len(stored))
			if want := tlog.StoredHashIndex(0, int64(n-1)); at != want {
				t.Fatalf("row %d is stored at %d, want %d", n, at, want)
			}
			want, err := tlog.StoredHashes(int64(n-1), d[n-1], stored)
			if err != nil {
				t.Fatal(err)
			}
			got := tree.Append(LeafHash(d[n-1]))
			if len(got) != len(want) {
				t.Fatalf("row %d stores %d hashes, want %d", n, len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("row %d stores another hash at %d", n, i)
				}
			}
			stored = append(stored, got...)
		}
		want := Head{uint64(n), naiveRoot(d[:n])}
		if got := tree.Head(); got != want {
			t.Fatalf("head %v, want %v", got, want)
		}
		again, err := NewTree(uint64(n), stored)
		if err != nil || again.Head() != want || again.Size() != uint64(n) {
			t.Fatalf("reread at %d: %v, %v", n, again.Head(), err)
		}
	}
}

func TestTreeCloneGrowsOnItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		more := rapid.IntRange(1, 20).Draw(t, "more")
		d := numbered(n + more)
		tree, stored := grown(d[:n])
		before := tree.Head()
		c := tree.Clone()
		for range more {
			c.Append(LeafHash([]byte("other")))
		}
		if tree.Head() != before {
			t.Fatal("the clone changed its origin")
		}
		for _, leaf := range d[n:] {
			stored = append(stored, tree.Append(LeafHash(leaf))...)
		}
		if want := (Head{uint64(n + more), naiveRoot(d)}); tree.Head() != want {
			t.Fatalf("head %v, want %v", tree.Head(), want)
		}
		if int64(len(stored)) != tlog.StoredHashCount(int64(n+more)) {
			t.Fatalf("%d hashes stored", len(stored))
		}
	})
}

func TestNewTreeRefuses(t *testing.T) {
	fail := errors.New("disk")
	bad := tlog.HashReaderFunc(func([]int64) ([]Hash, error) { return nil, fail })
	short := tlog.HashReaderFunc(func(i []int64) ([]Hash, error) { return make([]Hash, len(i)-1), nil })
	if _, err := NewTree(5, bad); !errors.Is(err, fail) {
		t.Errorf("error of the reader: %v", err)
	}
	if _, err := NewTree(5, short); err == nil {
		t.Error("too few hashes are taken")
	}
	if _, err := NewTree(MaxSeq+1, bad); err == nil || errors.Is(err, fail) {
		t.Errorf("size over the limit: %v", err)
	}
	if tree, err := NewTree(0, nil); err != nil || tree.Head() != EmptyHead() {
		t.Errorf("empty: %v", err)
	}
	// At the limit the index arithmetic of tlog must still hold.
	var asked []int64
	big := tlog.HashReaderFunc(func(i []int64) ([]Hash, error) { asked = i; return make([]Hash, len(i)), nil })
	if _, err := NewTree(MaxSeq, big); err != nil || len(asked) != 53 {
		t.Errorf("at the limit: %d hashes, %v", len(asked), err)
	}
	for i := 1; i < len(asked); i++ {
		if asked[i] <= asked[i-1] {
			t.Fatalf("indexes fall at %d", i)
		}
	}
}

func TestProofsAgainstNaive(t *testing.T) {
	const most = 33
	d := numbered(most)
	_, stored := grown(d)
	heads := make([]Head, most+1)
	for n := range heads {
		heads[n] = Head{uint64(n), naiveRoot(d[:n])}
	}
	for n := 1; n <= most; n++ {
		for m := 1; m <= n; m++ {
			leaf := LeafHash(d[m-1])
			p, err := ProveInclusion(uint64(n), uint64(m), stored)
			if err != nil || !sameHashes(p, naivePath(m-1, d[:n])) {
				t.Fatalf("inclusion of %d in %d: %v", m, n, err)
			}
			if err := CheckInclusion(p, heads[n], uint64(m), leaf); err != nil {
				t.Fatal(err)
			}
			if m > 1 {
				if err := CheckInclusion(p, heads[n], uint64(m-1), leaf); !errors.Is(err, ErrProof) {
					t.Fatalf("row %d proves as row %d: %v", m, m-1, err)
				}
			}
			c, err := ProveConsistency(uint64(n), uint64(m), stored)
			if err != nil || !sameHashes(c, naiveProof(m, d[:n])) {
				t.Fatalf("consistency of %d with %d: %v", n, m, err)
			}
			if err := CheckConsistency(c, heads[n], heads[m]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestProofsRefuse(t *testing.T) {
	d := numbered(20)
	tree, stored := grown(d)
	head := tree.Head()
	p, _ := ProveInclusion(20, 7, stored)
	c, _ := ProveConsistency(20, 7, stored)
	old := Head{7, naiveRoot(d[:7])}
	leaf := LeafHash(d[6])
	for i := range p {
		q := append(tlog.RecordProof(nil), p...)
		q[i][3] ^= 1
		if err := CheckInclusion(q, head, 7, leaf); !errors.Is(err, ErrProof) {
			t.Errorf("flipped inclusion hash %d passes: %v", i, err)
		}
	}
	for i := range c {
		q := append(tlog.TreeProof(nil), c...)
		q[i][3] ^= 1
		if err := CheckConsistency(q, head, old); !errors.Is(err, ErrProof) {
			t.Errorf("flipped consistency hash %d passes: %v", i, err)
		}
	}
	wrong := old
	wrong.Root[0] ^= 1
	bad := map[string]error{
		"short path":        CheckInclusion(p[:len(p)-1], head, 7, leaf),
		"long path":         CheckInclusion(append(p[:len(p):len(p)], Hash{}), head, 7, leaf),
		"no path":           CheckInclusion(nil, head, 7, leaf),
		"row 0":             CheckInclusion(p, head, 0, leaf),
		"row beyond":        CheckInclusion(p, head, 21, leaf),
		"head over limit":   CheckInclusion(p, Head{1 << 63, head.Root}, 7, leaf),
		"other root":        CheckConsistency(c, head, wrong),
		"backwards":         CheckConsistency(c, old, head),
		"over limit":        CheckConsistency(c, Head{1 << 63, head.Root}, old),
		"empty, not root":   CheckConsistency(nil, head, Head{}),
		"empty, with proof": CheckConsistency(c, head, EmptyHead()),
		"fork of empty":     CheckConsistency(nil, Head{}, EmptyHead()),
	}
	for name, err := range bad {
		if !errors.Is(err, ErrProof) {
			t.Errorf("%s: %v, want ErrProof", name, err)
		}
	}
	if err := CheckConsistency(nil, head, EmptyHead()); err != nil {
		t.Errorf("the empty log begins every log: %v", err)
	}
	fail := errors.New("disk")
	r := tlog.HashReaderFunc(func([]int64) ([]Hash, error) { return nil, fail })
	if _, err := ProveInclusion(20, 7, r); !errors.Is(err, fail) {
		t.Errorf("%v", err)
	}
	if _, err := ProveConsistency(20, 7, r); !errors.Is(err, fail) {
		t.Errorf("%v", err)
	}
	if _, err := ProveInclusion(20, 21, r); !errors.Is(err, ErrProof) {
		t.Errorf("%v", err)
	}
	if _, err := ProveInclusion(20, 0, r); !errors.Is(err, ErrProof) {
		t.Errorf("%v", err)
	}
	if _, err := ProveConsistency(20, 21, r); !errors.Is(err, ErrProof) {
		t.Errorf("%v", err)
	}
	if q, err := ProveConsistency(20, 0, nil); err != nil || len(q) != 0 {
		t.Errorf("from the empty log: %v, %v", q, err)
	}
}
