package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// shared returns a file of the data folder beside the checkout, or skips.
func shared(t *testing.T, elem ...string) []byte {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared", "data"}, elem...)...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("%s is not beside this checkout", filepath.Join(elem...))
	}
	return data
}

// inProcess runs a command line on a brain in dir and returns its output.
func inProcess(t *testing.T, dir, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	s := streams{strings.NewReader(stdin), &out, &errs}
	code = run(t.Context(), args, s, func(name string) string {
		return map[string]string{"BRAIN_DIR": dir, "USER": "ana"}[name]
	})
	return out.String(), errs.String(), code
}

// TestNaughtyStrings stores every string of a public list as content and title,
// and reads all of it back.
func TestNaughtyStrings(t *testing.T) {
	var naughty []string
	if err := json.Unmarshal(shared(t, "spec", "blns.json"), &naughty); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "brain")
	if _, errs, code := inProcess(t, dir, "", "init"); code != 0 {
		t.Fatal(errs)
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for i, s := range naughty {
		if err := enc.Encode(map[string]any{"id": i, "title": s, "text": "a " + s}); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := inProcess(t, dir, lines.String(), "add", "-", "--jsonl", "--json")
	var report addReport
	if err := json.Unmarshal([]byte(out), &report); err != nil || code > 1 {
		t.Fatalf("exit code %d: %v\n%s", code, err, errs)
	}
	if n := report.Created + report.Held + report.Failed; n != len(naughty) || report.Created < len(naughty)/2 {
		t.Errorf("%d of %d strings accounted for: %+v", n, len(naughty), report)
	}
	for _, args := range [][]string{{"list", "--all"}, {"list", "--all", "--json"}, {"recall", "a", "-k", "1000", "--full"}, {"recall", "a", "-k", "1000", "--json"}, {"review"}, {"review", "--json", "-n", "200"}} {
		out, errs, code := inProcess(t, dir, "", args...)
		if code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
		for _, r := range out + errs {
			if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%v: the output holds %U", args, r)
				break
			}
		}
	}
}

// TestNaughtyNames tries every string of a public list as the id of a line: it
// is refused or names a document of the source, never anything else.
func TestNaughtyNames(t *testing.T) {
	data := shared(t, "spec", "path-traversal.jsonl")
	dir := filepath.Join(t.TempDir(), "brain")
	if _, errs, code := inProcess(t, dir, "", "init"); code != 0 {
		t.Fatal(errs)
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		var row struct{ Payload string }
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if err := enc.Encode(map[string]string{"id": row.Payload, "text": "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, errs, code := inProcess(t, dir, lines.String(), "add", "-", "--jsonl", "--source", "s"); code > 1 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	out, _, _ := inProcess(t, dir, "", "list", "--all", "--json")
	for line := range strings.Lines(out) {
		var page struct {
			Documents []struct{ URI string }
		}
		if err := json.Unmarshal([]byte(line), &page); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Documents {
			if !strings.HasPrefix(d.URI, "s://") || strings.Contains(d.URI, "/../") || strings.Contains(d.URI, `\`) {
				t.Errorf("a document named %q", d.URI)
			}
		}
	}
}
