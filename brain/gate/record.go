package gate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/internal/codec"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

const (
	version   = 1
	maxRecord = document.MaxBody + 256<<10 // bytes of a stored proposal
)

// record is the stored form of a Proposal. Findings and digest are functions of
// the rest and are made again when it is read.
type record struct {
	V         uint8    `cbor:"0,keyasint"`
	Op        string   `cbor:"1,keyasint"`
	URI       string   `cbor:"2,keyasint"`
	Base      uint64   `cbor:"3,keyasint,omitempty"`
	Proposer  string   `cbor:"4,keyasint"` // id
	Prompt    string   `cbor:"5,keyasint,omitempty"`
	Reason    string   `cbor:"6,keyasint,omitempty"`
	Created   int64    `cbor:"7,keyasint"` // microseconds since 1970, as are all times here
	Expires   int64    `cbor:"8,keyasint"`
	Held      bool     `cbor:"9,keyasint,omitempty"`
	State     string   `cbor:"10,keyasint"`
	Digest    []byte   `cbor:"11,keyasint"`
	DecidedBy string   `cbor:"12,keyasint,omitempty"`
	DecidedAt int64    `cbor:"13,keyasint,omitempty"`
	Because   string   `cbor:"14,keyasint,omitempty"`
	DecideSeq uint64   `cbor:"15,keyasint,omitempty"`
	Title     string   `cbor:"16,keyasint,omitempty"`
	MediaType string   `cbor:"17,keyasint,omitempty"`
	DocKind   string   `cbor:"18,keyasint,omitempty"`
	Tags      []string `cbor:"19,keyasint,omitempty"`
	Lang      string   `cbor:"20,keyasint,omitempty"`
	Owner     string   `cbor:"21,keyasint,omitempty"`
	ValidFrom *int64   `cbor:"22,keyasint,omitempty"`
	ValidTo   *int64   `cbor:"23,keyasint,omitempty"`
	DocExpiry *int64   `cbor:"24,keyasint,omitempty"`
	Body      []byte   `cbor:"25,keyasint,omitempty"`
	Kind      uint8    `cbor:"26,keyasint,omitempty"` // of the proposer
	Roles     []string `cbor:"27,keyasint,omitempty"` // of the proposer
}

func proposalKey(id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(store.Proposal)}, id)
}

func queueKey(id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(store.ProposalQueue)}, id)
}

// queueEntry is the value of a pending proposal in the queue: when it expires
// and who made it, so that counting does not read the proposals.
func queueEntry(p Proposal) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(p.Expires.UnixMicro())), p.Proposer...)
}

func (p Proposal) store(tx *store.Tx) error { return tx.Set(proposalKey(p.ID), p.encode()) }

func (p Proposal) encode() []byte {
	d := p.Draft
	r := record{
		V: version, Op: string(p.Op), URI: d.URI.String(), Base: p.Base, Proposer: p.by.ID, Kind: uint8(p.by.Kind), Roles: p.by.Roles,
		Prompt: p.Prompt, Reason: p.Reason, Created: p.Created.UnixMicro(), Expires: p.Expires.UnixMicro(),
		Held: p.Held, State: string(p.State), Digest: p.Digest[:],
		Title: d.Title, MediaType: d.MediaType, DocKind: d.Kind, Tags: d.Tags, Lang: d.Lang, Owner: d.Owner,
		ValidFrom: codec.Micros(d.ValidFrom), ValidTo: codec.Micros(d.ValidTo), DocExpiry: codec.Micros(d.Expires), Body: d.Body,
	}
	if p.Decided != nil {
		r.DecidedBy, r.DecidedAt = p.Decided.By, p.Decided.At.UnixMicro()
		r.Because, r.DecideSeq = p.Decided.Reason, p.Decided.Seq
	}
	return codec.Marshal(r)
}

// load reads proposal id; its state is as of now.
func load(r store.Reader, id uint64, now time.Time) (Proposal, error) {
	data, err := r.Get(proposalKey(id))
	if errors.Is(err, store.ErrNotFound) {
		return Proposal{}, fmt.Errorf("proposal %d: %w", id, document.ErrNotFound)
	}
	if err != nil {
		return Proposal{}, err
	}
	return decode(id, data, now)
}

// valid reports whether r holds what encode writes, as far as decisions rest on
// it.
func (r *record) valid() bool {
	switch State(r.State) {
	case Pending, Approved, Rejected:
	default:
		return false
	}
	return r.V == version && len(r.Digest) == len(document.Digest{}) && (Op(r.Op) == Put || Op(r.Op) == Forget) &&
		policy.Actor{ID: r.Proposer, Kind: policy.Kind(r.Kind), Roles: r.Roles}.Check() == nil
}

func decode(id uint64, data []byte, now time.Time) (Proposal, error) {
	var r record
	if err := codec.Unmarshal(data, &r, maxRecord); err != nil {
		return Proposal{}, err
	}
	u, err := uri.Parse(r.URI)
	if err != nil || !r.valid() {
		return Proposal{}, fmt.Errorf("%w: proposal %d, version %d", codec.ErrCorrupt, id, r.V)
	}
	by := policy.Actor{ID: r.Proposer, Kind: policy.Kind(r.Kind), Roles: r.Roles}
	p := Proposal{
		ID: id, Op: Op(r.Op), Base: r.Base, Proposer: by.String(), by: by, Prompt: r.Prompt, Reason: r.Reason,
		Created: time.UnixMicro(r.Created).UTC(), Expires: time.UnixMicro(r.Expires).UTC(),
		Held: r.Held, State: State(r.State), Digest: document.Digest(r.Digest),
		Draft: document.Draft{
			URI: u, Title: r.Title, MediaType: r.MediaType, Kind: r.DocKind, Tags: r.Tags, Lang: r.Lang, Owner: r.Owner,
			ValidFrom: codec.Instant(r.ValidFrom), ValidTo: codec.Instant(r.ValidTo), Expires: codec.Instant(r.DocExpiry), Body: r.Body,
		},
	}
	p.Draft.Base = &p.Base
	p.Findings = Findings(p.Draft)
	if r.DecidedBy != "" {
		p.Decided = &Decided{By: r.DecidedBy, At: time.UnixMicro(r.DecidedAt).UTC(), Reason: r.Because, Seq: r.DecideSeq}
	}
	if p.State == Pending && !now.Before(p.Expires) {
		p.State = Expired
	}
	return p, nil
}
