package vek

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns n values that end where readable memory ends; before tells
// that they start where it starts instead.
func guarded[T int8 | int32 | uint32](t *testing.T, n int, before bool) []T {
	t.Helper()
	page, bytes := unix.Getpagesize(), n*int(unsafe.Sizeof(T(0)))
	size := (bytes + page - 1) / page * page
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
	at := page + size - bytes
	if before {
		at = page
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&mem[at])), n)
}

// TestKernelsReadNothingOutside faults when a kernel touches one byte before or
// after the query or the rows.
func TestKernelsReadNothingOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, before := range []bool{false, true} {
		q, base := guarded[int8](t, 1030, before), guarded[int8](t, 5*1030, before)
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

// TestKernelsKeepToTheList faults when a kernel touches an id or a result before
// or after those of the list.
func TestKernelsKeepToTheList(t *testing.T) {
	const most = 9
	r := rand.New(rand.NewPCG(8, 8))
	rows, q := blocksOf(r, most, 1, 40), randomVector(r, 40)
	for _, before := range []bool{false, true} {
		ids, out := guarded[uint32](t, most, before), guarded[int32](t, most, before)
		for n := 1; n <= most; n++ {
			ids, out := ids[most-n:], out[most-n:]
			if before {
				ids, out = ids[:n], out[:n]
			}
			for i := range ids {
				ids[i] = uint32(r.IntN(most))
			}
			for _, k := range kernels() {
				k.dots(q, rows, ids, out)
				for i, id := range ids {
					if want := naiveDot(q, rows.row(id, len(q))); out[i] != want {
						t.Fatalf("%v, %d rows: row %d gives %d, want %d", k, n, i, out[i], want)
					}
				}
			}
		}
	}
}
