// Package archtest holds the architecture as tests: which package may import
// which, and the habits that a compiler does not check. It has no code of its
// own outside of tests.
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/seed70401ef0/brain-go/"

// file is one parsed Go file of the module.
type file struct {
	path string // slash-separated, relative to the module's root
	pkg  string // its directory
	test bool
	src  []byte
	ast  *ast.File
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// tree parses every Go file of the module.
func tree(t *testing.T) (*token.FileSet, []file) {
	t.Helper()
	top, fset := root(t), token.NewFileSet()
	var files []file
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" && d.Name() != filepath.Base(top) && !hasGo(p) || strings.HasPrefix(name, ".") && p != top) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".go" {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, p, src, parser.ParseComments)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, file{rel, dirOf(rel), strings.HasSuffix(rel, "_test.go"), src, f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d files found: the walk is wrong", len(files))
	}
	return fset, files
}

func hasGo(dir string) bool {
	m, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return len(m) > 0
}

func dirOf(rel string) string {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i]
	}
	return "."
}

func imports(f file) []string {
	var out []string
	for _, im := range f.ast.Imports {
		p, err := strconv.Unquote(im.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

// within reports whether pkg is dir or lies below it.
func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// mayImport is the direction of imports: the packages of ours that each package
// may name, beside itself, what lies below it and brain/internal. A package that
// is not listed may import none.
var mayImport = map[string][]string{
	"brain/uri":      {},
	"brain/audit":    {},
	"brain/screen":   {},
	"brain/store":    {"brain/audit"},
	"brain/policy":   {"brain/uri"},
	"brain/document": {"brain/uri", "brain/store", "brain/audit"},
	"brain/recall":   {"brain/uri", "brain/policy", "brain/store", "brain/audit", "brain/document", "brain/screen"},
	"brain/gate":     {"brain/uri", "brain/policy", "brain/store", "brain/audit", "brain/document", "brain/screen"},
	"brain":          {"brain"}, // everything below it
	"brain/internal": {"brain/audit", "brain/store"},
	"hosts":          {"brain"},
	"examples":       {"brain"},
	"benchmarks":     {"brain", "hosts"},
}

func ruleOf(pkg string) (string, []string, bool) {
	best, found := "", false
	for p := range mayImport {
		if within(pkg, p) && (p != "brain" || pkg == "brain") && len(p) > len(best) {
			best, found = p, true
		}
	}
	return best, mayImport[best], found
}

func TestImportDirection(t *testing.T) {
	_, files := tree(t)
	for _, f := range files {
		base, allowed, ok := ruleOf(f.pkg)
		if !ok {
			t.Errorf("%s: package %s has no rule for what it may import", f.path, f.pkg)
			continue
		}
		for _, im := range imports(f) {
			rel, ours := strings.CutPrefix(im, module)
			if !ours || within(rel, base) || within(rel, "brain/internal") && !within(rel, "brain/internal/crashtest") {
				continue
			}
			if !slices.ContainsFunc(allowed, func(a string) bool { return within(rel, a) }) {
				t.Errorf("%s imports %s, which %s must not", f.path, rel, base)
			}
		}
	}
}

func TestImportsOfOthers(t *testing.T) {
	_, files := tree(t)
	rules := []struct {
		name   string
		match  func(string) bool
		within []string
	}{
		{"Pebble", func(p string) bool { return strings.HasPrefix(p, "github.com/cockroachdb/") }, []string{"brain/store", "brain/internal/crashtest"}},
		{"a server or telemetry", func(p string) bool {
			return p == "net/http" || strings.HasPrefix(p, "connectrpc.com/") || strings.HasPrefix(p, "github.com/modelcontextprotocol/") || strings.HasPrefix(p, "go.opentelemetry.io/")
		}, []string{"hosts"}},
		{"a command line", func(p string) bool {
			return strings.HasPrefix(p, "github.com/alecthomas/kong") || strings.HasPrefix(p, "github.com/vbauerster/mpb")
		}, []string{"hosts"}},
		{"goldmark", func(p string) bool { return strings.HasPrefix(p, "github.com/yuin/goldmark") }, []string{"brain/recall/chunk"}},
		{"cgo or unsafe linking", func(p string) bool { return p == "C" }, nil},
	}
	for _, f := range files {
		for _, im := range imports(f) {
			for _, r := range rules {
				if r.match(im) && !slices.ContainsFunc(r.within, func(d string) bool { return within(f.pkg, d) }) {
					t.Errorf("%s imports %s: %s is for %v only", f.path, im, r.name, r.within)
				}
			}
		}
	}
}

func TestPurePackages(t *testing.T) {
	_, files := tree(t)
	pure := []string{"brain/uri", "brain/audit", "brain/policy", "brain/recall/fuse", "brain/screen"}
	for _, f := range files {
		if f.test || !slices.Contains(pure, f.pkg) {
			continue
		}
		for _, im := range imports(f) {
			if im == "os" || im == "net" || strings.HasPrefix(im, "net/") || im == "io/fs" {
				t.Errorf("%s imports %s", f.path, im)
			}
		}
		if calls(f, "time", "Now") {
			t.Errorf("%s reads the clock", f.path)
		}
	}
}

// calls reports whether f uses name of the imported package pkg.
func calls(f file, pkg, name string) bool {
	found := false
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg && x.Obj == nil {
				found = true
			}
		}
		return true
	})
	return found
}
