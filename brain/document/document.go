// Package document keeps the addressed content of a brain: documents, their
// immutable revisions and the bytes of each, as records of the store.
//
// A document is a URI with a line of revisions. At most one revision is live;
// the others are retired: superseded by a newer one or forgotten. A retired
// revision keeps its bytes, so history and as-of reads can show it.
//
// The package writes inside the transaction of its caller and reads through any
// store.Reader. It decides no rights, chunks nothing and indexes nothing.
package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Limits of one document. The facade lists them in its table of limits.
const (
	MaxBody     = 16 << 20 // bytes of content
	MaxTitle    = 500      // bytes
	MaxTags     = 64       // tags of a document
	MaxTag      = 100      // bytes of a tag
	MaxKind     = 32       // bytes of a kind
	MaxOwner    = 255      // bytes of an owner
	MaxReason   = 2048     // bytes of the reason of a forget
	MaxPageSize = 1000     // documents in one page of a list
)

// Media types that are stored and chunked.
const (
	Markdown = "text/markdown"
	Plain    = "text/plain"
)

// Errors of this package. All are returned wrapped.
var (
	// ErrNotFound is the answer for a document, revision or bytes that are not
	// there, and for those that the caller may not see.
	ErrNotFound = errors.New("not found")
	// ErrConflict means that the document is not at the revision the caller
	// named: it was changed in between.
	ErrConflict = errors.New("revision conflict")
	// ErrQuota means that the actor has written its bytes of the day.
	ErrQuota = errors.New("quota used up")
)

// Digest is a SHA-256 of bytes. The zero Digest means none.
type Digest [sha256.Size]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return sha256.Sum256(b) }

// String returns the digest as 64 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	p, err := ParseDigest(string(text))
	*d = p
	return err
}

// ParseDigest reads the 64 hexadecimal digits that String writes; either case
// is taken, nothing else.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if len(s) != 2*len(d) {
		return Digest{}, invalid.New("digest", "has %d characters, must be %d hexadecimal digits", len(s), 2*len(d))
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return Digest{}, invalid.New("digest", "must be %d hexadecimal digits", 2*len(d))
	}
	return d, nil
}

// Draft is content that somebody wants to store at a URI. The zero values of
// all fields but URI and Body are useful.
type Draft struct {
	URI       uri.URI   `json:"uri"`
	Title     string    `json:"title,omitempty"`      // "" = none
	MediaType string    `json:"media_type,omitempty"` // "" = Markdown
	Body      []byte    `json:"body"`                 // owned by the draft from the call on
	Kind      string    `json:"kind,omitempty"`       // "" = "note"; lower-case letters, digits, - and _
	Tags      []string  `json:"tags,omitempty"`       // a set: stored sorted, without repeats
	Lang      string    `json:"lang,omitempty"`       // language code such as "de"; "" = English
	Owner     string    `json:"owner,omitempty"`      // "" = as before; for a new document, the actor that writes
	ValidFrom time.Time `json:"valid_from,omitzero"`  // zero = always was
	ValidTo   time.Time `json:"valid_to,omitzero"`    // zero = open; first instant at which it no longer holds
	Expires   time.Time `json:"expires,omitzero"`     // zero = never; left out of recall from then on
	Base      *uint64   `json:"base,omitempty"`       // revision that must be live, 0 = none may be; nil = any
	Flags     []string  `json:"-"`                    // screen rules it was released in spite of; set by the gate
}

// Check refuses a draft with a field that is out of its limits and fills the
// defaults of the others. It changes nothing when it fails.
func (d *Draft) Check() error {
	switch {
	case d.URI.IsZero():
		return invalid.New("uri", "is empty")
	case len(d.Body) == 0:
		return invalid.New("body", "is empty")
	case len(d.Body) > MaxBody:
		return invalid.TooLarge("body", int64(len(d.Body)), MaxBody)
	case d.MediaType != "" && d.MediaType != Markdown && d.MediaType != Plain:
		return invalid.New("media_type", "%q is not %s or %s", clip(d.MediaType), Markdown, Plain)
	case !d.ValidFrom.IsZero() && !d.ValidTo.IsZero() && !d.ValidFrom.Before(d.ValidTo):
		return invalid.New("valid_to", "is not after valid_from")
	case len(d.Tags) > MaxTags:
		return invalid.TooLarge("tags", int64(len(d.Tags)), MaxTags)
	}
	for _, f := range []struct {
		name, value string
		limit       int
	}{{"title", d.Title, MaxTitle}, {"owner", d.Owner, MaxOwner}, {"lang", d.Lang, MaxKind}} {
		if err := CheckText(f.name, f.value, f.limit); err != nil {
			return err
		}
	}
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"valid_from", d.ValidFrom}, {"valid_to", d.ValidTo}, {"expires", d.Expires}} {
		if err := instant(t.name, t.at); err != nil {
			return err
		}
	}
	if err := word("kind", d.Kind, MaxKind); err != nil {
		return err
	}
	tags, err := set("tags", d.Tags, MaxTag)
	if err != nil {
		return err
	}
	d.Tags = tags
	if d.MediaType == "" {
		d.MediaType = Markdown
	}
	if d.Kind == "" {
		d.Kind = "note"
	}
	return nil
}
