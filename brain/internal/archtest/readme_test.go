package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeProgramCompiles holds that the program of the README can be pasted
// into a main function as it stands.
func TestReadmeProgramCompiles(t *testing.T) {
	top := root(t)
	text, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the README has no program")
	}
	program := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n" +
		"\t\"" + module + "brain\"\n\t\"" + module + "brain/uri\"\n)\n\nfunc main() {\n" + code + "}\n"
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", file)
	vet.Dir = top
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
