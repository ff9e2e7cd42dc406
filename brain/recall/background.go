package recall

import (
	"context"
	"sync"
)

// background owns the goroutines of an index. Its context ends, and all of them
// have returned, when stop returns.
type background struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex // a leaf
	stopped bool
}

func newBackground() *background {
	ctx, cancel := context.WithCancel(context.Background())
	return &background{ctx: ctx, cancel: cancel}
}

// start runs fn on a goroutine, unless stop was called: then it returns false.
func (b *background) start(fn func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		b.wg.Go(fn)
	}
	return !b.stopped
}

func (b *background) stop() {
	b.mu.Lock()
	b.stopped = true
	b.mu.Unlock()
	b.cancel()
	b.wg.Wait()
}
