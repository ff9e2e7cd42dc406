package crashtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// A workload is a list of actions that a seed decides before anything runs. Its
// changes are numbered; the number of a change is in the body of its event.

type workload struct {
	changes []change // by number
	actions []action
}

// action is one call, or several at once.
type action struct {
	kind    string   // update, all, burst, derive, reopen
	changes []change // of update (one), all and burst
	n       int      // of derive
}

// change is one event and what it does.
type change struct {
	id    int
	class audit.Class
	fails string // "": does not; else how
	steps []step
	late  bool // the function completes the event
	first int  // of an UpdateAll: the numbers first to last are one commit
	last  int
}

// step is one thing that the function of a change does.
type step struct {
	do       string // set, delete, add, copy
	key, src string
	size     int
}

// kv is what steps act on: a transaction, or the map of the oracle.
type kv interface {
	get(key string) (string, bool)
	set(key, val string)
	del(key string)
}

func (c change) apply(m kv) {
	for i, s := range c.steps {
		switch s.do {
		case "set":
			head := fmt.Sprintf("change %d step %d ", c.id, i)
			m.set(s.key, head+strings.Repeat(string(rune('a'+c.id%26)), s.size))
		case "delete":
			m.del(s.key)
		case "add":
			old, _ := m.get(s.key)
			n, _ := strconv.Atoi(old)
			m.set(s.key, strconv.Itoa(n+1))
		case "copy":
			if v, ok := m.get(s.src); ok {
				m.set(s.key, v)
			} else {
				m.del(s.key)
			}
		}
	}
}

// event returns the event as the caller passes it. The function fills in the
// rest of a late one.
func (c change) event() store.Event {
	ev := store.Event{Actor: "person:crash", Op: "op" + strconv.Itoa(c.id%7), Class: c.class}
	if !c.late {
		c.complete(&ev)
	}
	return ev
}

func (c change) complete(ev *store.Event) {
	ev.URI = "brain://crash/" + strconv.Itoa(c.id)
	ev.Body = []byte("change " + strconv.Itoa(c.id))
	ev.Policy = audit.LeafHash([]byte(ev.URI))
}

var errOnPurpose = errors.New("fails on purpose")

// call returns c as the store takes it.
func (c change) call() store.Change {
	return store.Change{Event: c.event(), Fn: func(tx *store.Tx) error {
		if c.late {
			c.complete(tx.Event())
		}
		m := &txKV{tx: tx}
		c.apply(m)
		switch {
		case m.err != nil:
			return m.err
		case c.fails == "error":
			return errOnPurpose
		case c.fails == "panic":
			panic(errOnPurpose)
		}
		return nil
	}}
}

type txKV struct {
	tx  *store.Tx
	err error
}

func (m *txKV) note(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *txKV) get(key string) (string, bool) {
	v, err := m.tx.Get([]byte(key))
	if errors.Is(err, store.ErrNotFound) {
		return "", false
	}
	m.note(err)
	return string(v), err == nil
}

func (m *txKV) set(key, val string) { m.note(m.tx.Set([]byte(key), []byte(val))) }
func (m *txKV) del(key string)      { m.note(m.tx.Delete([]byte(key))) }

type mapKV map[string]string

func (m mapKV) get(key string) (string, bool) { v, ok := m[key]; return v, ok }
func (m mapKV) set(key, val string)           { m[key] = val }
func (m mapKV) del(key string)                { delete(m, key) }

// newWorkload returns n actions in which every kind of writer takes part. big is
// the chance of a large value in percent; with enough of them the memtables of
// the engine are flushed and its tables compacted in between.
func newWorkload(r *rand.Rand, n, big int) *workload {
	w := &workload{}
	for len(w.actions) < n {
		switch p := r.IntN(100); {
		case p < 50:
			w.add("update", w.change(r, big))
		case p < 58:
			c := w.change(r, big)
			c.fails = "error"
			if r.IntN(4) == 0 {
				c.fails = "panic"
			}
			w.add("update", c)
		case p < 66: // a row that changes nothing
			c := w.change(r, 0)
			c.class, c.steps = audit.Denial+audit.Class(r.IntN(3)), nil
			w.add("update", c)
		case p < 76:
			var cs []change
			for range 2 + r.IntN(4) {
				cs = append(cs, w.change(r, big/2))
			}
			first, last := cs[0].id, cs[len(cs)-1].id
			if r.IntN(6) == 0 {
				cs[len(cs)-1].fails = "error"
			}
			for i := range cs {
				cs[i].first, cs[i].last = first, last
			}
			w.add("all", cs...)
		case p < 84:
			var cs []change
			for range 3 + r.IntN(6) {
				c := w.change(r, big/2)
				if r.IntN(8) == 0 {
					c.fails = "error"
				}
				cs = append(cs, c)
			}
			w.add("burst", cs...)
		case p < 97:
			w.actions = append(w.actions, action{kind: "derive", n: len(w.actions)})
		default:
			w.actions = append(w.actions, action{kind: "reopen"})
		}
	}
	return w
}

func (w *workload) add(kind string, cs ...change) {
	for _, c := range cs {
		w.changes[c.id] = c
	}
	w.actions = append(w.actions, action{kind: kind, changes: cs})
}

// change returns the next change, with one to four steps.
func (w *workload) change(r *rand.Rand, big int) change {
	c := change{id: len(w.changes), class: audit.Change, late: r.IntN(3) == 0}
	c.first, c.last = c.id, c.id
	key := func() string {
		if r.IntN(4) == 0 {
			return string(store.Content.Key(fmt.Appendf(nil, "c%02d", r.IntN(12))))
		}
		return string(store.Document.Key(fmt.Appendf(nil, "d%02d", r.IntN(30))))
	}
	for range 1 + r.IntN(4) {
		s := step{key: key(), src: key(), size: r.IntN(200)}
		switch p := r.IntN(10); {
		case p < 5:
			s.do = "set"
			if r.IntN(100) < big {
				s.size = 4_000 + r.IntN(24_000)
			}
		case p < 7:
			s.do = "delete"
		case p < 8:
			s.do = "copy"
		default:
			s.do = "add"
			s.key = string(store.Usage.Key([]byte{'0' + byte(r.IntN(3))}))
		}
		c.steps = append(c.steps, s)
	}
	w.changes = append(w.changes, c)
	return c
}
