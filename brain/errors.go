package brain

import (
	"context"
	"errors"
	"strings"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// ErrReview means that the posture of the brain asks for a proposal where a
// direct write was tried.
var ErrReview = errors.New("review posture: propose instead")

// Error is what every method of DB and Session returns: which call, about what,
// and why. Unwrap gives the cause for errors.Is; Code sorts it.
type Error struct {
	Op    string // "put", "recall", "open"
	URI   string // "" when the call is about no single name
	Field string // the argument that was refused, "" when it is not a matter of one
	Limit int64  // the limit that it broke, 0 when there is none
	Err   error
}

// Error implements error: "op uri: cause".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.URI != "" {
		b.WriteString(" " + e.URI)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap adds what the facade knows to err; nil stays nil.
func wrap(op, uri string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, URI: uri, Err: err}
	var bad *invalid.Error
	if errors.As(err, &bad) {
		e.Field, e.Limit = bad.Field, bad.Limit
	}
	return e
}

// ErrorCode is the class of an error; hosts map it to their own codes.
type ErrorCode string

// The codes.
const (
	OK          ErrorCode = "ok"
	Invalid     ErrorCode = "invalid"            // a bad argument; Error.Field names it
	NotFound    ErrorCode = "not_found"          // absent, or not for this actor
	Denied      ErrorCode = "denied"             // the policy says no
	Conflict    ErrorCode = "conflict"           // changed in between
	Quota       ErrorCode = "quota"              // used up
	NeedsReview ErrorCode = "review_required"    // propose instead
	BadDigest   ErrorCode = "digest_mismatch"    // the approval does not name what was shown
	NotPending  ErrorCode = "not_pending"        // the proposal is decided or expired
	Busy        ErrorCode = "held"               // another process has the brain open
	Closed      ErrorCode = "closed"             //
	Canceled    ErrorCode = "canceled"           // by the caller's context; nothing was changed
	Full        ErrorCode = "disk_full"          // free space is under the floor
	ReadOnly    ErrorCode = "read_only"          //
	BadFormat   ErrorCode = "format"             // not a brain, or of a newer format
	Failed      ErrorCode = "store_failed"       // outcome unknown: compare receipts after reopening
	Damaged     ErrorCode = "damaged"            // stored bytes or the log are not what was written
	Unsupported ErrorCode = "unsupported_system" // a network file system
	Internal    ErrorCode = "internal"
)

// codes is the one table from causes to codes, most specific first.
var codes = []struct {
	is   error
	code ErrorCode
}{
	{ErrReview, NeedsReview},
	{gate.ErrDigest, BadDigest},
	{gate.ErrDecided, NotPending},
	{document.ErrQuota, Quota},
	{document.ErrConflict, Conflict},
	{document.ErrNotFound, NotFound},
	{policy.ErrDenied, Denied},
	{store.ErrStoreFailed, Failed},
	{store.ErrAbandoned, Failed},
	{store.ErrRollback, Damaged},
	{store.ErrHeadDamaged, Damaged},
	{store.ErrHeadMissing, Damaged},
	{store.ErrCorrupt, Damaged},
	{store.ErrFull, Full},
	{store.ErrReadOnly, ReadOnly},
	{store.ErrHeld, Busy},
	{store.ErrFormat, BadFormat},
	{store.ErrNetworkFS, Unsupported},
	{store.ErrClosed, Closed},
	{context.Canceled, Canceled},
	{context.DeadlineExceeded, Canceled},
	{invalid.Err, Invalid},
}

// Code returns the class of err: OK for nil, Internal for what no row of the
// table names.
func Code(err error) ErrorCode {
	if err == nil {
		return OK
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			return c.code
		}
	}
	return Internal
}

// Exit returns the exit status that a command ends with: 0 success, 1 a
// negative result, 2 usage, 3 refused, 4 the store failed.
func (c ErrorCode) Exit() int {
	switch c {
	case OK:
		return 0
	case NotFound:
		return 1
	case Invalid:
		return 2
	case Denied, Conflict, Quota, NeedsReview, BadDigest, NotPending, Busy, Canceled:
		return 3
	}
	return 4
}
