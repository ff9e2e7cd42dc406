package store

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Names in a store directory, beside HEAD, FORMAT, LOCK, PID and BALLAST.
const (
	primaryName  = "primary"
	derivedName  = "derived"
	creatingName = "CREATING" // there while a store is being created
)

// Open opens the store in the directory dir, which must not be empty text, and
// creates one in a directory that is missing or empty. o may be nil.
//
// It changes nothing and returns ErrHeld at once when another opener has the
// directory; ErrFormat when it holds something else, or a newer store;
// ErrReadOnly when it cannot be written; ErrNetworkFS on a network file system.
// A store whose log and HEAD do not agree is opened with Options.ReadOnly only:
// otherwise it is ErrHeadMissing, ErrHeadDamaged or ErrRollback, and RepairHead
// is the way on. Damage that the engine finds is ErrCorrupt. Derived data that
// is damaged or missing is replaced by none; damage that is found only when it is
// read fails the store (Stats.Spoiled), and the next Open starts without it.
func Open(dir string, o *Options) (*DB, error) { return open(dir, o, false) }

// open is Open; with repair it goes on in spite of damage to HEAD.
func open(dir string, o *Options, repair bool) (*DB, error) {
	opt, err := o.fill()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, invalid.New("dir", "empty")
	}
	db := &DB{
		dir: dir, opt: opt, fs: opt.FS,
		latch: newLatch(opt.Log), gate: newGate(), closed: make(chan struct{}),
		space: &space{fs: opt.FS, dir: dir, floor: opt.MinFreeBytes},
	}
	db.states = &states{latch: db.latch, open: map[*core]struct{}{}}
	if err := db.openDir(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := db.openLocked(repair); err != nil {
		defer close(db.closed)
		closing := db.release(db.patience())
		if errors.Is(err, ErrCorrupt) && !errors.Is(closing, ErrAbandoned) {
			closing = nil // the same damage again, as a failure that leaves no write in doubt here
		}
		return nil, fmt.Errorf("open store: %w", errors.Join(err, closing))
	}
	return db, nil
}

// openDir makes sure that dir is, or may become, a store, and locks it.
func (db *DB) openDir() error {
	if _, err := db.inspect(); err != nil {
		return err
	}
	switch name, err := db.opt.network(existing(db.fs, db.dir)); {
	case err != nil:
		return err
	case name != "":
		return fmt.Errorf("%w: %s", ErrNetworkFS, name)
	}
	if !db.opt.ReadOnly {
		if err := makeDir(db.fs, db.dir); err != nil {
			if notWritable(err) {
				err = fmt.Errorf("%w: %w", ErrReadOnly, err)
			}
			return err
		}
	}
	var err error
	db.lock, err = lockDir(db.fs, db.dir, db.opt.ReadOnly)
	return err
}

// existing returns dir or the nearest directory above it that exists.
func existing(fs vfs.FS, dir string) string {
	for {
		parent := fs.PathDir(dir)
		if _, err := fs.Stat(dir); err == nil || parent == dir {
			return dir
		}
		dir = parent
	}
}

// inspect reports whether dir is a complete store. It changes nothing.
func (db *DB) inspect() (complete bool, err error) {
	switch f, err := readFormat(db.fs, db.dir); {
	case err == nil:
		return true, f.check(db.opt.ReadOnly)
	case !errors.Is(err, iofs.ErrNotExist):
		return false, err
	}
	names, err := db.fs.List(db.dir)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return false, fmt.Errorf("list directory: %w", err)
	}
	if db.opt.ReadOnly {
		return false, fmt.Errorf("%w: no store here", ErrFormat)
	}
	if slices.Contains(names, creatingName) {
		return false, nil // nothing was ever acknowledged
	}
	for _, name := range names {
		if name != lockName && name != pidName && !strings.HasPrefix(name, creatingName) && name != "lost+found" {
			return false, fmt.Errorf("%w: the directory has no FORMAT but has %q", ErrFormat, name)
		}
	}
	return false, nil
}

