//go:build purego || !(amd64 || arm64)

package vek

// kernels returns the kernels of this machine, the fastest last.
func kernels() []kernel { return []kernel{portable} }

func (k kernel) String() string { return "portable" }

// dot returns the dot product of two vectors of one length.
func (k kernel) dot(a, b []int8) int32 { return dotGo(a, b) }

// dots writes the dot product of q with row ids[i] of r to out[i]. The rows must
// exist and out be as long as ids.
func (k kernel) dots(q []int8, r *rows, ids []uint32, out []int32) { dotsGo(q, r, ids, out) }
