package audit

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// Tampering as an attacker with the disk does it. Each kind changes the rows of
// one log; skill says how much of the rest is made to fit afterwards.

type skill int

const (
	clumsy  skill = iota // only the rows themselves
	careful              // stored leaf hashes are recomputed
	expert               // numbers, chain, hashes and the log's own head too
)

type tamper struct {
	name string
	// do returns the changed rows and the first row, from 1, that differs. It
	// does not change its argument.
	do func(r *rand.Rand, rows []Row) ([]Row, int)
}

var tampers = []tamper{
	{"edit", func(r *rand.Rand, rows []Row) ([]Row, int) {
		i := r.IntN(len(rows))
		out := slices.Clone(rows)
		editField(r, &out[i])
		return out, i + 1
	}},
	{"delete", func(r *rand.Rand, rows []Row) ([]Row, int) {
		i := r.IntN(len(rows))
		n := 1 + r.IntN(min(3, len(rows)-i))
		return slices.Delete(slices.Clone(rows), i, i+n), i + 1
	}},
	{"insert", func(r *rand.Rand, rows []Row) ([]Row, int) {
		i := r.IntN(len(rows))
		forged := rows[i]
		forged.Actor = "person:mallory"
		return slices.Insert(slices.Clone(rows), i, forged), i + 1
	}},
	{"reorder", func(r *rand.Rand, rows []Row) ([]Row, int) {
		i, j := r.IntN(len(rows)), r.IntN(len(rows)-1)
		if j >= i {
			j++
		}
		out := slices.Clone(rows)
		out[i], out[j] = out[j], out[i]
		return out, min(i, j) + 1
	}},
	{"duplicate", func(r *rand.Rand, rows []Row) ([]Row, int) {
		i := r.IntN(len(rows))
		j := i + 1 + r.IntN(len(rows)-i)
		return slices.Insert(slices.Clone(rows), j, rows[i]), j + 1
	}},
	{"truncate", func(r *rand.Rand, rows []Row) ([]Row, int) {
		n := r.IntN(len(rows))
		return slices.Clone(rows[:n]), n + 1
	}},
	{"rewrite suffix", func(r *rand.Rand, rows []Row) ([]Row, int) {
		i := r.IntN(len(rows))
		out := slices.Clone(rows)
		for j := i; j < len(out); j++ {
			editField(r, &out[j])
		}
		return out, i + 1
	}},
}

func editField(r *rand.Rand, row *Row) {
	bit := byte(1) << r.IntN(8)
	switch r.IntN(10) {
	case 0:
		row.Store[r.IntN(16)] ^= bit
	case 1:
		row.Epoch += 1 + r.Uint64N(3)
	case 2:
		row.Time += 1 + r.Int64N(1e9)
	case 3:
		row.Class = 1 + row.Class%4
	case 4:
		row.Actor += "x"
	case 5:
		row.Op = "x" + row.Op
	case 6:
		row.Policy[r.IntN(32)] ^= bit
	case 7:
		row.URI[r.IntN(32)] ^= bit
	case 8:
		row.Body[r.IntN(32)] ^= bit
	case 9:
		row.Seq += 1 + r.Uint64N(3)
	}
}

// forge stores rows the way an attacker of that skill leaves them. hashes are
// the stored ones of the true log.
func forge(rows []Row, hashes []Hash, s skill) ([]Entry, Head) {
	out := make([]Entry, len(rows))
	var tree Tree
	var prev Hash
	var epoch uint64
	for i, r := range rows {
		if s == expert {
			r.Seq, r.Prev, r.Store = uint64(i+1), prev, rows[0].Store
			if i > 0 && r.Epoch != epoch { // an epoch that rises needs an event row
				r.Epoch, r.Class = max(r.Epoch, epoch), Event
			}
			epoch = r.Epoch
		}
		leaf := r.appendLeaf(nil)
		prev = LeafHash(leaf)
		tree.Append(prev)
		out[i] = Entry{Leaf: leaf}
		if s >= careful {
			out[i].Hash = prev
		} else if i < len(hashes) {
			out[i].Hash = hashes[i]
		}
	}
	return out, tree.Head()
}

