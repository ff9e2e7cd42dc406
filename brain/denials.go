package brain

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// denials folds refusals, so that they cannot fill the disk: the first of an
// actor, operation and rule in a minute is a row at once, the others of that
// minute are counted and become one row when the next minute's first comes, or
// at Close.
type denials struct {
	mu sync.Mutex
	m  map[denial]*folded
}

type denial struct{ actor, op, rule string }

type folded struct {
	minute int64
	more   uint64     // refusals of that minute that have no row yet
	policy audit.Hash // that refused the last of them
}

// maxDenials bounds the map; when it is full, all counts become rows.
const maxDenials = 4096

// note records that d refused a to do op on the name uri.
func (f *denials) note(ctx context.Context, db *DB, a Actor, op, uri string, d policy.Decision) {
	db.count.denials.Add(1)
	if db.opt.ReadOnly {
		return
	}
	minute := db.now().Unix() / 60
	key := denial{a.String(), op, d.Because()}
	if a.Check() != nil {
		key.actor = nobody
	}
	f.mu.Lock()
	x := f.m[key]
	if x != nil && x.minute == minute {
		x.more++
		x.policy = d.Digest
		f.mu.Unlock()
		return
	}
	var rows []store.Change
	if x != nil && x.more > 0 {
		rows = append(rows, denialRow(key, x.policy, "", x.more))
	}
	if f.m == nil || x == nil && len(f.m) >= maxDenials {
		rows = append(rows, f.takeLocked()...)
	}
	f.m[key] = &folded{minute: minute}
	f.mu.Unlock()
	rows = append(rows, denialRow(key, d.Digest, uri, 1))
	if _, err := db.store.UpdateAll(context.WithoutCancel(ctx), rows); err != nil {
		db.opt.Log.Warn("a refusal was not recorded", "error", err)
	}
}

// nobody is the actor in the rows of all whose name is not one: what such names
// hold enters no row, and making up new ones makes no new rows.
const nobody = "nobody:"

// flush writes the counts that have no row yet.
func (f *denials) flush(db *DB) error {
	f.mu.Lock()
	rows := f.takeLocked()
	f.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	_, err := db.store.UpdateAll(context.Background(), rows)
	return err
}

// takeLocked returns the rows of all open counts, in order, and forgets them.
func (f *denials) takeLocked() []store.Change {
	keys := make([]denial, 0, len(f.m))
	for k, x := range f.m {
		if x.more > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b denial) int {
		return cmp.Or(cmp.Compare(a.actor, b.actor), cmp.Compare(a.op, b.op), cmp.Compare(a.rule, b.rule))
	})
	rows := make([]store.Change, 0, len(keys))
	for _, k := range keys {
		x := f.m[k]
		rows = append(rows, denialRow(k, x.policy, "", x.more))
	}
	f.m = map[denial]*folded{}
	return rows
}

// denialRow says that k happened count times; uri is the name, of the first one.
func denialRow(k denial, by audit.Hash, uri string, count uint64) store.Change {
	b := event.Body{Outcome: "denied", Rule: k.rule, Count: count}
	return store.Change{Event: store.Event{Actor: k.actor, Op: k.op, Class: audit.Denial, Policy: by, URI: uri, Body: b.Bytes()}}
}
