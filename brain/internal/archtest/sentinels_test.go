package archtest

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"
)

// maxSentinels is how many causes a caller of the facade can meet; more than
// that nobody tells apart.
const maxSentinels = 20

// inner are the exported sentinels that no caller of the facade meets by their
// own name, with what it meets instead.
var inner = map[string]string{
	"audit.ErrProof":     "proofs are checked by verifiers, not through the facade",
	"audit.ErrRow":       "a bad event is invalid input, a bad row a Defect",
	"audit.ErrSide":      "store.ErrCorrupt",
	"bm25.ErrCorrupt":    "a damaged segment is made again from primary data",
	"hnsw.ErrDamaged":    "a damaged graph is made again from primary data",
	"store.ErrHeadMoved": "store.ErrStoreFailed",
	"store.ErrNotFound":  "document.ErrNotFound",
	"store.ErrReentrant": "a broken program: nothing of the facade runs inside a commit",
	"uri.ErrInvalid":     "invalid.Err",
}

// sentinels returns the exported variables of the library that errors.New made.
func sentinels(files []file) []string {
	var out []string
	for _, f := range files {
		if f.test || !within(f.pkg, "brain") || within(f.pkg, "brain/internal") {
			continue
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, n := range v.Names {
					if i < len(v.Values) && n.IsExported() && isNew(v.Values[i]) {
						out = append(out, f.ast.Name.Name+"."+n.Name)
					}
				}
			}
		}
	}
	return out
}

func isNew(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "errors" && s.Sel.Name == "New"
}

// coded returns the causes in the table of codes of the facade.
func coded(t *testing.T, files []file) []string {
	t.Helper()
	var out []string
	for _, f := range files {
		if f.path != "brain/errors.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Names[0].Name != "codes" {
				return true
			}
			for _, row := range v.Values[0].(*ast.CompositeLit).Elts {
				switch x := row.(*ast.CompositeLit).Elts[0].(type) {
				case *ast.Ident:
					out = append(out, "brain."+x.Name)
				case *ast.SelectorExpr:
					out = append(out, x.X.(*ast.Ident).Name+"."+x.Sel.Name)
				}
			}
			return false
		})
	}
	if len(out) == 0 {
		t.Fatal("no table of codes in brain/errors.go")
	}
	return out
}

// Every sentinel has a code of the facade, or is one that only inner packages
// see; and there are not too many to tell apart.
func TestSentinelsHaveCodes(t *testing.T) {
	_, files := tree(t)
	all, table := sentinels(files), coded(t, files)
	met := 0
	for _, s := range all {
		if slices.Contains(table, s) {
			met++
		} else if inner[s] == "" {
			t.Errorf("%s has no row in the table of codes", s)
		}
	}
	for s := range inner {
		if slices.Contains(table, s) {
			t.Errorf("%s is listed as inner and has a code", s)
		}
	}
	if met < 10 || met > maxSentinels {
		t.Errorf("a caller can meet %d sentinels, at most %d", met, maxSentinels)
	}
}
