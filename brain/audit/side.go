package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits of a side record.
const (
	MaxURI  = 8 << 10  // bytes of Side.URI
	MaxBody = 32 << 20 // bytes of Side.Body
)

// sideVersion is the first byte of an encoded Side, sideFixed the number of
// bytes before the URI: version, salt, length of the URI.
const (
	sideVersion = 1
	sideFixed   = 1 + 32 + 4
)

// ErrSide is returned for bytes that are no side record, and for a side record
// that is not that of the row.
var ErrSide = errors.New("side record")

// Side is what a row commits to, in clear, with the salt that hides it. It is
// stored beside the log, never in it, and may be erased.
type Side struct {
	Salt Hash   // 32 random bytes, never used for another row
	URI  string // at most MaxURI bytes, may be empty
	Body []byte // at most MaxBody bytes, may be empty
}

// Commitments returns the URI and Body of the row:
// HMAC-SHA-256(HMAC-SHA-256(Salt, name), value) with the names "uri" and "body".
// Empty values have commitments too.
func (s Side) Commitments() (uri, body Hash) {
	uri = Commit(Commit(s.Salt, []byte("uri")), []byte(s.URI))
	body = Commit(Commit(s.Salt, []byte("body")), s.Body)
	return uri, body
}

// Check reports whether s is the side record of r: [ErrSide] names the field
// that r does not commit to. A wrong salt shows as a wrong uri.
func (s Side) Check(r Row) error {
	uri, body := s.Commitments()
	if uri != r.URI {
		return fmt.Errorf("%w: uri is not the one that row %d commits to", ErrSide, r.Seq)
	}
	if body != r.Body {
		return fmt.Errorf("%w: body is not the one that row %d commits to", ErrSide, r.Seq)
	}
	return nil
}

// MarshalBinary returns the one encoding of s: the byte 1, the salt (32 bytes),
// the length of the URI (4 bytes, big endian), the URI, and the body, which runs
// to the end. It fails with [ErrSide] when a limit is broken.
func (s Side) MarshalBinary() ([]byte, error) {
	if err := checkSide(len(s.URI), len(s.Body)); err != nil {
		return nil, err
	}
	b := make([]byte, 0, sideFixed+len(s.URI)+len(s.Body))
	b = append(b, sideVersion)
	b = append(b, s.Salt[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(s.URI)))
	b = append(b, s.URI...)
	return append(b, s.Body...), nil
}

// UnmarshalBinary sets s to what data encodes, the exact inverse of
// [Side.MarshalBinary], or fails with [ErrSide] and leaves s alone. Body is a
// copy, nil when empty.
func (s *Side) UnmarshalBinary(data []byte) error {
	if len(data) < sideFixed {
		return fmt.Errorf("%w: %d bytes, at least %d are needed", ErrSide, len(data), sideFixed)
	}
	if data[0] != sideVersion {
		return fmt.Errorf("%w: unknown version %d", ErrSide, data[0])
	}
	n := binary.BigEndian.Uint32(data[33:sideFixed])
	rest := data[sideFixed:]
	if uint64(n) > uint64(len(rest)) {
		return fmt.Errorf("%w: uri of %d bytes in %d", ErrSide, n, len(rest))
	}
	if err := checkSide(int(n), len(rest)-int(n)); err != nil {
		return err
	}
	out := Side{Salt: Hash(data[1:33]), URI: string(rest[:n])}
	if body := rest[n:]; len(body) > 0 {
		out.Body = append([]byte(nil), body...)
	}
	*s = out
	return nil
}

func checkSide(uri, body int) error {
	if uri > MaxURI {
		return fmt.Errorf("%w: uri has %d bytes, the limit is %d", ErrSide, uri, MaxURI)
	}
	if body > MaxBody {
		return fmt.Errorf("%w: body has %d bytes, the limit is %d", ErrSide, body, MaxBody)
	}
	return nil
}
