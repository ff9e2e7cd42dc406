package store

import (
	"errors"
	"io"
	iofs "io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fence is the file system of one Pebble engine. It keeps four things from the
// process and its data:
//
// Pebble (v2.1.7) rotates its log with its mutex released and panics there on
// any error. The mutex is then unlocked twice on the way out, which ends the
// process whatever one recovers. The same happens on Goexit. So an error that is
// about to be returned into a rotation fails the store instead, and its
// goroutine stays here for good.
//
// It also panics, on a goroutine of its own, when the sync of a directory fails
// while it moves a marker (vfs/atomicfs). So no such error is ever returned.
//
// Its markers are not safe against a power loss on file systems that keep the
// entries of a directory in another order than they were made: see settle.
//
// An engine that is left behind like this must not write any more when the
// directory is opened again: cut makes every later change stay here, too.
type fence struct {
	vfs.FS
	changes *gate // operations that change the disk, shut by cut
	report  func(error)
	once    sync.Once
	failed  chan struct{} // closed by fail
	opening atomic.Bool   // Pebble's Open has not returned
	stopped sync.Once     // shuts changes
	held    atomic.Bool   // the engine was stopped and cannot close
}

func newFence(fs vfs.FS, report func(error)) *fence {
	return &fence{FS: fs, changes: newGate(), report: report, failed: make(chan struct{})}
}

// fail notes that the engine has failed, and reports it. One that still opens is
// stopped: nobody has it yet who could close it.
func (f *fence) fail(err error) {
	if f.opening.Load() {
		f.stop(err)
		return
	}
	f.once.Do(func() { close(f.failed) })
	f.report(err)
}

// stop fails the engine and lets no later change through. Pebble retries a
// failed flush in a loop that takes a whole processor; here it comes to rest.
func (f *fence) stop(err error) {
	f.stopped.Do(f.changes.shut)
	f.held.Store(true)
	f.once.Do(func() { close(f.failed) })
	f.report(err)
}

// rotation is the function of Pebble that must not see an error. A test fails,
// with the whole process, when Pebble renames it.
const rotation = "pebble/v2.(*DB).rotateWAL"

// change runs an operation that changes the disk, unless the engine is cut off.
func (f *fence) change(op func() error) error {
	if !f.changes.enter() {
		select {}
	}
	err := op()
	f.changes.leave()
	return err
}

// guard is called with an error of the log that is about to be returned. It
// does not return into a rotation.
func (f *fence) guard(err error) {
	if err == nil || !below(rotation) {
		return
	}
	f.hold(err)
}

// hold stops the engine and does not return.
func (f *fence) hold(err error) {
	f.stop(err)
	select {}
}

// below reports whether a function whose name ends in name is on the stack.
func below(name string) bool {
	var pcs [64]uintptr
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.HasSuffix(f.Function, name) {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// cut lets no further change through and waits for those under way.
func (f *fence) cut() {
	f.stopped.Do(f.changes.shut)
	<-f.changes.idle
}

// make runs an operation that returns a new file, and wraps the file.
func (f *fence) make(name string, op func() (vfs.File, error)) (file vfs.File, err error) {
	err = f.change(func() error {
		file, err = op()
		return err
	})
	if strings.HasSuffix(name, ".log") {
		f.guard(err)
	}
	if err != nil {
		return nil, err
	}
	return &fencedFile{File: file, f: f, log: strings.HasSuffix(name, ".log")}, nil
}

// Lock implements vfs.FS. It locks nothing: the store holds the lock of the
// whole directory, and a read-only directory could take none.
func (f *fence) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// Create implements vfs.FS.
func (f *fence) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.settle(name); err != nil {
		return nil, err
	}
	return f.make(name, func() (vfs.File, error) { return f.FS.Create(name, c) })
}

// ReuseForWrite implements vfs.FS.
func (f *fence) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.make(name, func() (vfs.File, error) { return f.FS.ReuseForWrite(old, name, c) })
}

// OpenReadWrite implements vfs.FS.
func (f *fence) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return f.make(name, func() (vfs.File, error) { return f.FS.OpenReadWrite(name, c, o...) })
}

