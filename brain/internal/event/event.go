// Package event is the body of an audit row: what the log commits to beyond
// who, what and where. The row holds a salted digest of these bytes; the bytes
// themselves lie in the erasable side record.
package event

import "github.com/seed70401ef0/brain-go/brain/internal/codec"

// MaxBody is the most bytes that Parse reads.
const MaxBody = 64 << 10

// Body is the deterministic record of one event. Only the fields that apply
// are set.
type Body struct {
	V        uint8  `cbor:"0,keyasint"`           // 1
	Revision uint64 `cbor:"1,keyasint,omitempty"` // of the document that was written or retired
	Content  []byte `cbor:"2,keyasint,omitempty"` // SHA-256 of its bytes
	Outcome  string `cbor:"3,keyasint,omitempty"` // created, updated, repeated
	Proposal uint64 `cbor:"4,keyasint,omitempty"` // the proposal made or decided
	Approval []byte `cbor:"5,keyasint,omitempty"` // digest that the decision named
	Rule     string `cbor:"6,keyasint,omitempty"` // policy rule that allowed or denied it
	Reason   string `cbor:"7,keyasint,omitempty"` // as given by the actor
	Count    uint64 `cbor:"8,keyasint,omitempty"` // events that the row stands for, where one row may stand for many
	Proposer string `cbor:"9,keyasint,omitempty"` // actor whose proposal was decided
}

// Bytes returns the encoding of b.
func (b Body) Bytes() []byte {
	b.V = 1
	return codec.Marshal(b)
}

// Parse reads what Bytes wrote.
func Parse(data []byte) (Body, error) {
	var b Body
	err := codec.Unmarshal(data, &b, MaxBody)
	return b, err
}
