package audit

import (
	"errors"
	"fmt"
	"iter"
	"testing"
)

// testLog is a log in memory as a store would hold it.
type testLog struct {
	rows   []Row
	leaves [][]byte
	hashes []Hash
	heads  []Head // heads[n] after n rows
}

func newLog(n int) *testLog {
	l := &testLog{heads: []Head{EmptyHead()}}
	var prev Hash
	for i := range n {
		r := someRow(uint64(i+1), prev)
		l.push(r)
		prev = l.hashes[i]
	}
	return l
}

func (l *testLog) push(r Row) {
	leaf, err := r.Leaf()
	if err != nil {
		panic(err)
	}
	l.rows, l.leaves, l.hashes = append(l.rows, r), append(l.leaves, leaf), append(l.hashes, LeafHash(leaf))
	var tree Tree
	if n := len(l.leaves); n > 1 {
		for _, h := range l.hashes[:n-1] {
			tree.Append(h)
		}
	}
	tree.Append(l.hashes[len(l.hashes)-1])
	l.heads = append(l.heads, tree.Head())
}

func (l *testLog) entries() []Entry {
	e := make([]Entry, len(l.leaves))
	for i := range e {
		e[i] = Entry{Leaf: l.leaves[i], Hash: l.hashes[i]}
	}
	return e
}

