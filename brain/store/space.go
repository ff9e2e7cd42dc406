package store

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"runtime"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const ballastName = "BALLAST"

// space watches the free space of the disk that a store is on.
type space struct {
	fs    vfs.FS
	dir   string
	floor int64 // negative: none
}

// free returns the free bytes; ok is false where the file system does not say.
func (s *space) free() (n int64, ok bool, err error) {
	u, err := s.fs.GetDiskUsage(s.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("free space: %w", err)
	}
	return int64(min(u.AvailBytes, 1<<62)), true, nil
}

// check returns ErrFull when a write must be refused.
func (s *space) check() error {
	if s.floor < 0 {
		return nil
	}
	n, ok, err := s.free()
	if err == nil && ok && n < s.floor {
		err = fmt.Errorf("%w: %d bytes left, writes need %d", ErrFull, n, s.floor)
	}
	return err
}

// ballast makes the ballast file, or removes it when size is negative or drop
// is set. It is made only where it leaves the store above its floor. The file
// is a convenience: an error is for the log.
func (s *space) ballast(size int64, drop bool) error {
	name := s.fs.PathJoin(s.dir, ballastName)
	_, err := s.fs.Stat(name)
	exists := err == nil
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return fmt.Errorf("ballast: %w", err)
	}
	if size < 0 || drop {
		if !exists {
			return nil
		}
		return s.fs.Remove(name)
	}
	if exists {
		return nil
	}
	if n, ok, err := s.free(); err != nil || !ok || n < size+max(s.floor, 0) {
		return err
	}
	f, err := s.fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("ballast: %w", err)
	}
	if err := errors.Join(fillBallast(f, size), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("ballast: %w", err), s.fs.Remove(name))
	}
	return nil
}

// fillBallast takes size bytes of disk: at once where the system reserves space
// (Linux), else by writing zeros.
func fillBallast(f vfs.File, size int64) error {
	if runtime.GOOS == "linux" {
		if err := f.Preallocate(0, size); err == nil {
			_, err = f.Write([]byte("Takes space to be given up when the disk is full. Safe to delete.\n"))
			return err
		}
	}
	zeros := make([]byte, 1<<20)
	for ; size > 0; size -= int64(len(zeros)) {
		// A file may change what it is given to write; zeros written back to
		// zeros stay zeros or do not matter.
		if _, err := f.Write(zeros[:min(size, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	return nil
}
