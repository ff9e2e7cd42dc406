package bm25

import (
	"encoding/binary"
	"math/bits"
)

// blockSize is how many values are packed together.
const blockSize = 128

// padding is how many bytes must follow packed values: they are read by words
// of eight bytes, in groups of eight values.
const padding = 8 + 32

// pack appends the low w ≤ 32 bits of each value to dst, lowest bit first, and
// fills the last byte with zeros.
func pack(dst []byte, values []uint32, w int) []byte {
	var word uint64
	have := 0
	for _, v := range values {
		word |= uint64(v) << have
		for have += w; have >= 8; have -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(word))
	}
	return dst
}

// packedLen is the length of n packed values of w bits in bytes.
func packedLen(n, w int) int { return (n*w + 7) / 8 }

// unpack reads n values of w ≤ 32 bits. src must go on for padding bytes after them;
// dst beyond n is overwritten.
func unpack(dst *[blockSize]uint32, src []byte, n, w int) {
	if w == 0 {
		clear(dst[:n])
		return
	}
	mask := uint64(1<<w - 1)
	le := binary.LittleEndian
	switch {
	case w <= 8: // a group is in one word
		for i := 0; i < n; i += 8 {
			d := dst[i : i+8 : i+8]
			x := le.Uint64(src)
			src = src[w:]
			d[0], d[1] = uint32(x&mask), uint32(x>>w&mask)
			d[2], d[3] = uint32(x>>(2*w)&mask), uint32(x>>(3*w)&mask)
			d[4], d[5] = uint32(x>>(4*w)&mask), uint32(x>>(5*w)&mask)
			d[6], d[7] = uint32(x>>(6*w)&mask), uint32(x>>(7*w)&mask)
		}
	case w <= 16: // in two
		half, off := 4*w>>3, 4*w&7
		for i := 0; i < n; i += 8 {
			d := dst[i : i+8 : i+8]
			x, y := le.Uint64(src), le.Uint64(src[half:])>>off
			src = src[w:]
			d[0], d[1] = uint32(x&mask), uint32(x>>w&mask)
			d[2], d[3] = uint32(x>>(2*w)&mask), uint32(x>>(3*w)&mask)
			d[4], d[5] = uint32(y&mask), uint32(y>>w&mask)
			d[6], d[7] = uint32(y>>(2*w)&mask), uint32(y>>(3*w)&mask)
		}
	default:
		for i := 0; i < n; i += 8 {
			d := dst[i : i+8 : i+8]
			for j := range d {
				d[j] = uint32(le.Uint64(src[j*w>>3:]) >> (j * w & 7) & mask)
			}
			src = src[w:]
		}
	}
}

// unpackOne reads value i of values of w bits.
func unpackOne(src []byte, i, w int) uint32 {
	at := i * w
	return uint32(binary.LittleEndian.Uint64(src[at>>3:])>>(at&7)) & uint32(1<<w-1)
}

// width is how many bits the largest of values needs.
func width(values []uint32) int {
	all := uint32(0)
	for _, v := range values {
		all |= v
	}
	return bits.Len32(all)
}
