package input

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed70401ef0/brain-go/brain"
)

// write makes files below a new folder; a name that ends in / is a folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns what a plan gives, one line each, with dir cut from the places.
func read(t *testing.T, dir string, args []string, stdin string, o Options) []string {
	t.Helper()
	p, err := NewPlan(args, o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var out []string
	for item, problem := range p.Read(strings.NewReader(stdin)) {
		line := fmt.Sprintf("%s = %s %q", item.Place, item.Draft.URI, item.Draft.Body)
		if problem != nil {
			line = "! " + problem.Error()
			if problem.Skipped {
				line = "- " + problem.Error()
			}
		}
		if dir != "" {
			line = strings.ReplaceAll(filepath.ToSlash(line), filepath.ToSlash(dir)+"/", "")
		}
		out = append(out, line)
	}
	return out
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestFolder(t *testing.T) {
	dir := write(t, map[string]string{
		"b.md": "B", "a/x.MD": "X", "a/y.txt": "Y", "a/z.rst": "Z", ".hidden.md": "H", ".git/c.md": "G",
		"empty.md": "", "nul.md": "a\x00b", "latin.md": "gr\xfc\xdfe", "wide.md": "\xff\xfea\x00", "big.md": "0123456789",
		"a/ungainly#name.md": "U",
	})
	check(t, read(t, dir, []string{dir}, "", Options{MaxBytes: 8}),
		`! a/ungainly#name.md: uri: segment 2: fragment mark U+0023 at byte 8`,
		`a/x.MD = notes://a/x.MD "X"`,
		`a/y.txt = notes://a/y.txt "Y"`,
		`b.md = notes://b.md "B"`,
		`! big.md: is over the limit of 8 bytes for a document`,
		`- empty.md: is empty`,
		`! latin.md: is not UTF-8 text`,
		`! nul.md: is a binary file: it holds NUL bytes`,
		`! wide.md: is UTF-16 text; save it as UTF-8`,
	)
	check(t, read(t, dir, []string{filepath.Join(dir, "a")}, "", Options{Domain: "d", Extensions: []string{"RST"}}),
		`a/z.rst = brain://d/z.rst "Z"`)
}

func TestRoot(t *testing.T) {
	dir := write(t, map[string]string{"a/b/x.md": "X", "other/y.md": "Y"})
	root := filepath.Join(dir, "a")
	check(t, read(t, dir, []string{filepath.Join(dir, "a", "b", "x.md"), filepath.Join(dir, "a", "b"), filepath.Join(dir, "other")}, "", Options{Root: root}),
		`! other: is not below the root a`,
		`a/b/x.md = notes://b/x.md "X"`, `a/b/x.md = notes://b/x.md "X"`)
	check(t, read(t, dir, []string{filepath.Join(dir, "a", "b", "x.md")}, "", Options{}), `a/b/x.md = notes://x.md "X"`)
}

func TestLinksAndMissing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a right on Windows")
	}
	dir := write(t, map[string]string{"in/x.md": "X", "out/secret.md": "S"})
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("../out/secret.md", "in/leak.md")
	link("../out", "in/leaks")
	link("in", "alias")
	check(t, read(t, dir, []string{dir + "/in", dir + "/alias", dir + "/missing"}, "", Options{}),
		`- in/leak.md: is a symbolic link`,
		`! alias: is a symbolic link; name what it points to, or end a folder with /`,
		`! missing: no such file or directory`,
		`in/x.md = notes://x.md "X"`,
	)
	if got := read(t, dir, []string{dir + "/alias/"}, "", Options{}); len(got) != 2 || !strings.Contains(got[1], `"X"`) {
		t.Errorf("folder named with /: %q", got)
	}
}

