package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/vectors.json anew; released vectors never change")

const vectorsFile = "testdata/vectors.json"

// vectors is the published file. Text that need not be UTF-8, and text whose
// line ends matter, is hex; hashes are base64 as in the leaf.
type vectors struct {
	About       []string            `json:"about"`
	Rows        []rowVector         `json:"rows"`
	Roots       []tlog.Hash         `json:"roots"` // [n] is the root over rows 1 to n
	Inclusion   []inclusionVector   `json:"inclusion"`
	Consistency []consistencyVector `json:"consistency"`
	Refused     []refusedVector     `json:"refused"`
}

type rowVector struct {
	Store  string    `json:"store"`
	Epoch  uint64    `json:"epoch"`
	Seq    uint64    `json:"seq"`
	Time   int64     `json:"time"`
	Class  string    `json:"class"`
	Actor  string    `json:"actor"`
	Op     string    `json:"op"`
	Policy tlog.Hash `json:"policy"` // zero for none
	Prev   tlog.Hash `json:"prev"`   // zero at seq 1

	Salt tlog.Hash `json:"salt"`
	URI  string    `json:"side_uri"`
	Body string    `json:"side_body_hex"`
	Side string    `json:"side_hex"` // encoded side record

	CommitURI  tlog.Hash `json:"uri"`
	CommitBody tlog.Hash `json:"body"`
	Leaf       string    `json:"leaf"`
	LeafHash   tlog.Hash `json:"leaf_hash"` // also prev of the next row
}

type inclusionVector struct {
	Size uint64      `json:"size"`
	Seq  uint64      `json:"seq"`
	Path []tlog.Hash `json:"path"`
}

type consistencyVector struct {
	Size uint64      `json:"size"`
	Old  uint64      `json:"old"`
	Path []tlog.Hash `json:"path"`
}

type refusedVector struct {
	Why  string `json:"why"`
	Leaf string `json:"leaf_hex"`
}

// vectorRows are twenty rows of one log: every class, two epochs, values at
// their limits and values that try to leave their line.
func vectorRows() ([]Row, []Side) {
	actors := []string{
		"person:alice", "agent:planner-7", "system:brain", "person:Zoë", "person:山田", "a",
		"person:x\nop put", "100%", "%41", " lead and trail ", "tab\tNUL\x00DEL\x7f", "\u202eesrever", "person:👩‍👩‍👧",
	}
	ops := []string{"put", "forget", "open", "decide.approve", "read", "two words", "line\r\nend"}
	bodies := []string{"", "hello\n", "\x00\xff\xfe", "The contract ends on 2026-12-31."}
	var rows []Row
	var sides []Side
	var prev Hash
	for i := range uint64(20) {
		s := Side{
			Salt: LeafHash(fmt.Appendf(nil, "salt of row %d", i+1)),
			URI:  fmt.Sprintf("brain://sales/pricing/%d", i+1),
			Body: []byte(bodies[i%4]),
		}
		if i%5 == 2 {
			s.URI = ""
		}
		r := Row{
			Version: 1, Epoch: 1, Seq: i + 1, Time: 1_764_547_200_000_000 + int64(i*i*1_000_003), Class: Change,
			Actor: actors[i%uint64(len(actors))], Op: ops[i%uint64(len(ops))], Prev: prev,
		}
		copy(r.Store[:], "\x00\x01\x02\x7f\x80\xff0123456789")
		switch {
		case i == 0 || i == 13:
			r.Class = Event
		case i%6 == 4:
			r.Class = Denial
		case i%6 == 5:
			r.Class = Read
		}
		if i >= 13 {
			r.Epoch = 7
		}
		if i%3 != 0 {
			r.Policy = LeafHash(fmt.Appendf(nil, "policy %d", i/3))
		}
		if i == 19 {
			r.Time, r.Epoch, r.Class = MaxTime, MaxSeq, Event
			r.Actor, r.Op = string(bytes.Repeat([]byte("é"), MaxActor/2)), string(bytes.Repeat([]byte("~"), MaxOp))
		}
		if i == 1 {
			r.Time = 0
		}
		r.URI, r.Body = s.Commitments()
		leaf, err := r.Leaf()
		if err != nil {
			panic(err)
		}
		prev = LeafHash(leaf)
		rows, sides = append(rows, r), append(sides, s)
	}
	return rows, sides
}

