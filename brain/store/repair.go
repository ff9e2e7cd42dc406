package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed70401ef0/brain-go/brain/audit"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// LossReport is what RepairHead found and did.
type LossReport struct {
	Damage error // ErrHeadMissing, ErrHeadDamaged or ErrRollback, with detail
	Log    audit.Head
	Epoch  uint64  // the new one
	Lost   uint64  // rows that HEAD had and the log has not; 0 when HEAD is not readable
	Row    Receipt // of the row that says so
}

// RepairHead accepts the log of the store in dir as it is, in place of a HEAD
// that is damaged, missing, or ahead of the log: it verifies the whole log,
// begins a new epoch with a row of actor that reports the loss, and writes a new
// HEAD. Rows that HEAD promised and the log has not are then lost for good, so
// it is for a person to decide, who has looked for a newer copy first. It
// returns an *invalid.Error for a store that needs no repair, *audit.Defect for
// a log that does not verify, and the errors of Open. Options.ReadOnly must not
// be set.
func RepairHead(ctx context.Context, dir, actor string, o *Options) (rep LossReport, err error) {
	if o != nil && o.ReadOnly {
		return rep, invalid.New("ReadOnly", "a repair writes")
	}
	db, err := open(dir, o, true)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Verify(ctx); err != nil {
		return rep, err
	}
	rep = LossReport{Damage: db.damage, Log: db.Head(), Epoch: db.committer.head.epoch}
	file, _, err := readHead(db.fs, db.fs.PathJoin(dir, headName))
	if err == nil && file.seq > rep.Log.Seq {
		rep.Lost = file.seq - rep.Log.Seq
	}
	receipts, err := db.committer.submit(ctx, []Change{{Event: Event{
		Actor: actor, Op: "repair", Class: audit.Event,
		Body: fmt.Appendf(nil, "new HEAD at seq %d, %d rows known to be lost: %v", rep.Log.Seq, rep.Lost, rep.Damage),
	}}})
	if err != nil {
		return rep, err
	}
	rep.Row = receipts[0]
	return rep, nil
}
