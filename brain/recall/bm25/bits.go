package bm25

import "math/bits"

// bit reports whether ordinal i is set; past the end is not set.
func bit(b []uint64, i uint32) bool {
	w := int(i >> 6)
	return w < len(b) && b[w]>>(i&63)&1 != 0
}

// setBit sets ordinal i, growing b as needed.
func setBit(b []uint64, i uint32) []uint64 {
	w := int(i >> 6)
	for len(b) <= w {
		b = append(b, 0)
	}
	b[w] |= 1 << (i & 63)
	return b
}

// each calls fn with the set ordinals of word w of a bitmap.
func each(w int, word uint64, fn func(ord uint32)) {
	for ; word != 0; word &= word - 1 {
		fn(uint32(w<<6 + bits.TrailingZeros64(word)))
	}
}

// below returns the bits of word w of a bitmap that stand for ordinals below n.
func below(n, w int) uint64 {
	switch n -= w * 64; {
	case n <= 0:
		return 0
	case n < 64:
		return 1<<n - 1
	}
	return ^uint64(0)
}
