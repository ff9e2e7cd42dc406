package uri

import (
	"bufio"
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/seed70401ef0/brain-go/brain/internal/testdata"
)

// eachLine decodes every line of a shared JSON lines file.
func eachLine[T any](t *testing.T, fn func(T), elem ...string) {
	t.Helper()
	f, err := os.Open(testdata.Shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var row T
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		fn(row)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

// lenient decodes %XX only, as a server before us would, by other code than
// the package's.
func lenient(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		const digits = "0123456789abcdef"
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := strings.IndexByte(digits, s[i+1]|0x20), strings.IndexByte(digits, s[i+2]|0x20)
			if hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// TestTraversalStaysBelow holds every traversal string that is not refused
// below the name it was joined to, however often it is decoded and cleaned.
func TestTraversalStaysBelow(t *testing.T) {
	base := MustParse("notes://vault/inner")
	const root = "/vault/inner/"
	rows, accepted := 0, 0
	eachLine(t, func(row struct{ Payload string }) {
		rows++
		for _, file := range []string{"etc/passwd", "{FILE}"} {
			payload := strings.ReplaceAll(row.Payload, "{FILE}", file)
			var got []URI
			if u, err := Parse(base.String() + "/" + payload); err == nil {
				got = append(got, u)
			}
			if u, err := base.Join(payload); err == nil {
				got = append(got, u)
			}
			if u, err := base.Join(strings.Split(payload, "/")...); err == nil {
				got = append(got, u)
			}
			accepted += len(got)
			for _, u := range got {
				if !u.Under(base) {
					t.Errorf("%q is not under %q", u, base)
				}
				p := strings.TrimPrefix(u.String(), "notes:/")
				for range 3 {
					for _, q := range []string{p, strings.ReplaceAll(p, `\`, "/")} {
						if c := path.Clean(q); !strings.HasPrefix(c, root) || strings.Count(c, "/") != strings.Count(u.Key(), "/")-1 {
							t.Errorf("payload %q: %q leads to %q", row.Payload, u, c)
						}
					}
					p = lenient(p)
				}
			}
		}
	}, "data", "spec", "path-traversal.jsonl")
	if rows != 26820 {
		t.Errorf("%d rows, want 26820", rows)
	}
	t.Logf("%d rows, %d names accepted and contained", rows, accepted)
}

// TestPolicyRowsOfNames holds the rows of the policy cases that end here.
func TestPolicyRowsOfNames(t *testing.T) {
	refused := map[string][]string{
		"policy-011": {"wiki://docs/../secret"},
		"policy-012": {"wiki://docs/%2e%2e/secret"},
		"policy-013": {"wiki://docs//a"},
		"policy-016": {"wiki://a?x=1#f"},
		"policy-017": {"wiki://user@host/a", "wiki://host:80/a"},
	}
	seen := 0
	eachLine(t, func(row struct{ ID, Input string }) {
		for _, s := range refused[row.ID] {
			seen++
			if !strings.Contains(row.Input, s) {
				t.Errorf("%s: the row says %q", row.ID, row.Input)
			}
			if u, err := Parse(s); err == nil {
				t.Errorf("%s: %q accepted", row.ID, u)
			}
		}
	}, "data", "attacks", "policy.jsonl")
	if seen != 6 {
		t.Errorf("%d inputs seen, want 6", seen)
	}
	allow, err := ParsePattern("wiki://docs/**") // policy-014
	if err != nil || !allow.Match(MustParse("WIKI://docs/a")) || allow.Match(MustParse("wiki://DOCS/a")) {
		t.Errorf("policy-014: %v", err)
	}
	if _, err := ParsePattern("*://**"); err == nil { // policy-018
		t.Error("policy-018: wildcard scheme accepted")
	}
}

// TestPathRowsOfNames sorts the path cases whose input is refused as a name
// from those that are plain names here and left to the file wrapper (links,
// devices, names that only one system reserves).
func TestPathRowsOfNames(t *testing.T) {
	refused := map[string]bool{}
	for _, id := range strings.Fields("001 002 003 004 006 007 008 009 011 012 013 014 016 017 018 021 022 028 044 073 074") {
		refused["path-"+id] = true
	}
	rows := 0
	eachLine(t, func(row struct{ ID, Input string }) {
		rows++
		in := row.Input
		switch row.ID {
		case "path-022":
			in = strings.Repeat("d/../", 2000) + "a.txt"
		case "path-039", "path-041", "path-059", "path-061", "path-062", "path-063", "path-064":
			return // several inputs, or more than an input, in one row
		}
		u, err := Parse("file://root/" + in)
		if (err != nil) != refused[row.ID] {
			t.Errorf("%s: Parse(%q) = %q, %v", row.ID, in, u, err)
		}
	}, "data", "attacks", "paths.jsonl")
	if rows != 66 {
		t.Errorf("%d rows, want 66", rows)
	}
	for in, want := range map[string]bool{
		"../out/a.txt": false,                                                             // 039
		"etc <- evil":  true,                                                              // 041: a plain name
		".git/config":  true, ".GIT/hooks/x": true, "GIT~1/config": true, ".git /x": true, // 061: control directory, the file wrapper's
		".g\u200cit/config": false, ".git::$INDEX_ALLOCATION/x": true,
		"NUL": true, "LPT¹": true, "a.txt::$DATA": true, "a.txt.": true, "a.txt ": true, // 062-064: Windows only, the file wrapper's
		"bad\xff": false, "x\x1b]0;\x07\u202e": false, // 058, 076
		"\uff0e\uff0e/out/secret": true, // 019: no NFKC folding
	} {
		if _, err := Parse("file://root/" + in); (err == nil) != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestURLDataNeverPanics feeds every string of the WHATWG URL tests.
func TestURLDataNeverPanics(t *testing.T) {
	data, err := os.ReadFile(testdata.Shared(t, "data", "spec", "url-urltestdata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []any
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, row := range rows {
		fields, _ := row.(map[string]any)
		for _, v := range fields {
			s, ok := v.(string)
			if !ok {
				continue
			}
			n++
			for _, in := range []string{s, "notes://x/" + s, "notes://" + s} {
				if u, err := Parse(in); err == nil {
					checkLaws(t, u)
				}
				_, _ = ParsePattern(in)
				_, _ = ParseChunk(in)
			}
		}
	}
	if n < 4000 {
		t.Errorf("only %d strings", n)
	}
}
