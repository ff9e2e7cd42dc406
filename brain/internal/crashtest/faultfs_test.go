package crashtest

import (
	"io"
	"os"
	"path"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// op is one operation of a file system.
type op struct {
	kind string // name of the method
	path string
}

// file says what kind of file the operation is on.
func (o op) file() string {
	base := path.Base(o.path)
	switch {
	case o.kind == "SyncDir" || o.kind == "OpenDir":
		return "directory"
	case base == "HEAD" || strings.HasPrefix(base, "FORMAT") || strings.HasPrefix(base, "CREATING"):
		return strings.TrimSuffix(base, ".tmp")
	case base == "LOCK" || base == "PID" || base == "BALLAST":
		return base
	case strings.HasSuffix(base, ".log"):
		return "WAL"
	case strings.HasSuffix(base, ".sst"):
		return "SST"
	case strings.HasPrefix(base, "MANIFEST"):
		return "MANIFEST"
	case strings.HasPrefix(base, "OPTIONS") || strings.HasPrefix(base, "temporary"):
		return "OPTIONS"
	case strings.HasPrefix(base, "marker"):
		return "marker"
	}
	return "other"
}

// writes reports whether the operation can change what is on the disk.
func (o op) writes() bool {
	switch o.kind {
	case "Open", "OpenDir", "List", "Stat", "Read", "ReadAt", "FileStat":
		return false
	}
	return true
}

// allocates reports whether the operation can run out of space.
func (o op) allocates() bool {
	switch o.kind {
	case "Create", "Link", "OpenReadWrite", "ReuseForWrite", "Rename", "MkdirAll", "Lock", "Write", "WriteAt", "Preallocate":
		return true
	}
	return false
}

// fault is what goes wrong with an operation. The zero value is nothing.
type fault struct {
	err   error
	short bool // half of a write is done before err
}

// faultFS asks hook before every operation. The hook is safe for concurrent use.
type faultFS struct {
	vfs.FS
	hook func(op) fault
}

func (f *faultFS) ask(kind, name string) error { return f.hook(op{kind, name}).err }

func (f *faultFS) wrap(file vfs.File, name string, dir bool, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &faultFile{file, f, name, dir}, nil
}

func (f *faultFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.ask("Create", name); err != nil {
		return nil, err
	}
	file, err := f.FS.Create(name, c)
	return f.wrap(file, name, false, err)
}

func (f *faultFS) Link(old, new string) error {
	if err := f.ask("Link", new); err != nil {
		return err
	}
	return f.FS.Link(old, new)
}

func (f *faultFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := f.ask("Open", name); err != nil {
		return nil, err
	}
	file, err := f.FS.Open(name)
	return f.wrap(file, name, false, err)
}

func (f *faultFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := f.ask("OpenReadWrite", name); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenReadWrite(name, c)
	return f.wrap(file, name, false, err)
}

func (f *faultFS) OpenDir(name string) (vfs.File, error) {
	if err := f.ask("OpenDir", name); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenDir(name)
	return f.wrap(file, name, true, err)
}

func (f *faultFS) Remove(name string) error {
	if err := f.ask("Remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f *faultFS) RemoveAll(name string) error {
	if err := f.ask("RemoveAll", name); err != nil {
		return err
	}
	return f.FS.RemoveAll(name)
}

func (f *faultFS) Rename(old, new string) error {
	if err := f.ask("Rename", new); err != nil {
		return err
	}
	return f.FS.Rename(old, new)
}

func (f *faultFS) ReuseForWrite(old, new string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.ask("ReuseForWrite", new); err != nil {
		return nil, err
	}
	file, err := f.FS.ReuseForWrite(old, new, c)
	return f.wrap(file, new, false, err)
}

func (f *faultFS) MkdirAll(dir string, perm os.FileMode) error {
	if err := f.ask("MkdirAll", dir); err != nil {
		return err
	}
	return f.FS.MkdirAll(dir, perm)
}

func (f *faultFS) Lock(name string) (io.Closer, error) {
	if err := f.ask("Lock", name); err != nil {
		return nil, err
	}
	return f.FS.Lock(name)
}

func (f *faultFS) List(dir string) ([]string, error) {
	if err := f.ask("List", dir); err != nil {
		return nil, err
	}
	return f.FS.List(dir)
}

func (f *faultFS) Stat(name string) (vfs.FileInfo, error) {
	if err := f.ask("Stat", name); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

// Unwrap implements vfs.FS.
func (f *faultFS) Unwrap() vfs.FS { return f.FS }

type faultFile struct {
	vfs.File
	fs   *faultFS
	name string
	dir  bool
}

func (f *faultFile) Read(p []byte) (int, error) {
	if err := f.fs.ask("Read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fs.ask("ReadAt", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *faultFile) Write(p []byte) (int, error) {
	if ft := f.fs.hook(op{"Write", f.name}); ft.err != nil {
		n := 0
		if ft.short {
			n, _ = f.File.Write(p[:len(p)/2])
		}
		return n, ft.err
	}
	return f.File.Write(p)
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	if ft := f.fs.hook(op{"WriteAt", f.name}); ft.err != nil {
		n := 0
		if ft.short {
			n, _ = f.File.WriteAt(p[:len(p)/2], off)
		}
		return n, ft.err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultFile) Stat() (vfs.FileInfo, error) {
	if err := f.fs.ask("FileStat", f.name); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *faultFile) Preallocate(off, n int64) error {
	if err := f.fs.ask("Preallocate", f.name); err != nil {
		return err
	}
	return f.File.Preallocate(off, n)
}

func (f *faultFile) Sync() error {
	kind := "Sync"
	if f.dir {
		kind = "SyncDir"
	}
	if err := f.fs.ask(kind, f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultFile) SyncData() error {
	if err := f.fs.ask("SyncData", f.name); err != nil {
		return err
	}
	return f.File.SyncData()
}

func (f *faultFile) SyncTo(n int64) (bool, error) {
	if err := f.fs.ask("SyncTo", f.name); err != nil {
		return false, err
	}
	return f.File.SyncTo(n)
}
