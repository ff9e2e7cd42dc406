package brain

import (
	"log/slog"
	"slices"
	"time"

	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall/embed"
)

// Posture says whether agents may write at once where the policy lets them.
type Posture string

// The postures.
const (
	OpenPosture   Posture = "open"   // what the policy allows to write is written
	ReviewPosture Posture = "review" // agents and systems propose, people decide
)

// Options of a brain. The zero value and nil mean the defaults. Open copies and
// checks it.
type Options struct {
	// Posture of the brain. Default OpenPosture.
	Posture Posture

	// Policy is given to a brain that has none yet, that is, when it is made.
	// Default policy.Default(): the role owner may do everything, agents read
	// and propose.
	Policy *policy.Set

	// Embedder makes the vectors. Another one than before makes them all again
	// at Open. Default: the English model that is compiled in.
	Embedder embed.Embedder

	// SkipPrefixes name paragraphs and lines that are stored but not indexed.
	// Default none.
	SkipPrefixes []string

	// DailyBytes is how much content one actor may write and propose in a UTC
	// day; what is proposed counts again when it is approved, since it is then
	// stored again. Negative means no limit. Default 1 GiB.
	DailyBytes int64

	// ProposalTTL is how long a proposal waits. Default 7 days.
	ProposalTTL time.Duration

	// ReadOnly changes nothing; it also opens a brain whose log is damaged, as
	// far as it can be read. Default false.
	ReadOnly bool

	// HeadSync makes the rollback check cover the very last commit, at the price
	// of a second sync per commit. Default false: the last second is covered by
	// receipts alone.
	HeadSync bool

	// CacheBytes bounds the block caches. Default 8 MiB.
	CacheBytes int64

	// MinFreeBytes is the free disk space below which writes are refused.
	// Negative means no floor. Default 256 MiB.
	MinFreeBytes int64

	// BallastBytes is the size of a file that can be given up when the disk is
	// full. Negative means none. Default 64 MiB.
	BallastBytes int64

	// DropBallast gives the ballast up at Open and makes no new one. Default
	// false.
	DropBallast bool

	// Progress is called while Open and Rebuild index the store, with the
	// revisions done so far and their total. Default nil.
	Progress func(done, total int)

	// Log gets what there is to say, never content. Default: discarded.
	Log *slog.Logger

	// Now is the wall clock. Default time.Now.
	Now func() time.Time
}

// Default and bounds of Options.
const (
	DefaultDailyBytes = 1 << 30
	maxProposalTTL    = 365 * 24 * time.Hour
)

// fill returns a checked copy of o with the defaults in place.
func (o *Options) fill() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	switch out.Posture {
	case "":
		out.Posture = OpenPosture
	case OpenPosture, ReviewPosture:
	default:
		return out, invalid.New("posture", "%q is not open or review", string(out.Posture))
	}
	if out.DailyBytes == 0 {
		out.DailyBytes = DefaultDailyBytes
	}
	out.DailyBytes = max(out.DailyBytes, 0)
	if out.ProposalTTL == 0 {
		out.ProposalTTL = gate.DefaultTTL
	}
	if out.ProposalTTL < time.Second || out.ProposalTTL > maxProposalTTL {
		return out, &invalid.Error{Field: "proposal_ttl", Reason: "is not between a second and a year", Limit: int64(maxProposalTTL / time.Second)}
	}
	if out.CacheBytes < 0 {
		return out, invalid.New("cache_bytes", "%d is negative", out.CacheBytes)
	}
	out.SkipPrefixes = slices.Clone(out.SkipPrefixes)
	if out.Log == nil {
		out.Log = slog.New(slog.DiscardHandler)
	}
	if out.Now == nil {
		out.Now = time.Now
	}
	if out.Policy == nil {
		out.Policy = policy.Default()
	}
	return out, nil
}
