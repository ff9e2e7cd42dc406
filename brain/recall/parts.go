package recall

import (
	"context"
	"math/bits"

	"github.com/seed70401ef0/brain-go/brain/recall/hnsw"
	"github.com/seed70401ef0/brain-go/brain/recall/topk"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// part is the vector leg of one partition: a domain, or a source. Its vectors
// are numbered by local ordinals, in order of commit within the partition, so
// that its graph is a function of the partition alone.
//
// The graph that searches use holds exactly the ordinals that hnsw.Options.End
// says for the number of vectors. While it does, the next batch is built beside
// it; the commit that makes that batch due takes it over, and waits for it only
// when it is not done yet. Searches go on meanwhile: they see vectors and graph
// of a commit together, when they are published.
type part struct {
	id   int // in order of the first document
	name string

	// What searches use; under Index.mu.
	ords []uint32  // ordinal of the index by local ordinal, rising
	rows vek.View  // vectors
	view hnsw.View // graph over the first of rows

	// What comes next; only the committer, or Load, uses it.
	vec   *vek.Flat
	graph *hnsw.Graph
	next  hnsw.View  // becomes view together with what vec holds
	ahead chan error // says when the batch after next is built; nil = none under way
}

// partOf names the partition of a document.
func partOf(u uri.URI) string {
	if d := u.Domain(); d != "" {
		return "brain://" + d
	}
	return u.Scheme() + "://"
}

// partition returns the partition of a document, making it for the first one.
func (v *view) partition(u uri.URI) (*part, error) {
	name := partOf(u)
	if p := v.parts[name]; p != nil {
		return p, nil
	}
	vec, err := vek.NewFlat(v.dim)
	if err != nil {
		return nil, err
	}
	g, err := hnsw.New(v.graph)
	if err != nil {
		return nil, err
	}
	p := &part{id: len(v.order), name: name, vec: vec, graph: g, next: g.View()}
	p.publish()
	v.parts[name] = p
	v.order = append(v.order, p)
	return p, nil
}

// append adds the vectors of a revision. Searches see them once published.
func (p *part) append(pieces []preparedPiece) error {
	for i := range pieces {
		if _, err := p.vec.Append(pieces[i].vector); err != nil {
			return err
		}
	}
	return nil
}

// publish lets searches use all vectors and the graph that belongs to them.
func (p *part) publish() { p.rows, p.view = p.vec.View(), p.next }

// settle brings the graph to the vectors that the partition has, and starts on
// the batch after it once the next Batch vectors may make it due. It waits for
// what is due, or for ctx.
func (p *part) settle(ctx context.Context, work *background) error {
	o, rows := p.graph.Options(), p.vec.View()
	n := rows.Len()
	if end := o.End(n); end > p.next.End() {
		if err := p.join(ctx); err != nil {
			return err
		}
		if err := p.grow(ctx, rows, end); err != nil {
			return err
		}
		p.next = p.graph.View()
	}
	if next := p.next.End() + o.Batch; p.ahead == nil && n >= max(next, o.Lag) {
		done := make(chan error, 1)
		if work.start(func() { done <- p.grow(work.ctx, rows, next) }) {
			p.ahead = done
		}
	}
	return nil
}

// join waits for the batch that is being built.
func (p *part) join(ctx context.Context) error {
	if p.ahead == nil {
		return nil
	}
	select {
	case err := <-p.ahead:
		p.ahead = nil
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// grow does nothing for a graph that reaches to end already.
func (p *part) grow(ctx context.Context, vectors vek.View, end int) error {
	return p.graph.Grow(ctx, hnsw.Of(vectors), end, localID)
}

// localID is what the level of a node is hashed from.
func localID(ord uint32) uint64 { return uint64(ord) }

// vectorLeg is one query's search over all partitions of a view.
type vectorLeg struct {
	v      *view
	c      *corpus
	query  []int8
	filter []uint64
	exact  bool // no graph: the view is not the live one
	walked bool // a graph answered, so that the list may miss something
}

// search returns the best k chunks by cosine.
func (l *vectorLeg) search(k int) ([]topk.Hit, error) {
	top := topk.New(k)
	l.walked = false
	for i, match := range l.match() {
		p := l.v.order[i]
		hits, err := l.ask(p, match, min(k, count(match)))
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			top.Push(p.ords[h.Ord], h.Score)
		}
	}
	return top.Sorted(), nil
}

// ask returns the best k chunks of p that match. A graph answers who may read all
// that it holds, about the live view.
func (l *vectorLeg) ask(p *part, match []uint64, k int) ([]topk.Hit, error) {
	if k == 0 {
		return nil, nil
	}
	if l.exact || l.c.hidden[p.id] || p.view.End() == 0 || k > hnsw.MaxK {
		return p.rows.Search(l.query, match, k)
	}
	hits, stats, err := p.view.Search(hnsw.Of(p.rows), hnsw.Query{Vector: l.query, K: k, Match: match}, nil)
	l.walked = l.walked || stats.Plan == hnsw.PlanWalk || stats.Plan == hnsw.PlanSparse
	return hits, err
}

// match returns the filter in local ordinals, by part.
func (l *vectorLeg) match() [][]uint64 {
	if len(l.filter) > 0 && len(l.c.bits) > 0 && &l.filter[0] == &l.c.bits[0] {
		return l.c.local
	}
	return l.v.local(l.filter)
}

// score writes the cosine of each ordinal, or vek.Missing. ords rise.
func (l *vectorLeg) score(ords []uint32, out []float64) error {
	local := make([]uint32, 0, len(ords))
	for i := 0; i < len(ords); {
		p, _ := l.v.localOf(ords[i])
		local = local[:0]
		j := i
		for ; j < len(ords); j++ {
			of, o := l.v.localOf(ords[j])
			if of != p {
				break
			}
			local = append(local, o)
		}
		if err := p.rows.Score(l.query, local, out[i:j]); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// localOf returns the partition of an ordinal and its place there.
func (v *view) localOf(ord uint32) (*part, uint32) {
	d := &v.docs[v.chunks[ord].doc]
	return d.part, d.local + ord - d.first
}

// sparse is how many ordinals there are at least for each one in a set that is
// translated one by one.
const sparse = 32

// local returns a set of ordinals in local ordinals of each partition, by
// part.id; nil where a partition has none. The cost is some steps per element for
// a small set, else one per chunk, and one per 64 chunks that were written
// together.
func (v *view) local(set []uint64) [][]uint64 {
	out := make([][]uint64, len(v.order))
	n := count(set)
	if n*sparse < len(v.chunks) {
		for w, word := range set {
			for ; word != 0; word &= word - 1 {
				p, o := v.localOf(uint32(w<<6 | bits.TrailingZeros64(word)))
				if out[p.id] == nil {
					out[p.id] = make([]uint64, (len(p.ords)+63)/64)
				}
				out[p.id][o>>6] |= 1 << (o & 63)
			}
		}
		return out
	}
	for i, p := range v.order {
		out[i] = p.local(set)
	}
	return out
}

// local translates a set by going through all ordinals of p.
func (p *part) local(set []uint64) []uint64 {
	var out []uint64
	at := func(w int) uint64 {
		if w < len(set) {
			return set[w]
		}
		return 0
	}
	for i := 0; i < len(p.ords); i += 64 {
		block := p.ords[i:min(i+64, len(p.ords))]
		first, n := block[0], len(block)
		var word uint64
		if block[n-1]-first == uint32(n-1) { // in a row
			w, shift := int(first>>6), first&63
			word = (at(w)>>shift | at(w+1)<<(64-shift)) & (^uint64(0) >> (64 - n))
		} else {
			for j, ord := range block {
				word |= at(int(ord>>6)) >> (ord & 63) & 1 << j
			}
		}
		if word == 0 {
			continue
		}
		if out == nil {
			out = make([]uint64, (len(p.ords)+63)/64)
		}
		out[i>>6] = word
	}
	return out
}

// follow returns local for the set next, given was for the set old of the same
// view or an earlier one; it shares what did not change. The cost is that of
// comparing the sets and some steps for each difference.
func (v *view) follow(was [][]uint64, old, next []uint64) [][]uint64 {
	out := make([][]uint64, len(v.order))
	copy(out, was)
	own := make([]bool, len(out))
	word := func(set []uint64, w int) uint64 {
		if w < len(set) {
			return set[w]
		}
		return 0
	}
	for w := range max(len(old), len(next)) {
		for diff := word(old, w) ^ word(next, w); diff != 0; diff &= diff - 1 {
			p, o := v.localOf(uint32(w<<6 | bits.TrailingZeros64(diff)))
			if !own[p.id] {
				grown := make([]uint64, (len(p.ords)+63)/64)
				copy(grown, out[p.id])
				out[p.id], own[p.id] = grown, true
			}
			out[p.id][o>>6] ^= 1 << (o & 63)
		}
	}
	return out
}
