package vek

// MaxDim is the largest dimension taken: up to it every sum of products of int8
// components fits in an int32.
const MaxDim = 1 << 16

// Dot returns the exact sum of a[i]*b[i] over the shorter of both lengths, for
// components in the full range -128 to 127. It wraps only beyond MaxDim
// components. Safe for concurrent use; it does not allocate.
func Dot(a, b []int8) int32 {
	n := min(len(a), len(b))
	return native.dot(a[:n], b[:n])
}

// sumSquares returns the exact sum of q[i]*q[i] for any length.
func sumSquares(q []int8) int64 {
	var s int64
	for len(q) > 0 {
		n := min(len(q), MaxDim)
		s += int64(Dot(q[:n], q[:n]))
		q = q[n:]
	}
	return s
}
