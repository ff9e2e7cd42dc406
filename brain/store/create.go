package store

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"log/slog"
	"sync/atomic"
	"syscall"

	"github.com/seed70401ef0/brain-go/brain/audit"
)

// create makes a new store in the locked directory. The file CREATING says
// until the end that nothing in the directory was ever acknowledged, so that a
// creation that was cut short can be begun again, and a store that lost its
// FORMAT is not mistaken for one.
func (db *DB) create() error {
	if err := db.space.check(); err != nil {
		return err // rather than leave an empty store that takes no first write
	}
	if err := writeFile(db.fs, db.dir, creatingName, nil); err != nil {
		return err
	}
	for _, name := range []string{primaryName, derivedName, headName} {
		err := db.fs.RemoveAll(db.fs.PathJoin(db.dir, name))
		if err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return fmt.Errorf("remove %s of an unfinished store: %w", name, err)
		}
	}
	h := head{epoch: 1, root: audit.EmptyHead().Root, time: max(db.opt.Now().UnixMicro(), 0)}
	h.prev = h.root
	for h.store == (audit.StoreID{}) {
		if _, err := io.ReadFull(db.opt.Random, h.store[:]); err != nil {
			return fmt.Errorf("store id: %w", err)
		}
	}
	var err error
	if db.primary, err = db.openEngine(primaryName, db.opt.Primary, true); err != nil {
		return err
	}
	if db.derived, err = db.openEngine(derivedName, db.opt.Derived, true); err != nil {
		return err
	}
	if err := db.latch.await(func() error {
		return db.primary.Apply(&Batch{
			Ops:     []Op{{Key: []byte(headKey), Value: h.encode()}},
			HeadKey: []byte(headKey), Sync: true,
		})
	}); err != nil {
		return err
	}
	hf, err := openHead(db.fs, db.fs.PathJoin(db.dir, headName), 1)
	if err != nil {
		return err
	}
	if err := errors.Join(hf.write(h), hf.sync(), hf.close()); err != nil {
		return err
	}
	if err := syncDir(db.fs, db.dir); err != nil {
		return err // FORMAT must not be there before everything else is
	}
	f := format{Format: formatVersion, OldestReader: formatVersion, Features: []string{}}
	if err := writeFile(db.fs, db.dir, formatName, f.encode()); err != nil {
		return err
	}
	return db.created()
}

// created removes the mark of an unfinished creation, if there is one.
func (db *DB) created() error {
	name := db.fs.PathJoin(db.dir, creatingName)
	if _, err := db.fs.Stat(name); err != nil {
		return nil
	}
	if err := db.fs.Remove(name); err != nil {
		return fmt.Errorf("remove %s: %w", creatingName, err)
	}
	return syncDir(db.fs, db.dir)
}

// load opens the engines of a complete store.
func (db *DB) load() error {
	var err error
	if db.primary, err = db.openEngine(primaryName, db.opt.Primary, false); err != nil {
		return err
	}
	if !db.opt.ReadOnly {
		if err := db.created(); err != nil {
			return err
		}
	}
	if !db.opt.DropDerived {
		db.derived, err = db.openEngine(derivedName, db.opt.Derived, false)
		if err == nil || !errors.Is(err, ErrCorrupt) {
			return err
		}
		db.opt.Log.Warn("derived data is dropped", slog.Any("err", err))
	}
	if db.opt.ReadOnly {
		db.derived, err = db.openEngine(derivedName, new(Memory).Open(), true)
		return err
	}
	if err := db.fs.RemoveAll(db.fs.PathJoin(db.dir, derivedName)); err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return fmt.Errorf("remove derived data: %w", err)
	}
	db.derived, err = db.openEngine(derivedName, db.opt.Derived, true)
	return err
}

// openEngine opens one of the two engines, without waiting for one that fails
// while it opens.
func (db *DB) openEngine(name string, open OpenEngine, create bool) (Engine, error) {
	var (
		e      Engine
		opened atomic.Bool
		full   atomic.Pointer[error]
		probe  = newLatch(db.opt.Log) // derived data that does not open is no failure of the store
	)
	err := probe.await(func() (err error) {
		e, err = open(db.fs.PathJoin(db.dir, name), EngineOptions{
			FS:            db.fs,
			CacheBytes:    db.opt.CacheBytes / 2,
			MemTableBytes: db.opt.MemTableBytes,
			ReadOnly:      db.opt.ReadOnly,
			CloseGrace:    db.opt.CloseGrace,
			Create:        create,
			Fail: func(err error) {
				err = fmt.Errorf("%s engine: %w", name, err)
				if errors.Is(err, syscall.ENOSPC) {
					full.CompareAndSwap(nil, &err)
				}
				if probe.fail(err); opened.Load() {
					db.fail(name, err)
				}
			},
			Log: func(text string) {
				db.opt.Log.Warn("engine", slog.String("engine", name), slog.String("text", text))
			},
		})
		if failure := probe.failed(); failure != nil && e != nil {
			err = errors.Join(failure, e.Close())
		}
		return err
	})
	if cause := full.Load(); err != nil && cause != nil && !errors.Is(err, ErrAbandoned) {
		return nil, fmt.Errorf("%w: %w", ErrFull, *cause) // nothing was being written but the engine's own files
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	opened.Store(true)
	if err := probe.failed(); err != nil {
		db.fail(name, err) // between the two
	}
	return e, nil
}

// fail is the end of an engine that was open.
func (db *DB) fail(name string, err error) {
	if name == derivedName && errors.Is(err, ErrCorrupt) {
		db.spoiled.Store(true)
	}
	db.latch.fail(err)
}
