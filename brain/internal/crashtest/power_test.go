package crashtest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	flagSeed  = flag.Uint64("crash.seed", 0, "run this seed only")
	flagSeeds = flag.Int("crash.seeds", 0, "how many seeds to run; default 60, 2,000 with BRAIN_LONG=1")
	flagKills = flag.Int("crash.kills", 0, "how many processes to kill; default 6, 50 with BRAIN_LONG=1")
)

// long reports whether everything is to be run.
func long() bool { return os.Getenv("BRAIN_LONG") == "1" }

// outage is a power loss: what the disk holds, and what had been answered.
type outage struct {
	disk *vfs.MemFS
	acks []ack
	at   int // operation of the file system, from 1
	kept int // percent of what was not synced
}

// plug pulls the power before the operation at, and remembers the disk.
type plug struct {
	o    *oracle
	disk *vfs.MemFS
	r    *rand.Rand
	n    atomic.Int64
	at   int64
	kept int
	out  atomic.Pointer[outage]
}

func (p *plug) hook(o op) fault {
	if o.writes() && p.n.Add(1) == p.at {
		p.pull()
	}
	return fault{}
}

func (p *plug) pull() {
	out := &outage{at: int(p.n.Load()), kept: p.kept, acks: p.o.acked()}
	out.disk = p.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: p.kept, RNG: p.r})
	p.out.Store(out)
}

func (p *plug) dark() bool { return p.out.Load() != nil }

// keep draws how much unsynced data survives: nothing, all, or a share.
func keep(r *rand.Rand) int {
	switch r.IntN(5) {
	case 0:
		return 0
	case 1:
		return 100
	}
	return r.IntN(101)
}

// figures are what a layer counts.
type figures struct {
	losses, lost, torn, wrong, acks, unacked atomic.Int64
}

func (f *figures) count(err error) {
	if v, ok := err.(*violation); ok {
		switch v.kind {
		case "lost":
			f.lost.Add(1)
		case "torn":
			f.torn.Add(1)
		default:
			f.wrong.Add(1)
		}
	}
}

func (f *figures) String() string {
	return fmt.Sprintf("%d power losses, %d acknowledged rows checked, %d found unacknowledged; lost %d, torn %d, wrong %d",
		f.losses.Load(), f.acks.Load(), f.unacked.Load(), f.lost.Load(), f.torn.Load(), f.wrong.Load())
}

// outagesPerLife is how often the power goes in one life of a store. All but the
// first hit a store that has recovered, some while it recovers.
const outagesPerLife = 3

// live runs one life of a store, which seed decides: a workload of 200 actions
// in three parts, each ended by a power loss at a random operation.
func live(seed uint64, fig *figures) error {
	r := rand.New(rand.NewPCG(seed, 0))
	w := newWorkload(r, 200, r.IntN(30))
	o := newOracle(w)
	disk := vfs.NewCrashableMem()
	for part := range outagesPerLife + 1 {
		p := &plug{o: o, disk: disk, r: r, kept: keep(r), at: 1 + r.Int64N(500)}
		d := &driver{o: o, opt: options(&faultFS{disk, p.hook}, seed+uint64(part)<<32), last: -1}
		acks := o.acked()
		if err := d.open(); err != nil {
			return lost("part %d: open: %v", part, err)
		}
		f, err := o.check(d.db, acks)
		if err != nil {
			fig.count(err)
			return fmt.Errorf("part %d: %w", part, err)
		}
		fig.acks.Add(int64(len(acks)))
		fig.unacked.Add(int64(f.unacked))
		if part == outagesPerLife { // the last one lives on
			return d.close()
		}
		o.settle(f)
		share := len(w.actions) / outagesPerLife
		if err := d.run(w.actions[part*share:(part+1)*share], p.dark); err != nil {
			fig.count(err)
			return fmt.Errorf("part %d: %w", part, err)
		}
		if !p.dark() {
			p.pull()
		}
		if err := d.close(); err != nil { // what it still writes goes nowhere
			return fmt.Errorf("part %d: close: %w", part, err)
		}
		out := p.out.Load()
		fig.losses.Add(1)
		o.crash(out.acks, d.last)
		disk = out.disk
	}
	return nil
}

func TestPowerLoss(t *testing.T) {
	t.Parallel()
	seeds := 60
	if long() {
		seeds = 2000
	}
	if *flagSeeds > 0 {
		seeds = *flagSeeds
	}
	first := uint64(1)
	if *flagSeed > 0 {
		first, seeds = *flagSeed, 1
	}
	began := time.Now()
	var fig figures
	each(seeds, func(i int) {
		seed := first + uint64(i)
		if t.Failed() {
			return
		}
		if err := live(seed, &fig); err != nil {
			t.Errorf("seed %d: %v\nagain: %s", seed, err, replay(t, seed))
		}
	})
	t.Logf("layer A: %d seeds from %d, %v, %s", seeds, first, &fig, time.Since(began).Round(time.Millisecond))
}

// TestPowerLossEveryOp pulls the power at every operation of one workload.
func TestPowerLossEveryOp(t *testing.T) {
	t.Parallel()
	actions := 20
	if long() {
		actions = 200
	}
	seed := uint64(1)
	if *flagSeed > 0 {
		seed = *flagSeed
	}
	began := time.Now()
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorkload(r, actions, 10)
	o := newOracle(w)
	disk := vfs.NewCrashableMem()

	var fig figures
	outages := make(chan outage, 4)
	var checkers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		checkers.Go(func() {
			for out := range outages {
				fig.losses.Add(1)
				d := &driver{o: o, opt: options(out.disk, seed), last: -1}
				err := d.open()
				if err == nil {
					var f found
					f, err = o.check(d.db, out.acks)
					fig.acks.Add(int64(len(out.acks)))
					fig.unacked.Add(int64(f.unacked))
					fig.count(err)
				} else {
					err = lost("open: %v", err)
					fig.count(err)
				}
				if e := d.close(); err == nil {
					err = e
				}
				if err != nil {
					t.Errorf("power loss at operation %d, %d%% kept: %v\nagain: %s", out.at, out.kept, err, replay(t, seed))
				}
			}
		})
	}
	var images atomic.Int64 // taken at each operation
	var mu sync.Mutex       // operations come from several goroutines
	at := 0
	hook := func(o2 op) fault {
		if !o2.writes() {
			return fault{}
		}
		mu.Lock()
		defer mu.Unlock()
		at++
		for range images.Load() {
			out := outage{at: at, kept: keep(r), acks: o.acked()}
			out.disk = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: out.kept, RNG: r})
			outages <- out
		}
		return fault{}
	}
	d := &driver{o: o, opt: options(&faultFS{disk, hook}, seed)}
	images.Store(3) // creation has few operations and many orders to get wrong
	err := d.open()
	images.Store(1)
	if err == nil {
		err = d.run(w.actions, t.Failed)
	}
	if e := d.close(); err == nil {
		err = e
	}
	close(outages)
	checkers.Wait()
	if err != nil {
		t.Error(err)
	}
	t.Logf("layer A, every operation: seed %d, %d actions, %d operations, %v, %s", seed, actions, at, &fig, time.Since(began).Round(time.Millisecond))
}

// each calls fn for 0 to n-1 on every processor.
func each(n int, fn func(int)) { eachOf(runtime.GOMAXPROCS(0), n, fn) }

func eachOf(workers, n int, fn func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				fn(int(i))
			}
		})
	}
	wg.Wait()
}
