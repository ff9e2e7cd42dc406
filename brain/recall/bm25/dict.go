package bm25

import "hash/maphash"

// dict numbers terms from 0 in the order they come. It holds three flat arrays
// and no pointer per term: open addressing over slots, the bytes of all terms
// in one array. At most 4 GiB of terms.
type dict struct {
	seed  maphash.Seed
	slots []uint64 // upper half of the hash, id+1 in the lower 32 bits; 0 is free
	ends  []uint32 // where each term ends in text
	text  []byte
}

func newDict(seed maphash.Seed, slots int) dict {
	return dict{seed: seed, slots: make([]uint64, slots)}
}

func (d *dict) len() int { return len(d.ends) }

// term returns the bytes of term id, which are the dict's.
func (d *dict) term(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = d.ends[id-1]
	}
	return d.text[start:d.ends[id]]
}

// find returns the number of term.
func (d *dict) find(term []byte) (id uint32, ok bool) {
	h := maphash.Bytes(d.seed, term)
	mask := uint64(len(d.slots) - 1)
	for i := h & mask; d.slots[i] != 0; i = (i + 1) & mask {
		if s := d.slots[i]; s>>32 == h>>32 && string(d.term(uint32(s)-1)) == string(term) {
			return uint32(s) - 1, true
		}
	}
	return 0, false
}

// add returns the number of term, a new one when fresh.
func (d *dict) add(term []byte) (id uint32, fresh bool) {
	h := maphash.Bytes(d.seed, term)
	mask := uint64(len(d.slots) - 1)
	i := h & mask
	for ; d.slots[i] != 0; i = (i + 1) & mask {
		if s := d.slots[i]; s>>32 == h>>32 && string(d.term(uint32(s)-1)) == string(term) {
			return uint32(s) - 1, false
		}
	}
	id = uint32(len(d.ends))
	d.text = append(d.text, term...)
	d.ends = append(d.ends, uint32(len(d.text)))
	d.slots[i] = h>>32<<32 | uint64(id+1)
	if 4*len(d.ends) > 3*len(d.slots) {
		d.grow()
	}
	return id, true
}

func (d *dict) grow() {
	d.slots = make([]uint64, 2*len(d.slots))
	mask := uint64(len(d.slots) - 1)
	for id := range uint32(len(d.ends)) {
		h := maphash.Bytes(d.seed, d.term(id))
		i := h & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = h>>32<<32 | uint64(id+1)
	}
}

// reset empties d and keeps its memory.
func (d *dict) reset() {
	clear(d.slots)
	d.ends, d.text = d.ends[:0], d.text[:0]
}
