package bm25

import (
	"encoding/binary"
	"math/bits"
)

// appendColumn packs values by blocks: a uvarint of the least value, a byte of
// the width, what is above the least.
func appendColumn(dst []byte, n int, at func(i int) uint32) []byte {
	var block [blockSize]uint32
	for i := 0; i < n; i += blockSize {
		v := block[:min(blockSize, n-i)]
		least := at(i)
		for j := range v {
			v[j] = at(i + j)
			least = min(least, v[j])
		}
		for j := range v {
			v[j] -= least
		}
		w := width(v)
		dst = append(binary.AppendUvarint(dst, uint64(least)), byte(w))
		dst = pack(dst, v, w)
	}
	return dst
}

// readColumn reads n values, which it gives to set, and returns what follows
// them; ok is false when data is no column. data goes on for padding bytes.
func readColumn(data []byte, n int, set func(i int, v uint32)) (rest []byte, ok bool) {
	var block [blockSize]uint32
	for i := 0; i < n; i += blockSize {
		least, k := binary.Uvarint(data)
		size := min(blockSize, n-i)
		if k <= 0 || least > 1<<32-1 || len(data) < k+1+padding {
			return nil, false
		}
		w := int(data[k])
		data = data[k+1:]
		if w > 32 || len(data) < packedLen(size, w)+padding {
			return nil, false
		}
		unpack(&block, data, size, w)
		for j := range size {
			v := uint64(block[j]) + least
			if v > 1<<32-1 {
				return nil, false
			}
			set(i+j, uint32(v))
		}
		data = data[packedLen(size, w):]
	}
	return data, true
}

// The documents of a weak term are written as one of these.
const (
	weakNone = iota
	weakGaps
	weakBits
)

// appendWeak writes the set bits of the words of a bitmap over n documents.
func appendWeak(dst []byte, set []uint64, n int, b *blockWriter) []byte {
	count := 0
	for _, w := range set {
		count += bits.OnesCount64(w)
	}
	if count == 0 {
		return append(dst, weakNone)
	}
	start := len(dst)
	dst = binary.AppendUvarint(append(dst, weakGaps), uint64(count))
	base := uint32(0)
	docs := make([]uint32, 0, blockSize)
	flush := func() {
		gaps := b.gapsOf(docs, base)
		w := width(gaps)
		dst = pack(append(dst, byte(w)), gaps, w)
		base = docs[len(docs)-1] + 1
		docs = docs[:0]
	}
	for i, w := range set {
		each(i, w, func(d uint32) {
			if docs = append(docs, d); len(docs) == blockSize {
				flush()
			}
		})
	}
	if len(docs) > 0 {
		flush()
	}
	if words := (n + 63) / 64; len(dst)-start > 1+8*words {
		dst = append(dst[:start], weakBits)
		for i := range words {
			w := uint64(0)
			if i < len(set) {
				w = set[i]
			}
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	return dst
}

// readWeak reads what appendWeak wrote into set, which has (n+63)/64 words of
// zero, and returns what follows.
func readWeak(data []byte, set []uint64, n int) (rest []byte, ok bool) {
	if len(data) < 1+padding {
		return nil, false
	}
	kind := data[0]
	data = data[1:]
	switch kind {
	case weakNone:
		return data, true
	case weakBits:
		if len(data) < 8*len(set)+padding {
			return nil, false
		}
		for i := range set {
			set[i] = binary.LittleEndian.Uint64(data[8*i:])
			if set[i]&^below(n, i) != 0 {
				return nil, false
			}
		}
		return data[8*len(set):], true
	case weakGaps:
	default:
		return nil, false
	}
	count, k := binary.Uvarint(data)
	if k <= 0 || count == 0 || count > uint64(n) {
		return nil, false
	}
	data = data[k:]
	var block [blockSize]uint32
	next := uint64(0)
	for left := int(count); left > 0; left -= blockSize {
		size := min(left, blockSize)
		if len(data) < 1+padding {
			return nil, false
		}
		w := int(data[0])
		data = data[1:]
		if w > 32 || len(data) < packedLen(size, w)+padding {
			return nil, false
		}
		unpack(&block, data, size, w)
		for _, gap := range block[:size] {
			d := next + uint64(gap)
			if d >= uint64(n) {
				return nil, false
			}
			set[d>>6] |= 1 << (d & 63)
			next = d + 1
		}
		data = data[packedLen(size, w):]
	}
	return data, true
}
