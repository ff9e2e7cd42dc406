package chunk

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

// corpus returns the Markdown files below the given folders of the shared data.
func corpus(t testing.TB, roots ...string) map[string][]byte {
	t.Helper()
	out := make(map[string][]byte)
	for _, root := range roots {
		root = testdata.Shared(t, "data", root)
		err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(p, ".md") {
				out[p], err = os.ReadFile(p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestRealNotes(t *testing.T) {
	chunks := 0
	for name, body := range corpus(t, "brain-server/md_corpus", "brain-kit/corpus") {
		for _, o := range []*Options{nil, {MaxTokens: 64}, {MinTokens: 1, MaxTokens: 16}} {
			in := Input{Body: body}
			d, err := Split(in, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := check(in, o, d); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if d.Title == "" {
				t.Errorf("%s has no title", name)
			}
			if len(d.Warnings) > 0 {
				t.Errorf("%s: %v", name, d.Warnings)
			}
			if o == nil {
				chunks += len(d.Chunks)
				if os.Getenv("CHUNK_DUMP") != "" {
					dump(name, d)
				}
			}
		}
	}
	t.Logf("%d chunks", chunks)
}

func dump(name string, d Document) {
	fmt.Printf("=== %s title=%q tags=%q %v\n", filepath.Base(name), d.Title, d.Front.Tags, d.Front.Meta)
	for _, c := range d.Chunks {
		txt := c.Text
		if len(txt) > 110 {
			txt = txt[:50] + " … " + txt[len(txt)-50:]
		}
		fmt.Printf("  %d [%d,%d) %d chars <%s> %q\n      %q\n", c.N, c.Start, c.End, len(c.Text), c.Breadcrumb, c.Headings, txt)
	}
}

func TestCommonMarkExamples(t *testing.T) {
	raw, err := os.ReadFile(testdata.Shared(t, "data", "spec", "commonmark-spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown string
		Example  int
	}
	if err := json.Unmarshal(raw, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 600 {
		t.Fatalf("%d examples", len(examples))
	}
	var all strings.Builder
	for _, e := range examples {
		all.WriteString("## " + fmt.Sprint(e.Example) + "\n\n" + e.Markdown + "\n\n")
		for _, o := range []*Options{nil, {MinTokens: 1, MaxTokens: 16}} {
			for _, md := range []string{e.Markdown, strings.ReplaceAll(e.Markdown, "\n", "\r\n"), strings.ReplaceAll(e.Markdown, "\n", "\r")} {
				in := Input{Body: []byte(md)}
				d, err := Split(in, o)
				if err != nil {
					t.Fatalf("%d: %v", e.Example, err)
				}
				if err := check(in, o, d); err != nil {
					t.Errorf("%d: %v", e.Example, err)
				}
			}
		}
	}
	in := Input{Body: []byte(all.String())}
	d, err := Split(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := check(in, nil, d); err != nil {
		t.Error(err)
	}
}

func TestNaughtyStrings(t *testing.T) {
	raw, err := os.ReadFile(testdata.Shared(t, "data", "spec", "blns.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		for _, body := range []string{s, "---\ntitle: " + s + "\n---\n# " + s + "\n\n" + s, "| " + s + " |\n|---|\n| " + s + " |"} {
			in := Input{Body: []byte(body)}
			d, err := Split(in, nil)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			if err := check(in, nil, d); err != nil {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}
