package eval

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"
)

func demo(t *testing.T) *Dataset {
	t.Helper()
	d, err := Load(os.DirFS("../demo"), "demo")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The gold set is what its README says.
func TestDemoGold(t *testing.T) {
	d := demo(t)
	if d.Tally.Repeated+d.Tally.UnknownQueries+d.Tally.UnknownDocuments > 0 {
		t.Errorf("judgements that do not fit: %+v", d.Tally)
	}
	count := map[string]int{}
	for _, q := range d.Queries {
		count[q.Category]++
		if !strings.HasPrefix(q.ID, q.Category+"-") {
			t.Errorf("%s is in category %s", q.ID, q.Category)
		}
		grades := d.Grades[q.ID]
		best := 0
		for doc, g := range grades {
			best = max(best, g)
			if g < 1 || g > 2 {
				t.Errorf("%s: grade %d for %s", q.ID, g, doc)
			}
		}
		switch {
		case !q.Answerable && (q.Category != "negative" || len(grades) > 0):
			t.Errorf("%s is unanswerable, in category %s with %d judgements", q.ID, q.Category, len(grades))
		case q.Answerable && best != 2:
			t.Errorf("%s: no note answers it", q.ID)
		case q.Category == "multi-hop" && len(grades) < 2:
			t.Errorf("%s needs one note only", q.ID)
		}
	}
	for category, least := range map[string]int{
		"paraphrase": 20, "exact": 20, "multi-hop": 15, "dated": 15, "negative": 12,
	} {
		if count[category] < least {
			t.Errorf("%d questions of category %s, want at least %d", count[category], category, least)
		}
	}
	if len(count) != 5 || len(d.Queries) < 90 {
		t.Errorf("%d questions, %v", len(d.Queries), count)
	}
}

var link = regexp.MustCompile(`\[\[([^\]]*)\]\]`)

// Every link of the notes leads to one note, front matter is well formed, and
// nothing invisible hides in the text.
func TestDemoNotes(t *testing.T) {
	d := demo(t)
	if n := len(d.Documents); n < 40 || n > 60 {
		t.Errorf("%d notes", n)
	}
	target := map[string]string{}
	name := func(doc, key string) {
		key = strings.ToLower(key)
		if other, ok := target[key]; ok {
			t.Errorf("%q is a name of %s and of %s", key, other, doc)
		}
		target[key] = doc
	}
	for _, doc := range d.Documents {
		head, _, ok := strings.Cut(strings.TrimPrefix(doc.Text, "---\n"), "\n---\n")
		var meta struct {
			Title      string   `yaml:"title"`
			Tags       []string `yaml:"tags"`
			Aliases    []string `yaml:"aliases"`
			Date       string   `yaml:"date"`
			ValidFrom  string   `yaml:"valid_from"`
			ValidUntil string   `yaml:"valid_until"`
			Lang       string   `yaml:"lang"`
		}
		dec := yaml.NewDecoder(strings.NewReader(head))
		dec.KnownFields(true)
		if err := dec.Decode(&meta); err != nil || !ok || meta.Title == "" || meta.Date == "" || len(meta.Tags) == 0 {
			t.Errorf("%s: front matter %+v, %v", doc.ID, meta, err)
		}
		name(doc.ID, meta.Title)
		for _, alias := range meta.Aliases {
			name(doc.ID, alias)
		}
		if i := strings.IndexFunc(doc.Text, func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
		}); i >= 0 {
			t.Errorf("%s: invisible %q at byte %d", doc.ID, doc.Text[i:i+4], i)
		}
		if n := len(doc.Text); n < 900 || n > 4000 {
			t.Errorf("%s: %d bytes", doc.ID, n)
		}
	}
	for _, doc := range d.Documents {
		for _, m := range link.FindAllStringSubmatch(doc.Text, -1) {
			to := m[1]
			if _, rest, typed := strings.Cut(to, "::"); typed {
				to = rest
			}
			if target[strings.ToLower(to)] == "" {
				t.Errorf("%s: link to %q leads nowhere", doc.ID, m[1])
			}
		}
	}
}
