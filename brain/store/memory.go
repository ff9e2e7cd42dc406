package store

import (
	"bytes"
	"sync"
)

// Memory is an engine without files, for tests and for brains that need not
// outlive the process. The zero value is an empty engine. It is safe for
// concurrent use.
type Memory struct {
	mu   sync.Mutex
	data treap
	size int64
	open bool
}

// Open returns an [OpenEngine] whose engine keeps its data in m, across Close
// and the next Open, and fails with ErrCorrupt when it is opened as an existing
// one before it was created.
func (m *Memory) Open() OpenEngine {
	return func(_ string, o EngineOptions) (Engine, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		switch {
		case o.Create:
			m.data, m.size, m.open = newTreap(), 0, true
		case !m.open:
			return nil, ErrCorrupt
		}
		return &memoryEngine{m: m, readOnly: o.ReadOnly}, nil
	}
}

type memoryEngine struct {
	m        *Memory
	readOnly bool
}

// Snapshot implements Engine; its cost does not depend on the size.
func (e *memoryEngine) Snapshot() (EngineSnapshot, error) {
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	return &memorySnapshot{data: e.m.data.fork()}, nil
}

// Apply implements Engine.
func (e *memoryEngine) Apply(b *Batch) error {
	if e.readOnly {
		return ErrReadOnly
	}
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	if err := checkHead((&memorySnapshot{data: e.m.data}).Get, b); err != nil {
		return err
	}
	for _, op := range b.Ops {
		key := string(op.Key)
		if old, ok := e.m.data.get(key); ok {
			e.m.size -= int64(len(key) + len(old.value))
		}
		if op.Delete {
			e.m.data.remove(key)
			continue
		}
		e.m.data.set(key, entry{value: bytes.Clone(op.Value)})
		e.m.size += int64(len(key) + len(op.Value))
	}
	return nil
}

// Size implements Engine: bytes of keys and values.
func (e *memoryEngine) Size() int64 {
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	return e.m.size
}

// Close implements Engine.
func (e *memoryEngine) Close() error { return nil }

type memorySnapshot struct{ data treap }

// Get implements EngineSnapshot.
func (s *memorySnapshot) Get(key []byte) ([]byte, error) {
	e, ok := s.data.get(string(key))
	if !ok {
		return nil, ErrNotFound
	}
	return append([]byte{}, e.value...), nil
}

// Scan implements EngineSnapshot.
func (s *memorySnapshot) Scan(lo, hi []byte, fn func(k, v []byte) (bool, error)) error {
	c := s.data.from(lo, hi)
	for n := c.peek(); n != nil; n = c.peek() {
		c.next()
		if more, err := fn([]byte(n.key), n.entry.value); err != nil || !more {
			return err
		}
	}
	return nil
}

// Close implements EngineSnapshot.
func (s *memorySnapshot) Close() error { return nil }
