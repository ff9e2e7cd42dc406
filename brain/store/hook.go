package store

import "time"

// Hook is told of every committed row.
type Hook interface {
	// Committed is called once per row, in Seq order, after the commit is
	// durable and before its caller is answered or any reader sees it. It holds
	// up all writers: it is quick and does no I/O. A write from inside is
	// ErrReentrant; a panic fails the store.
	Committed(Commit)
}

// Commit is one committed row.
type Commit struct {
	Seq  uint64
	Time time.Time

	// Keys of the primary data that the change wrote or deleted, sorted. They
	// are the hook's to keep.
	Keys [][]byte

	// Snapshot is the state after the group that the row was committed with,
	// which may be later than Seq. It is closed after the call: a hook that
	// keeps it calls Retain and closes what that returns.
	Snapshot *Snapshot
}
