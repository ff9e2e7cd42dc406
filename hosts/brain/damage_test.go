package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document that cannot be read is told once, as damage: nothing was being
// written whose outcome could be unknown.
func TestDamagedDocument(t *testing.T) {
	top := t.TempDir()
	dir, notes := filepath.Join(top, "b"), filepath.Join(top, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		text := strings.Repeat(fmt.Sprintf("note %d\n\n", i), 200)
		if err := os.WriteFile(filepath.Join(notes, fmt.Sprintf("%02d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	brainCmd := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		s := streams{strings.NewReader(""), &out, &out}
		if got := run(t.Context(), append(args, "--dir", dir), s, func(string) string { return "" }); got != want {
			t.Fatalf("%q: exit code %d, want %d: %s", args, got, want, out.String())
		}
		return out.String()
	}
	brainCmd(0, "init")
	brainCmd(0, "add", notes)
	brainCmd(0, "get", "notes://00.md") // after it the documents lie in a table
	tables, err := filepath.Glob(filepath.Join(dir, "primary", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no table: %v", err)
	}
	for _, f := range tables {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		data[0] ^= 1
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := brainCmd(4, "get", "notes://00.md")
	if !strings.Contains(said, "Next: do not write to it") || strings.Contains(said, "unknown") || strings.Count(said, "checksum mismatch") > 1 {
		t.Errorf("it says %q", said)
	}
}
