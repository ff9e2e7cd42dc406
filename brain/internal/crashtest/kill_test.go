package crashtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// childEnv makes the test binary the process that is killed. It holds the
// directory, the number of the run and the first number that a change may have.
const childEnv = "BRAIN_CRASHTEST_CHILD"

// Writers of the child, and the numbers that each may give to its changes in one
// run: change n of writer w in run k is (k*killWriters+w)*killPerWriter + n.
const (
	killWriters   = 3
	killPerWriter = 100_000
)

func TestMain(m *testing.M) {
	if arg := os.Getenv(childEnv); arg != "" {
		if err := child(arg); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// killChange returns the change with a number, which decides everything else.
func killChange(id int) (change, bool) {
	w := &workload{changes: make([]change, 0)}
	c := w.change(rand.New(rand.NewPCG(uint64(id), 11)), 20)
	c.id, c.first, c.last = id, id, id
	if id%10 == 9 {
		c.class, c.steps = audit.Denial, nil
	}
	return c, id >= 0
}

// killOptions are small, so that logs and manifests rotate in half a second, and
// keep the ballast off the disk.
func killOptions() *store.Options {
	return &store.Options{CacheBytes: 1 << 20, MemTableBytes: 128 << 10, MinFreeBytes: -1, BallastBytes: -1}
}

// child commits until it is killed. It prints one line per acknowledgement.
func child(arg string) error {
	run, path, _ := strings.Cut(arg, ":")
	k, err := strconv.Atoi(run)
	if err != nil {
		return err
	}
	db, err := store.Open(path, killOptions())
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make(chan error, killWriters)
	for w := range killWriters {
		wg.Go(func() {
			for n := range killPerWriter {
				id := (k*killWriters+w)*killPerWriter + n
				c, _ := killChange(id)
				call := c.call()
				r, err := db.Update(context.Background(), call.Event, call.Fn)
				if err == nil {
					_, err = fmt.Fprintf(os.Stdout, "%d %d %x %x\n", id, r.Seq, r.Digest[:], r.Head.Root[:])
				}
				if err == nil && n%5 == 0 {
					d := &driver{db: db}
					err = d.act(action{kind: "derive", n: id})
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	return <-errs
}

// acks reads what the child printed. A line that was cut off was never said.
func readAcks(r io.Reader) ([]ack, error) {
	var out []ack
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadString('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		var a ack
		var digest, root []byte
		if _, err := fmt.Sscanf(line, "%d %d %x %x\n", &a.id, &a.receipt.Seq, &digest, &root); err != nil {
			return out, fmt.Errorf("child said %q: %w", line, err)
		}
		copy(a.receipt.Digest[:], digest)
		a.receipt.Head.Seq = a.receipt.Seq
		copy(a.receipt.Head.Root[:], root)
		out = append(out, a)
	}
}

// killOnce runs the child on path for a while, kills it, and checks the store.
// It returns how many changes were acknowledged, and how long it took to open.
func killOnce(o *oracle, path string, k int, after time.Duration) (acks int, reopen time.Duration, err error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+strconv.Itoa(k)+":"+path)
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	// The wait is the experiment: it is not for anything to happen.
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	if complaint.Len() > 0 {
		return 0, 0, fmt.Errorf("child: %s", &complaint)
	}
	fresh, err := readAcks(&said)
	if err != nil {
		return 0, 0, err
	}
	for _, a := range fresh {
		o.ack(a.id, a.receipt)
	}
	began := time.Now()
	db, err := store.Open(path, killOptions())
	if err != nil {
		return len(fresh), 0, lost("open: %v", err)
	}
	reopen = time.Since(began)
	f, err := o.check(db, o.acked())
	if err == nil {
		o.settle(f)
	}
	if e := db.Close(); err == nil {
		err = e
	}
	return len(fresh), reopen, err
}

// TestKill kills a process that commits, again and again on the same store; a
// new store is begun every tenth time, so that creation is killed too.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("kills processes for seconds")
	}
	kills := 6
	if long() {
		kills = 50
	}
	if *flagKills > 0 {
		kills = *flagKills
	}
	seed := max(*flagSeed, 1)
	r := rand.New(rand.NewPCG(seed, 4))
	began := time.Now()
	var fig figures
	var slowest time.Duration
	var o *oracle
	var path string
	for k := range kills {
		if k%10 == 0 {
			path = filepath.Join(t.TempDir(), "brain"+strconv.Itoa(k))
			o = &oracle{changes: killChange, absent: map[int]bool{}, last: -1}
		}
		after := time.Duration(1+r.IntN(500)) * time.Millisecond
		acks, reopen, err := killOnce(o, path, k, after)
		fig.losses.Add(1)
		fig.acks.Add(int64(acks))
		slowest = max(slowest, reopen)
		if err != nil {
			fig.count(err)
			t.Errorf("kill %d after %s: %v\nagain: %s", k, after, err, replay(t, seed))
			break
		}
	}
	t.Logf("layer C: seed %d, %d kills, %d acknowledgements; lost %d, torn %d, wrong %d, slowest reopening %s, %s",
		seed, fig.losses.Load(), fig.acks.Load(), fig.lost.Load(), fig.torn.Load(), fig.wrong.Load(),
		slowest.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}
