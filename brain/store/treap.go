package store

import (
	"hash/maphash"
	"strings"
)

// treap is an ordered map from keys to entries whose copies are free: copying
// the struct and giving one of the two a new owner makes both independent
// (path copying). A failed transaction is undone by dropping its copy, and a
// scan reads on undisturbed while its own function writes.
//
// Priorities are keyed hashes of the keys (Seidel and Aragon, Randomized Search
// Trees, 1996), so no choice of keys makes it deep. Not safe for concurrent use
// while written; any number of goroutines may read a copy that nobody writes.
type treap struct {
	root  *node
	owner *byte // identity of who may change nodes in place
	seed  maphash.Seed
	n     int
}

type node struct {
	left, right *node
	owner       *byte
	priority    uint64
	key         string
	entry       entry
}

// entry is a value, or the fact that there is none any more.
type entry struct {
	value   []byte
	deleted bool
}

func newTreap() treap { return treap{owner: new(byte), seed: maphash.MakeSeed()} }

// fork returns a copy that can be written without changing t, and makes t
// writable without changing the copy.
func (t *treap) fork() treap {
	c := *t
	c.owner, t.owner = new(byte), new(byte)
	return c
}

// get returns the entry of key.
func (t *treap) get(key string) (entry, bool) {
	for n := t.root; n != nil; {
		switch c := strings.Compare(key, n.key); {
		case c == 0:
			return n.entry, true
		case c < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	return entry{}, false
}

// set makes e the entry of key. The treap keeps e.value.
func (t *treap) set(key string, e entry) { t.root = t.insert(t.root, key, e) }

// remove drops the entry of key.
func (t *treap) remove(key string) {
	if _, ok := t.get(key); ok {
		t.root = t.cut(t.root, key)
		t.n--
	}
}

// own returns n, or a copy of it, that t may change in place.
func (t *treap) own(n *node) *node {
	if n.owner == t.owner {
		return n
	}
	c := *n
	c.owner = t.owner
	return &c
}

func (t *treap) insert(n *node, key string, e entry) *node {
	if n == nil {
		t.n++
		return &node{owner: t.owner, priority: maphash.String(t.seed, key), key: key, entry: e}
	}
	n = t.own(n)
	switch c := strings.Compare(key, n.key); {
	case c == 0:
		n.entry = e
	case c < 0:
		n.left = t.insert(n.left, key, e)
		if l := n.left; l.priority > n.priority {
			n.left, l.right = l.right, n
			return l
		}
	default:
		n.right = t.insert(n.right, key, e)
		if r := n.right; r.priority > n.priority {
			n.right, r.left = r.left, n
			return r
		}
	}
	return n
}

func (t *treap) cut(n *node, key string) *node {
	switch c := strings.Compare(key, n.key); {
	case c == 0:
		return t.join(n.left, n.right)
	case c < 0:
		n = t.own(n)
		n.left = t.cut(n.left, key)
	default:
		n = t.own(n)
		n.right = t.cut(n.right, key)
	}
	return n
}

// join returns the nodes of a and b; every key of a is below those of b.
func (t *treap) join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority > b.priority:
		a = t.own(a)
		a.right = t.join(a.right, b)
		return a
	default:
		b = t.own(b)
		b.left = t.join(a, b.left)
		return b
	}
}

// cursor walks a treap in key order.
type cursor struct {
	stack []*node // nodes whose key and right side are still to come
	hi    string
	open  bool // no upper bound
}

// from returns a cursor over the keys of [lo, hi); a nil hi has no end. It sees
// the treap as it is now if t is forked before the next write.
func (t *treap) from(lo, hi []byte) cursor {
	c := cursor{hi: string(hi), open: hi == nil}
	for n := t.root; n != nil; {
		if n.key >= string(lo) {
			c.stack = append(c.stack, n)
			n = n.left
		} else {
			n = n.right
		}
	}
	return c
}

// peek returns the node that next will drop, or nil at the end.
func (c *cursor) peek() *node {
	if len(c.stack) == 0 {
		return nil
	}
	n := c.stack[len(c.stack)-1]
	if !c.open && n.key >= c.hi {
		c.stack = c.stack[:0]
		return nil
	}
	return n
}

func (c *cursor) next() {
	n := c.stack[len(c.stack)-1].right
	c.stack = c.stack[:len(c.stack)-1]
	for ; n != nil; n = n.left {
		c.stack = append(c.stack, n)
	}
}
