package vek

// A kernel is one way to compute dot products. All give the same sums: they are
// exact integers, so neither the order of additions nor the width of a register
// shows. Which ones there are depends on the machine (kernels).
type kernel uint8

// portable is the kernel in Go, which every machine has.
const portable kernel = 0

// native is the fastest kernel of this machine.
var native = fastest()

func fastest() kernel {
	k := kernels()
	return k[len(k)-1]
}

// rows says where vectors lie: row i starts at component (i mod 1<<shift)*stride
// of blocks[i>>shift]. One block of any length is shift 32.
type rows struct {
	blocks [][]int8
	shift  uint
	stride int
}

func (r *rows) row(i uint32, dim int) []int8 {
	at := int(i&(1<<r.shift-1)) * r.stride
	return r.blocks[i>>r.shift][at : at+dim]
}

// dotGo takes eight products at a time; fixed arrays spare it the bounds checks.
func dotGo(a, b []int8) int32 {
	var s0, s1 int32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]int8)(a), (*[8]int8)(b)
		s0 += int32(x[0])*int32(y[0]) + int32(x[1])*int32(y[1]) + int32(x[2])*int32(y[2]) + int32(x[3])*int32(y[3])
		s1 += int32(x[4])*int32(y[4]) + int32(x[5])*int32(y[5]) + int32(x[6])*int32(y[6]) + int32(x[7])*int32(y[7])
		a, b = a[8:], b[8:]
	}
	for i, x := range a {
		s0 += int32(x) * int32(b[i])
	}
	return s0 + s1
}

func dotsGo(q []int8, r *rows, ids []uint32, out []int32) {
	for i, id := range ids {
		out[i] = dotGo(q, r.row(id, len(q)))
	}
}
