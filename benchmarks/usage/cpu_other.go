//go:build !unix

package usage

import "math"

// CPUSeconds returns the processor time of this process so far, NaN where it is
// not known.
func CPUSeconds() float64 { return math.NaN() }
