package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// pseudoTerminal returns both ends of a terminal of 60 columns.
func pseudoTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	fd := int(ours.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 60})
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return ours, theirs
}

// atTerminal runs the command line in a process on a terminal and returns what
// the terminal was sent.
func atTerminal(t *testing.T, typed string, env []string, args ...string) string {
	t.Helper()
	ours, theirs := pseudoTerminal(t)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0] = "brain" // what TestMain goes by
	cmd.Env = append(append(os.Environ(), "TERM=xterm"), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	if _, err := io.WriteString(ours, typed); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, _ = io.Copy(&out, ours) // ends with EIO when the process does
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out.String())
	}
	return out.String()
}

func TestOnARealTerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "brain")
	db, err := brain.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := brain.Draft{URI: uri.MustParse("s://x"), Title: "Lantern", Body: []byte("A lantern \x1b]0;owned\x07 that is long enough to need a second line on it.")}
	if _, err := db.As(brain.Person("ana", "owner")).Put(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	d.URI = uri.MustParse("s://proposed")
	if _, err := db.As(brain.Agent("bot")).Propose(context.Background(), d, ""); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	env := []string{"BRAIN_DIR=" + dir, "NO_COLOR="}

	got := atTerminal(t, "", env, "recall", "lantern")
	if !strings.Contains(got, "\x1b[1mlantern\x1b[0m") {
		t.Errorf("a matched word is not marked: %q", got)
	}
	if strings.Contains(got, "\x1b]") || strings.Contains(got, "\x07") {
		t.Errorf("content drives the terminal: %q", got)
	}
	if got := atTerminal(t, "", append(env, "NO_COLOR=1"), "recall", "lantern"); strings.Contains(got, "\x1b") {
		t.Errorf("colours in spite of NO_COLOR: %q", got)
	}
	if got := atTerminal(t, "", env, "get", "s://x"); strings.Contains(got, "\x1b") || !strings.Contains(got, "⟨U+001B⟩]0;owned") {
		t.Errorf("get on a terminal: %q", got)
	}
	if got := atTerminal(t, "a\n", env, "review"); !strings.Contains(got, "approved") {
		t.Errorf("review does not ask: %q", got)
	}
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := atTerminal(t, "", env, "add", notes); !strings.Contains(got, "1 document: 1 new") {
		t.Errorf("add on a terminal: %q", got)
	}
}

func TestProgressBar(t *testing.T) {
	for _, c := range []struct {
		name  string
		tty   bool
		json  bool
		delay time.Duration
		want  bool
	}{
		{"on a terminal", true, false, 0, true},
		{"for short work", true, false, time.Hour, false},
		{"with --json", true, true, 0, false},
		{"into a file", false, false, 0, false},
	} {
		ours, theirs := pseudoTerminal(t)
		a := newApp(t.Context(), streams{nil, &bytes.Buffer{}, theirs}, func(string) string { return "" }, &globals{JSON: c.json})
		a.tty.err = a.tty.err && c.tty
		p := a.progress("storing", "document", "documents")
		p.delay = c.delay
		p.move(1, 10, 100)
		if _, err := p.Write([]byte("a message\n")); err != nil {
			t.Fatal(err)
		}
		p.set(1, 2)
		p.stop()
		p.stop()
		theirs.Close()
		var out bytes.Buffer
		_, _ = io.Copy(&out, ours)
		if got := strings.Contains(out.String(), "storing"); got != c.want || !strings.Contains(out.String(), "a message") {
			t.Errorf("%s: %q", c.name, out.String())
		}
	}
}
