package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// build makes a file of a header and size bytes 0, 1, 2, …
func build(header string, size int) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	data = append(data, header...)
	for i := range size {
		data = append(data, byte(i))
	}
	return data
}

func TestParse(t *testing.T) {
	f, err := Parse(build(`{"b":{"dtype":"F16","shape":[3],"data_offsets":[6,12]},"__metadata__":{"k":"v"},
		"a":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]},"none":{"dtype":"F32","shape":[0,9],"data_offsets":[12,12]},
		"scalar":{"dtype":"I32","shape":[],"data_offsets":[12,16]}}   `, 16))
	if err != nil {
		t.Fatal(err)
	}
	a, ok := f.Tensor("a")
	if !ok || a.DType != I8 || !slices.Equal(a.Shape, []int{2, 3}) || a.Len() != 6 || a.Float(5) != 5 {
		t.Errorf("a: %+v", a)
	}
	if b, _ := f.Tensor("b"); b.Len() != 3 || b.Data[0] != 6 || cap(b.Data) != 6 {
		t.Errorf("b: %+v", b)
	}
	s, _ := f.Tensor("scalar")
	if n, ok := s.Int(0); !ok || n != 0x0f0e0d0c {
		t.Errorf("scalar: %x", n)
	}
	if _, ok := f.Tensor("__metadata__"); ok || f.Len() != 4 {
		t.Errorf("%d tensors, want 4", f.Len())
	}
}

func TestParseRefuses(t *testing.T) {
	one := func(s string) string { return `{"a":` + s + `}` }
	i8 := func(shape, offsets string) string {
		return one(`{"dtype":"I8","shape":` + shape + `,"data_offsets":` + offsets + `}`)
	}
	tests := []struct {
		name, header string
		size         int
		reason       string
	}{
		{"no object", `[]`, 0, "begin with {"},
		{"space first", ` {}`, 0, "begin with {"},
		{"cut", `{"a":`, 0, "a"},
		{"open", `{"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}`, 1, "EOF"},
		{"two objects", `{}{}`, 0, "goes on"},
		{"name twice", `{"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}}`, 2, "twice"},
		{"type", one(`{"dtype":"I9","shape":[1],"data_offsets":[0,1]}`), 1, "not known"},
		{"three offsets", i8("[1]", "[0,1,1]"), 1, "3 offsets"},
		{"backwards", i8("[1]", "[1,0]"), 1, "not within"},
		{"negative", i8("[1]", "[-1,0]"), 1, "not within"},
		{"beyond", i8("[2]", "[0,2]"), 1, "not within"},
		{"shape", i8("[2]", "[0,1]"), 1, "needs 2 bytes"},
		{"negative shape", i8("[-1,-1]", "[0,1]"), 1, "out of range"},
		{"overflow", i8("[2147483647,2147483647,2147483647]", "[0,1]"), 1, "out of range"},
		{"fraction", i8("[1.5]", "[0,1]"), 1, "cannot unmarshal"},
		{"many dimensions", i8("["+strings.Repeat("1,", 16)+"1]", "[0,1]"), 1, "17 dimensions"},
		{"hole", i8("[1]", "[1,2]"), 2, "belong to none"},
		{"tail", i8("[1]", "[0,1]"), 2, "at the end"},
		{"overlap", `{"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"I8","shape":[2],"data_offsets":[1,3]}}`, 3, "overlaps"},
		{"metadata", `{"__metadata__":{"a":1}}`, 0, "__metadata__"},
		{"long metadata name", one(`{"dtype":7}`), 0, "cannot unmarshal"},
	}
	for _, tt := range tests {
		var bad *invalid.Error
		if f, err := Parse(build(tt.header, tt.size)); !errors.As(err, &bad) || !strings.Contains(bad.Error(), tt.reason) || f != nil {
			t.Errorf("%s: %v, %v; want an *invalid.Error with %q", tt.name, f, err, tt.reason)
		}
	}
	for _, data := range [][]byte{nil, make([]byte, 7), binary.LittleEndian.AppendUint64(nil, math.MaxUint64),
		binary.LittleEndian.AppendUint64(nil, MaxHeader+1), binary.LittleEndian.AppendUint64(nil, 1)} {
		if _, err := Parse(data); !errors.Is(err, invalid.Err) {
			t.Errorf("%x: %v", data, err)
		}
	}
}

func TestHalf(t *testing.T) {
	for h, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24, 0x03ff: 0x3ffp-24,
		0x8001: -0x1p-24, 0x3555: 0.333251953125, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := half(h); got != want {
			t.Errorf("half(%#04x) = %v, want %v", h, got, want)
		}
	}
	if !math.IsNaN(half(0x7e00)) || !math.Signbit(half(0x8000)) {
		t.Error("NaN or -0 is lost")
	}
}

func TestElements(t *testing.T) {
	f64 := binary.LittleEndian.AppendUint64(nil, math.Float64bits(-1.25))
	f32 := binary.LittleEndian.AppendUint32(nil, math.Float32bits(2.5))
	i64 := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for _, tt := range []struct {
		t     Tensor
		float float64
		n     int64
		ok    bool
	}{
		{Tensor{DType: F64, Data: f64}, -1.25, 0, false},
		{Tensor{DType: F32, Data: f32}, 2.5, 0, false},
		{Tensor{DType: I8, Data: []byte{0x80}}, -128, -128, true},
		{Tensor{DType: I64, Data: i64}, math.NaN(), 1 << 40, true},
	} {
		got := tt.t.Float(0)
		n, ok := tt.t.Int(0)
		if got != tt.float && !(math.IsNaN(got) && math.IsNaN(tt.float)) || n != tt.n || ok != tt.ok || tt.t.Len() != 1 {
			t.Errorf("%s: %v, %v, %v", tt.t.DType, got, n, ok)
		}
		if tt.t.DType.IsFloat() == ok {
			t.Errorf("%s: IsFloat is wrong", tt.t.DType)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(build(`{"a":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]},"__metadata__":{"k":"v"}}`, 6))
	f.Add(build(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[4,6]},"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 6))
	f.Add(build(`{}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			if !errors.Is(err, invalid.Err) {
				t.Fatalf("%T is not an invalid.Error", err)
			}
			return
		}
		total := 0
		for name, tensor := range file.tensors {
			total += len(tensor.Data)
			for i := range tensor.Len() {
				tensor.Float(i)
				tensor.Int(i)
			}
			elements := 1
			for _, n := range tensor.Shape {
				elements *= n
			}
			if elements != tensor.Len() {
				t.Fatalf("%q: shape %v, %d elements", name, tensor.Shape, tensor.Len())
			}
		}
		if n := 8 + int(binary.LittleEndian.Uint64(data)); total != len(data)-n {
			t.Fatalf("tensors cover %d of %d bytes", total, len(data)-n)
		}
	})
}

func Example() {
	file, err := Parse(build(`{"rows":{"dtype":"I8","shape":[2,2],"data_offsets":[0,4]}}`, 4))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, _ := file.Tensor("rows")
	fmt.Println(rows.DType, rows.Shape, rows.Float(3))
	// Output: I8 [2 2] 3
}
