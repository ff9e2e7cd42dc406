// Package safetensors reads the safetensors format of model weights: a header
// length (u64, little-endian), a JSON header that names type, shape and byte
// range of each tensor, then the bytes. Source: the format's own specification
// (huggingface/safetensors, README, "Format"), whose rules on offsets are all
// enforced. Tensors are slices of the file's bytes: nothing is copied.
//
// It does not write files, and it converts no numbers beyond single elements.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Caps on a header, far above any model's.
const (
	MaxHeader  = 16 << 20 // bytes
	MaxTensors = 100_000
	maxDims    = 16
)

// metadata is the one key of a header that is not a tensor.
const metadata = "__metadata__"

// Tensor is one array of a file, in row-major order.
type Tensor struct {
	DType DType
	Shape []int  // each at least 0; the product is the number of elements
	Data  []byte // part of the file's bytes, read only
}

// File is a parsed file. It is immutable and safe for concurrent use.
type File struct {
	tensors map[string]Tensor
}

// Tensor returns the tensor of a name and whether there is one.
func (f *File) Tensor(name string) (Tensor, bool) {
	t, ok := f.tensors[name]
	return t, ok
}

// Len returns the number of tensors.
func (f *File) Len() int { return len(f.tensors) }

// Parse reads the header of a whole file. data is kept and must not change. A
// header over the caps, a name given twice, an unknown type, a range that does
// not fit its shape, leaves the file, overlaps another or leaves a hole is an
// *invalid.Error that names the tensor.
func Parse(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, bad("%d bytes are too short for a header", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > MaxHeader {
		return nil, &invalid.Error{Field: "safetensors", Reason: fmt.Sprintf("header of %d bytes", n), Limit: MaxHeader}
	}
	if n > uint64(len(data)-8) {
		return nil, bad("the header of %d bytes is longer than the file", n)
	}
	header, body := data[8:8+n], data[8+n:]
	names, entries, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	f := &File{tensors: make(map[string]Tensor, len(names))}
	ranges := make([]span, 0, len(names))
	for i, name := range names {
		t, at, err := entries[i].tensor(body)
		if err != nil {
			return nil, bad("tensor %.80q: %v", name, err)
		}
		at.name = name
		f.tensors[name] = t
		ranges = append(ranges, at)
	}
	if err := covers(ranges, int64(len(body))); err != nil {
		return nil, err
	}
	return f, nil
}

func bad(format string, args ...any) error { return invalid.New("safetensors", format, args...) }

// span is the range of bytes of one tensor.
type span struct {
	begin, end int64
	name       string
}

// covers checks that the ranges follow each other without hole or overlap up to
// size.
func covers(ranges []span, size int64) error {
	slices.SortFunc(ranges, func(a, b span) int {
		if c := a.begin - b.begin; c != 0 {
			return int(max(-1, min(1, c)))
		}
		return int(max(-1, min(1, a.end-b.end)))
	})
	at := int64(0)
	for _, r := range ranges {
		switch {
		case r.begin < at:
			return bad("tensor %.80q overlaps the one before it", r.name)
		case r.begin > at:
			return bad("%d bytes before tensor %.80q belong to none", r.begin-at, r.name)
		}
		at = r.end
	}
	if at != size {
		return bad("%d bytes at the end belong to no tensor", size-at)
	}
	return nil
}

// entry is what a header says of one tensor.
type entry struct {
	DType   DType   `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// parseHeader reads the object by its tokens, because a plain Unmarshal into a
// map would let the later of two equal names win.
func parseHeader(header []byte) (names []string, entries []entry, err error) {
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, bad("the header does not begin with {")
	}
	d := json.NewDecoder(bytes.NewReader(header))
	if _, err := d.Token(); err != nil {
		return nil, nil, bad("header: %v", err)
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, nil, bad("header: %v", err)
		}
		name, ok := token.(string)
		if !ok || seen[name] {
			return nil, nil, bad("tensor %.80q is given twice", name)
		}
		seen[name] = true
		if len(seen) > MaxTensors {
			return nil, nil, invalid.TooLarge("safetensors", int64(len(seen)), MaxTensors)
		}
		if name == metadata {
			var m map[string]string
			if err := d.Decode(&m); err != nil {
				return nil, nil, bad("%s: %v", metadata, err)
			}
			continue
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, nil, bad("tensor %.80q: %v", name, err)
		}
		names, entries = append(names, name), append(entries, e)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, bad("header: %v", err)
	}
	if len(bytes.Trim(header[d.InputOffset():], " \t\r\n")) > 0 {
		return nil, nil, bad("the header goes on after its object")
	}
	return names, entries, nil
}

func (e *entry) tensor(body []byte) (Tensor, span, error) {
	size, ok := e.DType.Size()
	switch {
	case !ok:
		return Tensor{}, span{}, fmt.Errorf("type %.20q is not known", string(e.DType))
	case len(e.Shape) > maxDims:
		return Tensor{}, span{}, fmt.Errorf("%d dimensions, at most %d are read", len(e.Shape), maxDims)
	case len(e.Offsets) != 2:
		return Tensor{}, span{}, fmt.Errorf("has %d offsets, not 2", len(e.Offsets))
	}
	at := span{begin: e.Offsets[0], end: e.Offsets[1]}
	if at.begin < 0 || at.end < at.begin || at.end > int64(len(body)) {
		return Tensor{}, span{}, fmt.Errorf("bytes %d to %d are not within the %d of the file", at.begin, at.end, len(body))
	}
	want, shape := int64(size), make([]int, len(e.Shape))
	for i, n := range e.Shape {
		if n < 0 || n > math.MaxInt32 || n > 0 && want > math.MaxInt64/n {
			return Tensor{}, span{}, fmt.Errorf("shape %v is out of range", e.Shape)
		}
		want *= n
		shape[i] = int(n)
	}
	if want != at.end-at.begin {
		return Tensor{}, span{}, fmt.Errorf("shape %v needs %d bytes, the range has %d", e.Shape, want, at.end-at.begin)
	}
	return Tensor{DType: e.DType, Shape: shape, Data: body[at.begin:at.end:at.end]}, at, nil
}
