//go:build unix

package usage

import (
	"math"
	"syscall"
)

// CPUSeconds returns the processor time of this process so far, NaN where it is
// not known.
func CPUSeconds() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return math.NaN()
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
