//go:build !unix

package store

import (
	"errors"
	"syscall"
)

// Windows opens the lock file for itself alone; a second opener gets a sharing
// violation.
const sharingViolation = syscall.Errno(32)

// lockTaken reports whether a lock failed because somebody has it.
func lockTaken(err error) bool { return errors.Is(err, sharingViolation) }

func isReadOnlyFS(err error) bool {
	const writeProtected = syscall.Errno(19)
	return errors.Is(err, writeProtected)
}
