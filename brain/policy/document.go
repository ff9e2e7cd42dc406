package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/seed70401ef0/brain-go/brain/internal/invalid"
	"github.com/seed70401ef0/brain-go/brain/uri"
)

// Limits of a policy.
const (
	MaxBytes   = 8 << 20 // of its JSON text
	MaxRules   = 50_000  // floors and rules together
	MaxGroups  = 10_000
	MaxNesting = 16 // groups in a chain from an actor to the group that grants

	maxList    = 1_000     // entries of one who, do or on
	maxMembers = 200_000   // over all groups
	maxPairs   = 1_000_000 // who × on, over all rules
	version    = 1
)

// Document is the rules as data, in the shape of their JSON. Nothing checks it
// until [New] does.
type Document struct {
	Version  int     `json:"version"` // 1
	Groups   []Group `json:"groups,omitempty"`
	Floors   []Rule  `json:"floors,omitempty"`   // deny, whatever the rules say; On may be empty: everywhere
	Paths    []Rule  `json:"paths,omitempty"`    // who: any subject; On is required
	Users    []Rule  `json:"users,omitempty"`    // who: actors and groups
	Roles    []Rule  `json:"roles,omitempty"`    // who: roles
	Defaults []Rule  `json:"defaults,omitempty"` // who: kinds and any
}

// Group is a named set of actors and of other groups.
type Group struct {
	Name    string   `json:"name"`
	Members []string `json:"members"` // "person:alice", "group:leads"
}

// Rule lets or forbids its subjects to do some actions.
type Rule struct {
	ID     string     `json:"id"`               // unique in the document; letters, digits, "." "_" "-", at most 64
	Effect string     `json:"effect,omitempty"` // "allow" or "deny"; empty for a floor, which denies
	Who    []string   `json:"who"`              // "person:ID", "agent:ID", "system:ID", "group:NAME", "role:NAME", "kind:agent", "any"
	Do     []Action   `json:"do"`
	On     []string   `json:"on,omitempty"`    // patterns of package uri; floors and paths only
	Until  *time.Time `json:"until,omitempty"` // an allow holds before this instant; nil is for ever
}

// Parse returns the set that JSON text spells. It is strict: an unknown,
// repeated or differently cased key, an unknown action or subject, null,
// trailing bytes or anything over a limit is an *invalid.Error of field
// "policy" that names the rule, and no part of the text is taken.
func Parse(text []byte) (*Set, error) {
	if len(text) > MaxBytes {
		return nil, invalid.TooLarge("policy", int64(len(text)), MaxBytes)
	}
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	var doc Document
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, invalid.New("policy", "%v", err)
	}
	return New(doc)
}

// canonical returns a copy of doc with everything in its one order and
// spelling: lists sorted and without repeats, patterns as uri.Pattern spells
// them, times in UTC. It is for documents that New has accepted.
func canonical(doc Document) Document {
	out := Document{Version: version, Groups: slices.Clone(doc.Groups)}
	for i, g := range out.Groups {
		out.Groups[i].Members = sorted(g.Members)
	}
	slices.SortFunc(out.Groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	lists := func(d *Document) [5]*[]Rule {
		return [5]*[]Rule{&d.Floors, &d.Paths, &d.Users, &d.Roles, &d.Defaults}
	}
	from := lists(&doc)
	for i, to := range lists(&out) {
		*to = canonicalRules(*from[i])
	}
	return out
}

func canonicalRules(rules []Rule) []Rule {
	out := slices.Clone(rules)
	for i := range out {
		r := &out[i]
		r.Who, r.Do, r.On = sorted(r.Who), sorted(r.Do), slices.Clone(r.On)
		for j, on := range r.On {
			if p, err := uri.ParsePattern(on); err == nil {
				r.On[j] = p.String()
			}
		}
		r.On = sorted(r.On)
		if r.Until != nil {
			until := r.Until.UTC().Round(0)
			r.Until = &until
		}
	}
	slices.SortFunc(out, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func sorted[T cmp.Ordered](list []T) []T {
	out := append([]T{}, list...)
	slices.Sort(out)
	return slices.Compact(out)
}

// encode returns the canonical JSON of a canonical document.
func encode(doc Document) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return nil, invalid.New("policy", "%v", err)
	}
	return b.Bytes(), nil
}
