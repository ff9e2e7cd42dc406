package recall

import (
	"container/list"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
)

// corpus is what one scope may see of a view: the chunks that all lists, counts
// and statistics are taken from.
type corpus struct {
	bits []uint64    // scope ∧ live
	n    int         // chunks in bits
	lex  bm25.Corpus // statistics over bits

	local  [][]uint64 // bits in the ordinals of each partition, by part.id
	hidden []bool     // by part.id: holds chunks, live or retired, that the scope may not read
}

// scopeCache keeps, for the scopes used last, which ordinals they allow and the
// corpus of the current commit. A scope is asked once per revision, ever.
type scopeCache struct {
	mu    sync.Mutex
	m     map[[32]byte]*list.Element
	order *list.List // of *scopeEntry, most recently used first
}

// maxScopes bounds the cache; at a million chunks an entry is about 250 KB.
const maxScopes = 64

type scopeEntry struct {
	mu      sync.Mutex
	digest  [32]byte
	docs    int             // revisions judged so far
	allowed *roaring.Bitmap // ordinals whose URI the scope allows
	hidden  []bool          // by part.id: has ordinals that are not in allowed
	retired int             // revisions that were retired when now was made
	made    int             // revisions that there were
	now     *corpus         // nil = none yet
}

// clear forgets all scopes, as for another view.
func (c *scopeCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m, c.order = map[[32]byte]*list.Element{}, list.New()
}

// entry returns the cache entry of s, making room for it.
func (c *scopeCache) entry(digest [32]byte) *scopeEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.m[digest]; ok {
		c.order.MoveToFront(el)
		return el.Value.(*scopeEntry)
	}
	if c.order.Len() >= maxScopes {
		last := c.order.Back()
		delete(c.m, last.Value.(*scopeEntry).digest)
		c.order.Remove(last)
	}
	e := &scopeEntry{digest: digest, allowed: roaring.New()}
	c.m[digest] = c.order.PushFront(e)
	return e
}

// corpus returns what s may see of v: the live chunks, or those of commit asOf
// when it is not 0. The caller holds Index.mu for reading. Cost: O(1) when no
// document was changed since the last call with this scope, else O(chunks / 64)
// plus one question to the scope per new revision; as of another commit,
// O(chunks).
func (c *scopeCache) corpus(v *view, s policy.Scope, asOf uint64) *corpus {
	e := c.entry(s.Digest())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.judge(v, s)
	if asOf != 0 {
		then := roaring.New()
		for i := range v.docs {
			if d := &v.docs[i]; d.liveAt(asOf) {
				then.AddRange(uint64(d.first), uint64(d.last))
			}
		}
		then.And(e.allowed)
		return v.corpus(then, e.hidden)
	}
	if e.now == nil || e.made != len(v.docs) || e.retired != v.retired {
		live := roaring.And(e.allowed, v.live)
		if e.now == nil {
			e.now = v.corpus(live, e.hidden)
		} else {
			e.now = v.corpusAfter(e.now, live, e.hidden)
		}
		e.made, e.retired = len(v.docs), v.retired
	}
	return e.now
}

// judge asks the scope about the revisions that came since the last time.
func (e *scopeEntry) judge(v *view, s policy.Scope) {
	e.hidden = append(e.hidden, make([]bool, len(v.order)-len(e.hidden))...)
	for ; e.docs < len(v.docs); e.docs++ {
		d := &v.docs[e.docs]
		if s.Allows(d.uri) {
			e.allowed.AddRange(uint64(d.first), uint64(d.last))
		} else if d.first < d.last {
			e.hidden[d.part.id] = true
		}
	}
}

// corpus counts what is in b.
func (v *view) corpus(b *roaring.Bitmap, hidden []bool) *corpus {
	c := &corpus{bits: dense(b), n: int(b.GetCardinality()), hidden: slices.Clone(hidden)}
	c.lex = v.lex.Corpus(c.bits)
	c.local = v.local(c.bits)
	return c
}

// corpusAfter is corpus at the cost of what changed since old.
func (v *view) corpusAfter(old *corpus, b *roaring.Bitmap, hidden []bool) *corpus {
	c := &corpus{bits: dense(b), n: int(b.GetCardinality()), hidden: slices.Clone(hidden)}
	c.lex = v.lex.Recount(old.lex, c.bits)
	c.local = v.follow(old.local, old.bits, c.bits)
	return c
}

// dense returns the bitmap as the legs take it.
func dense(b *roaring.Bitmap) []uint64 {
	if b.IsEmpty() {
		return nil
	}
	return b.ToDense()
}
