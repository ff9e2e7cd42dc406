package brain

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// Stats is the state of a brain in numbers.
type Stats struct {
	Store    store.Stats `json:"store"`
	Index    recall.Size `json:"index"`
	Pending  int         `json:"pending"`           // proposals that wait
	Posture  Posture     `json:"posture"`           //
	Policy   Digest      `json:"policy"`            // digest of the policy in force
	Model    string      `json:"model"`             // id of the embedder
	Anchored bool        `json:"anchored"`          // a checkpoint of the log is held elsewhere
	Stopped  string      `json:"stopped,omitempty"` // why the index cannot follow the store; Rebuild mends it
}

// Stats counts. It returns no content. The cost is one pass over the pending
// proposals.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	leave, err := db.enter()
	if err != nil {
		return Stats{}, wrap("stats", "", err)
	}
	defer leave()
	out := Stats{Store: db.store.Stats(), Index: db.index.Size(), Posture: db.opt.Posture, Model: db.index.Model()}
	if out.Pending, err = db.gate.Pending(); err != nil {
		return Stats{}, wrap("stats", "", err)
	}
	set, err := db.current()
	if err != nil {
		return Stats{}, wrap("stats", "", err)
	}
	out.Policy = Digest(set.Digest())
	if err := db.index.Err(); err != nil {
		out.Stopped = err.Error()
	}
	return out, wrap("stats", "", ctx.Err())
}

// Metrics counts what a DB did since Open.
type Metrics struct {
	Recalls      uint64        `json:"recalls"`
	RecallErrors uint64        `json:"recall_errors"`
	RecallHits   uint64        `json:"recall_hits"`
	RecallTime   time.Duration `json:"recall_time"` // of all recalls together, nanoseconds
	Puts         uint64        `json:"puts"`        // documents
	Forgets      uint64        `json:"forgets"`
	Proposals    uint64        `json:"proposals"`
	Decisions    uint64        `json:"decisions"`
	Denials      uint64        `json:"denials"`
	Store        store.Metrics `json:"store"`
}

// counters are the live form of Metrics.
type counters struct {
	recalls, recallErrors, recallHits, recallNanos atomic.Uint64
	puts, forgets, proposals, decisions, denials   atomic.Uint64
}

func (c *counters) recall(d time.Duration, hits int, err error) {
	c.recalls.Add(1)
	c.recallNanos.Add(uint64(max(d, 0)))
	c.recallHits.Add(uint64(hits))
	if err != nil {
		c.recallErrors.Add(1)
	}
}

// Metrics returns the counters. It is cheap and works until Close.
func (db *DB) Metrics() Metrics {
	c := &db.count
	return Metrics{
		Recalls: c.recalls.Load(), RecallErrors: c.recallErrors.Load(), RecallHits: c.recallHits.Load(),
		RecallTime: time.Duration(c.recallNanos.Load()), Puts: c.puts.Load(), Forgets: c.forgets.Load(),
		Proposals: c.proposals.Load(), Decisions: c.decisions.Load(), Denials: c.denials.Load(),
		Store: db.store.Metrics(),
	}
}
