package test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// page is what links are about.
type page struct {
	links   []string
	anchors map[string]bool
}

// Every link from one page to another leads to a file that is there, and to a
// heading that it has.
func TestLinksOfPages(t *testing.T) {
	pages := map[string]page{}
	for _, path := range pagesBelow(t, "..") {
		pages[path] = readPage(t, path)
	}
	n := 0
	for path, p := range pages {
		for _, link := range p.links {
			n++
			if err := resolve(pages, path, link); err != nil {
				t.Errorf("%s: the link to %s: %v", path, link, err)
			}
		}
	}
	if len(pages) < 25 || n < 150 {
		t.Errorf("%d pages with %d links, want more to be found", len(pages), n)
	}
}

// Every page about the service is in the list of pages.
func TestEveryPageIsListed(t *testing.T) {
	listed := map[string]bool{"../docs/README.md": true}
	for _, link := range readPage(t, "../docs/README.md").links {
		file, _, _ := strings.Cut(link, "#")
		listed[filepath.Join("../docs", file)] = true
	}
	for _, path := range append(pagesBelow(t, "../docs"), pagesBelow(t, "../deployments")...) {
		if !listed[path] {
			t.Errorf("docs/README.md does not list %s", path)
		}
	}
}

// Whoever asks for a client finds every language that there is one for.
func TestEveryClientIsNamed(t *testing.T) {
	clients, err := os.ReadDir("../clients")
	if err != nil || len(clients) == 0 {
		t.Fatalf("clients = %v, %v, want some", clients, err)
	}
	for _, path := range []string{"../README.md", "../docs/README.md", "../docs/faq.md", "../docs/runtime.md"} {
		links := readPage(t, path).links
		for _, c := range clients {
			page := c.Name() + ".md"
			if c.Name() != "internal" && !slices.ContainsFunc(links, func(link string) bool { return filepath.Base(link) == page }) {
				t.Errorf("%s does not link %s, about the client in %s", path, page, c.Name())
			}
		}
	}
}

// Every test that a page names as a proof is there.
func TestNamedTestsExist(t *testing.T) {
	tests := map[string]bool{}
	for _, path := range filesBelow(t, "..", "_test.go") {
		for _, name := range find(t, `(?m)^func (Test\w+)\(`, path) {
			tests[name] = true
		}
	}
	n := 0
	for _, path := range pagesBelow(t, "../docs") {
		for _, name := range find(t, "`(Test[A-Z]\\w*)`", path) {
			if n++; !tests[name] {
				t.Errorf("%s names %s, which there is not", path, name)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d tests are named, want more to be found", n)
	}
}

// find returns what the group of a pattern matches in a file.
func find(t *testing.T, pattern, path string) (all []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(content), -1) {
		all = append(all, m[1])
	}
	return all
}

var (
	linkPattern    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,6} +(.*?)\s*$`)
	anchorPattern  = regexp.MustCompile(`<a id="([^"]+)">`)
	fencePattern   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// pagesBelow are the Markdown files in a directory of the repository.
func pagesBelow(t *testing.T, root string) []string { return filesBelow(t, root, ".md") }

func filesBelow(t *testing.T, root, ending string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "dist" || d.Name() == "testdata" || d.Name() == "data"):
			return fs.SkipDir
		case strings.HasSuffix(path, ending):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// readPage finds the links to other pages, and the anchors, outside of code.
func readPage(t *testing.T, path string) page {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := fencePattern.ReplaceAllString(string(content), "")
	p := page{anchors: anchorsOf(text)}
	for _, link := range linkPattern.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(link[1], "://") && !strings.HasPrefix(link[1], "mailto:") {
			p.links = append(p.links, link[1])
		}
	}
	return p
}

// resolve reports why a link of a page leads nowhere.
func resolve(pages map[string]page, from, link string) error {
	file, anchor, _ := strings.Cut(link, "#")
	path := from
	if file != "" {
		path = filepath.Join(filepath.Dir(from), file)
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if anchor != "" && !pages[path].anchors[anchor] {
		return fmt.Errorf("there is no #%s", anchor)
	}
	return nil
}

// anchorsOf are the places of a page that links may name: its headings as forges
// spell them, and those that are marked.
func anchorsOf(page string) map[string]bool {
	all := map[string]bool{}
	for _, heading := range headingPattern.FindAllStringSubmatch(page, -1) {
		anchor := anchorOf(heading[1])
		for n := 1; all[anchor]; n++ {
			anchor = fmt.Sprintf("%s-%d", anchorOf(heading[1]), n)
		}
		all[anchor] = true
	}
	for _, mark := range anchorPattern.FindAllStringSubmatch(page, -1) {
		all[mark[1]] = true
	}
	return all
}

// anchorOf is a heading in small letters, with hyphens for spaces and without
// what is neither letter nor digit.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
