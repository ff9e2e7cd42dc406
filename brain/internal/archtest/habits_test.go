package archtest

import (
	"bytes"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

const (
	maxLines   = 800
	maxMethods = 4
)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestFileSize(t *testing.T) {
	_, files := tree(t)
	for _, f := range files {
		if n := bytes.Count(f.src, []byte("\n")); n > maxLines && !generated.Match(f.src) {
			t.Errorf("%s has %d lines, at most %d", f.path, n, maxLines)
		}
	}
}

func TestInterfacesAreSmall(t *testing.T) {
	_, files := tree(t)
	for _, f := range files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !s.Name.IsExported() {
				return true
			}
			if it, ok := s.Type.(*ast.InterfaceType); ok && it.Methods.NumFields() > maxMethods {
				t.Errorf("%s: interface %s has %d methods, at most %d", f.path, s.Name.Name, it.Methods.NumFields(), maxMethods)
			}
			return true
		})
	}
}

func TestExportsAreDocumented(t *testing.T) {
	_, files := tree(t)
	for _, f := range files {
		if f.test || f.ast.Name.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc.Text() == "" {
					t.Errorf("%s: %s has no doc comment", f.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if name := undocumented(d, s); name != "" {
						t.Errorf("%s: %s has no doc comment", f.path, name)
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	x := d.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	id, ok := x.(*ast.Ident)
	return !ok || id.IsExported()
}

// undocumented returns the exported name of s that has no comment of its own or
// of its group.
func undocumented(d *ast.GenDecl, s ast.Spec) string {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc.Text() == "" && s.Doc.Text() == "" {
			return s.Name.Name
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && d.Doc.Text() == "" && s.Doc.Text() == "" && s.Comment.Text() == "" {
				return n.Name
			}
		}
	}
	return ""
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	_, files := tree(t)
	doc := map[string]bool{}
	for _, f := range files {
		if !f.test || f.pkg == "brain/internal/archtest" {
			doc[f.pkg] = doc[f.pkg] || f.ast.Doc.Text() != ""
		}
	}
	for pkg, ok := range doc {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func TestForbiddenCode(t *testing.T) {
	_, files := tree(t)
	unfinished := regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)
	for _, f := range files {
		if f.test {
			continue
		}
		library := within(f.pkg, "brain")
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has an init function", f.path)
			}
		}
		if calls(f, "os", "Exit") && !(f.ast.Name.Name == "main" && strings.HasSuffix(f.path, "/main.go")) {
			t.Errorf("%s ends the process", f.path)
		}
		if library {
			for _, out := range [][2]string{{"os", "Stdout"}, {"os", "Stderr"}, {"fmt", "Print"}, {"fmt", "Println"}, {"fmt", "Printf"}, {"log", "Printf"}, {"log", "Fatal"}} {
				if calls(f, out[0], out[1]) {
					t.Errorf("%s uses %s.%s: the library writes to no standard stream", f.path, out[0], out[1])
				}
			}
		}
		for _, g := range f.ast.Comments {
			if unfinished.MatchString(g.Text()) {
				t.Errorf("%s holds a note of unfinished work: %q", f.path, strings.TrimSpace(g.Text()))
			}
		}
	}
}

// Package variables of the library are constants in all but name: errors,
// compiled expressions, tables. What may change under a program's feet is
// refused: nothing assigns to one outside of its declaration.
func TestNoMutableGlobals(t *testing.T) {
	fset, files := tree(t)
	globals := map[string]map[string]bool{}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || f.test {
				continue
			}
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					if globals[f.pkg] == nil {
						globals[f.pkg] = map[string]bool{}
					}
					globals[f.pkg][n.Name] = true
				}
			}
		}
	}
	for _, f := range files {
		if f.test || !within(f.pkg, "brain") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			var targets []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					targets = n.Lhs
				}
			case *ast.IncDecStmt:
				targets = []ast.Expr{n.X}
			}
			for _, x := range targets {
				id := base(x)
				// An identifier that the parser resolved to a local or a parameter
				// has an object declared inside a function.
				if id == nil || !globals[f.pkg][id.Name] || id.Obj != nil && id.Obj.Kind == ast.Var && f.ast.Scope.Lookup(id.Name) != id.Obj {
					continue
				}
				t.Errorf("%s assigns to the package variable %s", fset.Position(id.Pos()), id.Name)
			}
			return true
		})
	}
}

func base(x ast.Expr) *ast.Ident {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			return y
		case *ast.IndexExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		default:
			return nil
		}
	}
}
