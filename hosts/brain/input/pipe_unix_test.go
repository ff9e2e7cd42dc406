//go:build unix

package input

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesAreNotOpened(t *testing.T) {
	dir := write(t, map[string]string{"x.md": "X"})
	pipe := filepath.Join(dir, "p.md")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, read(t, dir, []string{dir, pipe, "/dev/null"}, "", Options{}),
		`- p.md: is a named pipe`, `! p.md: is a named pipe`, `! /dev/null: is a device`, `x.md = notes://x.md "X"`)
}

// A pipe that takes the place of a file after the look must not make the
// reader wait for a writer.
func TestFileThatBecomesAPipe(t *testing.T) {
	dir := write(t, map[string]string{"x.md": "X"})
	p, err := NewPlan([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	file := filepath.Join(dir, "x.md")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, problem := range p.Read(nil) {
		if problem == nil || problem.Skipped {
			t.Errorf("problem %v, want one that counts", problem)
		}
	}
}