// OpenDir implements vfs.FS. A rotation syncs the directory.
func (f *fence) OpenDir(name string) (vfs.File, error) {
	d, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &fencedFile{File: d, f: f, log: true, dir: true}, nil
}

// settle makes the entries of a directory durable before a marker in it is made
// or removed. Pebble makes a manifest, then the marker that names it, removes
// the marker before, and only then syncs the directory: a power loss in between
// may keep a marker without its manifest, or no marker.
func (f *fence) settle(name string) error {
	if !strings.HasPrefix(f.PathBase(name), "marker.") {
		return nil
	}
	d, err := f.OpenDir(f.PathDir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Link implements vfs.FS.
func (f *fence) Link(old, name string) error {
	return f.change(func() error { return f.FS.Link(old, name) })
}

// Remove implements vfs.FS.
func (f *fence) Remove(name string) error {
	if err := f.settle(name); err != nil {
		return err
	}
	return f.change(func() error { return f.FS.Remove(name) })
}

// RemoveAll implements vfs.FS.
func (f *fence) RemoveAll(name string) error {
	return f.change(func() error { return f.FS.RemoveAll(name) })
}

// Rename implements vfs.FS.
func (f *fence) Rename(old, name string) error {
	return f.change(func() error { return f.FS.Rename(old, name) })
}

// MkdirAll implements vfs.FS.
func (f *fence) MkdirAll(dir string, perm iofs.FileMode) error {
	return f.change(func() error { return f.FS.MkdirAll(dir, perm) })
}

// Unwrap implements vfs.FS.
func (f *fence) Unwrap() vfs.FS { return f.FS }

// fencedFile is a file that is written, or a directory.
type fencedFile struct {
	vfs.File
	f   *fence
	log bool         // errors may reach a rotation
	dir bool         // a directory
	bad atomic.Value // first error of a log, which its Close brings up again
}

func (w *fencedFile) change(op func() error) error {
	err := w.f.change(op)
	if err != nil && w.log {
		w.bad.CompareAndSwap(nil, failure{err})
		w.f.guard(err)
	}
	return err
}

// failure makes errors of any type fit into one atomic.Value.
type failure struct{ error }

// Write implements vfs.File.
func (w *fencedFile) Write(p []byte) (n int, err error) {
	err = w.change(func() error { n, err = w.File.Write(p); return err })
	return n, err
}

// WriteAt implements vfs.File.
func (w *fencedFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = w.change(func() error { n, err = w.File.WriteAt(p, off); return err })
	return n, err
}

// Preallocate implements vfs.File.
func (w *fencedFile) Preallocate(off, n int64) error {
	return w.change(func() error { return w.File.Preallocate(off, n) })
}

// Sync implements vfs.File. An error of a directory is not returned at all:
// Pebble panics on it while it moves a marker, on a goroutine of its own.
func (w *fencedFile) Sync() error {
	err := w.change(w.File.Sync)
	if err != nil && w.dir {
		w.f.hold(err)
	}
	return err
}

// SyncData implements vfs.File.
func (w *fencedFile) SyncData() error { return w.change(w.File.SyncData) }

// SyncTo implements vfs.File.
func (w *fencedFile) SyncTo(n int64) (full bool, err error) {
	err = w.change(func() error { full, err = w.File.SyncTo(n); return err })
	return full, err
}

// Stat implements vfs.File; a rotation asks for the size of a log that it uses
// again.
func (w *fencedFile) Stat() (vfs.FileInfo, error) {
	fi, err := w.File.Stat()
	if err != nil && w.log {
		w.f.guard(err)
	}
	return fi, err
}

// Close implements vfs.File. An error that a log has had on another goroutine is
// what its writer is about to return.
func (w *fencedFile) Close() error {
	err := w.File.Close()
	if bad, ok := w.bad.Load().(failure); ok {
		w.f.guard(bad.error)
	}
	if err != nil && w.log {
		w.f.guard(err)
	}
	return err
}
