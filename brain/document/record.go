package document

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Revision describes one immutable state of a document. Only the retirement
// and the repeat count change after it was written.
type Revision struct {
	URI       uri.URI   `json:"uri"`
	N         uint64    `json:"revision"` // 1, 2, 3 … within the document
	Seq       uint64    `json:"seq"`      // commit that wrote it
	Time      time.Time `json:"time"`     // of that commit
	Actor     string    `json:"actor"`    // who wrote it, as in the log
	Digest    Digest    `json:"digest"`   // of the bytes
	Size      int       `json:"size"`     // bytes
	MediaType string    `json:"media_type"`
	Title     string    `json:"title,omitempty"`
	Kind      string    `json:"kind"`
	Tags      []string  `json:"tags,omitempty"`
	Lang      string    `json:"lang,omitempty"`
	Owner     string    `json:"owner"`
	ValidFrom time.Time `json:"valid_from,omitzero"`
	ValidTo   time.Time `json:"valid_to,omitzero"`
	Expires   time.Time `json:"expires,omitzero"`
	Flags     []string  `json:"flags,omitempty"`   // screen rules it was released in spite of
	Repeats   uint64    `json:"repeats,omitempty"` // times the same bytes were written again
	Retired   uint64    `json:"retired,omitempty"` // commit that retired it, 0 = live
	RetiredAt time.Time `json:"retired_at,omitzero"`
	Reason    string    `json:"reason,omitempty"` // why it was forgotten
}

// Live reports whether the revision is what its document says now.
func (r Revision) Live() bool { return r.Retired == 0 }

// At reports whether the revision was live just after commit seq.
func (r Revision) At(seq uint64) bool {
	return r.Seq <= seq && (r.Retired == 0 || r.Retired > seq)
}

// Draft returns the draft that would write the revision again, with the bytes
// that Content gave.
func (r Revision) Draft(body []byte) Draft {
	return Draft{
		URI: r.URI, Title: r.Title, MediaType: r.MediaType, Body: body, Kind: r.Kind, Tags: r.Tags, Lang: r.Lang,
		Owner: r.Owner, ValidFrom: r.ValidFrom, ValidTo: r.ValidTo, Expires: r.Expires, Flags: r.Flags,
	}
}

// record is the stored form of a Revision; its URI is in the clear because the
// key holds only the comparison form.
type record struct {
	V         uint8    `cbor:"0,keyasint"`
	URI       string   `cbor:"1,keyasint"`
	Seq       uint64   `cbor:"2,keyasint"`
	Time      int64    `cbor:"3,keyasint"` // microseconds since 1970, as are all times here; 0 = none
	Actor     string   `cbor:"4,keyasint"`
	Digest    []byte   `cbor:"5,keyasint"`
	Size      uint64   `cbor:"6,keyasint"`
	MediaType string   `cbor:"7,keyasint"`
	Title     string   `cbor:"8,keyasint,omitempty"`
	Kind      string   `cbor:"9,keyasint"`
	Tags      []string `cbor:"10,keyasint,omitempty"`
	Lang      string   `cbor:"11,keyasint,omitempty"`
	Owner     string   `cbor:"12,keyasint"`
	ValidFrom *int64   `cbor:"13,keyasint,omitempty"`
	ValidTo   *int64   `cbor:"14,keyasint,omitempty"`
	Expires   *int64   `cbor:"15,keyasint,omitempty"`
	Flags     []string `cbor:"16,keyasint,omitempty"`
	Repeats   uint64   `cbor:"17,keyasint,omitempty"`
	Retired   uint64   `cbor:"18,keyasint,omitempty"`
	RetiredAt *int64   `cbor:"19,keyasint,omitempty"`
	Reason    string   `cbor:"20,keyasint,omitempty"`
}

const (
	version   = 1
	maxRecord = 64 << 10 // bytes of a record; its fields are far below it together
)

func encode(r Revision) []byte {
	return codec.Marshal(record{
		V: version, URI: r.URI.String(), Seq: r.Seq, Time: r.Time.UnixMicro(), Actor: r.Actor,
		Digest: r.Digest[:], Size: uint64(r.Size), MediaType: r.MediaType, Title: r.Title,
		Kind: r.Kind, Tags: r.Tags, Lang: r.Lang, Owner: r.Owner,
		ValidFrom: codec.Micros(r.ValidFrom), ValidTo: codec.Micros(r.ValidTo), Expires: codec.Micros(r.Expires),
		Flags: r.Flags, Repeats: r.Repeats, Retired: r.Retired, RetiredAt: codec.Micros(r.RetiredAt), Reason: r.Reason,
	})
}

func decode(n uint64, data []byte) (Revision, error) {
	var c record
	if err := codec.Unmarshal(data, &c, maxRecord); err != nil {
		return Revision{}, err
	}
	if c.V != version || len(c.Digest) != len(Digest{}) || c.Size > MaxBody {
		return Revision{}, fmt.Errorf("%w: revision record of version %d", codec.ErrCorrupt, c.V)
	}
	u, err := uri.Parse(c.URI)
	if err != nil {
		return Revision{}, fmt.Errorf("%w: revision record: %w", codec.ErrCorrupt, err)
	}
	return Revision{
		URI: u, N: n, Seq: c.Seq, Time: time.UnixMicro(c.Time).UTC(), Actor: c.Actor,
		Digest: Digest(c.Digest), Size: int(c.Size), MediaType: c.MediaType, Title: c.Title,
		Kind: c.Kind, Tags: c.Tags, Lang: c.Lang, Owner: c.Owner,
		ValidFrom: codec.Instant(c.ValidFrom), ValidTo: codec.Instant(c.ValidTo), Expires: codec.Instant(c.Expires),
		Flags: c.Flags, Repeats: c.Repeats, Retired: c.Retired, RetiredAt: codec.Instant(c.RetiredAt), Reason: c.Reason,
	}, nil
}

// Keys. A URI holds no NUL, so a NUL ends it and keys of one document stay
// together, in the order of their revisions.

func documentKey(u uri.URI) []byte {
	return append([]byte{byte(store.Document)}, u.Key()...)
}

func revisionPrefix(p store.Prefix, u uri.URI) []byte {
	return append(append([]byte{byte(p)}, u.Key()...), 0)
}

func revisionKey(p store.Prefix, u uri.URI, n uint64) []byte {
	return appendRevision(append([]byte{byte(p)}, u.Key()...), n)
}

// appendRevision completes a key that ends with the URI.
func appendRevision(key []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(key, 0), n)
}

// RevisionOf reports which revision the changed key of a commit names; false
// for the key of any other record.
func RevisionOf(key []byte) (n uint64, ok bool) {
	if len(key) < 1+1+8 || key[0] != byte(store.Revision) || key[len(key)-9] != 0 {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[len(key)-8:]), true
}
