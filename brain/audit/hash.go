package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a SHA-256 value: of a leaf, of a node of the tree, of a policy, or a
// commitment. Its text is base64 with padding, as in C2SP formats.
type Hash = tlog.Hash

// StoreID names one store for ever. It is random, and not secret.
type StoreID [16]byte

// String returns 32 lower-case hex digits.
func (id StoreID) String() string { return hex.EncodeToString(id[:]) }

// LeafHash returns SHA-256(0x00 ‖ leaf), the hash of a leaf of the tree
// (RFC 6962 §2.1) and the Prev of the row that follows.
func LeafHash(leaf []byte) Hash { return tlog.RecordHash(leaf) }

// Commit returns HMAC-SHA-256(key, x). [Side.Commitments] says which keys the
// commitments of a row use.
func Commit(key Hash, x []byte) Hash {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(x)
	var h Hash
	mac.Sum(h[:0])
	return h
}
