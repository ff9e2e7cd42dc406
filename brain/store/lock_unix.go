//go:build unix

package store

import (
	"errors"
	iofs "io/fs"
	"strings"
	"syscall"
)

// lockTaken reports whether a lock failed because somebody has it. fcntl says
// EAGAIN or EACCES without a path; errors of opening the file have one. Within
// one process Pebble's own table answers, with text alone.
func lockTaken(err error) bool {
	var path *iofs.PathError
	if errors.As(err, &path) {
		return false
	}
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) ||
		strings.Contains(err.Error(), "lock held by current process")
}

func isReadOnlyFS(err error) bool { return errors.Is(err, syscall.EROFS) }
