//go:build !linux

package vek

// newBlock returns n zero components.
func newBlock(n int) []int8 { return make([]int8, n) }
