package audit

import "fmt"

// Reason is how a row, or the log from a row on, is bad.
type Reason uint8

// The reasons of a [Defect].
const (
	Edited       Reason = iota + 1 // the row is not what was written
	Missing                        // the row is nowhere, later rows are there
	Reordered                      // the row stands at a later place
	Repeated                       // the row stands at a second place
	Truncated                      // the log ends before the row, which a known head counts
	Extra                          // the row follows the last one that the head counts
	WrongStore                     // the row is of another store
	WrongEpoch                     // the epoch falls, or rises without an event row
	RootMismatch                   // every row follows from the one before, but the root is another: rewritten
)

// String returns the reason in words.
func (r Reason) String() string {
	switch r {
	case Edited:
		return "edited"
	case Missing:
		return "missing"
	case Reordered:
		return "reordered"
	case Repeated:
		return "repeated"
	case Truncated:
		return "truncated"
	case Extra:
		return "beyond the head"
	case WrongStore:
		return "of another store"
	case WrongEpoch:
		return "of a wrong epoch"
	case RootMismatch:
		return "rewritten"
	}
	return "invalid"
}

// Defect is the first bad row of a log and why it is bad. It is the error of
// [Verify] for a log that does not verify.
type Defect struct {
	// Seq is the first bad row. For RootMismatch it is the first row that may be
	// bad: the one after the newest held head that still agrees, and it or any
	// later one up to the head that does not.
	Seq    uint64
	Reason Reason
	Detail string // what was expected and found; no content of the row
}

// Error implements error.
func (d *Defect) Error() string {
	return fmt.Sprintf("audit log: row %d is %s: %s", d.Seq, d.Reason, d.Detail)
}

// Report is what [Verify] found out. Up to a defect it holds what was right
// before it.
type Report struct {
	Store  StoreID
	Head   Head    // of the rows that passed; an edited last one shows only by the row after it
	Epochs []Epoch // in order; the first begins with row 1
	Held   int     // how many of the known heads were reached and agree
	Defect *Defect // nil when the log verifies
}

// Epoch is a stretch of a log, see the package documentation.
type Epoch struct {
	Epoch uint64
	First uint64 // Seq of its first row
}
