package vek

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// newBlock returns n zero components, n > 0. It asks the kernel for large pages:
// rows in random order over 256 MiB then cost half, as their addresses are found in
// the translation cache. The blocks of a large index lie side by side in the heap and
// share such pages; a single one is smaller than a page and stays as it is. A
// kernel that cannot leaves ordinary pages, which only costs time.
func newBlock(n int) []int8 {
	b := make([]int8, n)
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&b[0])), n), unix.MADV_HUGEPAGE)
	return b
}
