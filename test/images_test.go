package test

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// Compose starts, and the tests start, the releases of MongoDB and Redis that the pages
// say the suites run on.
func TestImagesAreThoseOfTheSuites(t *testing.T) {
	text := func(path string) string {
		t.Helper()
		b, err := os.ReadFile("../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for server, pages := range map[string]map[string]string{
		"mongo": {"docs/storage.md": `MongoDB Community ([0-9.]*[0-9])`, "docs/tried.md": `MongoDB \| Community ([0-9.]*[0-9])`, "README.md": `MongoDB Community ([0-9.]*[0-9])`},
		"redis": {"docs/tried.md": `Redis \| ([0-9.]*[0-9])`, "README.md": `Redis ([0-9.]*[0-9])`},
	} {
		var named []string
		for page, says := range pages {
			found := regexp.MustCompile(says).FindStringSubmatch(text(page))
			if found == nil {
				t.Fatalf("%s does not say which %s the suites run on", page, server)
			}
			named = append(named, found[1])
		}
		slices.Sort(named)
		if named = slices.Compact(named); len(named) != 1 {
			t.Errorf("the pages say that the suites run on %s %q", server, named)
		}
		image := regexp.MustCompile(`\b` + server + `:([0-9]+\.[0-9.]*[0-9])`)
		n := 0
		for _, file := range []string{
			"deployments/compose/compose.yaml", "deployments/README.md", "docs/testing.md", ".ci/run", "test/servers/mongodb.go", "test/servers/redis.go",
			"test/compose/initiate_test.go", "adapters/mongostore/check_test.go",
		} {
			for _, found := range image.FindAllStringSubmatch(text(file), -1) {
				if n++; found[1] != named[0] {
					t.Errorf("%s names %s, want the %s of the suites", file, found[0], named[0])
				}
			}
		}
		if n < 5 {
			t.Errorf("%d images of %s, want more to be found", n, server)
		}
	}
}
