package recall

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// Load builds the index from the store, replacing what it held, and follows the
// store from then on. Revisions are taken in order of their commits, so the
// result equals an index that grew with them. Vectors that the store holds for
// this model are used; the others are made and saved, unless the store takes no
// writes. No commit that changes a document may run meanwhile: call it before
// the store is handed out, or from the one place that rebuilds.
func (ix *Index) Load(ctx context.Context, db *store.DB) error {
	ix.saver.mu.Lock()
	defer ix.saver.mu.Unlock()
	snap := db.Snapshot()
	defer snap.Close()
	var revs []document.Revision
	if err := document.All(snap, func(r document.Revision) (bool, error) {
		revs = append(revs, r)
		return true, ctx.Err()
	}); err != nil {
		return err
	}
	slices.SortStableFunc(revs, func(a, b document.Revision) int { return cmp.Compare(a.Seq, b.Seq) })
	v, err := ix.restored(db, revs)
	if err != nil {
		return err
	}
	if err := ix.loadAll(ctx, db, snap, &v, revs[len(v.docs):]); err != nil {
		return err
	}
	for _, p := range v.order {
		if err := p.settle(ctx, ix.work); err != nil {
			return err
		}
		p.publish()
	}
	v.db = db
	last := db.Snapshot() // later than snap when vectors were saved in a row
	defer last.Close()
	v.pin(last, last.Seq())
	ix.mu.Lock()
	old := ix.view.snap
	if old != nil && ix.view.seq > v.seq {
		v.pin(old, ix.view.seq) // the hook was here since, for rows that change no document
	}
	ix.view = v
	ix.scopes.clear()
	ix.mu.Unlock()
	if old != nil {
		old.Close()
	}
	return nil
}

// restored returns a view of what the checkpoint holds, an empty one when there
// is none or it is of no use.
func (ix *Index) restored(db *store.DB, revs []document.Revision) (view, error) {
	v, err := ix.empty()
	if err != nil {
		return v, err
	}
	derived := db.Derived()
	defer derived.Close()
	s, err := ix.restore(derived, &v, revs)
	if err != nil {
		ix.opt.Log.Warn("the kept index is of no use and is made again", "error", err)
		s = stamp{}
		v, err = ix.empty()
	}
	ix.saver.read(s, &v)
	return v, err
}

// loadBatch is how many revisions are prepared, added and saved together.
const loadBatch = 256

func (ix *Index) loadAll(ctx context.Context, db *store.DB, snap *store.Snapshot, v *view, revs []document.Revision) error {
	vectors := storedVectors{snap}
	if !ix.embed.primary {
		derived := db.Derived()
		defer derived.Close()
		vectors.r = derived
	}
	made := make([]*prepared, loadBatch)
	for done := 0; done < len(revs); done += loadBatch {
		batch := revs[done:min(done+loadBatch, len(revs))]
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i, rev := range batch {
			g.Go(func() (err error) {
				made[i], err = ix.reprepare(gctx, snap, rev, vectors)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		err := ix.save(ctx, db, made[:len(batch)])
		if err != nil && !errors.Is(err, store.ErrReadOnly) && !errors.Is(err, store.ErrFull) {
			return err
		}
		for i, rev := range batch {
			if err := v.put(rev, made[i]); err != nil {
				return err
			}
		}
		if ix.opt.Progress != nil {
			ix.opt.Progress(done+len(batch), len(revs))
		}
	}
	return nil
}

// save keeps the vectors that the store does not hold yet: as derived data, or
// as primary data in a row of the library's own when they cannot be made again.
func (ix *Index) save(ctx context.Context, db *store.DB, made []*prepared) error {
	fresh := slices.DeleteFunc(slices.Clone(made), func(p *prepared) bool { return !p.fresh() })
	if len(fresh) == 0 {
		return nil
	}
	write := func(tx vectorWriter) error {
		for _, p := range fresh {
			if err := ix.embed.save(tx, p); err != nil {
				return err
			}
		}
		return nil
	}
	if ix.embed.primary {
		self := policy.Actor{ID: "brain", Kind: policy.System}
		ev := store.Event{Actor: self.String(), Op: "embed", Class: audit.Change, Body: event.Body{Count: uint64(len(fresh))}.Bytes()}
		_, err := db.Update(ctx, ev, func(tx *store.Tx) error { return write(tx) })
		return err
	}
	return db.Derive(ctx, func(tx *store.DeriveTx) error { return write(tx) })
}

// Save keeps the vectors of committed drafts, so that the next Load does not
// make them again. It is not needed for a search, and losing it loses no data.
func (ix *Index) Save(ctx context.Context, db *store.DB, drafts ...*Prepared) error {
	if ix.embed.primary {
		return nil // Write has kept them
	}
	made := make([]*prepared, 0, len(drafts))
	for _, d := range drafts {
		made = append(made, d.made)
	}
	return ix.save(ctx, db, made)
}

// Drop removes everything that an index keeps in the store and that can be made
// again: vectors of every model, and the checkpoint. The next Load makes it.
func (ix *Index) Drop(ctx context.Context, db *store.DB) error {
	ix.saver.mu.Lock()
	defer ix.saver.mu.Unlock()
	ix.saver.read(stamp{}, nil)
	return drop(ctx, db, store.Stamp, store.Page, store.Vector)
}

// drop removes all keys of prefixes, one prefix after the other.
func drop(ctx context.Context, db *store.DB, prefixes ...store.Prefix) error {
	for _, p := range prefixes {
		if err := dropPrefix(ctx, db, p); err != nil {
			return err
		}
	}
	return nil
}

func dropPrefix(ctx context.Context, db *store.DB, p store.Prefix) error {
	for {
		var keys [][]byte
		derived := db.Derived()
		lo, hi := p.Range()
		err := derived.Scan(lo, hi, func(k, _ []byte) (bool, error) {
			keys = append(keys, slices.Clone(k))
			return len(keys) < dropBatch, ctx.Err()
		})
		derived.Close()
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := db.Derive(ctx, func(tx *store.DeriveTx) error {
			for _, k := range keys {
				if err := tx.Delete(k); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
}

// dropBatch is how many keys are removed together.
const dropBatch = 10_000
