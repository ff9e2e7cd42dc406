package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The same random operations on stores of different engines and options end in
// the same data and, since ids, salts and times are fixed, in the same root.
func TestEnginesAndOptionsAgree(t *testing.T) {
	var m [3]Memory
	variants := map[string]Options{
		"pebble":       {FS: vfs.NewCrashableMem()},
		"small":        {FS: vfs.NewCrashableMem(), MemTableBytes: minMemTableBytes, CacheBytes: 1, HeadSync: true},
		"memory":       {FS: vfs.NewMem(), Primary: m[0].Open(), Derived: m[1].Open()},
		"mixed":        {FS: vfs.NewMem(), Derived: m[2].Open()},
		"never closed": {FS: vfs.NewCrashableMem()},
	}
	const seed = 42
	roots := map[string]string{}
	for name, o := range variants {
		o.BallastBytes = -1
		roots[name] = fmt.Sprint(runRandom(t, &o, seed, name != "never closed"))
	}
	for name, root := range roots {
		if root != roots["pebble"] {
			t.Errorf("seed %d: %s ends at %s, pebble at %s", seed, name, root, roots["pebble"])
		}
	}
}

// runRandom returns the head of a store after a fixed course of operations.
func runRandom(t *testing.T, o *Options, seed uint64, reopen bool) any {
	rng := rand.New(rand.NewPCG(seed, seed))
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	o.Random = rand.NewChaCha8([32]byte{byte(seed)})
	ctx, boom := context.Background(), errors.New("boom")
	model := map[string]string{}
	db := mustOpen(t, "/b", o)
	for range 120 {
		now = now.Add(time.Duration(rng.IntN(100)) * time.Millisecond)
		next := maps.Clone(model)
		var changes []Change
		fails := rng.IntN(8) == 0
		for n := 1 + rng.IntN(5); n > 0; n-- {
			var ops []func(*Tx) error
			for range rng.IntN(6) {
				k, v := fmt.Sprintf("%02d", rng.IntN(60)), fmt.Sprintf("%0*d", 1+rng.IntN(3000), rng.IntN(100))
				if rng.IntN(4) == 0 {
					delete(next, k)
					ops = append(ops, func(tx *Tx) error { return tx.Delete(Document.Key([]byte(k))) })
				} else {
					next[k] = v
					ops = append(ops, set(k, v))
				}
			}
			changes = append(changes, Change{change("put"), func(tx *Tx) error {
				for _, op := range ops {
					if err := op(tx); err != nil {
						return err
					}
				}
				if fails && n == 1 {
					return boom
				}
				return nil
			}})
		}
		_, err := db.UpdateAll(ctx, changes)
		if (err != nil) != fails || fails && !errors.Is(err, boom) {
			t.Fatalf("update: %v", err)
		}
		if !fails {
			model = next
		}
		if rng.IntN(20) == 0 && reopen {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = mustOpen(t, "/b", o)
		}
		var got []string
		s := db.Snapshot()
		lo, hi := Document.Range()
		if err := s.Scan(lo, hi, func(k, v []byte) (bool, error) {
			got = append(got, string(k[1:])+"="+string(v))
			return true, nil
		}); err != nil {
			t.Fatal(err)
		}
		s.Close()
		var want []string
		for _, k := range slices.Sorted(maps.Keys(model)) {
			want = append(want, k+"="+model[k])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("store and model differ: %d and %d keys", len(got), len(want))
		}
	}
	if _, err := db.Verify(ctx); err != nil {
		t.Error(err)
	}
	return db.Head()
}
