package main

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress is a bar on standard error, only where a person looks at it: on a
// terminal and without --json. It appears with the first step. Methods are
// called from one goroutine, set from any.
type progress struct {
	on          bool
	w           io.Writer
	label, unit string
	once        sync.Once
	bars        *mpb.Progress
	bar         *mpb.Bar
	count       atomic.Int64 // of what unit names, beside the bar
}

// progress returns a bar that counts in unit.
func (a *app) progress(label, unit string) *progress {
	return &progress{on: a.tty.err && !a.JSON, w: a.err, label: label, unit: unit}
}

func (p *progress) start() {
	p.once.Do(func() {
		p.bars = mpb.New(mpb.WithOutput(p.w), mpb.WithWidth(60))
		p.bar = p.bars.AddBar(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(p.label+" "), decor.Percentage(decor.WC{W: 4})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				return " " + plural(int(p.count.Load()), p.unit[:len(p.unit)-1], p.unit)
			})))
	})
}

// set moves the bar to done of total, both in units.
func (p *progress) set(done, total int) {
	p.count.Store(int64(done))
	p.move(int64(done), int64(total))
}

// move moves the bar to done of total of something else, such as bytes.
func (p *progress) move(done, total int64) {
	if !p.on {
		return
	}
	p.start()
	p.bar.SetTotal(max(total, done)+1, false)
	p.bar.SetCurrent(done)
}

// Write writes above the bar.
func (p *progress) Write(b []byte) (int, error) {
	if p.bars == nil {
		return p.w.Write(b)
	}
	return p.bars.Write(b)
}

// stop takes the bar away.
func (p *progress) stop() {
	if p.bars == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.bars = nil
}
