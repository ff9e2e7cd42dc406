package bm25

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// A document that was added and erased leaves the index of one that never had
// it: the same bytes, and the same answers for everything else.
func TestEraseIsNeverAdded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 5))
		docs := many(rng.Uint64(), 1+rng.IntN(500))
		terms := analyzed(docs)
		kept := append([]Terms(nil), terms...)
		ix := fill(t, nil, terms, rng)
		var gone []uint32
		for range 1 + rng.IntN(20) {
			o := uint32(rng.IntN(len(docs)))
			if kept[o].len == [Fields]uint32{} {
				continue
			}
			gone = append(gone, o)
			kept[o], docs[o] = Terms{}, Doc{}
		}
		task := ix.Plan() // planned before, and so not what is to stay
		half := len(gone) / 2
		if err := ix.Erase(gone[:half]); err != nil {
			t.Fatal(err)
		}
		if task != nil {
			s, err := task.Run(context.Background())
			if err == nil {
				err = ix.Install(s)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if rng.IntN(2) == 0 {
			plan(t, ix)
		}
		if err := ix.Erase(gone[half:]); err != nil {
			t.Fatal(err)
		}
		if err := ix.Erase(gone); err != nil { // again
			t.Fatal(err)
		}
		plan(t, ix)
		never := fill(t, nil, kept, rng)
		plan(t, never)
		if ix.held != never.held {
			t.Fatalf("languages %v, want %v", ix.held, never.held)
		}
		a, b := ix.Segments(), never.Segments()
		for _, x := range []*Index{ix, never} {
			if task := x.Tail(); task != nil {
				s, err := task.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if x == ix {
					a = append(a, s)
				} else {
					b = append(b, s)
				}
			}
		}
		if len(a) != len(b) {
			t.Fatalf("%d segments, want %d", len(a), len(b))
		}
		for i := range a {
			if !bytes.Equal(a[i].Bytes(), b[i].Bytes()) {
				t.Fatalf("segment %d of %d differs", i, len(a))
			}
		}
		sameAnswers(t, reopened(t, ix), never, docs, rng)
	})
}

func TestEraseRefuses(t *testing.T) {
	ix := newIndex(t, nil, bodies("cat", "dog")...)
	var e *invalid.Error
	if err := ix.Erase([]uint32{0, 2}); !errors.As(err, &e) || e.Field != "ord" {
		t.Errorf("%v", err)
	}
	if len(find(ix, "cat", 1)) != 1 {
		t.Error("a refused call erased")
	}
}

// The words of an erased document are in no stored byte.
func TestErasedWordsAreGone(t *testing.T) {
	docs := make([]Doc, 130)
	for i := range docs {
		docs[i].Body = "common"
	}
	docs[7].Body, docs[129].Body = "xylophonesecret", "zitherprivate"
	ix := fill(t, nil, analyzed(docs), rand.New(rand.NewPCG(0, 0)))
	plan(t, ix)
	if !strings.Contains(string(ix.Segments()[0].Bytes()), "ylophonesecret") {
		t.Fatal("the word is in no segment at first")
	}
	if err := ix.Erase([]uint32{7, 129}); err != nil {
		t.Fatal(err)
	}
	plan(t, ix)
	tail, err := ix.Tail().Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(ix.Segments(), tail) {
		for _, word := range []string{"phone", "zither", "private"} {
			if strings.Contains(string(s.Bytes()), word) {
				t.Errorf("%q is in the segment of %d", word, s.First())
			}
		}
	}
}
