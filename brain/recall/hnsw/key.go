package hnsw

import "math"

// A key orders candidates: better first means larger first. From the top: 32
// bits of the score, ordered as unsigned; 30 bits of the complement of the
// node, so that of equal scores the lower ordinal is better; then two flags
// that never decide an order, because no node is kept twice.
type key = uint64

const (
	expanded key = 1 << 0 // its links have been followed
	matching key = 1 << 1 // it may be returned
)

const nodeMask = MaxLen - 1

// keyOf returns the key of a node with a score. score is not NaN and not -0.
func keyOf(score float32, node uint32) key {
	b := math.Float32bits(score)
	b ^= uint32(int32(b)>>31) | 1<<31
	return key(b)<<32 | key(^node&nodeMask)<<2
}

func nodeOf(k key) uint32 { return ^uint32(k>>2) & nodeMask }

func scoreOf(k key) float32 {
	b := uint32(k >> 32)
	b ^= ^uint32(int32(b)>>31) | 1<<31
	return math.Float32frombits(b)
}
