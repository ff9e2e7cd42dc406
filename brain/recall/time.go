package recall

import (
	"math"
	"time"
)

// Instants are microseconds since 1970 here, so that comparing costs nothing.
// The ends stand for "always was" and "never ends".
const (
	minTime = math.MinInt64
	maxTime = math.MaxInt64
)

// micros returns t, or none for the zero time.
func micros(t time.Time, none int64) int64 {
	if t.IsZero() {
		return none
	}
	return t.UnixMicro()
}

// holds reports whether the revision is valid at the instant at and not expired
// at the instant now.
func (d *doc) holds(at, now int64) bool {
	return d.from <= at && at < d.to && now < d.expires
}

// liveAt reports whether the revision was live just after commit seq.
func (d *doc) liveAt(seq uint64) bool {
	return d.born <= seq && (d.died == 0 || d.died > seq)
}
