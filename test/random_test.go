package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRandomChoicesHaveSeeds finds tests whose random choices cannot be repeated:
// those that use the source of the process, or a seed from the clock.
func TestRandomChoicesHaveSeeds(t *testing.T) {
	const root = ".."
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil || !forTests(filepath.ToSlash(file)) {
			return err
		}
		read++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, use := range unseeded(parsed) {
			t.Errorf("%s calls %s; take the numbers from test/seed, or from a source with a seed", file, use)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 100 {
		t.Errorf("only %d files of tests were found", read)
	}
}

// forTests reports whether a file belongs to tests whose choices must have seeds.
// Benchmarks need none.
func forTests(file string) bool {
	switch {
	case !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "bench_test.go"),
		strings.HasPrefix(file, "test/seed/"), strings.HasPrefix(file, "adapters/mongostore/"):
		return false
	}
	return strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "test/") || strings.HasPrefix(file, "ports/portstest/")
}

// unseeded returns what a file that uses math/rand takes from the source of the
// process, and the nanoseconds that are the usual seed.
func unseeded(file *ast.File) (uses []string) {
	random := ""
	for _, i := range file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); path == "math/rand" || path == "math/rand/v2" {
			random = "rand"
			if i.Name != nil {
				random = i.Name.Name
			}
		}
	}
	if random == "" {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if ok && x.Name == random && !seeded[s.Sel.Name] || s.Sel.Name == "UnixNano" {
			uses = append(uses, s.Sel.Name)
		}
		return true
	})
	return uses
}

// seeded is what math/rand offers that does not use the source of the process.
var seeded = map[string]bool{
	"New": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true,
	"Rand": true, "Source": true, "PCG": true, "ChaCha8": true, "Zipf": true,
}

func TestUnseeded(t *testing.T) {
	for body, want := range map[string]int{
		`rand.New(rand.NewPCG(1, 2)).IntN(3)`:                              0,
		`rand.IntN(3)`:                                                     1,
		`rand.N(time.Second); rand.Shuffle(1, nil)`:                        2,
		`rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)).Uint64()`: 1,
	} {
		source := "package p\nimport \"math/rand/v2\"\nfunc f() {" + body + "}"
		file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := unseeded(file); len(got) != want {
			t.Errorf("unseeded(%q) = %q, want %d", body, got, want)
		}
	}
}
