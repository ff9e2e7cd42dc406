// Package store keeps a brain on disk: an ordered map of primary data that
// changes only together with rows of the audit log, an ordered map of derived
// data beside it, and the HEAD file that notices when either the disk or a
// person takes acknowledged rows away.
//
// There is one writer and any number of readers. Update is the only door to
// primary data, Derive the only one to derived data. Callers of Update that
// arrive together share one sync. Readers hold snapshots and see only what is
// durable.
//
// What the store does not do: it knows no document, no right and no index; it
// does not make or sign checkpoints; it does not repair what the engine calls
// damaged.
//
// # Files
//
//	FORMAT     format of the store, written last at creation, never changed
//	HEAD       newest head in two slots, see headfile.go
//	primary/   engine of primary data and of the log
//	derived/   engine of derived data; may be deleted while the store is closed
//	LOCK, PID  kernel lock, and the text that names its holder
//	BALLAST    disk space to give up when the disk is full
//	CREATING   there while the store is being created
//
// # Failure
//
// An engine that fails, on any goroutine, latches the store as failed, for good.
// Every acknowledgement looks at the latch first and every wait for an engine
// also waits for it, because an engine that has failed may report success later
// or never return. Writes that were under way get ErrStoreFailed. Reads go on at
// the last published snapshot. The way on is to close and open again.
//
// # Lock order
//
// Few locks, none held while calling out, except the first:
//
//	DB.deriving > states.mu
//	DB.deriving > latch.mu
//	watch.mu, Memory.mu, headFile.mu, states.mu and latch.mu are leaves, but
//	headFile.mu is held while the file is written, and states.closeAll holds
//	states.mu while it closes states of the engines.
//
// The committer's own state belongs to its goroutine and has no lock. A
// goroutine is owned by the DB and ends in Close, except those that wait for an
// engine that has failed.
package store
