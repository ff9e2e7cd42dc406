package chunk

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	maxValues     = 64  // tags or aliases of one document
	maxValueBytes = 256 // bytes of one tag, alias, language, kind or owner
	maxTextBytes  = 2048
)

// fieldReader finds typed fields in the top mapping of front matter.
type fieldReader struct {
	keys     map[string]*yaml.Node
	warnings []Warning
}

// fill sets the typed fields from the top mapping.
func (f *FrontMatter) fill(root *yaml.Node) []Warning {
	r := fieldReader{keys: make(map[string]*yaml.Node)}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := fold(root.Content[i].Value)
		if _, dup := r.keys[k]; !dup && root.Content[i].Kind == yaml.ScalarNode {
			r.keys[k] = resolve(root.Content[i+1])
		}
	}
	f.Title = r.text(maxTextBytes, "title")
	f.Tags = r.list("tags", "tag", "keywords")
	for i, t := range f.Tags {
		f.Tags[i] = strings.TrimLeft(t, "#")
	}
	f.Tags = unique(f.Tags)
	f.Aliases = unique(r.list("aliases", "alias"))
	f.Lang = r.text(maxValueBytes, "lang", "language", "locale")
	f.Kind = r.text(maxValueBytes, "kind", "type")
	f.Owner = r.text(maxValueBytes, "owner")
	f.Source = r.text(maxTextBytes, "source")
	f.URL = r.text(maxTextBytes, "url", "sourceurl", "link")
	f.Created = r.time("created", "createdat", "datecreated")
	f.Updated = r.time("updated", "updatedat", "modified", "lastmodified", "lastmod", "datemodified")
	f.Date = r.time("date")
	f.ValidFrom = r.time("validfrom", "effectivefrom", "effective", "effectivedate")
	f.ValidUntil = r.time("validuntil", "validto", "effectiveuntil", "effectiveto", "expires", "expiresat", "expiry")
	return r.warnings
}

// fold is the form in which keys are compared.
func fold(key string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '-' || c == '_' || c == ' ':
			return -1
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return c
	}, key)
}

// resolve follows an alias. An alias of an alias is not valid YAML.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (r *fieldReader) note(kind WarningKind, key string, n *yaml.Node, detail string) {
	r.warnings = append(r.warnings, Warning{kind, -1, fmt.Sprintf("line %d: %s %s", n.Line+1, key, detail)})
}

// text returns the first value under keys that is a text of at most most bytes.
func (r *fieldReader) text(most int, keys ...string) string {
	for _, k := range keys {
		n := r.keys[k]
		if n == nil {
			continue
		}
		if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
			n = resolve(n.Content[0])
		}
		if n.Kind != yaml.ScalarNode {
			r.note(FrontMatterValue, k, n, "is not a text")
			continue
		}
		if s := textOf(n); len(s) > most {
			r.note(FrontMatterLimit, k, n, fmt.Sprintf("is over %d bytes", most))
		} else if s != "" {
			return s
		}
	}
	return ""
}

// textOf returns the text of a scalar on one line; empty for null.
func textOf(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return ""
	}
	return strings.Join(strings.Fields(plainString(n.Value)), " ")
}

// list returns the values under the first of keys that has any: the scalars of a
// sequence, or the parts of a comma string.
func (r *fieldReader) list(keys ...string) []string {
	for _, k := range keys {
		n := r.keys[k]
		if n == nil {
			continue
		}
		var parts []string
		switch n.Kind {
		case yaml.ScalarNode:
			parts = splitList(textOf(n))
		case yaml.SequenceNode:
			for _, c := range n.Content[:min(len(n.Content), maxValues+1)] {
				if c = resolve(c); c.Kind == yaml.ScalarNode {
					parts = append(parts, textOf(c))
				} else {
					r.note(FrontMatterValue, k, c, "has a value that is not a text")
					break
				}
			}
		default:
			r.note(FrontMatterValue, k, n, "is not a list")
		}
		if out := r.values(k, n, parts); len(out) > 0 {
			return out
		}
	}
	return nil
}

func (r *fieldReader) values(key string, n *yaml.Node, parts []string) []string {
	var out []string
	for _, v := range parts {
		switch {
		case strings.Trim(v, "# ") == "":
		case len(v) > maxValueBytes:
			r.note(FrontMatterLimit, key, n, fmt.Sprintf("has a value over %d bytes", maxValueBytes))
			return out
		case len(out) == maxValues:
			r.note(FrontMatterLimit, key, n, fmt.Sprintf("has over %d values", maxValues))
			return out
		default:
			out = append(out, v)
		}
	}
	return out
}

// splitList splits a comma string. Without a comma, "#a #b" is two values and
// "two words" is one.
func splitList(s string) []string {
	parts := strings.Split(s, ",")
	if len(parts) == 1 && strings.HasPrefix(s, "#") {
		parts = strings.Split(s, " ")
	}
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return parts
}

// unique drops repeated values, keeping the first of each.
func unique(in []string) []string {
	seen := make(map[string]bool, len(in))
	out := in[:0]
	for _, v := range in {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// time returns the first value under keys that is a date.
func (r *fieldReader) time(keys ...string) time.Time {
	for _, k := range keys {
		n := r.keys[k]
		if n == nil {
			continue
		}
		s := textOf(n)
		if s == "" && n.Kind == yaml.ScalarNode {
			continue
		}
		if t, ok := parseTime(s); ok {
			return t
		}
		r.note(FrontMatterValue, k, n, "is not a date")
	}
	return time.Time{}
}

// timeLayouts are the spellings of a date that are read, most exact first.
var timeLayouts = [...]string{
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 -0700",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01-02",
	"2006/01/02",
	"2006-01",
	"2 January 2006",
	"2 Jan 2006",
	"January 2, 2006",
	"Jan 2, 2006",
}

// parseTime reads a date; without a zone it is UTC.
func parseTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01") || len(s) > 40 {
		return time.Time{}, false
	}
	for _, l := range timeLayouts {
		if len(l) > len(s)+len("07:00") {
			continue // cannot match; a failed Parse is what costs here
		}
		if t, err := time.Parse(l, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
