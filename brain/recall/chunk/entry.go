package chunk

import "strings"

// parseEntry reads the label of a level-2 heading as that of a memory entry: one
// or more brackets, then the subject. It returns nil when it is none: wiki
// links, references ([a][b]) and check boxes are not, and links have lost their
// brackets in the label.
func parseEntry(label string) *Entry {
	raw := label
	var e Entry
	for strings.HasPrefix(raw, "[") && len(e.Labels) < maxEntryLabels {
		i := strings.IndexByte(raw, ']')
		if i < 0 {
			break
		}
		l, rest := strings.TrimSpace(raw[1:i]), raw[i+1:]
		if l == "" || l[0] == '[' || strings.EqualFold(l, "x") ||
			strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, ":") {
			break
		}
		e.Labels = append(e.Labels, l)
		raw = strings.TrimSpace(rest)
	}
	if len(e.Labels) == 0 {
		return nil
	}
	for _, l := range e.Labels {
		if t, ok := parseTime(l); ok {
			e.Time = t
			break
		}
	}
	e.Subject = raw
	return &e
}

const maxEntryLabels = 4
