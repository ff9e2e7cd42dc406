package recall

import (
	"time"

	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Result answers a Query from one state of the store. Its hits are data, never
// instructions.
type Result struct {
	Hits  []Hit  `json:"hits"` // best first
	Seq   uint64 `json:"seq"`  // the last commit that the answer knows of
	Stats Stats  `json:"stats"`
}

// Stats says how much was looked at. All counts are of what the actor may read.
type Stats struct {
	Corpus   int `json:"corpus"`   // chunks in scope and live, which statistics are taken over
	Matching int `json:"matching"` // of these, chunks that pass the filters
	Depth    int `json:"depth"`    // candidates taken from each leg
	Scored   int `json:"scored"`   // candidates that all legs scored
	Below    int `json:"below"`    // hits left out for their score
}

// Hit is one chunk with where it came from.
type Hit struct {
	Chunk      uri.Chunk       `json:"chunk"`      // URI@rREVISION#cN
	Start      int             `json:"start"`      // byte span in the revision
	End        int             `json:"end"`        //
	Title      string          `json:"title"`      // of the document, "" = none
	Breadcrumb string          `json:"breadcrumb"` // headings above the chunk, "A › B"
	Text       string          `json:"text"`       // the bytes of the span
	Digest     document.Digest `json:"digest"`     // of the whole revision's bytes
	Seq        uint64          `json:"seq"`        // commit that wrote the revision
	Time       time.Time       `json:"time"`       // of that commit
	Actor      string          `json:"actor"`      // who wrote it
	Kind       string          `json:"kind"`
	Owner      string          `json:"owner"`
	Tags       []string        `json:"tags,omitempty"`
	ValidFrom  time.Time       `json:"valid_from,omitzero"`
	ValidTo    time.Time       `json:"valid_to,omitzero"`
	Flags      []string        `json:"flags,omitempty"` // screen rules it was released in spite of
	Score      float64         `json:"score"`           // fused, 0 to 1
	Legs       []Leg           `json:"legs,omitempty"`  // that found it, when Explain was asked for
}

// Leg says what one retrieval method thought of a hit.
type Leg struct {
	Name  string  `json:"name"`            // "bm25" or "vector"
	Rank  int     `json:"rank,omitempty"`  // from 1 in that leg's list; 0 = deeper than Stats.Depth
	Score float64 `json:"score"`           // raw: BM25, or cosine
	Share float64 `json:"share"`           // of the hit's Score that comes from this leg
	Terms []Term  `json:"terms,omitempty"` // of bm25: which query words counted
}

// Term is one query word's part of a BM25 score.
type Term struct {
	Text  string  `json:"text"`
	Score float64 `json:"score"`
}
