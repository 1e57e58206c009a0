package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// caught are the errors without a code of the interface that no caller gets to see: each is caught
// in the package that makes it.
var caught = []string{"app.errRead"}

// TestErrorsHaveMeaning looks at the errors that the rules, the ports and the use cases declare:
// each has a code of the interface, because without one it is answered as an error that nobody has
// planned for.
func TestErrorsHaveMeaning(t *testing.T) {
	var found []string
	for _, layer := range []string{"domain", "ports", "app"} {
		err := filepath.WalkDir(filepath.Join("..", layer), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "portstest") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err == nil {
				found = append(found, bareErrors(file)...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, caught) {
		t.Errorf("errors without a code are %v, want %v", found, caught)
	}
}

// bareErrors returns the package variables of a file that errors.New makes.
func bareErrors(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		for _, s := range decl.Specs {
			for i, v := range s.(*ast.ValueSpec).Values {
				if call, ok := v.(*ast.CallExpr); ok && isErrorsNew(call.Fun) {
					names = append(names, file.Name.Name+"."+s.(*ast.ValueSpec).Names[i].Name)
				}
			}
		}
	}
	return names
}

func isErrorsNew(f ast.Expr) bool {
	selected, ok := f.(*ast.SelectorExpr)
	if !ok || selected.Sel.Name != "New" {
		return false
	}
	pkg, ok := selected.X.(*ast.Ident)
	return ok && pkg.Name == "errors"
}
