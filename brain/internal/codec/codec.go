// Package codec writes and reads the records of the store: deterministic CBOR
// (RFC 8949 §4.2.1, core deterministic encoding) with integer keys. The same
// value has the same bytes on every machine, so digests of records mean
// something. A record type keeps its version in key 0 and never reuses a key.
//
// It does not know any record, and it does not read streams.
package codec

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// ErrCorrupt is returned for bytes that are not one well-formed record within
// the caps.
var ErrCorrupt = errors.New("corrupt record")

// Caps on what Unmarshal takes beside the caller's byte cap. They are far above
// any record of ours and keep a damaged length from reserving memory.
const (
	maxNesting  = 16
	maxElements = 1 << 20
)

var (
	enc = must(cbor.CoreDetEncOptions().EncMode())
	dec = must(cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:  maxNesting,
		MaxArrayElements: maxElements,
		MaxMapPairs:      maxElements,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
	}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // constant options: can only fail when they are edited
	}
	return v
}

// Marshal returns the encoding of v. It panics when the type of v cannot be
// encoded, which is a broken invariant of the caller and not a matter of input.
func Marshal(v any) []byte {
	data, err := enc.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("codec: %T: %v", v, err))
	}
	return data
}

// Unmarshal reads exactly one record of at most limit bytes from data into v.
// Strings and byte slices of v are copies. Duplicate keys, tags, indefinite
// lengths, trailing bytes and anything over the caps are ErrCorrupt; integer
// keys that v does not have are skipped, so an older reader reads a newer
// record of the same version.
func Unmarshal(data []byte, v any, limit int) error {
	if len(data) > limit {
		return fmt.Errorf("%w: %T has %d bytes, at most %d are read", ErrCorrupt, v, len(data), limit)
	}
	if err := dec.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %T: %w", ErrCorrupt, v, err)
	}
	return nil
}
