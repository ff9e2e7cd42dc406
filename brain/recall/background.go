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
}

func newBackground() *background {
	ctx, cancel := context.WithCancel(context.Background())
	return &background{ctx: ctx, cancel: cancel}
}

func (b *background) start(fn func()) {
	b.wg.Add(1)
	go func() {
		defer b.wg.Done()
		fn()
	}()
}

func (b *background) stop() {
	b.cancel()
	b.wg.Wait()
}
