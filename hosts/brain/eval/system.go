package eval

import (
	"context"
	"fmt"
	"strings"
)

// System is what is measured. Its methods are called one at a time: Add until
// the corpus is in, then Search.
type System interface {
	// Add takes documents the way a user would add them, and returns when they
	// can be found. It must not keep the slice.
	Add(ctx context.Context, docs []Document) error
	// Search answers one request. Within one system the same request has the
	// same answer, and a larger limit only adds to the end.
	Search(ctx context.Context, r Request) (Result, error)
}

// Sizer is an optional capability of a System: the size of its index.
type Sizer interface {
	// IndexSize returns the bytes of everything that is derived from the
	// documents in order to find them, and the number of chunks indexed.
	IndexSize(ctx context.Context) (bytes, chunks int64, err error)
}

// Request is one question to a System.
type Request struct {
	Text  string
	Scope string // answer only from documents of this scope; empty for all
	Limit int    // the most hits to return, counted in chunks
	Mode  Mode
}

// Result is the answer to a Request.
type Result struct {
	// Documents holds the document id of each hit, best first, at most Limit. A
	// document with several chunks among the hits is there several times. Fewer
	// than Limit means that there are no more.
	Documents []string
	// Abstained says that the system takes the question for one it cannot
	// answer. No hits at all count as that too.
	Abstained bool
}

func (r Result) abstained() bool { return r.Abstained || len(r.Documents) == 0 }

// Mode is the set of legs that answer.
type Mode string

// The modes that can be measured.
const (
	Hybrid  Mode = "hybrid"  // all legs, fused
	Lexical Mode = "lexical" // BM25 alone
	Vector  Mode = "vector"  // embeddings alone
)

// ParseMode returns the mode named s, which must be spelled as the constants are;
// anything else is ErrOption.
func ParseMode(s string) (Mode, error) {
	known := []string{string(Hybrid), string(Lexical), string(Vector)}
	for _, m := range known {
		if s == m {
			return Mode(m), nil
		}
	}
	return "", fmt.Errorf("%w: mode: %q is none of %s", ErrOption, s, strings.Join(known, ", "))
}
