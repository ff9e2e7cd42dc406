package eval

import (
	"slices"
	"time"
)

// Percentile returns the p-th percentile of d by nearest rank: the smallest
// value that at least p per cent of the values do not exceed, that is the
// ⌈p·n/100⌉-th smallest. p is clamped to 1 … 100. It is always a value of d and
// never an interpolation; 0 when d is empty. d is not changed.
func Percentile(d []time.Duration, p int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	p = min(max(p, 1), 100)
	return sorted[(p*len(sorted)+99)/100-1]
}
