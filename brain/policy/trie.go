package policy

import (
	"strings"

	"github.com/seed70401ef0/brain-go/brain/uri"
)

// trie indexes values by pattern. The zero value is empty; it is read-only once
// built.
type trie[T any] struct {
	schemes map[string]*node[T]
}

type node[T any] struct {
	next map[string]*node[T] // by literal segment
	any  *node[T]            // *
	end  *T                  // patterns that end here
	deep *T                  // patterns that end in ** here
}

// at returns the place of p's value, made on first use.
func (t *trie[T]) at(p uri.Pattern) *T {
	if t.schemes == nil {
		t.schemes = map[string]*node[T]{}
	}
	n := t.schemes[p.Scheme()]
	if n == nil {
		n = &node[T]{}
		t.schemes[p.Scheme()] = n
	}
	segs, deep := p.Steps()
	for _, seg := range segs {
		child := n.any
		if !seg.Any {
			child = n.next[seg.Literal]
		}
		if child == nil {
			child = &node[T]{}
			switch {
			case seg.Any:
				n.any = child
			case n.next == nil:
				n.next = map[string]*node[T]{seg.Literal: child}
			default:
				n.next[seg.Literal] = child
			}
		}
		n = child
	}
	place := &n.end
	if deep {
		place = &n.deep
	}
	if *place == nil {
		*place = new(T)
	}
	return *place
}

// visit calls fn with the value of each pattern that matches u, most specific
// first in the order of uri.Pattern.Specificity, until fn returns true. It
// follows one path per literal and one per star: with n patterns at most n·64
// steps, and as many as u has segments where patterns use no star.
func (t *trie[T]) visit(u uri.URI, fn func(*T) bool) {
	scheme, path, ok := strings.Cut(u.Key(), "://")
	if n := t.schemes[scheme]; ok && n != nil {
		n.visit(path, true, fn)
	}
}

func (n *node[T]) visit(path string, more bool, fn func(*T) bool) bool {
	if more {
		seg, rest, more := strings.Cut(path, "/")
		if child := n.next[seg]; child != nil && child.visit(rest, more, fn) {
			return true
		}
		if n.any != nil && n.any.visit(rest, more, fn) {
			return true
		}
	} else if n.end != nil && fn(n.end) {
		return true
	}
	return n.deep != nil && fn(n.deep)
}