func TestLines(t *testing.T) {
	long := `{"id":"long","text":"` + strings.Repeat("x", 20) + `"}`
	check(t, read(t, "", []string{Stdin}, strings.Join([]string{
		`{"id":"a/b","title":" T ","text":"one","extra":1}`, ``, `{"id":7,"body":"two"}`, `{"uri":"crm://x","text":"three"}`,
		`{"text":"four"}`, `{"id":"x"}`, `{"id":"x","text":"a","body":"b"}`, `{"id":"x","uri":"crm://x","text":"a"}`,
		`not json`, `["id"]`, `{"id":"x","text":3}`, `{"id":true,"text":"a"}`, `{"id":"../x","text":"a"}`,
		`{"id":"x","text":"a","expires":"soon"}`, "{\"id\":\"x\",\"text\":\"\xff\"}", long, `{"id":"end","text":"e"}`,
	}, "\n"), Options{Lines: true, Source: "s", MaxBytes: 10}),
		`standard input:1 = s://a/b "one"`,
		`standard input:3 = s://7 "two"`,
		`standard input:4 = crm://x "three"`,
		`standard input:5 =  "four"`,
		`! standard input:6: has no "text" or "body"`,
		`! standard input:7: has both "text" and "body"`,
		`! standard input:8: has both "id" and "uri"`,
		`! standard input:9: is not JSON: invalid character 'o' in literal null (expecting 'u') at byte 2`,
		`! standard input:10: is a JSON array, not an object`,
		`! standard input:11: field "text" is a JSON number, which does not fit`,
		`! standard input:12: id is not a string or a number`,
		`! standard input:13: uri: segment 1: only dots and spaces`,
		`! standard input:14: "soon" is not a time such as 2026-11-30 or 2026-11-30T08:00:00Z`,
		`! standard input:15: is not UTF-8 text`,
		`! standard input:16: content has 20 bytes, over the limit of 10`,
		`standard input:17 = s://end "e"`,
	)
}

func TestDraftFields(t *testing.T) {
	p, err := NewPlan([]string{Stdin}, Options{Lines: true, Draft: brain.Draft{Kind: "fact", Owner: "o", Tags: []string{"t"}, Title: "default"}})
	if err != nil {
		t.Fatal(err)
	}
	in := `{"id":"a","title":"A","text":"x","kind":"note","tags":["u"],"lang":"de","media_type":"text/plain","valid_from":"2026-01-02","valid_to":"2026-01-03T04:05:06+01:00"}`
	for item, problem := range p.Read(strings.NewReader(in)) {
		if problem != nil {
			t.Fatal(problem)
		}
		d := item.Draft
		if d.Title != "A" || d.Kind != "note" || d.Owner != "o" || !slices.Equal(d.Tags, []string{"u", "t"}) || d.Lang != "de" || d.MediaType != "text/plain" {
			t.Errorf("draft %+v", d)
		}
		if !d.ValidFrom.Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) || !d.ValidTo.Equal(time.Date(2026, 1, 3, 3, 5, 6, 0, time.UTC)) {
			t.Errorf("valid %v to %v", d.ValidFrom, d.ValidTo)
		}
		if item.Bytes != int64(len(in)) {
			t.Errorf("%d bytes, want %d", item.Bytes, len(in))
		}
	}
}

func TestStdinIsOneDocument(t *testing.T) {
	check(t, read(t, "", []string{Stdin}, "hello", Options{}), `standard input =  "hello"`)
	check(t, read(t, "", []string{Stdin}, "", Options{}), `- standard input: is empty`)
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{Source: "no slug"}, {Source: "a://b"}, {Domain: "a#b"}, {Domain: "a/../b"}} {
		if _, err := NewPlan(nil, o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	if _, err := NewPlan([]string{"-", "-"}, Options{}); err == nil {
		t.Error("no error for standard input twice")
	}
}

func TestSizeCountsFiles(t *testing.T) {
	dir := write(t, map[string]string{"a.md": "12345", "b.jsonl": "{}", "c.rst": "1"})
	p, err := NewPlan([]string{dir, filepath.Join(dir, "b.jsonl"), Stdin}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Size() != 7 {
		t.Errorf("size %d, want 7", p.Size())
	}
}

func TestReadStopsWithItsReader(t *testing.T) {
	p, err := NewPlan([]string{Stdin}, Options{Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range p.Read(strings.NewReader("{}\n{}\n{}\n")) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("read %d", n)
	}
}

// Every line gives exactly one item or problem, and the bytes of all add up.
func TestLinesAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.OneOf(
			rapid.StringMatching(`\{"id":"[a-z]{1,3}","text":"[a-z ]{1,9}"\}`), rapid.StringMatching(`[a-z{}":,]{1,12}`), rapid.Just(""),
		)).Draw(t, "lines")
		in := strings.Join(lines, "\n")
		want := 0
		for _, l := range lines {
			if strings.TrimSpace(l) != "" {
				want++
			}
		}
		p, err := NewPlan([]string{Stdin}, Options{Lines: true})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for range p.Read(strings.NewReader(in)) {
			got++
		}
		if got != want {
			t.Fatalf("%d answers for %d lines of %q", got, want, in)
		}
	})
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{`{"id":"a","text":"b"}`, `{"id":1,"body":"b","tags":["x"],"valid_from":"2026-01-01"}`, `{`, `null`, "\xff"} {
		f.Add([]byte(s))
	}
	p, err := NewPlan(nil, Options{Lines: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		d, err := p.parseLine(line)
		if err == nil && len(d.Body) == 0 {
			t.Error("a draft without content and without error")
		}
	})
}
