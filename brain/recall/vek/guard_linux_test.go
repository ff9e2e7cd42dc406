package vek

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns n components that end where readable memory ends; before tells
// that they start where it starts instead.
func guarded(t *testing.T, n int, before bool) []int8 {
	t.Helper()
	page := unix.Getpagesize()
	size := (n + page - 1) / page * page
	mem, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{mem[:page], mem[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	at := page + size - n
	if before {
		at = page
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(&mem[at])), n)
}

// TestKernelsReadNothingOutside faults when a kernel touches one byte before or
// after the query or the rows.
func TestKernelsReadNothingOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, before := range []bool{false, true} {
		q, base := guarded(t, 1030, before), guarded(t, 5*1030, before)
		copy(q, randomVector(r, len(q)))
		copy(base, randomVector(r, len(base)))
		for dim := 1; dim <= 1030; dim++ {
			if dim > 300 && dim%7 != 0 && testing.Short() {
				continue
			}
			q, base := q[len(q)-dim:], base[len(base)-5*dim:]
			if before {
				q, base = q[:dim], base[:5*dim]
			}
			checkKernels(t, q, &rows{[][]int8{base}, 32, dim}, 5)
		}
	}
}
