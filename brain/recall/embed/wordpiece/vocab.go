package wordpiece

import (
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Caps on a vocabulary; the largest of the BERT family has 250,000 entries.
const (
	maxTokens     = 1<<idBits - 1
	maxTokenBytes = 255

	idBits  = 20
	tagBits = 32 - idBits
)

// vocab maps pieces to ids in three allocations: one blob with every token
// behind a length byte, the offset of each id, and an open-addressing table
// whose slots hold an id and 12 bits of the hash, so that nearly every probe
// that touches the blob is a hit.
type vocab struct {
	prefix  string // of pieces inside a word, "##"
	blob    []byte
	at      []uint32 // id → offset in blob + 1, 0 = id not used
	slots   []uint32 // tag << idBits | id + 1, 0 = empty
	longest int      // bytes of the longest piece, without prefix

	// Which lengths in bytes the pieces have that start with a byte, those that
	// start a word and those inside one: bit n-1 is length n, and the last bit
	// is that and anything longer. Most probes for a longest match are for
	// lengths that do not occur.
	lengths [2][256]uint64
}

// longPiece is the length of the last bit of vocab.lengths.
const longPiece = 64

// FNV-1a over the bytes of a piece; pieces inside a word start elsewhere.
const (
	hashWord   = 14695981039346656037
	hashInside = 14695981039346656037 * 31 & (1<<64 - 1)
	hashPrime  = 1099511628211
)

func hashOf(seed uint64, s []byte) uint64 {
	for _, c := range s {
		seed = (seed ^ uint64(c)) * hashPrime
	}
	return seed
}

func slotAndTag(h uint64) (slot, tag uint32) {
	h ^= h >> 29
	return uint32(h), uint32(h >> (64 - tagBits))
}

// add enters a token. A token given twice keeps the later id, as a JSON object
// read into a map does; an id given twice is an error.
func (v *vocab) add(token []byte, id int64) error {
	if id < 0 || id >= maxTokens {
		return &invalid.Error{Field: "vocab", Reason: "an id is negative or too large", Limit: maxTokens - 1}
	}
	if len(token) > maxTokenBytes {
		return invalid.TooLarge("vocab token", int64(len(token)), maxTokenBytes)
	}
	if !utf8.Valid(token) {
		return invalid.New("vocab", "token %d is not UTF-8", id)
	}
	for int64(len(v.at)) <= id {
		v.at = append(v.at, 0)
	}
	if v.at[id] != 0 {
		return invalid.New("vocab", "id %d is given twice", id)
	}
	v.at[id] = uint32(len(v.blob)) + 1
	v.blob = append(v.blob, byte(len(token)))
	v.blob = append(v.blob, token...)
	return nil
}

// index builds the table once all tokens are in.
func (v *vocab) index() {
	size := 16
	for size*2/3 < len(v.at) {
		size *= 2
	}
	v.slots = make([]uint32, size)
	for id := range v.at {
		if v.at[id] == 0 {
			continue
		}
		piece, inside := v.token(int32(id)), false
		if p := len(v.prefix); len(piece) > p && string(piece[:p]) == v.prefix {
			piece, inside = piece[p:], true
		}
		if len(piece) == 0 {
			continue // an empty line: no text has it
		}
		v.longest = max(v.longest, len(piece))
		v.lengths[kind(inside)][piece[0]] |= 1 << (min(len(piece), longPiece) - 1)
		h := hashOf(seedOf(inside), piece)
		if old := v.find(h, piece, inside); old >= 0 {
			v.replace(h, old, int32(id))
			continue
		}
		slot, tag := slotAndTag(h)
		for i := slot & uint32(size-1); ; i = (i + 1) & uint32(size-1) {
			if v.slots[i] == 0 {
				v.slots[i] = tag<<idBits | uint32(id+1)
				break
			}
		}
	}
}

func kind(inside bool) int {
	if inside {
		return 1
	}
	return 0
}

func seedOf(inside bool) uint64 {
	if inside {
		return hashInside
	}
	return hashWord
}

func (v *vocab) replace(h uint64, old, id int32) {
	slot, tag := slotAndTag(h)
	mask := uint32(len(v.slots) - 1)
	for i := slot & mask; ; i = (i + 1) & mask {
		if v.slots[i] == tag<<idBits|uint32(old+1) {
			v.slots[i] = tag<<idBits | uint32(id+1)
			return
		}
	}
}

// find returns the id of a piece whose hash is h, or -1.
func (v *vocab) find(h uint64, piece []byte, inside bool) int32 {
	slot, tag := slotAndTag(h)
	mask := uint32(len(v.slots) - 1)
	for i := slot & mask; ; i = (i + 1) & mask {
		s := v.slots[i]
		if s == 0 {
			return -1
		}
		if s>>idBits != tag {
			continue
		}
		id := int32(s&(1<<idBits-1)) - 1
		token := v.token(id)
		if inside {
			p := len(v.prefix)
			if len(token) != p+len(piece) || string(token[:p]) != v.prefix {
				continue
			}
			token = token[p:]
		}
		if string(token) == string(piece) {
			return id
		}
	}
}

// token returns the text of an id, nil when it is not used.
func (v *vocab) token(id int32) []byte {
	if id < 0 || int(id) >= len(v.at) || v.at[id] == 0 {
		return nil
	}
	at := v.at[id]
	return v.blob[at : at+uint32(v.blob[at-1])]
}
