package archtest

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Scores must have the same bits on every machine. Go fuses x*y + z into one
// rounding on arm64 and leaves it in two on amd64, and the functions of package
// math that are not exact differ as well, so in recall a product is converted,
// float64(x*y), before it is added, and logarithms come from detmath.
func TestRecallFloatsAreDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("type checking asks the go command for export data")
	}
	fset, files := tree(t)
	exports := exportData(t, "./brain/recall/...", "./brain/internal/detmath")
	byPkg := map[string][]*ast.File{}
	for _, f := range files {
		if !f.test && (within(f.pkg, "brain/recall") || f.pkg == "brain/internal/detmath") && built(t, f) {
			byPkg[f.pkg] = append(byPkg[f.pkg], f.ast)
		}
	}
	if len(byPkg) < 5 {
		t.Fatalf("only %d packages of recall found", len(byPkg))
	}
	inexact := map[string]bool{"Log": true, "Log1p": true, "Log2": true, "Log10": true, "Exp": true, "Expm1": true, "Exp2": true, "Pow": true, "Sin": true, "Cos": true, "Tan": true, "Tanh": true, "Hypot": true, "Cbrt": true, "FMA": true}
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for pkg, asts := range byPkg {
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: imp, Error: func(error) {}}
		if _, err := conf.Check(module+pkg, fset, asts, info); err != nil {
			t.Errorf("%s does not type-check: %v", pkg, err)
			continue
		}
		for _, f := range asts {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if (n.Op == token.ADD || n.Op == token.SUB) && float(info, n) && (product(info, n.X) || product(info, n.Y)) {
						t.Errorf("%s: a product is added without float64(…) around it", fset.Position(n.Pos()))
					}
				case *ast.AssignStmt:
					if (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && float(info, n.Lhs[0]) && product(info, n.Rhs[0]) {
						t.Errorf("%s: a product is added without float64(…) around it", fset.Position(n.Pos()))
					}
				case *ast.SelectorExpr:
					if o := info.Uses[n.Sel]; o != nil && o.Pkg() != nil && o.Pkg().Path() == "math" && inexact[o.Name()] {
						t.Errorf("%s: math.%s has other bits on other machines, use detmath", fset.Position(n.Pos()), o.Name())
					}
				}
				return true
			})
		}
	}
}

func float(info *types.Info, x ast.Expr) bool {
	tv := info.Types[x]
	if tv.Type == nil || tv.Value != nil {
		return false
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// product reports whether x is a multiplication that nothing rounds first.
func product(info *types.Info, x ast.Expr) bool {
	for {
		p, ok := x.(*ast.ParenExpr)
		if !ok {
			break
		}
		x = p.X
	}
	b, ok := x.(*ast.BinaryExpr)
	return ok && b.Op == token.MUL && float(info, b)
}

// built reports whether f is compiled on this machine without tags; the files of
// other machines are checked there.
func built(t *testing.T, f file) bool {
	t.Helper()
	dir, name := filepath.Split(filepath.Join(root(t), filepath.FromSlash(f.path)))
	ok, err := build.Default.MatchFile(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// exportData returns where the go command keeps the compiled form of the
// packages and of all they import.
func exportData(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, patterns...)...)
	cmd.Dir = root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		path, file, _ := strings.Cut(s.Text(), "\t")
		m[path] = file
	}
	return m
}
