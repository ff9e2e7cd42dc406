package brain

import (
	"context"

	"github.com/seed70401ef0/brain-go/brain/store"
)

// Repair accepts the log of the brain in dir as it is, in place of a HEAD file
// that is damaged, missing or ahead of the log, which Open refuses. It verifies
// the whole log first and begins a new epoch with a row of a that reports the
// loss. Commits that HEAD promised and the log has not are then lost for good:
// look for a newer copy before, and keep one of the directory. A brain that needs
// no repair is refused as invalid. Like Open it belongs to the program that
// embeds the library; no policy is asked.
func Repair(ctx context.Context, dir string, a Actor, o *Options) (store.LossReport, error) {
	opt, err := o.fill()
	if err == nil {
		err = a.Check()
	}
	if err != nil {
		return store.LossReport{}, wrap("repair", "", err)
	}
	r, err := store.RepairHead(ctx, dir, a.String(), &store.Options{
		ReadOnly: opt.ReadOnly, CacheBytes: opt.CacheBytes, MinFreeBytes: opt.MinFreeBytes,
		BallastBytes: opt.BallastBytes, DropBallast: opt.DropBallast, Now: opt.Now, Log: opt.Log,
	})
	return r, wrap("repair", "", err)
}
