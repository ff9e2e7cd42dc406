package bm25

import (
	"hash/maphash"
	"unsafe"
)

// memory is a part of an index that can grow. A full one never changes again.
type memory struct {
	first, end uint32 // ordinals
	dict       dict
	lists      []list // by term number
	post       postings
}

func newMemory(seed maphash.Seed, first uint32) *memory {
	return &memory{first: first, end: first, dict: newDict(seed, 1<<8)}
}

func (m *memory) add(ord uint32, t Terms) {
	start := uint32(0)
	for i, end := range t.ends {
		id, fresh := m.dict.add(t.text[start:end])
		if fresh {
			m.lists = append(m.lists, list{})
		}
		m.post.add(&m.lists[id], ord, t.tf[i])
		start = end
	}
	m.end = ord + 1
}

// find looks term up.
func (m *memory) find(term []byte) ref {
	id, ok := m.dict.find(term)
	if !ok {
		return ref{}
	}
	return ref{df: m.lists[id].n, num: id}
}

// size is the memory of m.
func (m *memory) size() int {
	return m.post.bytes() + cap(m.lists)*int(unsafe.Sizeof(list{})) +
		cap(m.dict.slots)*8 + cap(m.dict.ends)*4 + cap(m.dict.text)
}
