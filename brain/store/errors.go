package store

import (
	"errors"

	"github.com/seed70401ef0/brain-go/brain/internal/codec"
)

// Sentinels of the store. Bad arguments are *invalid.Error instead.
var (
	// ErrNotFound is returned by Get for a key without a value.
	ErrNotFound = errors.New("key not found")

	// ErrClosed is returned by every call after Close has begun.
	ErrClosed = errors.New("store is closed")

	// ErrStoreFailed is returned by writes once the engine has failed. The
	// outcome of the write is unknown: compare its receipt after reopening.
	// Reads go on at the last published snapshot.
	ErrStoreFailed = errors.New("store has failed, the outcome of the write is unknown")

	// ErrReentrant is returned for a write or Close from inside the function
	// of an Update or from inside a hook.
	ErrReentrant = errors.New("store called from inside its own commit")

	// ErrReadOnly is returned for a write to a store that is open read-only,
	// and by Open for a directory that cannot be written.
	ErrReadOnly = errors.New("store is read-only")

	// ErrHeadDamaged is returned by Open when neither slot of HEAD is valid.
	ErrHeadDamaged = errors.New("HEAD is damaged")

	// ErrHeadMissing is returned by Open when a store has no HEAD file.
	ErrHeadMissing = errors.New("HEAD is missing")

	// ErrRollback is returned by Open when the log is behind HEAD or is
	// another log than the one HEAD names.
	ErrRollback = errors.New("log does not reach HEAD")

	// ErrHeld is returned by Open when another opener holds the directory.
	ErrHeld = errors.New("store is held")

	// ErrFormat is returned by Open for a directory that is not a store of a
	// format that this program writes.
	ErrFormat = errors.New("not a store of a known format")

	// ErrFull is returned by writes while free space is below the floor:
	// nothing was changed and reads keep working. Open returns it for a new
	// store then, and for any store when the disk is full to the last byte.
	ErrFull = errors.New("not enough free space")

	// ErrNetworkFS is returned by Open for a directory on a network file
	// system: neither its locks nor its syncs can be relied on.
	ErrNetworkFS = errors.New("network file system")

	// ErrCorrupt is returned for stored bytes that are not what was written.
	ErrCorrupt = codec.ErrCorrupt
)
