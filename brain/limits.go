package brain

import (
	"github.com/seed70401ef0/brain-go/brain/document"
	"github.com/seed70401ef0/brain-go/brain/gate"
	"github.com/seed70401ef0/brain-go/brain/policy"
	"github.com/seed70401ef0/brain-go/brain/recall"
	"github.com/seed70401ef0/brain-go/brain/recall/chunk"
	"github.com/seed70401ef0/brain-go/brain/store"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// MaxDrafts is the most drafts that one Put takes.
const MaxDrafts = 1000

// Limit is one row of the table of limits. A refusal names the row's value.
type Limit struct {
	Name string `json:"name"`
	Max  int64  `json:"max"`
	Unit string `json:"unit"`
}

// Limits returns the table of limits. The slice is the caller's.
func Limits() []Limit {
	return []Limit{
		{"document", document.MaxBody, "bytes"},
		{"chunks of a document", chunk.DefaultMaxChunks, "chunks"},
		{"documents of one call", MaxDrafts, "documents"},
		{"title", document.MaxTitle, "bytes"},
		{"tags of a document", document.MaxTags, "tags"},
		{"tag", document.MaxTag, "bytes"},
		{"uri", uri.MaxBytes, "bytes"},
		{"segment of a uri", uri.MaxSegmentBytes, "bytes"},
		{"depth of a uri", uri.MaxDepth, "segments"},
		{"query text", recall.MaxText, "bytes"},
		{"hits", recall.MaxLimit, "hits"},
		{"filters of a query", recall.MaxFilters, "values"},
		{"page of a list", document.MaxPageSize, "documents"},
		{"page of proposals", gate.MaxPage, "proposals"},
		{"content of a page of proposals", MaxPageBytes, "bytes, or one proposal"},
		{"pending proposals of an actor", gate.MaxPending, "proposals"},
		{"sourcing prompt", gate.MaxPrompt, "bytes"},
		{"reason", document.MaxReason, "bytes"},
		{"content of an actor and day", DefaultDailyBytes, "bytes, unless Options.DailyBytes says otherwise"},
		{"one commit", store.MaxTx, "bytes"},
		{"policy", policy.MaxBytes, "bytes"},
		{"rules of a policy", policy.MaxRules, "rules"},
	}
}
