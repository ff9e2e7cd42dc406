package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// someRow returns a valid row that differs with seq; prev is what it follows.
func someRow(seq uint64, prev Hash) Row {
	side := someSide(seq)
	r := Row{
		Version: Version, Store: StoreID{1, 2, 3}, Epoch: 1, Seq: seq,
		Time: 1_764_000_000_000_000 + int64(seq), Class: Class(1 + seq%4),
		Actor: "person:alice", Op: "put", Policy: LeafHash([]byte("policy")), Prev: prev,
	}
	r.URI, r.Body = side.Commitments()
	return r
}

func someSide(seq uint64) Side {
	return Side{
		Salt: LeafHash(fmt.Appendf(nil, "salt %d", seq)),
		URI:  fmt.Sprintf("brain://sales/%d", seq),
		Body: fmt.Appendf(nil, "body %d", seq),
	}
}

func TestLeafText(t *testing.T) {
	r := someRow(1, Hash{})
	r.Actor, r.Op = "person:Zoë\nop forged", "put 100%"
	r.Policy = Hash{}
	got, err := r.Leaf()
	if err != nil {
		t.Fatal(err)
	}
	want := "brain-audit-row/v1\n" +
		"store 01020300000000000000000000000000\n" +
		"epoch 1\nseq 1\ntime 1764000000000001\nclass denial\n" +
		"actor person:Zo%C3%AB%0Aop%20forged\nop put%20100%25\n" +
		"policy -\nuri " + r.URI.String() + "\nbody " + r.Body.String() + "\nprev -\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func genRow(t *rapid.T) Row {
	text := func(name string, limit int) string {
		s := rapid.StringN(1, -1, limit).Draw(t, name)
		return strings.ToValidUTF8(s, "?")
	}
	hash := func(name string) (h Hash) {
		copy(h[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, name))
		h[31] |= 1
		return h
	}
	r := Row{
		Version: Version,
		Epoch:   rapid.Uint64Range(1, MaxSeq).Draw(t, "epoch"),
		Seq:     rapid.Uint64Range(1, MaxSeq).Draw(t, "seq"),
		Time:    rapid.Int64Range(0, MaxTime).Draw(t, "time"),
		Class:   Class(rapid.IntRange(1, 4).Draw(t, "class")),
		Actor:   text("actor", MaxActor), Op: text("op", MaxOp),
		URI: hash("uri"), Body: hash("body"),
	}
	store := hash("store")
	copy(r.Store[:], store[16:])
	if rapid.Bool().Draw(t, "has policy") {
		r.Policy = hash("policy")
	}
	if r.Seq > 1 {
		r.Prev = hash("prev")
	}
	return r
}

func TestLeafRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRow(t)
		leaf, err := r.Leaf()
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(leaf, []byte{'\n'}); n != 12 || len(leaf) > MaxLeaf {
			t.Fatalf("%d lines, %d bytes", n, len(leaf))
		}
		for _, c := range leaf {
			if c != '\n' && (c < 0x20 || c > 0x7e) {
				t.Fatalf("byte %#x in a leaf", c)
			}
		}
		back, err := ParseLeaf(leaf)
		if err != nil || back != r {
			t.Fatalf("%v: %+v, want %+v", err, back, r)
		}
	})
}

func TestLongestLeafIsReadable(t *testing.T) {
	r := someRow(MaxSeq, LeafHash(nil))
	r.Epoch, r.Time = MaxSeq, MaxTime
	r.Actor, r.Op = strings.Repeat("\n", MaxActor), strings.Repeat("\x00", MaxOp)
	leaf, err := r.Leaf()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseLeaf(leaf); err != nil || back != r {
		t.Fatal(err)
	}
}

