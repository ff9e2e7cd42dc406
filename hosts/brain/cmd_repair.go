package main

import (
	"fmt"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/audit"
)

type repairCmd struct {
	AcceptLoss bool `required:"" help:"Accept that commits which HEAD promised and the log has not are lost."`
}

func (c *repairCmd) Help() string {
	return `For a brain that does not open because its HEAD file is damaged, missing or ahead of the log. Verifies the log, takes
it as it is, and writes a row that says so; from then on a new epoch runs. Look for a newer copy first, and keep one of
the directory.

Example:
  brain audit repair --accept-loss`
}

// repair is what --json writes.
type repair struct {
	Damage string     `json:"damage"`
	Lost   uint64     `json:"lost"` // commits; 0 also when HEAD cannot be read
	Head   audit.Head `json:"head"` // of the log that was taken
	Epoch  uint64     `json:"epoch"`
	Seq    uint64     `json:"seq"` // of the row that says so
}

func (c *repairCmd) Run(a *app) error {
	dir := a.dir()
	if err := mustHoldBrain(dir); err != nil {
		return err
	}
	actor, err := a.actor()
	if err != nil {
		return err
	}
	r, err := brain.Repair(a.ctx, dir, actor, nil)
	if err != nil {
		return err
	}
	out := repair{Damage: r.Damage.Error(), Lost: r.Lost, Head: r.Log, Epoch: r.Epoch, Seq: r.Row.Seq}
	return a.emit(out, func(p *page) {
		p.line("repaired: " + out.Damage)
		p.line(fmt.Sprintf("%s known to be lost; the log goes on in epoch %d, seq %d", plural(int(out.Lost), "commit", "commits"), out.Epoch, out.Seq))
	})
}