func seqOf(e []Entry) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, x := range e {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// edited returns the entry of row r after edit, without a stored hash.
func edited(r Row, edit func(*Row)) Entry {
	edit(&r)
	return Entry{Leaf: r.appendLeaf(nil)}
}

func bare(e []Entry) []Entry { // without stored hashes
	out := make([]Entry, len(e))
	for i := range e {
		out[i].Leaf = e[i].Leaf
	}
	return out
}

func TestVerifyGood(t *testing.T) {
	l := newLog(30)
	for n := 0; n <= 30; n++ {
		want := Want{Head: l.heads[n], Held: []Head{l.heads[n/2], l.heads[n/3]}}
		rep, err := Verify(seqOf(l.entries()[:n]), want)
		if err != nil || rep.Head != l.heads[n] || rep.Held != 3 || rep.Defect != nil {
			t.Fatalf("%d rows: %+v, %v", n, rep, err)
		}
		if n > 0 && (rep.Store != l.rows[0].Store || len(rep.Epochs) != 1) {
			t.Fatalf("%+v", rep)
		}
	}
}

func TestVerifyEpochs(t *testing.T) {
	epochs := func(classAt Class, es ...uint64) (Report, error) {
		l := newLog(0)
		var prev Hash
		for i, e := range es {
			r := someRow(uint64(i+1), prev)
			r.Epoch, r.Class = e, Change
			if i > 0 && e != es[i-1] {
				r.Class = classAt
			}
			l.push(r)
			prev = l.hashes[i]
		}
		return Verify(seqOf(l.entries()), Want{Head: l.heads[len(es)]})
	}
	rep, err := epochs(Event, 3, 3, 4, 9, 9)
	if err != nil || fmt.Sprint(rep.Epochs) != "[{3 1} {4 3} {9 4}]" {
		t.Errorf("%v, %v", rep.Epochs, err)
	}
	var d *Defect
	if _, err := epochs(Change, 1, 1, 2); !errors.As(err, &d) || d.Reason != WrongEpoch || d.Seq != 3 {
		t.Errorf("epoch rises at a change: %v", err)
	}
	if _, err := epochs(Event, 2, 2, 1); !errors.As(err, &d) || d.Reason != WrongEpoch || d.Seq != 3 {
		t.Errorf("epoch falls: %v", err)
	}
}

func TestVerifyNamesTheFirstBadRow(t *testing.T) {
	const n = 12
	l := newLog(n)
	good := l.entries()
	other := newLog(0) // as l, but of another store from row 7 on, chained
	for i, r := range l.rows {
		if i > 0 {
			r.Prev = other.hashes[i-1]
		}
		if i >= 6 {
			r.Store[9]++
		}
		other.push(r)
	}
	rewritten := newLog(0) // another actor from row 7 on, everything recomputed
	for i, r := range l.rows {
		if i > 0 {
			r.Prev = rewritten.hashes[i-1]
		}
		if i == 6 {
			r.Actor = "person:mallory"
		}
		rewritten.push(r)
	}
	cat := func(parts ...[]Entry) (out []Entry) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	with := func(i int, e Entry) []Entry { // row i+1 replaced
		return cat(good[:i], []Entry{e}, good[i+1:])
	}
	mallory := func(r *Row) { r.Actor = "person:mallory" }
	full := Want{Head: l.heads[n]}
	tests := []struct {
		name string
		rows []Entry
		want Want
		seq  uint64
		why  Reason
	}{
		{"edited, stored hash kept", with(6, Entry{edited(l.rows[6], mallory).Leaf, good[6].Hash}), full, 7, Edited},
		{"edited, stored hash unknown", with(6, edited(l.rows[6], mallory)), full, 7, Edited},
		{"edited prev", with(6, edited(l.rows[6], func(r *Row) { r.Prev[0]++ })), full, 7, Edited},
		{"edited first", with(0, edited(l.rows[0], mallory)), full, 1, Edited},
		{"edited last but one", with(n-2, edited(l.rows[n-2], mallory)), full, n, Edited}, // nothing follows to say which side
		{"edited last", with(n-1, edited(l.rows[n-1], mallory)), full, 1, RootMismatch},
		{"edited last, held head", with(n-1, edited(l.rows[n-1], mallory)), Want{Head: l.heads[n], Held: l.heads[:n]}, n, RootMismatch},
		{"not a leaf", with(6, Entry{Leaf: []byte("row 7\n")}), full, 7, Edited},
		{"not canonical", with(6, Entry{Leaf: append(good[6].Leaf[:len(good[6].Leaf):len(good[6].Leaf)], '\n')}), full, 7, Edited},
		{"missing", cat(good[:6], good[7:]), full, 7, Missing},
		{"first missing", good[1:], full, 1, Missing},
		{"reordered", cat(good[:6], good[7:8], good[6:7], good[8:]), full, 7, Reordered},
		{"reordered far", cat(good[:2], good[9:10], good[3:9], good[2:3], good[10:]), full, 3, Reordered},
		{"repeated", cat(good[:7], good[6:]), full, 7, Repeated},
		{"repeated far", cat(good[:9], good[2:3], good[9:]), full, 3, Repeated},
		{"truncated", good[:9], full, 10, Truncated},
		{"empty", nil, full, 1, Truncated},
		{"truncated below a receipt", good[:9], Want{Held: []Head{l.heads[11]}}, 10, Truncated},
		{"row too many", good, Want{Head: l.heads[10]}, 11, Extra},
		{"one too many for empty", good, Want{Head: EmptyHead()}, 1, Extra},
		{"wrong store in the middle", other.entries(), Want{}, 7, WrongStore},
		{"wrong store from the start", good, Want{Store: StoreID{9}, Head: l.heads[n]}, 1, WrongStore},
		{"rewritten suffix", rewritten.entries(), full, 1, RootMismatch},
		{"rewritten suffix, receipts", rewritten.entries(), Want{Head: rewritten.heads[n], Held: []Head{l.heads[9], l.heads[3], l.heads[6]}}, 7, RootMismatch},
		{"head of another log", good, Want{Head: rewritten.heads[n]}, 1, RootMismatch},
		{"zero head held", good, Want{Held: []Head{{}}}, 1, RootMismatch},
	}
	for _, tt := range tests {
		for _, stored := range []bool{true, false} {
			rows := tt.rows
			if !stored {
				rows = bare(rows)
			}
			rep, err := Verify(seqOf(rows), tt.want)
			var d *Defect
			if !errors.As(err, &d) || d != rep.Defect || d.Seq != tt.seq || d.Reason != tt.why {
				t.Errorf("%s (stored hashes: %v): %v, want row %d %s", tt.name, stored, err, tt.seq, tt.why)
			}
		}
	}
}

// TestVerifyNamesTheLastRow: only the stored hash tells which of the last two
// rows was edited.
func TestVerifyNamesTheLastRow(t *testing.T) {
	const n = 12
	l := newLog(n)
	for _, at := range []int{n - 2, n - 1} {
		e := l.entries()
		e[at].Leaf = edited(l.rows[at], func(r *Row) { r.Actor = "person:mallory" }).Leaf
		_, err := Verify(seqOf(e), Want{Head: l.heads[n]})
		var d *Defect
		if !errors.As(err, &d) || d.Seq != uint64(at+1) || d.Reason != Edited {
			t.Errorf("%v, want row %d edited", err, at+1)
		}
	}
}

func TestVerifyWithoutAHead(t *testing.T) {
	l := newLog(9)
	rep, err := Verify(seqOf(l.entries()[:5]), Want{})
	if err != nil || rep.Head != l.heads[5] || rep.Held != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestVerifyReadError(t *testing.T) {
	l := newLog(9)
	fail := errors.New("disk")
	rows := func(yield func(Entry, error) bool) {
		for i, e := range l.entries() {
			if i == 4 {
				yield(Entry{}, fail)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
	rep, err := Verify(rows, Want{Head: l.heads[9]})
	var d *Defect
	if !errors.Is(err, fail) || errors.As(err, &d) || rep.Head != l.heads[4] {
		t.Errorf("%+v, %v", rep, err)
	}
}

func BenchmarkVerify(b *testing.B) {
	const n = 20_000
	leaves := make([]Entry, n)
	var tree Tree
	var prev Hash
	for i := range leaves {
		leaf, err := someRow(uint64(i+1), prev).Leaf()
		if err != nil {
			b.Fatal(err)
		}
		prev = LeafHash(leaf)
		tree.Append(prev)
		leaves[i] = Entry{Leaf: leaf, Hash: prev}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Verify(seqOf(leaves), Want{Head: tree.Head()}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkAppend(b *testing.B) {
	r := someRow(2, LeafHash(nil))
	var tree Tree
	b.ReportAllocs()
	for b.Loop() {
		leaf, err := r.Leaf()
		if err != nil {
			b.Fatal(err)
		}
		tree.Append(LeafHash(leaf))
		tree.Head()
	}
}
