// Package audit is the log: canonical rows, the RFC 6962 tree over them, and
// the checks that find every edit, cut and reordering of a log whose head is
// known. It is pure: no I/O, no clock, no randomness, and nothing of this
// module is imported, so that a verifier needs this package and nothing else.
//
// It does not store rows, sign heads or decide who may write; to it an actor, an
// operation and a URI are opaque text.
//
// # Leaf
//
// A row is hashed and stored as its leaf: ASCII text of exactly twelve lines,
// each ended by one line feed (0x0A), in this order, with one space between the
// name and the value:
//
//		brain-audit-row/v1
//		store 32 lower-case hex digits
//		epoch decimal
//		seq decimal
//		time decimal, microseconds since 1970-01-01T00:00:00Z without leap seconds
//		class change | denial | read | event
//		actor escaped text
//		op escaped text
//		policy hash, or - for none
//		uri hash
//		body hash
//		prev hash, or - when seq is 1
//
//	  - decimal is digits without a sign and without leading zeros. Epoch and seq
//	    run from 1 to 2^53-1, time from 0 to 253402300799999999 (the end of the
//	    year 9999).
//	  - hash is 32 bytes in base64 with padding (RFC 4648 §4): 44 characters whose
//	    last one before the padding has zero in its unused bits. The hash of 32
//	    zero bytes is never written; where a line allows none, - stands for it.
//	  - escaped text is UTF-8 of 1 to 1,024 bytes (actor) or 1 to 128 bytes (op).
//	    Bytes 0x21 to 0x7E except % stand for themselves, every other byte is
//	    written as % and two upper-case hex digits. A space is %20, a line feed
//	    %0A; nothing else is ever escaped. So no value can end its line, look like
//	    another line, or reorder text on a screen.
//
// A row has exactly one leaf and a leaf exactly one row: [ParseLeaf] refuses
// every text that [Row.Leaf] would not write. There are no optional lines, no
// unknown lines and no trailing bytes. The format grows by a new first line
// only; rows of several versions may stand in one log, since hashes and chain
// are over the bytes of the leaf and know nothing of its fields.
//
// # Hashes
//
// The leaf hash is SHA-256(0x00 ‖ leaf), a node of the tree SHA-256(0x01 ‖ left ‖
// right), the root as in RFC 6962 §2.1, the empty root SHA-256 of nothing. Prev
// is the leaf hash of the row before, so the rows are also a chain that a reader
// of the stream checks without the tree.
//
// uri and body are commitments. A row has a random salt of 32 bytes, and
//
//	C(name, x) = HMAC-SHA-256(HMAC-SHA-256(salt, name), x)
//
// with the names "uri" and "body"; they are made of empty values too. Each value
// has a key of its own, so equal values do not show, and one can be opened to
// somebody by its key without making the other guessable. The salt and the clear
// values are the [Side] of the row: it is stored beside the log and can be
// erased, after which the row says nothing about them and still verifies.
//
// # Epochs
//
// An epoch is a stretch of the log written by one lineage of the store. It never
// falls, and it rises only at a row of class event that says why in its op
// (restore, promotion of a standby, a new key). Chain and tree run on across it.
// The store id never changes within a log.
//
// # Vectors
//
// testdata/vectors.json has rows with their leaves, hashes, roots and proofs,
// for other implementations.
package audit