func TestLeafRefuses(t *testing.T) {
	tests := map[string]func(*Row){
		"version 0":     func(r *Row) { r.Version = 0 },
		"version 2":     func(r *Row) { r.Version = 2 },
		"no store":      func(r *Row) { r.Store = StoreID{} },
		"epoch 0":       func(r *Row) { r.Epoch = 0 },
		"epoch high":    func(r *Row) { r.Epoch = MaxSeq + 1 },
		"seq 0":         func(r *Row) { r.Seq = 0 },
		"seq high":      func(r *Row) { r.Seq = MaxSeq + 1 },
		"time negative": func(r *Row) { r.Time = -1 },
		"time high":     func(r *Row) { r.Time = MaxTime + 1 },
		"class 0":       func(r *Row) { r.Class = 0 },
		"class 5":       func(r *Row) { r.Class = 5 },
		"no actor":      func(r *Row) { r.Actor = "" },
		"long actor":    func(r *Row) { r.Actor = strings.Repeat("a", MaxActor+1) },
		"actor bytes":   func(r *Row) { r.Actor = "person:\xff" },
		"no op":         func(r *Row) { r.Op = "" },
		"long op":       func(r *Row) { r.Op = strings.Repeat("a", MaxOp+1) },
		"op bytes":      func(r *Row) { r.Op = "\xc0\x80" },
		"no uri":        func(r *Row) { r.URI = Hash{} },
		"no body":       func(r *Row) { r.Body = Hash{} },
		"no prev":       func(r *Row) { r.Prev = Hash{} },
		"prev at 1":     func(r *Row) { r.Seq = 1 },
	}
	for name, edit := range tests {
		r := someRow(2, LeafHash(nil))
		edit(&r)
		leaf, err := r.Leaf()
		if !errors.Is(err, ErrRow) || leaf != nil {
			t.Errorf("%s: %v, want ErrRow", name, err)
		}
		// The same row forced into text must not be readable either.
		if _, err := ParseLeaf(r.appendLeaf(nil)); !errors.Is(err, ErrRow) {
			t.Errorf("%s: parses: %v", name, err)
		}
		if isVersion := strings.HasPrefix(name, "version"); isVersion != errors.Is(err, ErrVersion) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refusedLeaves returns texts near a leaf that are none, by name.
func refusedLeaves(t testing.TB) map[string]string {
	r := someRow(2, LeafHash(nil))
	r.Actor = "person:a%b"
	leaf, err := r.Leaf()
	if err != nil {
		t.Fatal(err)
	}
	good := string(leaf)
	sub := func(old, new string) string {
		if strings.Count(good, old) != 1 {
			t.Fatalf("%q does not stand once in\n%s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	uri := r.URI.String()
	loose := []byte(uri) // set an unused bit of the last character
	loose[42]++
	zero := Hash{}.String()
	return map[string]string{
		"empty":             "",
		"one line":          "brain-audit-row/v1\n",
		"cut":               good[:len(good)-1],
		"cut line":          good[:strings.Index(good, "prev ")],
		"trailing line":     good + "more -\n",
		"trailing newline":  good + "\n",
		"trailing NUL":      good + "\x00",
		"leading space":     " " + good,
		"CRLF":              strings.ReplaceAll(good, "\n", "\r\n"),
		"other version":     sub("row/v1", "row/v2"),
		"padded version":    sub("row/v1", "row/v01"),
		"huge version":      sub("row/v1", "row/v99999999999999999999"),
		"version 257":       sub("row/v1", "row/v257"),
		"no version":        sub("row/v1", "row/v"),
		"upper-case store":  sub("store 010203", "store 0A0203"),
		"short store":       sub("store 0102", "store 01"),
		"zero store":        sub("store 010203", "store 000000"),
		"leading zero":      sub("seq 2", "seq 02"),
		"plus":              sub("seq 2", "seq +2"),
		"minus":             sub("time 1", "time -1"),
		"underscore":        sub("time 1764", "time 17_64"),
		"hex number":        sub("epoch 1", "epoch 0x1"),
		"no number":         sub("epoch 1", "epoch "),
		"overflow":          sub("epoch 1", "epoch 18446744073709551617"),
		"two spaces":        sub("seq 2", "seq  2"),
		"trailing space":    sub("seq 2", "seq 2 "),
		"tab":               sub("seq 2", "seq\t2"),
		"class case":        sub("class read", "class Read"),
		"class number":      sub("class read", "class 3"),
		"order of lines":    sub("epoch 1\nseq 2\n", "seq 2\nepoch 1\n"),
		"line twice":        sub("seq 2\n", "seq 2\nseq 2\n"),
		"line missing":      sub("class read\n", ""),
		"needless escape":   sub("person:a", "person:%61"),
		"lower-case escape": sub("a%25b", "a%2fb"),
		"cut escape":        sub("a%25b", "a%2"),
		"raw percent":       sub("a%25b", "a%b"),
		"raw space":         sub("person:a", "person: a"),
		"raw tab":           sub("person:a", "person:\ta"),
		"raw UTF-8":         sub("person:a", "person:ä"),
		"escaped non-UTF-8": sub("person:a", "person:%FFa"),
		"empty actor":       sub("actor person:a%25b", "actor "),
		"unused bits":       sub(uri, string(loose)),
		"no padding":        sub(uri, uri[:43]),
		"CR in base64":      sub(uri, "\r"+uri[:43]),
		"URL base64":        sub(uri, strings.Repeat("_", 43)+"="),
		"written zero":      sub("policy "+r.Policy.String(), "policy "+zero),
		"no uri":            sub(uri, "-"),
		"no prev":           sub("prev "+r.Prev.String(), "prev -"),
		"prev at 1":         sub("seq 2", "seq 1"),
		"too long":          good + strings.Repeat("x", MaxLeaf),
	}
}

func TestParseLeafRefuses(t *testing.T) {
	for name, text := range refusedLeaves(t) {
		r, err := ParseLeaf([]byte(text))
		if !errors.Is(err, ErrRow) || r != (Row{}) {
			t.Errorf("%s: %v, want ErrRow", name, err)
		}
	}
}

func FuzzParseLeaf(f *testing.F) {
	leaf, _ := someRow(1, Hash{}).Leaf()
	f.Add(leaf)
	for _, text := range refusedLeaves(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseLeaf(text)
		if err != nil {
			if !errors.Is(err, ErrRow) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		leaf, err := r.Leaf()
		if err != nil || !bytes.Equal(leaf, text) {
			t.Fatalf("%v: a second leaf of one row:\n%s\n%s", err, text, leaf)
		}
	})
}
