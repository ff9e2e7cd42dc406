package audit

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Version is the version of the leaf that this package writes, and the only one
// that it reads.
const Version = 1

// Limits of a row.
const (
	MaxSeq   = 1<<53 - 1               // highest Seq and Epoch; exact in JSON numbers
	MaxTime  = 253_402_300_799_999_999 // microseconds, end of the year 9999
	MaxActor = 1024                    // bytes of Actor before escaping
	MaxOp    = 128                     // bytes of Op before escaping

	// MaxLeaf is above the longest leaf, in bytes: all of Actor and Op escaped,
	// and 512 bytes for everything else.
	MaxLeaf = 3*(MaxActor+MaxOp) + 512
)

// ErrRow is returned for a row outside the limits and for text that is not the
// leaf of any row.
var ErrRow = errors.New("not an audit row")

// ErrVersion is returned for a leaf of a version that this package does not
// know. It is also an [ErrRow].
var ErrVersion = fmt.Errorf("%w: unknown leaf version", ErrRow)

// Class says what a row records. The zero value is none of them.
type Class uint8

// The classes of a row. Only a Change comes with a change of primary data.
const (
	Change Class = iota + 1 // primary data changed in the same commit
	Denial                  // something was refused
	Read                    // something was read that is worth a row
	Event                   // something about the store itself
)

// String returns the word of the leaf, or "invalid".
func (c Class) String() string {
	switch c {
	case Change:
		return "change"
	case Denial:
		return "denial"
	case Read:
		return "read"
	case Event:
		return "event"
	}
	return "invalid"
}

func parseClass(s []byte) (Class, bool) {
	for c := Change; c <= Event; c++ {
		if string(s) == c.String() {
			return c, true
		}
	}
	return 0, false
}

// Row is one record of the log. It is a value; two rows are the same record
// exactly when they are equal.
type Row struct {
	Version uint8   // 1
	Store   StoreID // store that wrote the row, not zero
	Epoch   uint64  // 1 to MaxSeq, never falls
	Seq     uint64  // 1 to MaxSeq, dense
	Time    int64   // microseconds since 1970 UTC, 0 to MaxTime; data, not order
	Class   Class
	Actor   string // who, "person:alice"; UTF-8, 1 to MaxActor bytes
	Op      string // what, "put"; UTF-8, 1 to MaxOp bytes
	Policy  Hash   // digest of the policy that allowed or refused, zero for none
	URI     Hash   // commitment of the URI, see [Side.Commitments]
	Body    Hash   // commitment of the body
	Prev    Hash   // [LeafHash] of the row Seq-1, zero exactly when Seq is 1
}

// check returns an ErrRow that names the first field that no leaf can hold.
func (r *Row) check() error {
	switch {
	case r.Version != Version:
		return fmt.Errorf("%w %d", ErrVersion, r.Version)
	case r.Store == StoreID{}:
		return fmt.Errorf("%w: store is zero", ErrRow)
	case r.Epoch < 1 || r.Epoch > MaxSeq:
		return fmt.Errorf("%w: epoch %d is not in 1 to %d", ErrRow, r.Epoch, int64(MaxSeq))
	case r.Seq < 1 || r.Seq > MaxSeq:
		return fmt.Errorf("%w: seq %d is not in 1 to %d", ErrRow, r.Seq, int64(MaxSeq))
	case r.Time < 0 || r.Time > MaxTime:
		return fmt.Errorf("%w: time %d is not in 0 to %d", ErrRow, r.Time, int64(MaxTime))
	case r.Class < Change || r.Class > Event:
		return fmt.Errorf("%w: class %d is unknown", ErrRow, r.Class)
	case r.URI == Hash{}:
		return fmt.Errorf("%w: uri is not a commitment", ErrRow)
	case r.Body == Hash{}:
		return fmt.Errorf("%w: body is not a commitment", ErrRow)
	case (r.Prev == Hash{}) != (r.Seq == 1):
		return fmt.Errorf("%w: seq %d has prev %s; it is zero exactly at seq 1", ErrRow, r.Seq, r.Prev)
	}
	if err := checkText("actor", r.Actor, MaxActor); err != nil {
		return err
	}
	return checkText("op", r.Op, MaxOp)
}

func checkText(name, s string, limit int) error {
	switch {
	case s == "":
		return fmt.Errorf("%w: %s is empty", ErrRow, name)
	case len(s) > limit:
		return fmt.Errorf("%w: %s has %d bytes, the limit is %d", ErrRow, name, len(s), limit)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: %s is not UTF-8", ErrRow, name)
	}
	return nil
}
