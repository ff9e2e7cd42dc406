package store

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// watch is Pebble's logger and event listener. It turns every way in which
// Pebble gives up into one call of fail.
//
// Pebble's contract is that Fatalf does not return. Exiting would end the host;
// returning makes a failed commit return nil, a false acknowledgement. So the
// goroutine ends here and those who wait for it are told by the latch.
type watch struct {
	fs  *fence
	log func(string)

	mu      sync.Mutex
	stalled bool  // writes wait for a flush
	bad     error // last flush or compaction failed with this
	tries   int   // flushes and compactions that failed in a row
}

// openTries is how many flushes in a row may fail while an engine opens.
const openTries = 3

// Infof implements pebble.Logger. Pebble's running commentary is dropped.
func (w *watch) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (w *watch) Errorf(format string, args ...any) { w.log(fmt.Sprintf(format, args...)) }

// Fatalf implements pebble.Logger; it does not return.
func (w *watch) Fatalf(format string, args ...any) {
	f := fatal{text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			f.cause = err
		}
	}
	w.fs.fail(f)
	runtime.Goexit()
}

// fatal is what Fatalf was called with. Pebble formats causes as text.
type fatal struct {
	text  string
	cause error
}

func (f fatal) Error() string { return f.text }
func (f fatal) Unwrap() error { return f.cause }

func (w *watch) listener() *pebble.EventListener {
	return &pebble.EventListener{
		// Called on the goroutine of a reader, which must go on.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			w.fs.fail(fmt.Errorf("%w: %s: %w", ErrCorrupt, info.Path, info.Details))
		},
		BackgroundError: func(err error) { w.update(func() { w.bad = err; w.tries++ }) },
		FlushEnd: func(info pebble.FlushInfo) {
			if info.Err == nil {
				w.update(func() { w.bad, w.tries = nil, 0 })
			}
		},
		WriteStallBegin: func(pebble.WriteStallBeginInfo) { w.update(func() { w.stalled = true }) },
		WriteStallEnd:   func() { w.update(func() { w.stalled = false }) },
	}
}

// update changes the state and stops the engine when a writer or Open waits for
// a flush that does not succeed: Pebble would try it for ever.
func (w *watch) update(change func()) {
	w.mu.Lock()
	was := w.bad
	change()
	bad, waits := w.bad, w.stalled || w.tries > openTries && w.fs.opening.Load()
	w.mu.Unlock()
	if bad != nil && was == nil {
		w.log(bad.Error())
	}
	if bad != nil && waits {
		w.fs.stop(fmt.Errorf("a flush that is waited for fails: %w", bad))
	}
}
