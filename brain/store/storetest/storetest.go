// Package storetest is the conformance suite of store.Engine. An engine that
// passes it behaves as a store expects, as far as one process can see;
// durability is for crash tests.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/store"
)

// Engine runs the suite. open opens an engine whose data outlives it: with
// create an empty one, replacing what was there; without, what the last one
// left. It is called for one engine at a time.
func Engine(t *testing.T, open func(t *testing.T, create bool) (store.Engine, error)) {
	tests := map[string]func(*testing.T, func(create bool) store.Engine){
		"Batch":        batch,
		"Head":         headMoves,
		"Snapshot":     snapshot,
		"ScanBounds":   scanBounds,
		"ScanStops":    scanStops,
		"Ownership":    ownership,
		"Reopen":       reopen,
		"RandomAgrees": random,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test(t, func(create bool) store.Engine {
				e, err := open(t, create)
				if err != nil {
					t.Fatalf("open: %v", err)
				}
				return e
			})
		})
	}
}

func apply(t *testing.T, e store.Engine, ops ...store.Op) {
	t.Helper()
	if err := e.Apply(&store.Batch{Ops: ops, Sync: true}); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

func set(k, v string) store.Op { return store.Op{Key: []byte(k), Value: []byte(v)} }
func del(k string) store.Op    { return store.Op{Key: []byte(k), Delete: true} }

func snap(t *testing.T, e store.Engine) store.EngineSnapshot {
	t.Helper()
	s, err := e.Snapshot()
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return s
}

// all returns what a scan finds, as "k=v" joined.
func all(t *testing.T, s store.EngineSnapshot, lo, hi []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Scan(lo, hi, func(k, v []byte) (bool, error) {
		fmt.Fprintf(&b, "%s=%s ", k, v)
		return true, nil
	}); err != nil {
		t.Fatalf("scan: %v", err)
	}
	return b.String()
}

func want(t *testing.T, s store.EngineSnapshot, text string) {
	t.Helper()
	if got := all(t, s, nil, nil); got != text {
		t.Fatalf("holds %q, want %q", got, text)
	}
}

func shut(t *testing.T, e store.Engine, ss ...store.EngineSnapshot) {
	t.Helper()
	for _, s := range ss {
		if err := s.Close(); err != nil {
			t.Fatalf("close snapshot: %v", err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func batch(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	apply(t, e, set("a", "1"), set("b", "2"), set("c", ""))
	apply(t, e, set("a", "3"), del("b"), del("never"))
	s := snap(t, e)
	want(t, s, "a=3 c= ")
	if _, err := s.Get([]byte("b")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleted key: %v", err)
	}
	if v, err := s.Get([]byte("c")); err != nil || v == nil || len(v) != 0 {
		t.Errorf("empty value: %v, %v", v, err)
	}
	if e.Size() < 0 {
		t.Errorf("size %d", e.Size())
	}
	shut(t, e, s)
}

func headMoves(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	try := func(expect []byte, next string) error {
		return e.Apply(&store.Batch{
			Ops: []store.Op{set("head", next), set("k"+next, "v")}, HeadKey: []byte("head"), Head: expect, Sync: true,
		})
	}
	steps := []struct {
		expect []byte
		next   string
		err    error
	}{
		{[]byte("1"), "2", store.ErrHeadMoved}, // there is none yet
		{nil, "1", nil},
		{nil, "2", store.ErrHeadMoved},
		{[]byte("0"), "2", store.ErrHeadMoved},
		{[]byte("1"), "2", nil},
	}
	for i, st := range steps {
		if err := try(st.expect, st.next); !errors.Is(err, st.err) {
			t.Fatalf("step %d: %v, want %v", i, err, st.err)
		}
	}
	s := snap(t, e)
	want(t, s, "head=2 k1=v k2=v ")
	shut(t, e, s)
}

func snapshot(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	empty := snap(t, e)
	apply(t, e, set("a", "1"), set("b", "1"))
	one := snap(t, e)
	apply(t, e, set("a", "2"), del("b"), set("c", "2"))
	two := snap(t, e)
	want(t, empty, "")
	want(t, one, "a=1 b=1 ")
	want(t, two, "a=2 c=2 ")
	if v, err := one.Get([]byte("b")); err != nil || string(v) != "1" {
		t.Errorf("older snapshot reads %q, %v", v, err)
	}
	shut(t, e, two, empty, one)
}

func scanBounds(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	apply(t, e, set("a", ""), set("b", ""), set("b\x00", ""), set("c", ""), set("\xff\xff", ""))
	s := snap(t, e)
	tests := []struct {
		lo, hi []byte
		want   string
	}{
		{nil, nil, "a= b= b\x00= c= \xff\xff= "},
		{[]byte("b"), nil, "b= b\x00= c= \xff\xff= "},
		{nil, []byte("b"), "a= "},
		{[]byte("b"), []byte("c"), "b= b\x00= "},
		{[]byte("b"), []byte("b"), ""},
		{[]byte("c"), []byte("a"), ""},
		{[]byte("\xff\xff\x00"), nil, ""},
	}
	for _, tt := range tests {
		if got := all(t, s, tt.lo, tt.hi); got != tt.want {
			t.Errorf("[%q, %q): %q, want %q", tt.lo, tt.hi, got, tt.want)
		}
	}
	shut(t, e, s)
}

func scanStops(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	apply(t, e, set("a", ""), set("b", ""), set("c", ""))
	s := snap(t, e)
	boom := errors.New("boom")
	for _, stop := range []error{nil, boom} {
		n := 0
		err := s.Scan(nil, nil, func(_, _ []byte) (bool, error) {
			n++
			return n < 2 || stop != nil, map[bool]error{true: stop}[n == 2]
		})
		if n != 2 || !errors.Is(err, stop) {
			t.Errorf("stopped after %d with %v, want 2, %v", n, err, stop)
		}
	}
	shut(t, e, s)
}

func ownership(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	k, v := []byte("key"), []byte("value")
	apply(t, e, store.Op{Key: k, Value: v})
	copy(k, "xxx")
	copy(v, "xxxxx")
	s := snap(t, e)
	got, err := s.Get([]byte("key"))
	if err != nil || string(got) != "value" {
		t.Fatalf("the engine kept the caller's slices: %q, %v", got, err)
	}
	copy(got, "yyyyy")
	want(t, s, "key=value ")
	shut(t, e, s)
}

func reopen(t *testing.T, open func(bool) store.Engine) {
	e := open(true)
	apply(t, e, set("a", "1"))
	shut(t, e)
	e = open(false)
	apply(t, e, set("b", "2"))
	shut(t, e)
	e = open(false)
	s := snap(t, e)
	want(t, s, "a=1 b=2 ")
	shut(t, e, s)
	e = open(true)
	s = snap(t, e)
	want(t, s, "")
	shut(t, e, s)
}

// random compares the engine with a map over random batches and reopens.
func random(t *testing.T, open func(bool) store.Engine) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	model := map[string]string{}
	e := open(true)
	for round := range 60 {
		ops := map[string]store.Op{}
		for range rng.IntN(40) {
			k := fmt.Sprintf("%03d", rng.IntN(200))
			ops[k] = set(k, fmt.Sprint(round))
			if rng.IntN(3) == 0 {
				ops[k] = del(k)
			}
		}
		var list []store.Op
		for k, op := range ops {
			list = append(list, op)
			if model[k] = string(op.Value); op.Delete {
				delete(model, k)
			}
		}
		apply(t, e, list...)
		if rng.IntN(10) == 0 {
			shut(t, e)
			e = open(false)
		}
		keys := make([]string, 0, len(model))
		for k := range model {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		var text bytes.Buffer
		for _, k := range keys {
			fmt.Fprintf(&text, "%s=%s ", k, model[k])
		}
		s := snap(t, e)
		want(t, s, text.String())
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, e)
}
