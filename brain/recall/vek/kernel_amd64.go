//go:build !purego

package vek

import "golang.org/x/sys/cpu"

const (
	avx2 kernel = iota + 1
	vnni        // AVX-512 with VPDPBUSD
)

// leastAVX2 is the shortest vector that dotAVX2 and dotsAVX2 take: the tail is
// read as the last 16 components.
const leastAVX2 = 16

// kernels returns the kernels of this machine, the fastest last.
func kernels() []kernel {
	k := []kernel{portable}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasBMI2 {
		return k
	}
	k = append(k, avx2)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
		k = append(k, vnni)
	}
	return k
}

func (k kernel) String() string { return [...]string{"portable", "avx2", "vnni"}[k] }

// dot returns the dot product of two vectors of one length.
func (k kernel) dot(a, b []int8) int32 {
	switch {
	case k == vnni && len(a) > 0:
		return dotVNNI(&a[0], &b[0], len(a))
	case k == avx2 && len(a) >= leastAVX2:
		return dotAVX2(&a[0], &b[0], len(a))
	}
	return dotGo(a, b)
}

// dots writes the dot product of q with row ids[i] of r to out[i]. The rows must
// exist and out be as long as ids.
func (k kernel) dots(q []int8, r *rows, ids []uint32, out []int32) {
	switch {
	case len(ids) == 0:
	case k == vnni && len(q) > 0:
		dotsVNNI(&q[0], len(q), &r.blocks[0], r.shift, r.stride, &ids[0], len(ids), &out[0])
	case k == avx2 && len(q) >= leastAVX2:
		dotsAVX2(&q[0], len(q), &r.blocks[0], r.shift, r.stride, &ids[0], len(ids), &out[0])
	default:
		dotsGo(q, r, ids, out)
	}
}

//go:noescape
func dotAVX2(a, b *int8, n int) int32

//go:noescape
func dotVNNI(a, b *int8, n int) int32

//go:noescape
func dotsAVX2(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)

//go:noescape
func dotsVNNI(q *int8, dim int, blocks *[]int8, shift uint, stride int, ids *uint32, n int, out *int32)
