package crashtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/seed70401ef0/brain-go/brain/store"
)

// patience bounds every wait: a call that takes longer hangs. It is long because
// the engine looks for a flipped bit in a torn log by trying them all, which takes
// a second or two of processor time for a full block.
const patience = 120 * time.Second

// dir is where the store is on a file system in memory.
const dir = "/data/brain"

// driver runs the actions of a workload on a store and tells the oracle what was
// answered.
type driver struct {
	o    *oracle
	opt  func() *store.Options
	db   *store.DB
	last int // highest number that was started
}

// options returns small options, so that everything happens often. What they
// leave open is decided by seed.
func options(fs vfs.FS, seed uint64) func() *store.Options {
	var clock atomic.Int64
	clock.Store(1_764_547_200_000)
	var key [32]byte
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range key {
		key[i] = byte(r.Uint32())
	}
	headSync := r.IntN(2) == 0
	random := rand.NewChaCha8(key)
	return func() *store.Options {
		return &store.Options{
			FS: fs, HeadSync: headSync, CacheBytes: 128 << 10, MemTableBytes: 64 << 10, BallastBytes: -1,
			CloseGrace: 100 * time.Millisecond,
			Now:        func() time.Time { return time.UnixMilli(clock.Add(1)) },
			Random:     random,
		}
	}
}

func (d *driver) open() error {
	db, err := bounded("Open", func() (*store.DB, error) { return store.Open(dir, d.opt()) })
	if err != nil {
		return err
	}
	d.db = db
	return nil
}

func (d *driver) close() error {
	db := d.db
	d.db = nil
	if db == nil {
		return nil
	}
	_, err := bounded("Close", func() (struct{}, error) { return struct{}{}, db.Close() })
	return err
}

// bounded calls fn and panics, with all stacks, when it does not return.
func bounded[T any](name string, fn func() (T, error)) (T, error) {
	t := time.AfterFunc(patience, func() { panic(name + " hangs") })
	defer t.Stop()
	return fn()
}

// run executes actions until stop reports true. It returns the first answer
// that a sound store does not give.
func (d *driver) run(actions []action, stop func() bool) error {
	for _, a := range actions {
		if stop() {
			return nil
		}
		if err := d.act(a); err != nil {
			return fmt.Errorf("%s: %w", a.kind, err)
		}
	}
	return nil
}

func (d *driver) act(a action) error {
	for _, c := range a.changes {
		d.last = max(d.last, c.id)
	}
	switch a.kind {
	case "update":
		return d.update(a.changes[0])
	case "all":
		return d.all(a.changes)
	case "burst":
		var wg sync.WaitGroup
		errs := make([]error, len(a.changes))
		for i, c := range a.changes {
			wg.Go(func() { errs[i] = d.update(c) })
		}
		wg.Wait()
		return errors.Join(errs...)
	case "derive":
		_, err := bounded("Derive", func() (struct{}, error) {
			return struct{}{}, d.db.Derive(context.Background(), func(tx *store.DeriveTx) error {
				val := []byte(strconv.Itoa(a.n))
				return errors.Join(tx.Set(store.Stamp.Key([]byte("left")), val),
					tx.Set(store.Vector.Key(val), make([]byte, 300)),
					tx.Set(store.Stamp.Key([]byte("right")), val))
			})
		})
		return err
	case "reopen":
		if err := d.close(); err != nil {
			return err
		}
		return d.open()
	}
	panic("unknown action " + a.kind)
}

func (d *driver) update(c change) error {
	r, err := bounded("Update", func() (r store.Receipt, err error) {
		defer func() {
			switch v := recover(); {
			case v == nil:
			case c.fails == "panic" && v == any(errOnPurpose):
				err = errOnPurpose
			default:
				panic(v)
			}
		}()
		call := c.call()
		return d.db.Update(context.Background(), call.Event, call.Fn)
	})
	return d.answered([]change{c}, []store.Receipt{r}, err)
}

func (d *driver) all(cs []change) error {
	var calls []store.Change
	for _, c := range cs {
		calls = append(calls, c.call())
	}
	rs, err := bounded("UpdateAll", func() ([]store.Receipt, error) {
		return d.db.UpdateAll(context.Background(), calls)
	})
	return d.answered(cs, rs, err)
}

func (d *driver) answered(cs []change, rs []store.Receipt, err error) error {
	fails := false
	for _, c := range cs {
		fails = fails || c.fails != ""
	}
	switch {
	case err == nil && fails:
		return wrong("a failing function was acknowledged")
	case err == nil && len(rs) != len(cs):
		return wrong("%d receipts for %d changes", len(rs), len(cs))
	case err == nil:
		for i, c := range cs {
			d.o.ack(c.id, rs[i])
		}
	case errors.Is(err, store.ErrStoreFailed): // outcome unknown
		return err
	case fails && errors.Is(err, errOnPurpose):
		return nil
	default:
		for _, c := range cs {
			d.o.refuse(c.id)
		}
	}
	return err
}

// isViolation reports whether err says that a promise was broken, as opposed to
// an error that a fault explains.
func isViolation(err error) bool {
	var v *violation
	return errors.As(err, &v)
}

// replay is the command that runs one seed again.
func replay(t *testing.T, seed uint64) string {
	return fmt.Sprintf("go test ./brain/internal/crashtest -run '^%s$' -crash.seed=%d", t.Name(), seed)
}
