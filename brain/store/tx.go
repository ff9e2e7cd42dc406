package store

import (
	"bytes"
	"slices"
	"time"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// MaxTx is the most that one Update, or all changes of one UpdateAll together,
// may write, in bytes of keys, values and row bodies.
const MaxTx = 64 << 20

// Tx is one change under way: the state of the store with everything that was
// committed or grouped before it, and what the change itself has written. It
// belongs to the function it was given to, ends with it, and is not safe for
// concurrent use. It implements Reader.
type Tx struct {
	writer
	seq   uint64
	time  time.Time
	event *Event
	class audit.Class
}

// Seq returns the number of the row of this change.
func (tx *Tx) Seq() uint64 { return tx.seq }

// Time returns the commit time, UTC in microseconds: the wall clock, or the
// latest commit time so far if that is later.
func (tx *Tx) Time() time.Time { return tx.time }

// Event returns the event of this change. The function may complete everything
// but Actor and Class, which belong to the caller of Update.
func (tx *Tx) Event() *Event { return tx.event }

// Set makes val the value of key. It keeps neither slice. It returns an
// *invalid.Error for a key without a primary prefix, a key over MaxKey, beyond
// MaxTx, or when the class of the event is not audit.Change.
func (tx *Tx) Set(key, val []byte) error {
	if err := tx.check(); err != nil {
		return err
	}
	return tx.put(key, entry{value: append([]byte{}, val...)})
}

// Delete removes key, which need not have a value. Errors are those of Set.
func (tx *Tx) Delete(key []byte) error {
	if err := tx.check(); err != nil {
		return err
	}
	return tx.put(key, entry{deleted: true})
}

func (tx *Tx) check() error {
	if tx.class != audit.Change {
		return invalid.New("class", "a row of class %s changes nothing", tx.class)
	}
	return nil
}

// DeriveTx is one change of derived data under way. Otherwise it is like a Tx.
type DeriveTx struct{ writer }

// Set is like Tx.Set, for derived prefixes.
func (tx *DeriveTx) Set(key, val []byte) error {
	return tx.put(key, entry{value: append([]byte{}, val...)})
}

// Delete is like Tx.Delete, for derived prefixes.
func (tx *DeriveTx) Delete(key []byte) error { return tx.put(key, entry{deleted: true}) }

// writer is the writing half of both kinds of transaction.
type writer struct {
	over  *overlay
	size  *int64 // written so far, of MaxTx
	class class  // of the prefixes that may be written
	keys  []string
	ended bool
}

// Get implements Reader.
func (w *writer) Get(key []byte) ([]byte, error) {
	if w.ended {
		return nil, errEnded()
	}
	return w.over.Get(key)
}

// Scan implements Reader. fn may write; the scan does not see that.
func (w *writer) Scan(lo, hi []byte, fn func(key, value []byte) (more bool, err error)) error {
	if w.ended {
		return errEnded()
	}
	return w.over.Scan(lo, hi, fn)
}

func (w *writer) put(key []byte, e entry) error {
	switch {
	case w.ended:
		return errEnded()
	case len(key) == 0:
		return invalid.New("key", "empty")
	case len(key) > MaxKey:
		return invalid.TooLarge("key", int64(len(key)), MaxKey)
	}
	if p := Prefix(key[0]); p.class() != w.class {
		return invalid.New("key", "prefix %s is not written through this door", p)
	}
	if err := spend(w.size, len(key)+len(e.value)); err != nil {
		return err
	}
	k := string(key)
	w.over.set(k, e)
	w.keys = append(w.keys, k)
	return nil
}

// changed returns the keys that were written, sorted, each once.
func (w *writer) changed() [][]byte {
	slices.Sort(w.keys)
	keys := make([][]byte, 0, len(w.keys))
	for _, k := range slices.Compact(w.keys) {
		keys = append(keys, bytes.Clone([]byte(k)))
	}
	return keys
}

func errEnded() error { return invalid.New("tx", "used after its function returned") }

// spend adds n to the size of a transaction.
func spend(size *int64, n int) error {
	*size += int64(n)
	if *size > MaxTx {
		return invalid.TooLarge("transaction", *size, MaxTx)
	}
	return nil
}
