package main

import (
	"path/filepath"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type initCmd struct {
	Policy string `type:"path" placeholder:"FILE" help:"Rules of the new brain, as brain policy show writes them. Default: owners may do everything, agents read and propose."`
}

func (c *initCmd) Help() string {
	return `Examples:
  brain init                       makes ./brain-data
  brain init --dir ~/memory        makes it there; then export BRAIN_DIR=~/memory`
}

func (c *initCmd) Run(a *app) error {
	dir := a.dir()
	if there, err := holdsBrain(dir); err != nil {
		return usagef("cannot look into %s: %w", dir, err)
	} else if there {
		return usagef("there is a brain in %s already", dir)
	}
	o := &brain.Options{}
	if c.Policy != "" {
		set, err := readPolicy(c.Policy, a.in)
		if err != nil {
			return err
		}
		o.Policy = set
	}
	err := a.openIn(dir, o, func(db *brain.DB, _ *brain.Session) error {
		st, err := a.state(db)
		if err != nil {
			return err
		}
		return a.emit(st, func(p *page) {
			p.line("Made a brain in " + p.Name(term.Line(filepath.Clean(dir))) + ".")
			p.line("Next: brain add FOLDER, then brain recall \"a question\"")
		})
	})
	if brain.Code(err) == brain.BadFormat { // there was no FORMAT, so it is no brain of another version
		return usagef("%s holds other files: a brain needs a directory of its own", dir)
	}
	return err
}
