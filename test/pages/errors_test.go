package pages

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every error that docs/troubleshooting.md explains in a table is a text of the
// program: it stands in the sources. Those in blocks are produced.
func TestErrorsOfTheTroubleshootingPageExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := texts(t)
	row := regexp.MustCompile("(?m)^\\| (?:\\d{4} \\| )?(`[^|]+`) \\|")
	code := regexp.MustCompile("`([^`]+)`")
	n := 0
	for _, cell := range row.FindAllStringSubmatch(string(page), -1) {
		for _, text := range code.FindAllStringSubmatch(cell[1], -1) {
			n++
			for part := range strings.SplitSeq(text[1], "…") {
				part = strings.TrimSpace(part)
				located := strings.Replace(part, ": ", "\n", 1) // a path and what is wrong there
				if len(part) > 2 && !strings.Contains(said, part) && !strings.Contains(said, located) {
					t.Errorf("no text of the program has %q, of %q", part, text[1])
				}
			}
		}
	}
	if n < 60 {
		t.Errorf("the page explains %d errors, want more to be found", n)
	}
}

// texts are all strings in the sources of the program, one a line, and of the
// operating system what its errors say.
func texts(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	all.WriteString("address already in use\n")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (name == "test" || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var s scanner.Scanner
		fset := token.NewFileSet()
		s.Init(fset.AddFile(path, -1, len(src)), src, nil, 0)
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF {
				return nil
			}
			if tok != token.STRING {
				continue
			}
			text, err := strconv.Unquote(lit)
			if err != nil {
				return err
			}
			all.WriteString(text + "\n")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
