package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed70401ef0/brain-go/brain"
	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/hosts/brain/term"
)

type auditCmd struct {
	Verify verifyCmd `cmd:"" help:"Check every row of the log against its head."`
	Repair repairCmd `cmd:"" help:"Take the log as it is when HEAD is damaged, missing or ahead of it."`
}

type verifyCmd struct{}

func (c *verifyCmd) Help() string {
	return `Derives every row, the chain and the tree again and compares them with the head, and the bytes of every revision with
their digest. Exit code 1 means that the log or a document does not hold together. A rollback of the whole directory shows only against a receipt kept elsewhere.

Example:
  brain audit verify`
}

// verification is what --json writes.
type verification struct {
	Valid  bool       `json:"valid"`
	Store  string     `json:"store"`
	Seq    uint64     `json:"seq"` // of the last row that is right
	Root   audit.Hash `json:"root"`
	Epochs int        `json:"epochs"`
	Defect string     `json:"defect,omitempty"`
}

func (c *verifyCmd) Run(a *app) error {
	dir := a.dir()
	if err := mustHoldBrain(dir); err != nil {
		return err
	}
	// Read-only: a damaged log is read as far as it goes, and checking adds no row.
	return a.openIn(dir, &brain.Options{ReadOnly: true}, func(db *brain.DB, _ *brain.Session) error {
		start := time.Now()
		report, err := db.Verify(a.ctx)
		var defect *audit.Defect
		if err != nil && !errors.As(err, &defect) {
			return err
		}
		v := verification{Valid: err == nil, Store: report.Store.String(), Seq: report.Head.Seq, Root: report.Head.Root, Epochs: len(report.Epochs)}
		if defect != nil {
			v.Defect = defect.Error()
		}
		if err := a.emit(v, func(p *page) { v.print(p, time.Since(start)) }); err != nil {
			return err
		}
		if defect != nil {
			return negative("the log does not verify: keep the directory as it is and restore a backup beside it")
		}
		return nil
	})
}

// print writes the verification for people.
func (v verification) print(p *page, elapsed time.Duration) {
	if !v.Valid {
		p.line(p.Bad("not valid") + ": " + term.Line(v.Defect))
		return
	}
	p.line(p.Good("valid") + fmt.Sprintf(": %s, %s", plural(int(v.Seq), "row", "rows"), took(elapsed)))
	p.line(fmt.Sprintf("head: seq %d, root %s", v.Seq, v.Root))
}

type rebuildCmd struct{}

func (c *rebuildCmd) Help() string {
	return `Documents and the log stay as they are. Needed after another model was compiled in, or on suspicion.

Example:
  brain rebuild`
}

func (c *rebuildCmd) Run(a *app) error {
	return a.open(func(db *brain.DB, _ *brain.Session) error {
		start := time.Now()
		err := db.Rebuild(a.ctx)
		a.loading.stop()
		if err != nil {
			return err
		}
		st, err := a.state(db)
		if err != nil {
			return err
		}
		return a.emit(st, func(p *page) {
			p.line(fmt.Sprintf("Made the index again: %s of %s, %s",
				plural(st.Chunks, "chunk", "chunks"), plural(st.Documents, "document", "documents"), took(time.Since(start))))
		})
	})
}
