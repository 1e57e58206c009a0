package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every mistake can still be made, in a file and against a test that exist; that
// the test notices shows `make planted`.
func TestBugsApply(t *testing.T) {
	bugs, err := readBugs()
	if err != nil {
		t.Fatal(err)
	}
	if len(bugs) < 12 {
		t.Errorf("there are %d bugs, want 12 at least", len(bugs))
	}
	root := filepath.Join("..", "..")
	for _, b := range bugs {
		if _, err := b.apply(root); err != nil {
			t.Errorf("%s: %v", b.name, err)
		}
		test, _, _ := strings.Cut(b.test, "/")
		files, err := filepath.Glob(filepath.Join(root, b.pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		has := func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+test+"(")
		}
		if !slices.ContainsFunc(files, has) {
			t.Errorf("%s: there is no %s in %s", b.name, test, b.pkg)
		}
	}
}

func TestParseBug(t *testing.T) {
	const good = "What.\n\nPackage: ./p\nTest: TestX/y\nNeeds: N\n\n--- a/p/x.go\n+++ b/p/x.go\n@@\n a\n-b\n+c\n \n@@\n-d\n"
	b, err := parseBug(good)
	if err != nil || b.what != "What." || b.pkg != "./p" || b.test != "TestX/y" || b.need != "N" || b.path != "p/x.go" || len(b.hunks) != 2 {
		t.Fatalf("parseBug = %+v, %v", b, err)
	}
	if want := (hunk{"a\nb\n\n", "a\nc\n\n"}); b.hunks[0] != want {
		t.Errorf("hunk = %+v, want %+v", b.hunks[0], want)
	}
	if b.pattern() != "^TestX$/^y$" {
		t.Errorf("pattern = %s", b.pattern())
	}
	for what, text := range map[string]string{
		"empty": "", "no diff": "What.\n\nPackage: ./p\nTest: TestX\n", "no test": strings.Replace(good, "Test: TestX/y\n", "", 1),
		"unknown field": strings.Replace(good, "Needs", "Wants", 1), "two files": strings.Replace(good, "+++ b/p/x.go", "+++ b/p/y.go", 1),
		"no line of a diff": strings.Replace(good, "-b", "b", 1),
	} {
		if b, err := parseBug(text); err == nil {
			t.Errorf("parseBug of %s = %+v, want an error", what, b)
		}
	}
}

func TestVerdict(t *testing.T) {
	b := bug{test: "TestX/y"}
	for output, want := range map[string]bool{
		`{"Action":"fail","Test":"TestX/y"}`: true, `{"Action":"fail","Test":"TestX"}`: false, `{"Action":"pass","Test":"TestX/y"}`: false,
		`{"Action":"fail"}`: false, "# p\nx.go:1: undefined": false, "": false,
	} {
		if failed, _ := b.verdict([]byte(output)); failed != want {
			t.Errorf("verdict(%s) = %v, want %v", output, failed, want)
		}
	}
}
