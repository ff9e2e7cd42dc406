package recall

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/recall/chunk"
	"github.com/seed70401ef0/brain-go/brain/recall/embed"
	"github.com/seed70401ef0/brain-go/brain/recall/vek"
	"github.com/seed70401ef0/brain-go/brain/store"
)

// embedding makes int8 vectors with one embedder.
type embedding struct {
	e     embed.Embedder
	exact embed.Quantizer // e when it gives int8 vectors without a float on the way
	dim   int
	model [sha256.Size]byte // digest of the embedder's id: part of the key of stored vectors
	// primary says that e may give other vectors for the same text another time,
	// so that stored ones are data and not a cache.
	primary bool
}

func newEmbedding(e embed.Embedder, dim int) embedding {
	m := embedding{e: e, dim: dim, model: sha256.Sum256([]byte(e.ID()))}
	m.exact, _ = e.(embed.Quantizer)
	d, ok := e.(embed.Deterministic)
	m.primary = !ok || !d.Deterministic()
	return m
}

// dimension returns the length of e's vectors: what it says, else that of the
// vector of one word.
func dimension(ctx context.Context, e embed.Embedder) (int, error) {
	if d, ok := e.(interface{ Dim() int }); ok {
		return d.Dim(), nil
	}
	v, err := e.Embed(ctx, []string{"dimension"})
	if err != nil {
		return 0, fmt.Errorf("embedder %s: %w", e.ID(), err)
	}
	if len(v) != 1 || len(v[0]) == 0 {
		return 0, fmt.Errorf("embedder %s: %w", e.ID(), invalid.New("embedder", "gives no vector for a word"))
	}
	return len(v[0]), nil
}

// embedText is what is embedded of a chunk.
func embedText(title string, c chunk.Chunk) string {
	if title == "" {
		return c.Text
	}
	return title + ". " + c.Text
}

// query returns the vector of a query text; nil when the text has none.
func (m *embedding) query(ctx context.Context, text string) ([]int8, error) {
	p := []preparedPiece{{}}
	if err := m.fill(ctx, p, []string{text}, nil); err != nil {
		return nil, err
	}
	if p[0].pending {
		return nil, fmt.Errorf("embedder %s failed on the query", m.e.ID())
	}
	return p[0].vector, nil
}

// fill sets the vector of each piece from texts. Vectors that stored holds are
// taken from there. A failing embedder leaves its pieces pending; a vector of
// the wrong length or with a value that is not finite is an error.
func (m *embedding) fill(ctx context.Context, pieces []preparedPiece, texts []string, stored vectorReader) error {
	var ask []string
	var at []int
	for i := range pieces {
		if stored != nil {
			q, ok, err := stored.get(m, pieces[i].text)
			if err != nil {
				return err
			}
			if ok {
				pieces[i].vector, pieces[i].stored = q, true
				continue
			}
		}
		if m.exact != nil {
			pieces[i].vector, _, _ = m.exact.Quantized(texts[i])
			continue
		}
		ask, at = append(ask, texts[i]), append(at, i)
	}
	if len(ask) == 0 {
		return ctx.Err()
	}
	vs, err := m.e.Embed(ctx, ask)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, i := range at {
			pieces[i].pending = true
		}
		return nil
	}
	if i, err := embed.Check(vs, len(ask), m.dim); err != nil {
		return fmt.Errorf("embedder %s, text %d: %w", m.e.ID(), i, err)
	}
	for j, v := range vs {
		if pieces[at[j]].vector, _, err = vek.Quantize(v); err != nil {
			return fmt.Errorf("embedder %s, text %d: %w", m.e.ID(), j, err)
		}
	}
	return nil
}

// Stored vectors: key = model digest + text digest, value = a version byte and
// the components; a text without a vector has the version byte alone.

const vectorVersion = 1

func (m *embedding) key(text [sha256.Size]byte) []byte {
	if m.primary {
		return store.Embedding.Key(m.model[:], text[:])
	}
	return store.Vector.Key(m.model[:], text[:])
}

// vectorReader reads stored vectors.
type vectorReader interface {
	get(m *embedding, text [sha256.Size]byte) (q []int8, ok bool, err error)
}

// storedVectors reads vectors from the part of a store that keeps them.
type storedVectors struct{ r store.Reader }

// get returns the vector of a text; ok is false when none is stored or what is
// stored is not a vector of this model, which is then made again.
func (s storedVectors) get(m *embedding, text [sha256.Size]byte) (q []int8, ok bool, err error) {
	v, err := s.r.Get(m.key(text))
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	switch {
	case len(v) == 0 || v[0] != vectorVersion:
		return nil, false, nil
	case len(v) == 1:
		return nil, true, nil
	case len(v) != 1+m.dim:
		return nil, false, nil
	}
	q = make([]int8, m.dim)
	for i, b := range v[1:] {
		q[i] = int8(b)
	}
	return q, true, nil
}

// fresh reports whether p has a vector that is not stored yet.
func (p *prepared) fresh() bool {
	return slices.ContainsFunc(p.pieces, func(c preparedPiece) bool { return !c.stored && !c.pending })
}

// vectorWriter writes stored vectors.
type vectorWriter interface {
	store.Reader
	Set(key, value []byte) error
}

// save writes the vectors of p that are not stored yet. Where vectors are data, a
// text that has one keeps it, also in p: an index that is built from the store must
// find the vectors that this one uses.
func (m *embedding) save(tx vectorWriter, p *prepared) error {
	for i := range p.pieces {
		pc := &p.pieces[i]
		if pc.stored || pc.pending {
			continue
		}
		if m.primary {
			q, ok, err := storedVectors{tx}.get(m, pc.text)
			if err != nil {
				return err
			}
			if ok {
				pc.vector = q
				continue
			}
		}
		v := make([]byte, 1, 1+len(pc.vector))
		v[0] = vectorVersion
		for _, x := range pc.vector {
			v = append(v, byte(x))
		}
		if err := tx.Set(m.key(pc.text), v); err != nil {
			return err
		}
	}
	return nil
}