func makeVectors(t *testing.T) vectors {
	v := vectors{About: []string{
		"Test vectors of the audit log of brain, leaf version 1; the format is described in the documentation of package audit.",
		"Hashes are base64, a policy or prev of 32 zero bytes is written as - in the leaf. Refused texts are leaves of no row.",
	}}
	rows, sides := vectorRows()
	var tree Tree
	var stored memTree
	v.Roots = append(v.Roots, tree.Head().Root)
	for i, r := range rows {
		leaf, err := r.Leaf()
		if err != nil {
			t.Fatal(err)
		}
		side, err := sides[i].MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		v.Rows = append(v.Rows, rowVector{
			Store: r.Store.String(), Epoch: r.Epoch, Seq: r.Seq, Time: r.Time, Class: r.Class.String(),
			Actor: r.Actor, Op: r.Op, Policy: r.Policy, Prev: r.Prev,
			Salt: sides[i].Salt, URI: sides[i].URI, Body: hex.EncodeToString(sides[i].Body), Side: hex.EncodeToString(side),
			CommitURI: r.URI, CommitBody: r.Body, Leaf: string(leaf), LeafHash: LeafHash(leaf),
		})
		stored = append(stored, tree.Append(LeafHash(leaf))...)
		v.Roots = append(v.Roots, tree.Head().Root)
	}
	for n := uint64(1); n <= uint64(len(rows)); n++ {
		for m := uint64(1); m <= n; m++ {
			p, err := ProveInclusion(n, m, stored)
			if err != nil {
				t.Fatal(err)
			}
			c, err := ProveConsistency(n, m, stored)
			if err != nil {
				t.Fatal(err)
			}
			v.Inclusion = append(v.Inclusion, inclusionVector{n, m, p})
			v.Consistency = append(v.Consistency, consistencyVector{n, m, c})
		}
	}
	refused := refusedLeaves(t)
	for _, why := range sortedKeys(refused) {
		if len(refused[why]) < 2*MaxLeaf/3 { // the over-long one would only fill the file
			v.Refused = append(v.Refused, refusedVector{why, hex.EncodeToString([]byte(refused[why]))})
		}
	}
	return v
}

func TestVectors(t *testing.T) {
	got := makeVectors(t)
	data, err := marshalVectors(got)
	if err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(vectorsFile, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(held, data) {
		t.Fatalf("the package no longer reproduces %s: rows that are already written would not verify", vectorsFile)
	}
}

// TestVectorsAgainstNaive holds the published file against the second
// implementation, and reads it as another program would.
func TestVectorsAgainstNaive(t *testing.T) {
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	var leaves [][]byte
	for i, x := range v.Rows {
		leaf := []byte(x.Leaf)
		if Hash(naiveLeaf(leaf)) != x.LeafHash {
			t.Errorf("row %d: leaf hash", i+1)
		}
		r, err := ParseLeaf(leaf)
		if err != nil {
			t.Fatalf("row %d: %v", i+1, err)
		}
		if r.Actor != x.Actor || r.Op != x.Op || r.Time != x.Time || r.Epoch != x.Epoch || r.Seq != x.Seq ||
			r.Class.String() != x.Class || r.Policy != x.Policy || r.Prev != x.Prev || r.URI != x.CommitURI || r.Body != x.CommitBody {
			t.Errorf("row %d reads as %+v", i+1, r)
		}
		if i > 0 && r.Prev != v.Rows[i-1].LeafHash {
			t.Errorf("row %d: prev", i+1)
		}
		raw, err := hex.DecodeString(x.Side)
		if err != nil {
			t.Fatal(err)
		}
		var s Side
		if err := s.UnmarshalBinary(raw); err != nil || s.URI != x.URI || s.Salt != x.Salt {
			t.Errorf("row %d: side record: %v", i+1, err)
		}
		if err := s.Check(r); err != nil {
			t.Errorf("row %d: %v", i+1, err)
		}
		leaves = append(leaves, leaf)
	}
	for n, root := range v.Roots {
		if Hash(naiveRoot(leaves[:n])) != root {
			t.Errorf("root of %d rows", n)
		}
	}
	for _, p := range v.Inclusion {
		if !sameHashes(p.Path, naivePath(int(p.Seq-1), leaves[:p.Size])) {
			t.Errorf("inclusion of %d in %d", p.Seq, p.Size)
		}
	}
	for _, p := range v.Consistency {
		if !sameHashes(p.Path, naiveProof(int(p.Old), leaves[:p.Size])) {
			t.Errorf("consistency of %d with %d", p.Size, p.Old)
		}
	}
	for _, x := range v.Refused {
		text, err := hex.DecodeString(x.Leaf)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseLeaf(text); err == nil {
			t.Errorf("%s: is taken", x.Why)
		}
	}
	if len(v.Rows) != 20 || len(v.Roots) != 21 || len(v.Inclusion) != 210 || len(v.Consistency) != 210 || len(v.Refused) < 40 {
		t.Errorf("the file is not whole")
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// marshalVectors writes one row, root or proof per line, so that a change shows
// as a small diff.
func marshalVectors(v vectors) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{")
	list := func(name string, n int, at func(int) any) error {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n%q: [", name)
		for i := range n {
			line, err := json.Marshal(at(i))
			if err != nil {
				return err
			}
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			b.Write(line)
		}
		b.WriteString("\n]")
		return nil
	}
	err := errors.Join(
		list("about", len(v.About), func(i int) any { return v.About[i] }),
		list("rows", len(v.Rows), func(i int) any { return v.Rows[i] }),
		list("roots", len(v.Roots), func(i int) any { return v.Roots[i] }),
		list("inclusion", len(v.Inclusion), func(i int) any { return v.Inclusion[i] }),
		list("consistency", len(v.Consistency), func(i int) any { return v.Consistency[i] }),
		list("refused", len(v.Refused), func(i int) any { return v.Refused[i] }),
	)
	b.WriteString("\n}\n")
	return b.Bytes(), err
}
