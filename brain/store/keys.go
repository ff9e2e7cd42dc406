package store

import "fmt"

// Prefix is the first byte of every key; it names the kind of record. The table
// below is the only place where prefixes are declared. A prefix is never reused
// for another kind.
type Prefix byte

// Primary prefixes. Those in the first group are written by the store itself
// and refused in a Tx; all can be read.
const (
	AuditRow  Prefix = 'a' // + seq: leaf of the row
	AuditSide Prefix = 's' // + seq: erasable companion of the row
	AuditTree Prefix = 't' // + stored-hash index: one hash of the tree
	Meta      Prefix = 'm' // + name: records of the store itself

	Content       Prefix = 'C'
	Document      Prefix = 'D'
	Embedding     Prefix = 'E' // + model id + content digest: a vector that cannot be made again
	Policy        Prefix = 'Y'
	Proposal      Prefix = 'P'
	ProposalQueue Prefix = 'Q'
	Revision      Prefix = 'R'
	Usage         Prefix = 'U'
)

// Derived prefixes: written by Derive only, kept in the derived engine.
const (
	Page   Prefix = 'p' // + kind + name: stored pieces of an index
	Stamp  Prefix = 'x' // what made the derived state, and up to which Seq
	Vector Prefix = 'v' // + model id + content digest
)

// MaxKey is the longest key, prefix included, in bytes.
const MaxKey = 32 << 10

// class is who may write the keys of a prefix.
type class uint8

const (
	unknown class = iota
	own           // the store
	primary       // a Tx
	derived       // a DeriveTx
)

func (p Prefix) class() class {
	switch p {
	case AuditRow, AuditSide, AuditTree, Meta:
		return own
	case Content, Document, Embedding, Policy, Proposal, ProposalQueue, Revision, Usage:
		return primary
	case Page, Stamp, Vector:
		return derived
	}
	return unknown
}

// Key returns the prefix followed by parts, as a new slice. Parts are joined as
// they are: the caller makes them self-delimiting where order or uniqueness
// needs it.
func (p Prefix) Key(parts ...[]byte) []byte {
	n := 1
	for _, b := range parts {
		n += len(b)
	}
	key := append(make([]byte, 0, n), byte(p))
	for _, b := range parts {
		key = append(key, b...)
	}
	return key
}

// Range returns the bounds that Scan takes for all keys of the prefix.
func (p Prefix) Range() (lo, hi []byte) { return []byte{byte(p)}, []byte{byte(p) + 1} }

// String returns the prefix as it is in a key, for messages.
func (p Prefix) String() string { return fmt.Sprintf("%q", rune(p)) }

// seqKey returns the key of record n of an own prefix, in numeric order.
func seqKey(p Prefix, n uint64) []byte {
	return []byte{byte(p), byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32),
		byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}
