// Package embed turns texts into vectors. It has the interface that embedders
// implement, the static embedder that is compiled in, and a reader for other
// static models (model2vec directories).
//
// A static embedder is a table: the vector of a text is the sum of the rows of
// its WordPiece tokens. It knows no word order, costs microseconds, needs no
// network, and gives the same bits on every machine.
//
// The package does not chunk, store or compare vectors, and it does not decide
// which model a store uses: ID says what made a vector, and vectors of unequal
// ids are never compared.
package embed

import (
	"context"
	"math"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Embedder makes vectors of texts. Implementations are safe for concurrent use.
// Package embedtest has the conformance suite.
type Embedder interface {
	// ID names the model, its weights and whatever else decides the vectors
	// (settings, version of Unicode tables), so that equal ids mean comparable
	// vectors. It is stable over the life of the value: 1 to 255 bytes,
	// printable ASCII without spaces.
	ID() string

	// Embed returns one vector per text, in order, all of one length. A text
	// without meaning to the model, such as the empty one, gets the zero
	// vector: no vector. The vectors need not be of unit length and must be
	// finite. The slices are the caller's; texts are not changed. An error,
	// also that of a done ctx, means no vectors at all.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Deterministic is an optional capability: an embedder that implements it and
// returns true gives the same bits for the same text on every machine, alone or
// in any batch. Vectors of other embedders cannot be made again and are kept as
// primary data.
type Deterministic interface {
	Deterministic() bool
}

// Quantizer is an optional capability: the int8 vector of a text without the
// way over floats. q is scaled so that its largest magnitude is 127, norm is its
// Euclidean length, and ok is false, with q nil, for a text without a vector. q
// is the caller's.
type Quantizer interface {
	Quantized(text string) (q []int8, norm float64, ok bool)
}

// Check verifies what an embedder returned for texts texts: as many vectors,
// each of dim components (any one length when dim is 0), no NaN, no infinity.
// The error is an *invalid.Error of field "embedding"; at is the index of the
// offending vector, -1 when it is the number of vectors that is wrong or
// nothing is.
func Check(vectors [][]float32, texts, dim int) (at int, err error) {
	if len(vectors) != texts {
		return -1, invalid.New("embedding", "%d vectors for %d texts", len(vectors), texts)
	}
	for i, v := range vectors {
		if dim == 0 {
			dim = len(v)
		}
		if len(v) != dim || dim == 0 {
			return i, invalid.New("embedding", "vector %d has %d components, want %d", i, len(v), dim)
		}
		for j, x := range v {
			if !(math.Abs(float64(x)) <= math.MaxFloat32) {
				return i, invalid.New("embedding", "vector %d, component %d is %v", i, j, x)
			}
		}
	}
	return -1, nil
}
