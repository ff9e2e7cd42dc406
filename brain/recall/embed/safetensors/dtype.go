package safetensors

import (
	"encoding/binary"
	"math"
)

// DType is the type of a tensor's elements, as a header spells it.
type DType string

// The types that have a reader here. Others are only measured.
const (
	I8  DType = "I8"
	I32 DType = "I32"
	I64 DType = "I64"
	F16 DType = "F16"
	F32 DType = "F32"
	F64 DType = "F64"
)

// Size returns the bytes per element and whether the type is known.
func (d DType) Size() (int, bool) {
	switch d {
	case "BOOL", "U8", I8, "F8_E4M3", "F8_E5M2":
		return 1, true
	case "U16", "I16", F16, "BF16":
		return 2, true
	case "U32", I32, F32:
		return 4, true
	case "U64", I64, F64:
		return 8, true
	}
	return 0, false
}

// IsFloat reports whether Float reads elements of the type.
func (d DType) IsFloat() bool { return d == F16 || d == F32 || d == F64 }

// Len returns the number of elements.
func (t *Tensor) Len() int {
	size, ok := t.DType.Size()
	if !ok {
		return 0
	}
	return len(t.Data) / size
}

// Float returns element i of an F16, F32, F64 or I8 tensor; every value of
// these is exact in a float64. Elements of other types are NaN.
func (t *Tensor) Float(i int) float64 {
	switch t.DType {
	case I8:
		return float64(int8(t.Data[i]))
	case F16:
		return half(binary.LittleEndian.Uint16(t.Data[2*i:]))
	case F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
	case F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
	}
	return math.NaN()
}

// Int returns element i of an I8, I32 or I64 tensor, and whether it has one of
// these types.
func (t *Tensor) Int(i int) (int64, bool) {
	switch t.DType {
	case I8:
		return int64(int8(t.Data[i])), true
	case I32:
		return int64(int32(binary.LittleEndian.Uint32(t.Data[4*i:]))), true
	case I64:
		return int64(binary.LittleEndian.Uint64(t.Data[8*i:])), true
	}
	return 0, false
}

// half widens an IEEE 754 binary16 number, exactly.
func half(h uint16) float64 {
	sign, exp, frac := uint64(h>>15), uint64(h>>10&0x1f), uint64(h&0x3ff)
	switch exp {
	case 0: // zero and subnormal: frac units of 2**-24
		f := float64(frac) * 0x1p-24
		if sign == 1 {
			return -f
		}
		return f
	case 0x1f:
		return math.Float64frombits(sign<<63 | 0x7ff<<52 | frac<<42)
	}
	return math.Float64frombits(sign<<63 | (exp-15+1023)<<52 | frac<<42)
}
