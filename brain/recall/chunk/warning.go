package chunk

import "fmt"

// WarningKind says what Split noticed. The names are stable.
type WarningKind string

// Kinds of warnings.
const (
	FrontMatterBroken   WarningKind = "front_matter_broken"   // YAML does not parse; keys that do are kept
	FrontMatterUnclosed WarningKind = "front_matter_unclosed" // opened, but no closing line within 64 KiB: read as text
	FrontMatterValue    WarningKind = "front_matter_value"    // one value is not usable and left out
	FrontMatterLimit    WarningKind = "front_matter_limit"    // too many, too long or too deep values: the rest is left out
	TraceUnclosed       WarningKind = "trace_unclosed"        // a reasoning tag has no closing tag: stripped to the end of its block
	TraceLimit          WarningKind = "trace_limit"           // too many reasoning tags: the rest is text
	OutlineOnly         WarningKind = "outline_only"          // too large for the syntax tree: read by line rules
	InvalidUTF8         WarningKind = "invalid_utf8"          // bytes that are not UTF-8 read as U+FFFD
)

// Warning is an oddity that lost structure or metadata, never content.
type Warning struct {
	Kind   WarningKind
	Offset int    // byte in the body where it was noticed, -1 when it has no place
	Detail string // lower case; names keys and lines, carries no content
}

// String returns "kind at byte offset: detail".
func (w Warning) String() string {
	s := string(w.Kind)
	if w.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", w.Offset)
	}
	if w.Detail != "" {
		s += ": " + w.Detail
	}
	return s
}
