package document

import (
	"encoding/binary"
	"fmt"

	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Outcome says what a Put did.
type Outcome uint8

// The outcomes of Put.
const (
	Created  Outcome = iota + 1 // the first revision of a new document, or of a forgotten one
	Updated                     // a new revision; the one before is retired
	Repeated                    // the same bytes and description were live already: counted, nothing else
)

// String returns "created", "updated" or "repeated".
func (o Outcome) String() string {
	switch o {
	case Created:
		return "created"
	case Updated:
		return "updated"
	case Repeated:
		return "repeated"
	}
	return fmt.Sprintf("outcome %d", uint8(o))
}

// MarshalText implements encoding.TextMarshaler.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// head is the stored form of a document: where its line of revisions stands.
type head struct {
	V    uint8  `cbor:"0,keyasint"`
	Last uint64 `cbor:"1,keyasint"`           // number of the newest revision
	Live uint64 `cbor:"2,keyasint,omitempty"` // number of the live revision, 0 = none
}

func readHead(r store.Reader, u uri.URI) (head, error) {
	var h head
	data, err := get(r, documentKey(u))
	if err != nil {
		return h, err
	}
	if err := codec.Unmarshal(data, &h, maxRecord); err != nil {
		return h, err
	}
	if h.V != version || h.Last == 0 || h.Live > h.Last {
		return h, fmt.Errorf("%w: document record", codec.ErrCorrupt)
	}
	return h, nil
}

// Put stores d as the live revision of its document on behalf of actor and
// retires the one before; without an owner it keeps the owner of that one, and
// a new document belongs to actor. d must have passed Check. The same bytes with the
// same description only raise the repeat count. ErrConflict when d names a base
// revision and another is live. quota is the number of bytes that actor may
// write in one UTC day, 0 = no limit.
func Put(tx *store.Tx, actor string, d Draft, quota int64) (Revision, Outcome, error) {
	h, err := readHead(tx, d.URI)
	if err != nil && !isNotFound(err) {
		return Revision{}, 0, err
	}
	if d.Base != nil && *d.Base != h.Live {
		return Revision{}, 0, fmt.Errorf("%w: revision %d is live, not %d", ErrConflict, h.Live, *d.Base)
	}
	var old Revision
	if h.Live != 0 {
		if old, err = read(tx, d.URI, h.Live); err != nil {
			return Revision{}, 0, err
		}
	}
	if d.Owner == "" {
		d.Owner = old.Owner
	}
	if d.Owner == "" {
		d.Owner = actor
	}
	next := Revision{
		URI: d.URI, N: h.Last + 1, Seq: tx.Seq(), Time: tx.Time(), Actor: actor,
		Digest: DigestOf(d.Body), Size: len(d.Body), MediaType: d.MediaType, Title: d.Title,
		Kind: d.Kind, Tags: d.Tags, Lang: d.Lang, Owner: d.Owner,
		ValidFrom: d.ValidFrom, ValidTo: d.ValidTo, Expires: d.Expires, Flags: d.Flags,
	}
	if err := Charge(tx, actor, int64(len(d.Body)), quota); err != nil {
		return Revision{}, 0, err
	}
	outcome := Created
	if h.Live != 0 {
		if same(old, next) {
			old.Repeats++
			return old, Repeated, tx.Set(revisionKey(store.Revision, d.URI, old.N), encode(old))
		}
		old.Retired, old.RetiredAt = tx.Seq(), tx.Time()
		if err := tx.Set(revisionKey(store.Revision, d.URI, old.N), encode(old)); err != nil {
			return Revision{}, 0, err
		}
		outcome = Updated
	}
	h = head{V: version, Last: next.N, Live: next.N}
	for _, kv := range []struct{ k, v []byte }{
		{revisionKey(store.Content, d.URI, next.N), d.Body},
		{revisionKey(store.Revision, d.URI, next.N), encode(next)},
		{documentKey(d.URI), codec.Marshal(h)},
	} {
		if err := tx.Set(kv.k, kv.v); err != nil {
			return Revision{}, 0, err
		}
	}
	return next, outcome, nil
}

// same reports whether two revisions of one document say the same: bytes and
// description, not who wrote them or when.
func same(a, b Revision) bool {
	for _, r := range []*Revision{&a, &b} {
		r.N, r.Seq, r.Time, r.Actor, r.Repeats = 0, 0, b.Time, "", 0
	}
	return string(encode(a)) == string(encode(b))
}

// Forget retires the live revision of u, with a reason of at most MaxReason
// bytes. Its bytes stay for history. ErrNotFound when nothing is live;
// ErrConflict when base is not nil and another revision is live.
func Forget(tx *store.Tx, u uri.URI, base *uint64, reason string) (Revision, error) {
	if err := CheckProse("reason", reason, MaxReason); err != nil {
		return Revision{}, err
	}
	h, err := readHead(tx, u)
	if err != nil {
		return Revision{}, err
	}
	if base != nil && *base != h.Live {
		return Revision{}, fmt.Errorf("%w: revision %d is live, not %d", ErrConflict, h.Live, *base)
	}
	if h.Live == 0 {
		return Revision{}, ErrNotFound
	}
	r, err := read(tx, u, h.Live)
	if err != nil {
		return Revision{}, err
	}
	r.Retired, r.RetiredAt, r.Reason = tx.Seq(), tx.Time(), reason
	h.Live = 0
	if err := tx.Set(revisionKey(store.Revision, u, r.N), encode(r)); err != nil {
		return Revision{}, err
	}
	return r, tx.Set(documentKey(u), codec.Marshal(h))
}

// Charge adds n bytes to what actor has written on the UTC day of the
// transaction. ErrQuota when that is over quota, 0 = no limit.
func Charge(tx *store.Tx, actor string, n, quota int64) error {
	day := tx.Time().UTC().Format("20060102")
	key := append([]byte{byte(store.Usage)}, day...)
	key = append(append(key, 0), actor...)
	used := int64(0)
	if v, err := get(tx, key); err == nil && len(v) == 8 {
		used = int64(binary.BigEndian.Uint64(v))
	} else if err != nil && !isNotFound(err) {
		return err
	}
	if quota > 0 && used+n > quota {
		return fmt.Errorf("%w: %w", ErrQuota, invalid.TooLarge("bytes per actor and day", used+n, quota))
	}
	return tx.Set(key, binary.BigEndian.AppendUint64(nil, uint64(used+n)))
}
