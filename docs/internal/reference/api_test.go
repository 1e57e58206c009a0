package reference

import (
	"regexp"
	"strings"
	"testing"

	"orgd/adapters/httpapi/apidoc"
	"orgd/test/golden"
)

const apiPage = "../../reference/api.md"

// The page is what the description says now.
func TestReference(t *testing.T) {
	got, err := API(apidoc.YAML())
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, apiPage, got)
}

func TestReferenceIsComplete(t *testing.T) {
	page, err := API(apidoc.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range apidoc.Operations() {
		if title := "\n### " + op.Method + " " + op.Path + "\n"; strings.Count(page, title) != 1 {
			t.Errorf("the page has %d sections %q, want one", strings.Count(page, title), strings.TrimSpace(title))
		}
	}
	for _, link := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `<a id="`+link[1]+`">`) {
			t.Errorf("the page links to #%s, which it does not have", link[1])
		}
	}
}
