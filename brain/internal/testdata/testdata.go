// Package testdata finds the judged and hostile data that tests measure
// against. The data is not part of the module: it lives in a folder named
// "shared" beside the checkout, and tests that need it skip where it is absent.
package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of elem below the shared data folder, or skips the
// test when the folder or the file is not there.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("the test does not run inside the module's checkout")
		}
		dir = parent
	}
	p := filepath.Join(append([]string{filepath.Dir(dir), "shared"}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("shared data %s is not beside this checkout", filepath.Join(elem...))
	}
	return p
}
