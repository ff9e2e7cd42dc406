package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
)

func TestFail(t *testing.T) {
	for _, c := range []struct {
		err  error
		exit int
		says string // on one line of standard error
	}{
		{nil, 0, ""},
		{negative(""), 1, ""},
		{negative("it is not so"), 1, "brain: it is not so"},
		{usagef("--x: is wrong."), 2, "brain: --x: is wrong. Next: brain get --help"},
		{usageError{noBrain("here")}, 2, "brain: there is no brain in here. Next: brain init"},
		{document.ErrNotFound, 1, "Next: brain list"},
		{policy.ErrDenied, 3, "Next: an owner can do it"},
		{document.ErrConflict, 3, "Next: brain history"},
		{document.ErrQuota, 3, "Next: wait"},
		{brain.ErrReview, 3, "Next: propose it"},
		{gate.ErrDigest, 3, "Next: brain review ID"},
		{gate.ErrDecided, 3, "Next: brain review lists"},
		{store.ErrHeld, 3, "Next: end the process"},
		{context.Canceled, 3, "Next: run it again"},
		{store.ErrStoreFailed, 4, "Next: the outcome is unknown"},
		{store.ErrCorrupt, 4, "Next: do not write to it"},
		{store.ErrRollback, 4, "Next: do not write to it"},
		{store.ErrFull, 4, "Next: free disk space"},
		{store.ErrReadOnly, 4, "Next: make the directory writable"},
		{store.ErrFormat, 4, "Next: use the version"},
		{store.ErrNetworkFS, 4, "Next: name a --dir on a local disk"},
		{errors.New("what is this"), 4, "brain: what is this"},
		{&brain.Error{Op: "put", URI: "s://x\x1b", Err: errors.New("bad\nline")}, 4, "brain: put s://x⟨U+001B⟩: bad⟨U+000A⟩line"},
		{errors.Join(negative("first"), document.ErrNotFound), 1, "brain: first"},
	} {
		var out bytes.Buffer
		a := newApp(context.Background(), streams{strings.NewReader(""), &out, &out}, func(string) string { return "" }, &globals{})
		if got := a.fail("brain get", c.err); got != c.exit {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.exit)
		}
		if !strings.Contains(out.String(), c.says) || strings.Count(out.String(), "\n") > 1 {
			t.Errorf("%v: %q, want one line with %q", c.err, out.String(), c.says)
		}
		if c.says == "" && out.Len() > 0 {
			t.Errorf("%v: says %q", c.err, out.String())
		}
	}
}

// Every code of the library has an exit code, and all but the one that nobody
// expects have a next step.
func TestNextStepForEveryCode(t *testing.T) {
	for _, code := range []brain.ErrorCode{
		brain.Invalid, brain.NotFound, brain.Denied, brain.Conflict, brain.Quota, brain.NeedsReview, brain.BadDigest,
		brain.NotPending, brain.Busy, brain.Canceled, brain.Full, brain.ReadOnly, brain.BadFormat, brain.Failed,
		brain.Damaged, brain.Unsupported,
	} {
		if next(code, "brain x") == "" {
			t.Errorf("no next step for %q", code)
		}
		if code.Exit() < 1 || code.Exit() > 4 {
			t.Errorf("exit code %d for %q", code.Exit(), code)
		}
	}
}

// A stream that cannot be written is a failure, not a success.
func TestBrokenOutput(t *testing.T) {
	a := newApp(context.Background(), streams{strings.NewReader(""), broken{}, &bytes.Buffer{}}, func(string) string { return "" }, &globals{})
	if err := (&infoCmd{Limits: true}).Run(a); err == nil {
		t.Error("no error for people")
	}
	a.JSON = true
	if err := (&infoCmd{Limits: true}).Run(a); err == nil {
		t.Error("no error for JSON")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }
