package store

// overlay is changes that are not applied yet, over a state of an engine. Reads
// see both. It is ours, above the engine, so that every engine behaves alike
// and one failed transaction of a group can be undone alone.
type overlay struct {
	treap
	base EngineSnapshot
}

func (o *overlay) fork() overlay { return overlay{o.treap.fork(), o.base} }

// Get implements Reader.
func (o *overlay) Get(key []byte) ([]byte, error) {
	e, ok := o.treap.get(string(key))
	switch {
	case !ok:
		return o.base.Get(key)
	case e.deleted:
		return nil, ErrNotFound
	}
	return append([]byte{}, e.value...), nil
}

// Scan implements Reader: a merge of both in key order. fn may write to the
// overlay; the scan goes on with what was there when it began.
func (o *overlay) Scan(lo, hi []byte, fn func(k, v []byte) (bool, error)) error {
	t := o.treap.fork()
	c := t.from(lo, hi)
	more := true
	// emit hands over the changes below end (all, when bounded is false).
	emit := func(end string, bounded bool) error {
		for n := c.peek(); n != nil && more && (!bounded || n.key < end); n = c.peek() {
			c.next()
			if n.entry.deleted {
				continue
			}
			var err error
			if more, err = fn([]byte(n.key), n.entry.value); err != nil {
				return err
			}
		}
		return nil
	}
	err := o.base.Scan(lo, hi, func(k, v []byte) (bool, error) {
		if err := emit(string(k), true); err != nil || !more {
			return false, err
		}
		if n := c.peek(); n != nil && n.key == string(k) {
			c.next()
			if n.entry.deleted {
				return true, nil
			}
			v = n.entry.value
		}
		var err error
		more, err = fn(k, v)
		return more, err
	})
	if err != nil || !more {
		return err
	}
	return emit("", false)
}

// ops returns the changes as a batch in key order. The batch shares their
// memory.
func (o *overlay) ops() []Op {
	ops := make([]Op, 0, o.n+1)
	c := o.from(nil, nil)
	for n := c.peek(); n != nil; n = c.peek() {
		c.next()
		ops = append(ops, Op{Key: []byte(n.key), Value: n.entry.value, Delete: n.entry.deleted})
	}
	return ops
}
