package main

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress is a bar on standard error, only where a person looks at it: on a
// terminal and without --json, and only when the work takes longer than delay.
// It may go on after stop. The zero progress shows nothing. It is safe for
// concurrent use.
type progress struct {
	on        bool
	w         io.Writer
	label     string
	one, many string // what is counted
	delay     time.Duration
	text      atomic.Pointer[string] // the count, drawn by the bar's goroutine

	mu    sync.Mutex
	began time.Time     // of the first step
	bars  *mpb.Progress // nil while there is no bar
	bar   *mpb.Bar
}

// shortWork is what nobody wants to see a bar for.
const shortWork = 300 * time.Millisecond

// progress returns a bar that counts in units named one and many.
func (a *app) progress(label, one, many string) *progress {
	return &progress{on: a.tty.err && !a.JSON, w: a.err, label: label, one: one, many: many, delay: shortWork}
}

// set moves the bar to done of total, both in units.
func (p *progress) set(done, total int) { p.move(done, int64(done), int64(total)) }

// move moves the bar to done of total of something else than the units, such as
// bytes, and shows count units.
func (p *progress) move(count int, done, total int64) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		p.began = time.Now()
	}
	if time.Since(p.began) < p.delay {
		return
	}
	if p.bars == nil {
		p.start()
	}
	p.bar.SetTotal(max(total, done)+1, false) // never complete: stop takes it away
	p.bar.SetCurrent(done)
	text := plural(count, p.one, p.many)
	p.text.Store(&text)
}

// start shows the bar.
func (p *progress) start() {
	p.bars = mpb.New(mpb.WithOutput(p.w), mpb.WithWidth(60))
	p.bar = p.bars.AddBar(0,
		mpb.PrependDecorators(decor.Name(p.label+" "), decor.Percentage(decor.WC{W: 4})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			if text := p.text.Load(); text != nil { // nil before the first step is over
				return " " + *text
			}
			return ""
		})))
}

// Write writes above the bar.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bars == nil {
		return p.w.Write(b)
	}
	return p.bars.Write(b)
}

// stop takes the bar away.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = time.Time{}
	if p.bars == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bars = nil
}
