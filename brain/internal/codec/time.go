package codec

import "time"

// Micros returns t as records hold it: microseconds since 1970 in UTC, nil for the
// zero time.
func Micros(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	us := t.UnixMicro()
	return &us
}

// Instant returns the time that Micros gave, in UTC; the zero time for nil.
func Instant(us *int64) time.Time {
	if us == nil {
		return time.Time{}
	}
	return time.UnixMicro(*us).UTC()
}
