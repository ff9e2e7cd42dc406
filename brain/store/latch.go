package store

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// latch remembers the first failure of an engine, for good. It is safe for
// concurrent use.
type latch struct {
	log *slog.Logger
	mu  sync.Mutex
	err error
	ch  chan struct{} // closed once failed
}

func newLatch(log *slog.Logger) *latch { return &latch{log: log, ch: make(chan struct{})} }

// fail latches err as the failure, unless there is one.
func (l *latch) fail(err error) {
	l.mu.Lock()
	first := l.err == nil
	if first {
		l.err = fmt.Errorf("%w: %w", ErrStoreFailed, err)
		close(l.ch)
	}
	l.mu.Unlock()
	if first {
		l.log.Error("store has failed", slog.Any("err", err))
	}
}

// failed returns the failure, or nil.
func (l *latch) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// await runs fn, which calls into an engine, and returns its error; or the
// failure, as soon as there is one, even if fn never returns. An fn that panics
// or ends its goroutine is a failure. The latch is looked at after fn: Pebble
// has been seen to return nil from a synced write whose log was already lost.
func (l *latch) await(fn func() error) error {
	done := make(chan error, 1)
	go func() {
		returned := false
		defer func() {
			switch v := recover(); {
			case v != nil:
				l.fail(fmt.Errorf("engine panicked: %v\n%s", v, debug.Stack()))
			case !returned:
				l.fail(errors.New("engine gave up in the middle of a call"))
			}
		}()
		err := fn()
		returned = true
		done <- err
	}()
	select {
	case err := <-done:
		if failure := l.failed(); failure != nil {
			return failure
		}
		return err
	case <-l.ch:
		return l.failed()
	}
}

// gate counts running calls and can be shut. A reader inside a call may enter
// again, which a read-write lock does not allow once a writer waits.
type gate struct {
	n    atomic.Int64 // running calls, plus shut
	once sync.Once
	idle chan struct{} // closed when shut and empty
}

const shut = 1 << 62

func newGate() *gate { return &gate{idle: make(chan struct{})} }

// enter reports whether the call may run; if so it ends with leave.
func (g *gate) enter() bool {
	if g.n.Add(1) >= shut {
		g.leave()
		return false
	}
	return true
}

func (g *gate) leave() {
	if g.n.Add(-1) == shut {
		g.once.Do(func() { close(g.idle) })
	}
}

// shut lets no further call in. It is called once; idle says when the last call
// has left.
func (g *gate) shut() {
	if g.n.Add(shut) == shut {
		g.once.Do(func() { close(g.idle) })
	}
}
