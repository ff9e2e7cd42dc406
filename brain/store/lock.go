package store

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	lockName = "LOCK"
	pidName  = "PID"
)

// dirLock is the kernel's lock on a store directory. The pid beside it is only
// text for whoever finds the lock taken; nothing is decided by it.
type dirLock struct {
	fs   vfs.FS
	pid  string // name of the pid file, "" when there is none
	lock io.Closer
}

// lockDir takes the lock or returns ErrHeld at once. A reader goes without one
// where it cannot be taken because the directory cannot be written: then there
// is no writer either.
func lockDir(fs vfs.FS, dir string, readOnly bool) (*dirLock, error) {
	pid := fs.PathJoin(dir, pidName)
	lock, err := fs.Lock(fs.PathJoin(dir, lockName))
	var path *iofs.PathError
	switch {
	case err == nil:
	case notWritable(err) && errors.As(err, &path):
		if readOnly {
			return &dirLock{fs: fs}, nil
		}
		return nil, fmt.Errorf("%w: %w", ErrReadOnly, err)
	case lockTaken(err):
		return nil, fmt.Errorf("%w by %s", ErrHeld, holder(fs, pid))
	default:
		return nil, fmt.Errorf("lock: %w", err)
	}
	l := &dirLock{fs: fs, lock: lock}
	if f, err := fs.Create(pid, vfs.WriteCategoryUnspecified); err == nil {
		_, err = io.WriteString(f, strconv.Itoa(os.Getpid())+"\n")
		if errors.Join(err, f.Close()) == nil {
			l.pid = pid
		}
	}
	return l, nil
}

// unlock gives the lock back.
func (l *dirLock) unlock() error {
	if l.lock == nil {
		return nil
	}
	if l.pid != "" {
		_ = l.fs.Remove(l.pid) // a left pid says nothing once the lock is free
	}
	return l.lock.Close()
}

// holder says who holds the lock.
func holder(fs vfs.FS, name string) string {
	f, err := fs.Open(name)
	if err != nil {
		return "another process"
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 20))
	pid, bad := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || bad != nil {
		return "another process"
	}
	return fmt.Sprintf("pid %d", pid)
}

func notWritable(err error) bool {
	return errors.Is(err, iofs.ErrPermission) || isReadOnlyFS(err)
}