func TestTamper(t *testing.T) {
	const (
		seed   = 20261130
		trials = 16_000
		size   = 40
	)
	l := newLog(size)
	r := rand.New(rand.NewPCG(seed, 0))
	found := map[string]int{}
	byReason := map[Reason]int{}
	for i := range trials {
		kind := tampers[i%len(tampers)]
		s := skill(r.IntN(3))
		held := l.heads[size] // the newest receipt, or an older one
		if r.IntN(2) == 0 {
			held = l.heads[1+r.IntN(size)]
		}
		rows, first := kind.do(r, l.rows)
		if uint64(first) > held.Seq {
			// Behind the held head only what is inconsistent in itself can be
			// found; the rows before it are untouched, so nothing is claimed.
			continue
		}
		entries, own := forge(rows, l.hashes, s)
		if sameLeaves(entries, l.leaves[:held.Seq]) {
			continue // made to fit so well that nothing is changed
		}
		want := Want{Held: []Head{held}}
		switch {
		case held.Seq == size && r.IntN(2) == 0:
			want = Want{Head: held}
		case s == expert:
			want.Head = own // the head that the forged store shows of itself
		}
		rep, err := Verify(seqOf(entries), want)
		var d *Defect
		if !errors.As(err, &d) {
			t.Fatalf("seed %d trial %d: %s (skill %d) at row %d of %d is not found: %+v, %v", seed, i, kind.name, s, first, size, rep, err)
		}
		if d.Seq > held.Seq+1 {
			t.Errorf("seed %d trial %d: %s at row %d is named at row %d", seed, i, kind.name, first, d.Seq)
		}
		found[kind.name]++
		byReason[d.Reason]++
	}
	n := 0
	for _, k := range tampers {
		n += found[k.name]
		if found[k.name] < trials/len(tampers)/3 {
			t.Errorf("%s was tried only %d times", k.name, found[k.name])
		}
	}
	if n < 10_000 {
		t.Errorf("only %d tampers were tried", n)
	}
	t.Logf("seed %d: %d of %d tampers found: %v, named as %v", seed, n, n, found, byReason)
}

func sameLeaves(e []Entry, leaves [][]byte) bool {
	return len(e) >= len(leaves) && slices.EqualFunc(e[:len(leaves)], leaves, func(e Entry, leaf []byte) bool {
		return bytes.Equal(e.Leaf, leaf)
	})
}

// TestTamperBytes flips, cuts and doubles bytes of stored leaves.
func TestTamperBytes(t *testing.T) {
	const size = 12
	l := newLog(size)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 5_000 {
		e := l.entries()
		at := r.IntN(size)
		leaf := slices.Clone(e[at].Leaf)
		off := r.IntN(len(leaf))
		switch i % 3 {
		case 0:
			leaf[off] ^= 1 << r.IntN(8)
		case 1:
			leaf = slices.Delete(leaf, off, off+1)
		case 2:
			leaf = slices.Insert(leaf, off, leaf[off])
		}
		e[at] = Entry{Leaf: leaf, Hash: LeafHash(leaf)}
		_, err := Verify(seqOf(e), Want{Head: l.heads[size]})
		var d *Defect
		if !errors.As(err, &d) {
			t.Fatalf("trial %d: a changed byte of row %d is not found", i, at+1)
		}
	}
}

// TestNotFoundWithoutAHead pins what the documentation says is not found.
func TestNotFoundWithoutAHead(t *testing.T) {
	l := newLog(20)
	rows := slices.Clone(l.rows)
	rows[10].Actor = "person:mallory"
	entries, own := forge(rows, nil, expert)
	if _, err := Verify(seqOf(entries), Want{Head: own}); err != nil {
		t.Errorf("a full rewrite with its own head: %v", err)
	}
	if _, err := Verify(seqOf(l.entries()[:15]), Want{Head: l.heads[15]}); err != nil {
		t.Errorf("a cut tail with its own head: %v", err)
	}
}
