//go:build !purego

package vek

import "golang.org/x/sys/cpu"

const (
	neon kernel = iota + 1
	sdot        // NEON with the dot product instructions of ARMv8.2
)

// least is the shortest vector that the kernels take: a tail is read as the last
// 16 components.
const least = 16

// kernels returns the kernels of this machine, the fastest last. Every arm64 has
// NEON.
func kernels() []kernel {
	k := []kernel{portable, neon}
	if cpu.ARM64.HasASIMDDP {
		k = append(k, sdot)
	}
	return k
}

func (k kernel) String() string { return [...]string{"portable", "neon", "sdot"}[k] }

// dot returns the dot product of two vectors of one length.
func (k kernel) dot(a, b []int8) int32 {
	switch {
	case k == portable || len(a) < least:
		return dotGo(a, b)
	case k == neon:
		return dotNEON(&a[0], &b[0], len(a))
	}
	return dotSDOT(&a[0], &b[0], len(a))
}

// dots writes the dot product of q with row ids[i] of r to out[i]. The rows must
// exist and out be as long as ids.
func (k kernel) dots(q []int8, r *rows, ids []uint32, out []int32) {
	switch {
	case len(ids) == 0:
	case k == portable || len(q) < least:
		dotsGo(q, r, ids, out)
	case k == neon:
		dotsNEON(&q[0], len(q), &r.blocks[0], r.shift, r.stride, &ids[0], len(ids), &out[0])
	default:
		dotsSDOT(&q[0], len(q), &r.blocks[0], r.shift, r.stride, &ids[0], len(ids), &out[0])
	}
}

//go:noescape
func dotNEON(a, b *int8, n int) int32

//go:noescape
func dotSDOT(a, b *int8, n int) int32

//go:noescape
func dotsNEON(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)

//go:noescape
func dotsSDOT(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)
