package chunk

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	maxMetaNodes = 4096    // values, those reached through aliases counted each time
	maxMetaDepth = 16      // nested lists and maps
	maxMetaBytes = 1 << 17 // bytes of scalars, those reached through aliases counted each time
)

// keyLine is a line that opens a top-level key of a YAML mapping.
var keyLine = regexp.MustCompile(`^["']?[A-Za-z_][A-Za-z0-9_ .-]*["']?[ \t]*:([ \t\r\n]|$)`)

// yamlLine is the place in an error of the YAML parser.
var yamlLine = regexp.MustCompile(`line \d+: `)

// parseFrontMatter reads the YAML between the marker lines. ok is false when the
// lines are no metadata but text between two rules: that is indexed.
func parseFrontMatter(src []byte) (f FrontMatter, warnings []Warning, ok bool) {
	root, err := parseYAML(src)
	switch {
	case err != nil && !hasKey(src):
		return FrontMatter{}, nil, false
	case err != nil:
		var lost int
		root, lost = salvage(src)
		warnings = append(warnings, Warning{Kind: FrontMatterBroken, Offset: -1, Detail: fmt.Sprintf("%v; first line left out: %d", err, lost)})
	case root == nil:
		return FrontMatter{}, nil, true
	case root.Kind != yaml.MappingNode:
		return FrontMatter{}, nil, false
	}
	r := metaReader{nodes: maxMetaNodes, bytes: maxMetaBytes}
	f.Meta, _ = r.value(root, 0).(map[string]any)
	if len(f.Meta) == 0 {
		f.Meta = nil
	}
	warnings = append(warnings, r.warnings...)
	if r.over {
		warnings = append(warnings, Warning{Kind: FrontMatterLimit, Offset: -1, Detail: fmt.Sprintf("over %d values, %d levels or %d bytes", maxMetaNodes, maxMetaDepth, maxMetaBytes)})
	}
	return f, append(warnings, f.fill(root)...), true
}

// parseYAML returns the top node of a YAML document, nil when it is empty. A
// node tree is used since it neither expands aliases nor refuses a repeated key.
func parseYAML(src []byte) (*yaml.Node, error) {
	var doc yaml.Node
	err, ok := guard(func() error { return yaml.Unmarshal(src, &doc) })
	switch {
	case !ok:
		return nil, errors.New("yaml: the parser failed")
	case err != nil:
		return nil, yamlReason(err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil, nil
	}
	return doc.Content[0], nil
}

// yamlReason drops what an error of the parser may quote of the content, and its
// line, which is often that of the key before.
func yamlReason(err error) error {
	s := yamlLine.ReplaceAllString(err.Error(), "")
	if i := strings.IndexAny(s, "'`\""); i >= 0 {
		s = s[:i]
	}
	return errors.New(strings.TrimSpace(s))
}

func hasKey(src []byte) bool {
	for pos := 0; pos < len(src); {
		line, next := nextLine(src, pos)
		if keyLine.Match(line) {
			return true
		}
		pos = next
	}
	return false
}

// salvage parses each top-level key of broken YAML by itself and returns a
// mapping of those that parse, and the number of the first line that does not.
func salvage(src []byte) (out *yaml.Node, lost int) {
	out = &yaml.Node{Kind: yaml.MappingNode}
	add := func(part []byte, lines int) {
		n, err := parseYAML(part)
		if err == nil && n != nil && n.Kind == yaml.MappingNode {
			for _, c := range n.Content {
				c.Line += lines
			}
			out.Content = append(out.Content, n.Content...)
		} else if lost == 0 {
			lost = lines + 2 // from 1, and the marker line
		}
	}
	first, firstLine := -1, 0
	for pos, n := 0, 0; pos < len(src); n++ {
		line, next := nextLine(src, pos)
		if keyLine.Match(line) {
			if first >= 0 {
				add(src[first:pos], firstLine)
			}
			first, firstLine = pos, n
		}
		pos = next
	}
	if first >= 0 {
		add(src[first:], firstLine)
	}
	return out, lost
}

// metaReader turns YAML nodes into plain values within a budget.
type metaReader struct {
	nodes, bytes int
	over         bool
	warnings     []Warning
}

func (r *metaReader) value(n *yaml.Node, depth int) any {
	r.nodes--
	r.bytes -= len(n.Value)
	if r.nodes < 0 || r.bytes < 0 || depth > maxMetaDepth {
		r.over = true
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			if r.over {
				break
			}
			out = append(out, r.value(c, depth+1))
		}
		return out
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content) && !r.over; i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				r.note(k, "the key is not a scalar")
				continue
			}
			name := plainString(k.Value)
			if _, dup := out[name]; dup {
				r.note(k, "the key is there twice; the first counts")
				continue
			}
			out[name] = r.value(n.Content[i+1], depth+1)
		}
		return out
	}
	return scalar(n)
}

func (r *metaReader) note(n *yaml.Node, detail string) {
	const maxNotes = 16
	if len(r.warnings) < maxNotes {
		r.warnings = append(r.warnings, Warning{FrontMatterValue, -1, fmt.Sprintf("line %d: %s", n.Line+1, detail)})
	}
}

// scalar returns the plain value of a scalar: what JSON can hold as its type,
// all else as the string it was written as.
func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int":
		if v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
			return v
		}
	case "!!float":
		if strings.Trim(n.Value, "+-_0123456789") == "" {
			break // an integer over 64 bits keeps its digits
		}
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return plainString(n.Value)
}

// plainString returns s as valid UTF-8 without NUL.
func plainString(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
