package recall

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed70401ef0/brain-go/brain/recall/bm25"
)

// filter returns the chunks of c that pass the filters of q, as the legs take
// them. now is in microseconds. The result shares the bits of c when there is
// no filter. The caller holds Index.mu for reading.
func (v *view) filter(ctx context.Context, q *Query, c *corpus, now int64) ([]uint64, error) {
	f := narrowing{corpus: c}
	for _, any := range []struct {
		field  byte
		values []string
	}{{'d', q.Domains}, {'s', q.Sources}, {'k', q.Kinds}, {'o', q.Owners}} {
		if len(any.values) > 0 {
			b := roaring.New()
			for _, x := range any.values {
				if a := v.by[attr{any.field, x}]; a != nil {
					b.Or(a)
				}
			}
			f.and(b)
		}
	}
	for _, t := range q.Tags {
		if a := v.by[attr{'t', t}]; a != nil {
			f.and(a)
		} else {
			f.and(roaring.New())
		}
	}
	switch q.Flags {
	case FlagsExcluded:
		f.without(dense(v.flagged))
	case FlagsOnly:
		f.and(v.flagged)
	}
	v.filterTime(q, &f, now)
	return v.filterText(ctx, q, &f)
}

// filterTime takes out what is not valid at the query's instant, expired, or
// written outside of the window.
func (v *view) filterTime(q *Query, f *narrowing, now int64) {
	at := micros(q.At, now)
	v.eachDoc(v.timed, func(d *doc) {
		if !d.holds(at, now) {
			f.drop(d.first, d.last)
		}
	})
	if q.Since.IsZero() && q.Until.IsZero() {
		return
	}
	f.drop(0, v.writtenBy(micros(q.Since, minTime)))
	f.drop(v.writtenBy(micros(q.Until, maxTime)), uint32(len(v.chunks)))
}

// writtenBy returns the first ordinal that was written at the instant or later.
// The time of a commit is never before that of an earlier one.
func (v *view) writtenBy(instant int64) uint32 {
	i := sort.Search(len(v.docs), func(i int) bool { return v.docs[i].at >= instant })
	if i == len(v.docs) {
		return uint32(len(v.chunks))
	}
	return v.docs[i].first
}

// eachDoc calls fn for each revision that has an ordinal in b.
func (v *view) eachDoc(b *roaring.Bitmap, fn func(*doc)) {
	it := b.Iterator()
	for it.HasNext() {
		d := &v.docs[v.chunks[it.Next()].doc]
		fn(d)
		it.AdvanceIfNeeded(d.last)
	}
}

// filterText keeps what holds every phrase and every piece of code and none of
// the excluded words. Postings give the candidates; the stored text decides.
func (v *view) filterText(ctx context.Context, q *Query, f *narrowing) ([]uint64, error) {
	span := v.texts()
	text := func(ord uint32) (string, error) { // as the words are indexed: with title and headings
		t, err := span(ord)
		c := &v.chunks[ord]
		return v.docs[c.doc].title + "\n" + c.crumb + "\n" + t, err
	}
	for _, must := range []struct {
		values []string
		match  func(text, value string) bool
	}{{q.Phrases, bm25.MatchPhrase}, {q.Code, bm25.MatchCode}} {
		for _, p := range must.values {
			if err := f.keep(ctx, v.lex.Candidates(p), matching(text, p, must.match)); err != nil {
				return nil, err
			}
		}
	}
	for _, x := range q.Exclude {
		found := narrowing{corpus: f.corpus, own: slices.Clone(f.bits())}
		if err := found.keep(ctx, v.lex.Candidates(x), matching(text, x, bm25.MatchPhrase)); err != nil {
			return nil, err
		}
		f.without(found.own)
	}
	return f.bits(), nil
}

// matching asks whether the stored text of a chunk matches a value.
func matching(text func(uint32) (string, error), value string, match func(text, value string) bool) func(uint32) (bool, error) {
	return func(ord uint32) (bool, error) {
		t, err := text(ord)
		return err == nil && match(t, value), err
	}
}

// narrowing is a set of chunks that shrinks; it copies the corpus at the first
// change.
type narrowing struct {
	corpus *corpus
	own    []uint64 // nil until something was taken out
}

func (f *narrowing) bits() []uint64 {
	if f.own != nil {
		return f.own
	}
	return f.corpus.bits
}

func (f *narrowing) copied() []uint64 {
	if f.own == nil {
		f.own = append(make([]uint64, 0, len(f.corpus.bits)), f.corpus.bits...)
	}
	return f.own
}

func (f *narrowing) and(b *roaring.Bitmap) {
	d, own := dense(b), f.copied()
	for i := range own {
		if i < len(d) {
			own[i] &= d[i]
		} else {
			own[i] = 0
		}
	}
}

func (f *narrowing) without(d []uint64) {
	own := f.copied()
	for i := range min(len(d), len(own)) {
		own[i] &^= d[i]
	}
}

func (f *narrowing) drop(first, last uint32) {
	if first >= last {
		return
	}
	own := f.copied()
	for int(first>>6) < len(own) && first < last {
		n := min(64-first&63, last-first) // in this word
		own[first>>6] &^= ^uint64(0) >> (64 - n) << (first & 63)
		first += n
	}
}

// keep leaves the ordinals that are in candidates and that fn accepts.
func (f *narrowing) keep(ctx context.Context, candidates []uint64, fn func(ord uint32) (bool, error)) error {
	own := f.copied()
	for i := range own {
		word := own[i]
		if i < len(candidates) {
			word &= candidates[i]
		} else {
			word = 0
		}
		own[i] = word
		for ; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			ok, err := fn(uint32(i<<6 | bit))
			if err != nil {
				return err
			}
			if !ok {
				own[i] &^= 1 << bit
			}
		}
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func count(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}
