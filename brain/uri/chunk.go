package uri

import (
	"strconv"
	"strings"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Chunk names one indexed unit: chunk N, counted from 0, of one revision of a
// document. It is an immutable value.
type Chunk struct {
	URI      URI
	Revision uint64
	N        uint32
}

// String returns URI@r<revision>#c<n> with decimal numbers. A name holds no
// "#", so the text has one reading.
func (c Chunk) String() string {
	b := make([]byte, 0, len(c.URI.text)+24)
	b = append(append(b, c.URI.text...), "@r"...)
	b = append(strconv.AppendUint(b, c.Revision, 10), "#c"...)
	return string(strconv.AppendUint(b, uint64(c.N), 10))
}

// MarshalText implements encoding.TextMarshaler with String.
func (c Chunk) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with ParseChunk.
func (c *Chunk) UnmarshalText(text []byte) error {
	p, err := ParseChunk(string(text))
	if err == nil {
		*c = p
	}
	return err
}

// ParseChunk is the exact inverse of [Chunk.String]: what it accepts, String
// gives back byte for byte. The error is an *invalid.Error of field "chunk".
func ParseChunk(s string) (Chunk, error) {
	if len(s) > MaxBytes+40 {
		return Chunk{}, &invalid.Error{Field: "chunk", Reason: "name too long", Limit: MaxBytes, Cause: ErrInvalid}
	}
	hash := strings.LastIndex(s, "#c")
	if hash < 0 {
		return Chunk{}, refuseChunk("no #c<n>")
	}
	at := strings.LastIndex(s[:hash], "@r")
	if at < 0 {
		return Chunk{}, refuseChunk("no @r<revision>")
	}
	rev, ok := number(s[at+2:hash], 64)
	if !ok {
		return Chunk{}, refuseChunk("revision is not a plain decimal number")
	}
	n, ok := number(s[hash+2:], 32)
	if !ok {
		return Chunk{}, refuseChunk("chunk is not a plain decimal number")
	}
	u, err := Parse(s[:at])
	if err != nil {
		return Chunk{}, refuseChunk(err.Error())
	}
	if u.text != s[:at] {
		return Chunk{}, refuseChunk("scheme is not in lower case")
	}
	return Chunk{URI: u, Revision: rev, N: uint32(n)}, nil
}

func number(s string, bits int) (uint64, bool) {
	v, err := strconv.ParseUint(s, 10, bits)
	return v, err == nil && (len(s) == 1 || s[0] != '0')
}

func refuseChunk(reason string) error {
	return &invalid.Error{Field: "chunk", Reason: reason, Cause: ErrInvalid}
}