func (db *DB) openLocked(repair bool) error {
	complete, err := db.inspect()
	if err != nil {
		return err
	}
	if complete {
		err = db.load()
	} else {
		err = db.create()
	}
	if err != nil {
		return err
	}
	c, err := db.newCommitter()
	if err != nil {
		return err
	}
	db.committer = c
	inFile, slot, err := readHead(db.fs, db.fs.PathJoin(db.dir, headName))
	if err == nil {
		err = db.reconcile(c.head, inFile)
	}
	if err != nil && !damaged(err) {
		return err
	}
	if err != nil && !repair {
		if !db.opt.ReadOnly {
			return err
		}
		db.opt.Log.Warn("store is read-only", slog.Any("err", err))
	}
	db.damage = err
	if db.opt.ReadOnly {
		close(c.stopped)
		return nil
	}
	if repair {
		if err == nil {
			return invalid.New("dir", "HEAD and log agree, nothing to repair")
		}
		c.head.epoch = max(c.head.epoch, inFile.epoch) + 1
	}
	if err := db.openHeadFile(c, slot, inFile); err != nil {
		return err
	}
	if err := db.space.ballast(db.opt.BallastBytes, db.opt.DropBallast); err != nil {
		db.opt.Log.Warn("ballast file", slog.Any("err", err))
	}
	go c.loop()
	return nil
}

// openHeadFile opens HEAD and brings it up to the log, which may be ahead by
// what was committed since HEAD was last made durable.
func (db *DB) openHeadFile(c *committer, slot int64, inFile head) error {
	var err error
	if c.file, err = openHead(db.fs, db.fs.PathJoin(db.dir, headName), slot); err != nil {
		return err
	}
	if db.damage != nil {
		return syncDir(db.fs, db.dir) // the file may be new; RepairHead fills it
	}
	if c.head == inFile {
		return nil
	}
	if err := c.file.write(c.head); err != nil {
		return err
	}
	return c.file.sync()
}

func damaged(err error) bool {
	return errors.Is(err, ErrHeadMissing) || errors.Is(err, ErrHeadDamaged) || errors.Is(err, ErrRollback)
}

// reconcile compares the head of the log with HEAD.
func (db *DB) reconcile(log, file head) error {
	switch {
	case log.store != file.store:
		return fmt.Errorf("%w: the log is of store %s, HEAD of %s", ErrRollback, log.store, file.store)
	case log.epoch < file.epoch || log.seq < file.seq:
		return fmt.Errorf("%w: the log ends at epoch %d, seq %d, HEAD says %d, %d",
			ErrRollback, log.epoch, log.seq, file.epoch, file.seq)
	}
	tree, err := audit.NewTree(file.seq, hashes{db.published.Load()})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if tree.Head() != file.audit() {
		return fmt.Errorf("%w: at seq %d the log has another root than HEAD", ErrRollback, file.seq)
	}
	return nil
}

// newCommitter reads the end of the log.
func (db *DB) newCommitter() (*committer, error) {
	s, err := db.primary.Snapshot()
	if err != nil {
		return nil, err
	}
	db.published.Store(db.states.add(s, head{}))
	d, err := db.derived.Snapshot()
	if err != nil {
		return nil, err
	}
	db.derivedState.Store(db.states.add(d, head{}))

	encoded, err := s.Get([]byte(headKey))
	if errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("%w: primary data has no head", ErrRollback)
	}
	if err != nil {
		return nil, err
	}
	h, err := decodeHead(encoded)
	if err != nil {
		return nil, err
	}
	db.published.Load().head = h
	c := &committer{
		latch: db.latch, opt: &db.opt, space: db.space, engine: db.primary,
		states: db.states, state: &db.published, gate: db.gate, counters: &db.counters,
		queue: make(chan *request), stop: make(chan struct{}), stopped: make(chan struct{}),
		head: h, encoded: encoded, wall: time.UnixMicro(h.time),
		headTimer: time.NewTimer(headEvery),
	}
	c.headTimer.Stop()
	if c.tree, err = audit.NewTree(h.seq, hashes{s}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if c.tree.Head() != h.audit() {
		return nil, fmt.Errorf("%w: the tree of the log has another root than its head", ErrCorrupt)
	}
	if h.seq > 0 {
		leaf, err := s.Get(seqKey(AuditRow, h.seq))
		if err != nil {
			return nil, fmt.Errorf("%w: row %d: %w", ErrCorrupt, h.seq, err)
		}
		c.last = audit.LeafHash(leaf)
	}
	return c, nil
}
