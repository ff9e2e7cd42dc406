package chunk

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write the golden output of the cases in testdata/cases")

// A case file is options, body and expected output, apart by lines of "====".
// Options: max, min, media, eol (crlf or cr), and skip (a prefix, may repeat).
const caseMark = "\n====\n"

func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.SplitN("\n"+string(raw), caseMark, 3)
			if len(parts) < 2 {
				t.Fatal("no body")
			}
			in, o := parseCase(t, parts[0], parts[1])
			d, err := Split(in, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(in, o, d); err != nil {
				t.Error(err)
			}
			got := describe(d)
			if *rewrite {
				if err := os.WriteFile(file, []byte(strings.TrimPrefix(parts[0]+caseMark+parts[1]+caseMark+got, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(parts) < 3 || got != parts[2] {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

func parseCase(t *testing.T, options, body string) (Input, *Options) {
	t.Helper()
	in, o := Input{}, &Options{}
	for _, line := range strings.Split(options, "\n") {
		key, value, ok := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case !ok:
			t.Fatalf("option %q", line)
		case key == "max":
			fmt.Sscan(value, &o.MaxTokens)
		case key == "min":
			fmt.Sscan(value, &o.MinTokens)
		case key == "media":
			in.MediaType = value
		case key == "eol" && value == "crlf":
			body = strings.ReplaceAll(body, "\n", "\r\n")
		case key == "eol" && value == "cr":
			body = strings.ReplaceAll(body, "\n", "\r")
		case key == "skip":
			o.SkipPrefixes = append(o.SkipPrefixes, value)
		default:
			t.Fatalf("option %q", line)
		}
	}
	in.Body = []byte(body)
	return in, o
}

func describe(d Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q content %d\n", d.Title, d.Content)
	f := d.Front
	for _, v := range []struct {
		name string
		text string
	}{{"lang", f.Lang}, {"kind", f.Kind}, {"owner", f.Owner}, {"source", f.Source}, {"url", f.URL}} {
		if v.text != "" {
			fmt.Fprintf(&b, "%s %q\n", v.name, v.text)
		}
	}
	for _, v := range []struct {
		name string
		time time.Time
	}{{"created", f.Created}, {"updated", f.Updated}, {"date", f.Date}, {"from", f.ValidFrom}, {"until", f.ValidUntil}} {
		if !v.time.IsZero() {
			fmt.Fprintf(&b, "%s %s\n", v.name, v.time.Format(time.RFC3339))
		}
	}
	if f.Tags != nil {
		fmt.Fprintf(&b, "tags %q\n", f.Tags)
	}
	if f.Aliases != nil {
		fmt.Fprintf(&b, "aliases %q\n", f.Aliases)
	}
	keys := make([]string, 0, len(f.Meta))
	for k := range f.Meta {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, "meta %q: %#v\n", k, f.Meta[k])
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	for _, c := range d.Chunks {
		fmt.Fprintf(&b, "%d [%d,%d) %q %q\n", c.N, c.Start, c.End, c.Breadcrumb, c.Headings)
		if e := c.Entry; e != nil {
			fmt.Fprintf(&b, "  entry %q %q", e.Labels, e.Subject)
			if !e.Time.IsZero() {
				fmt.Fprintf(&b, " %s", e.Time.Format(time.RFC3339))
			}
			b.WriteByte('\n')
		}
		for _, line := range strings.Split(c.Text, "\n") {
			fmt.Fprintf(&b, "  | %s\n", strings.ReplaceAll(line, "\r", "␍"))
		}
	}
	return b.String()
}
