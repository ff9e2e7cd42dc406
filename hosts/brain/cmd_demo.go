package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/hosts/brain/demo"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type demoCmd struct {
	Keep bool `help:"Keep the brain and the notes, and say where they are."`
}

func (c *demoCmd) Help() string {
	return `Stores fifty notes of a made-up co-operative, asks about them, lets an agent propose a correction and a person
approve it, and verifies the log. No network, nothing left behind.

Examples:
  brain demo
  brain demo --keep`
}

func (c *demoCmd) Run(a *app) (err error) {
	if a.JSON {
		return usagef("--json: the demo is for people")
	}
	dir, err := os.MkdirTemp("", "brain-demo-")
	if err != nil {
		return err
	}
	if !c.Keep {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := os.CopyFS(filepath.Join(dir, "notes"), demo.Notes()); err != nil {
		return err
	}
	t := &tour{a: a, p: &a.pretty, dir: dir, began: time.Now()}
	db, err := brain.Open(a.ctx, t.brainDir(), &brain.Options{Now: t.now})
	if err != nil {
		return err
	}
	t.db, t.owner, t.agent = db, db.As(brain.Person("maren", "owner")), db.As(brain.Agent("scribe"))
	if err := errors.Join(t.all(), db.Close()); err != nil {
		return err
	}
	t.farewell(c.Keep)
	return t.p.err
}

// farewell says what to type next.
func (t *tour) farewell(kept bool) {
	t.heading("Next")
	if kept {
		t.p.line("  export BRAIN_DIR=" + term.Line(t.brainDir()))
		t.p.line("  brain recall who may dive alone")
	} else {
		t.p.line(t.p.Dim("  Nothing is left of this brain; brain demo --keep keeps one to play with. Yours:"))
	}
	for _, l := range [][2]string{
		{"brain init", "makes ./brain-data"},
		{"brain add ~/notes", "stores a folder"},
		{`brain recall "a question"`, "answers with sources; --explain says why"},
		{"brain --help", fmt.Sprintf("everything else (this took %s)", took(time.Since(t.began)))},
	} {
		t.p.line(fmt.Sprintf("  %-28s%s", l[0], t.p.Dim(l[1])))
	}
}
