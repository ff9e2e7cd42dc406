package main

import (
	"fmt"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type infoCmd struct {
	Limits bool `help:"Show only the limits; needs no brain."`
}

func (c *infoCmd) Help() string {
	return `Examples:
  brain info
  brain info --limits --json`
}

// info is what --json writes.
type info struct {
	Brain  *state        `json:"brain,omitempty"`
	Limits []brain.Limit `json:"limits"`
}

// state is the state of a brain in numbers.
type state struct {
	ID        string       `json:"id"`
	Dir       string       `json:"dir"`
	Format    int          `json:"format"`
	Epoch     uint64       `json:"epoch"`
	Seq       uint64       `json:"seq"`
	Root      audit.Hash   `json:"root"`
	Anchored  bool         `json:"anchored"` // a checkpoint of the log is held elsewhere
	Documents int          `json:"documents"`
	Revisions int          `json:"revisions"` // live and retired
	Chunks    int          `json:"chunks"`
	Terms     int          `json:"terms"`
	Postings  int          `json:"postings"`
	Unmade    int          `json:"pending_vectors"`
	Proposals int          `json:"pending_proposals"`
	Memory    int          `json:"index_bytes"`
	Disk      int64        `json:"disk_bytes"`
	Free      int64        `json:"free_bytes"` // -1 where the system does not say
	Model     string       `json:"model"`
	Policy    brain.Digest `json:"policy"`
	Stopped   string       `json:"stopped,omitempty"`
}

func stateOf(dir string, st brain.Stats) state {
	return state{
		ID: st.Store.ID.String(), Dir: dir, Format: st.Store.Format, Epoch: st.Store.Epoch,
		Seq: st.Store.Head.Seq, Root: st.Store.Head.Root, Anchored: st.Anchored,
		Documents: st.Index.Revisions - st.Index.Retired, Revisions: st.Index.Revisions,
		Chunks: st.Index.Chunks, Terms: st.Index.Terms, Postings: st.Index.Postings, Unmade: st.Index.Pending,
		Proposals: st.Pending, Memory: st.Index.Bytes, Disk: st.Store.PrimaryBytes + st.Store.DerivedBytes,
		Free: st.Store.FreeBytes, Model: st.Model, Policy: st.Policy, Stopped: st.Stopped,
	}
}

func (c *infoCmd) Run(a *app) error {
	if c.Limits {
		return a.emit(info{Limits: brain.Limits()}, printLimits)
	}
	return a.open(func(db *brain.DB, _ *brain.Session) error {
		st, err := a.state(db)
		if err != nil {
			return err
		}
		return a.emit(info{&st, brain.Limits()}, func(p *page) {
			st.print(p)
			p.line("")
			p.line("Limits: brain info --limits")
		})
	})
}

// state asks db for its state.
func (a *app) state(db *brain.DB) (state, error) {
	st, err := db.Stats(a.ctx)
	return stateOf(a.dir(), st), err
}

func (st state) print(p *page) {
	free, anchored := "unknown", "unanchored: no checkpoint is held elsewhere"
	if st.Free >= 0 {
		free = bytesText(st.Free)
	}
	if st.Anchored {
		anchored = "anchored"
	}
	p.table([][]string{
		{"brain", term.Line(st.Dir) + ", " + st.ID},
		{"documents", fmt.Sprintf("%d live, %s, %s waiting", st.Documents, plural(st.Revisions, "revision", "revisions"), plural(st.Proposals, "proposal", "proposals"))},
		{"index", fmt.Sprintf("%s, %s, %s of memory", plural(st.Chunks, "chunk", "chunks"), plural(st.Terms, "term", "terms"), bytesText(int64(st.Memory)))},
		{"model", term.Line(st.Model)},
		{"log", fmt.Sprintf("seq %d, epoch %d, %s", st.Seq, st.Epoch, anchored)},
		{"root", st.Root.String()},
		{"disk", fmt.Sprintf("%s used, %s free", bytesText(st.Disk), free)},
	})
	if st.Unmade > 0 {
		p.line(p.Bad(fmt.Sprintf("%s found by text only: ", plural(st.Unmade, "chunk is", "chunks are"))) + "brain rebuild")
	}
	if st.Stopped != "" {
		p.line(p.Bad("the index stopped: "+term.Line(st.Stopped)) + ". Next: brain rebuild")
	}
}

func printLimits(p *page) {
	rows := [][]string{{p.Bold("limit"), p.Bold("at most")}}
	for _, l := range brain.Limits() {
		rows = append(rows, []string{l.Name, fmt.Sprintf("%d %s", l.Max, l.Unit)})
	}
	p.table(rows)
}
