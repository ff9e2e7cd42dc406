package recall

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
)

// Limits of one query. The facade lists them in its table of limits.
const (
	MaxText    = 64 << 10 // bytes of the text, of the hypothetical answer, of all phrases together
	MaxLimit   = 1000     // hits
	MaxFilters = 256      // values of all filters together
)

// DefaultLimit is the number of hits of a query that names none.
const DefaultLimit = 10

// Mode says which legs answer.
type Mode string

// The modes.
const (
	Hybrid  Mode = "hybrid"  // all legs, fused; the default
	Lexical Mode = "lexical" // BM25 alone
	Vector  Mode = "vector"  // embeddings alone; a text that has none, such as an emoji, is looked for as in Lexical
)

// FlagFilter says what to do with chunks that were released in spite of a
// finding of the screen.
type FlagFilter string

// The flag filters.
const (
	FlagsShown    FlagFilter = ""        // recalled, with the label
	FlagsExcluded FlagFilter = "exclude" // left out
	FlagsOnly     FlagFilter = "only"    // nothing else
)

// Query is one question. The zero values of all fields but Text are useful. No
// text is a syntax error: operators have fields of their own.
type Query struct {
	Text  string `json:"text"`  // at most 64 KiB of UTF-8
	Limit int    `json:"limit"` // hits, 1 to 1,000; default 10
	Mode  Mode   `json:"mode"`  // default Hybrid

	Phrases []string `json:"phrases,omitempty"` // each must occur, as words in this order
	Exclude []string `json:"exclude,omitempty"` // none of these words or phrases may occur
	Code    []string `json:"code,omitempty"`    // each must occur as written, words and punctuation alike

	Vector       []float32 `json:"vector,omitempty"`       // own query vector of the model's dimension, in place of Text's
	Hypothetical string    `json:"hypothetical,omitempty"` // answer text to embed in place of Text

	Domains []string   `json:"domains,omitempty"` // any of these
	Sources []string   `json:"sources,omitempty"` // URI schemes, any of these
	Kinds   []string   `json:"kinds,omitempty"`   // any of these
	Owners  []string   `json:"owners,omitempty"`  // any of these
	Tags    []string   `json:"tags,omitempty"`    // all of these
	Flags   FlagFilter `json:"flags,omitempty"`   // default FlagsShown

	Since time.Time `json:"since,omitzero"`  // written at or after
	Until time.Time `json:"until,omitzero"`  // written before
	At    time.Time `json:"at,omitzero"`     // valid at this instant; zero = now
	AsOf  uint64    `json:"as_of,omitempty"` // live just after this commit; 0 = now

	MinScore float64 `json:"min_score,omitempty"` // 0 to 1; hits below are left out
	Explain  bool    `json:"explain,omitempty"`   // fill Hit.Legs with the terms that counted
}

// check refuses a query with a field out of its limits and fills the defaults.
// dim is the dimension of the index's vectors.
func (q *Query) check(dim int) error {
	switch q.Mode {
	case "":
		q.Mode = Hybrid
	case Hybrid, Lexical, Vector:
	default:
		return invalid.New("mode", "%q is not hybrid, lexical or vector", clip(string(q.Mode)))
	}
	switch q.Flags {
	case FlagsShown, FlagsExcluded, FlagsOnly:
	default:
		return invalid.New("flags", "%q is not empty, exclude or only", clip(string(q.Flags)))
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 0 || q.Limit > MaxLimit {
		return &invalid.Error{Field: "limit", Reason: "is not between 1 and 1000", Limit: MaxLimit}
	}
	if !(q.MinScore >= 0 && q.MinScore <= 1) { // also refuses NaN
		return invalid.New("min_score", "is not between 0 and 1")
	}
	if err := q.checkTexts(); err != nil {
		return err
	}
	if err := q.checkVector(dim); err != nil {
		return err
	}
	if !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until) {
		return invalid.New("until", "is not after since")
	}
	n := len(q.Domains) + len(q.Sources) + len(q.Kinds) + len(q.Owners) + len(q.Tags) + len(q.Phrases) + len(q.Exclude) + len(q.Code)
	if n > MaxFilters {
		return invalid.TooLarge("filters", int64(n), MaxFilters)
	}
	return nil
}

func (q *Query) checkTexts() error {
	for _, t := range []struct{ field, value string }{{"text", q.Text}, {"hypothetical", q.Hypothetical}} {
		if len(t.value) > MaxText {
			return invalid.TooLarge(t.field, int64(len(t.value)), MaxText)
		}
		if !utf8.ValidString(t.value) {
			return invalid.New(t.field, "is not valid UTF-8")
		}
		if strings.IndexByte(t.value, 0) >= 0 {
			return invalid.New(t.field, "holds a NUL byte")
		}
	}
	if q.Mode == Lexical && (q.Vector != nil || q.Hypothetical != "") {
		return invalid.New("mode", "lexical uses no vector and no hypothetical answer")
	}
	blank := strings.TrimSpace(q.Text) == ""
	own := q.Vector != nil || strings.TrimSpace(q.Hypothetical) != ""
	if blank && !own && len(q.Phrases) == 0 && len(q.Code) == 0 {
		return invalid.New("text", "is empty")
	}
	total := 0
	for _, f := range []struct {
		field  string
		values []string
	}{
		{"phrases", q.Phrases}, {"exclude", q.Exclude}, {"code", q.Code}, {"domains", q.Domains},
		{"sources", q.Sources}, {"kinds", q.Kinds}, {"owners", q.Owners}, {"tags", q.Tags},
	} {
		for _, v := range f.values {
			if strings.TrimSpace(v) == "" {
				return invalid.New(f.field, "holds an empty value")
			}
			if !utf8.ValidString(v) {
				return invalid.New(f.field, "holds a value that is not valid UTF-8")
			}
			if total += len(v); total > MaxText {
				return invalid.TooLarge(f.field, int64(total), MaxText)
			}
		}
	}
	return nil
}

func (q *Query) checkVector(dim int) error {
	if q.Vector == nil {
		return nil
	}
	if len(q.Vector) != dim {
		return &invalid.Error{Field: "vector", Reason: "does not have the dimension of the model", Limit: int64(dim)}
	}
	zero := true
	for _, x := range q.Vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return invalid.New("vector", "holds a value that is not a finite number")
		}
		zero = zero && x == 0
	}
	if zero && q.Text == "" {
		return invalid.New("vector", "is zero and there is no text")
	}
	return nil
}

// clip shortens a value for an error message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
