package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// onTerminal runs args as if all streams were a terminal where typed is typed.
func onTerminal(t *testing.T, dir, typed string, cmd interface{ Run(*app) error }) (string, int) {
	t.Helper()
	var out bytes.Buffer
	a := newApp(context.Background(), streams{strings.NewReader(typed), &out, &out}, func(string) string { return "" }, &globals{Dir: dir})
	a.tty = terminals{true, true, false}
	code := a.fail("brain review", cmd.Run(a))
	return out.String(), code
}

// proposals makes a brain with three proposals of an agent.
func proposals(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "brain")
	db, err := brain.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	bot := db.As(brain.Agent("bot"))
	for _, name := range []string{"one", "two", "three"} {
		d := brain.Draft{URI: uri.MustParse("s://" + name), Body: []byte("Text of " + name + " \x1b[31m.")}
		if _, err := bot.Propose(context.Background(), d, "a prompt"); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func live(t *testing.T, dir string) []string {
	t.Helper()
	db, err := brain.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	page, err := db.As(brain.Person("ana", "owner")).List(context.Background(), brain.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range page.Documents {
		out = append(out, d.URI.String())
	}
	return out
}

func TestReviewAsks(t *testing.T) {
	dir := proposals(t)
	out, code := onTerminal(t, dir, "what\na\nreject\nit is wrong\ns\n", &reviewCmd{Limit: 50})
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	for _, want := range []string{"1 of 3", "3 of 3", "Text of one", "a prompt", "approved s://one", "rejected s://two", "Text of three", "agent:bot"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Count(out, "[a]pprove") != 4 { // one for each, and once more after "what"
		t.Errorf("asked %d times\n%s", strings.Count(out, "[a]pprove"), out)
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("an escape reached the terminal: %q", out)
	}
	if got := strings.Join(live(t, dir), " "); got != "s://one" {
		t.Errorf("live: %s", got)
	}
	if out, _ := onTerminal(t, dir, "", &reviewCmd{State: "all", Limit: 50}); strings.Contains(out, "[a]pprove") || !strings.Contains(out, "rejected") {
		t.Errorf("a list was asked for:\n%s", out)
	}
}

func TestReviewStops(t *testing.T) {
	for _, typed := range []string{"q\n", "quit\n", "", "r\n", "nonsense"} {
		dir := proposals(t)
		out, code := onTerminal(t, dir, typed, &reviewCmd{Limit: 50})
		if code != 0 || strings.Contains(out, "2 of 3") {
			t.Errorf("typed %q: exit code %d\n%s", typed, code, out)
		}
		if got := live(t, dir); len(got) != 0 {
			t.Errorf("typed %q: live %q", typed, got)
		}
	}
}

// A rejection without a reason is refused and the review goes on.
func TestReviewGoesOnAfterARefusal(t *testing.T) {
	out, code := onTerminal(t, proposals(t), "r\n\ns\ns\n", &reviewCmd{Limit: 50})
	if code != 0 || !strings.Contains(out, "brain: decide") || !strings.Contains(out, "3 of 3") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestReviewWithNothingToDo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "brain")
	db, err := brain.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if out, code := onTerminal(t, dir, "", &reviewCmd{Limit: 50}); code != 0 || !strings.Contains(out, "No proposals.") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
