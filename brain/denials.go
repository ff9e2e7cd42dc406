package brain

import (
	"context"
	"sync"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/event"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// denials folds refusals, so that they cannot fill the disk: the first of an
// actor and operation in a minute is a row at once, the others of that minute
// are counted and become one row when the next minute's first comes, or at
// Close.
type denials struct {
	mu sync.Mutex
	m  map[denial]*folded
}

type denial struct{ actor, op string }

type folded struct {
	minute int64
	more   uint64 // refusals of that minute that have no row yet
}

// maxDenials bounds the map; when it is full, all counts become rows.
const maxDenials = 4096

// note records that actor was refused op on the name uri.
func (f *denials) note(ctx context.Context, db *DB, actor, op, uri string) {
	db.count.denials.Add(1)
	if db.opt.ReadOnly || len(actor) > maxActorText {
		return
	}
	minute := db.now().Unix() / 60
	key := denial{actor, op}
	f.mu.Lock()
	x := f.m[key]
	if x != nil && x.minute == minute {
		x.more++
		f.mu.Unlock()
		return
	}
	var rows []store.Change
	if x != nil && x.more > 0 {
		rows = append(rows, denialRow(key, "", x.more))
	}
	if f.m == nil || len(f.m) >= maxDenials {
		rows = append(rows, f.takeLocked()...)
		f.m = map[denial]*folded{}
	}
	f.m[key] = &folded{minute: minute}
	f.mu.Unlock()
	rows = append(rows, denialRow(key, uri, 1))
	if _, err := db.store.UpdateAll(context.WithoutCancel(ctx), rows); err != nil {
		db.opt.Log.Warn("a refusal was not recorded", "error", err)
	}
}

// maxActorText is the longest actor that a row can name.
const maxActorText = 1024

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

// takeLocked returns the rows of all open counts and resets them.
func (f *denials) takeLocked() []store.Change {
	var rows []store.Change
	for _, key := range sortedDenials(f.m) {
		if x := f.m[key]; x.more > 0 {
			rows = append(rows, denialRow(key, "", x.more))
			x.more = 0
		}
	}
	return rows
}

func denialRow(k denial, uri string, count uint64) store.Change {
	b := event.Body{Outcome: "denied"}
	if count > 1 || uri == "" {
		b.Count = count
	}
	return store.Change{Event: store.Event{Actor: k.actor, Op: k.op, Class: audit.Denial, URI: uri, Body: b.Bytes()}}
}
