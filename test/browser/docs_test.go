package browser

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// reference opens the reference of a service.
func (s service) reference(width, height int64) *tab {
	s.t.Helper()
	b := open(s.t, width, height)
	b.do("open the reference", chromedp.Navigate(s.URL+"/docs"))
	b.await("the operations are there", `document.querySelectorAll(".overview a").length > 60`)
	return b
}

// The reference begins with the operations, finds them by words, and shows each with code in
// four languages. An operation can be tried with a token that is pasted. Nothing comes from
// elsewhere.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.reference(1440, 900)
	if title := eval[string](b, "document.title"); title != "API reference · orgd" {
		t.Errorf("the title is %q", title)
	}
	b.shot("docs")
	b.fill("Find an operation", "company read")
	b.await("it is found", `document.querySelectorAll(".groups a[data-id]").length === 1`)
	b.press("GET Read the company")
	b.await("the operation is there", `document.title === "Read the company · orgd"`)
	b.await("curl is there", `document.querySelector("pre.code").textContent.startsWith("curl 'http://127.0.0.1")`)
	b.fill("Access token, kept until the page is closed", s.token("admin", "ann"))
	b.press("Send")
	b.awaitText("Status 200")
	b.awaitText(`"autonomy_level": "supervised"`)
	b.shot("docs-tried")

	// What is put in is in the code of each language, and in what is sent.
	b.do("go to another", chromedp.Evaluate[chromedp.Void](`location.hash = "#/agents.get"`))
	b.await("the operation is there", `document.querySelector("main h1").textContent === "Read an agent"`)
	if filled := eval[[]string](b, `[...document.querySelectorAll(".parameter input")].filter(e => e.value && !e.id.startsWith("in-path")).map(e => e.value)`); len(filled) > 0 {
		t.Errorf("headers would be sent that nobody has typed: %q", filled)
	}
	b.do("name an agent", chromedp.Evaluate[chromedp.Void](`document.getElementById("in-path-agent_name").select()`), insert("É / no%"))
	for language, want := range map[string]string{"curl": "curl ", "Go": "http.NewRequestWithContext", "Python": "requests.get(", "TypeScript": "await fetch("} {
		b.press(language)
		if code := eval[string](b, `document.querySelector("pre.code").textContent`); !strings.Contains(code, want) || !strings.Contains(code, "/agents/%C3%89%20%2F%20no%25") {
			t.Errorf("%s: the code is\n%s", language, code)
		}
	}
	b.expect("404")
	b.press("Send")
	b.awaitText(`"error_code": 3000`)

	b.do("go to one with a body", chromedp.Evaluate[chromedp.Void](`location.hash = "#/agents.create"`))
	b.await("the operation is there", `document.querySelector("main h1").textContent === "Hire an agent"`)
	if body := eval[string](b, `document.getElementById("body").value`); !strings.Contains(body, `"department"`) {
		t.Errorf("the body is %s", body)
	}
	b.do("open all that can be opened", chromedp.Evaluate[chromedp.Void](`for (let i = 0; i < 3; i++) for (const d of document.querySelectorAll("main details")) d.open = true`))
	b.awaitText("model_id")
	b.shot("docs-body")
	b.do("go to what holds for all", chromedp.Evaluate[chromedp.Void](`location.hash = "#/about"`))
	b.awaitText("Bodies are strict JSON")
	for _, url := range b.urls() {
		if !strings.HasPrefix(url, s.URL+"/") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			t.Errorf("the page asks for %s, which is elsewhere", url)
		}
	}
}

// Every operation can be read on a phone and without eyes, light and dark.
func TestDocsForEverybody(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.reference(1440, 900)
	source, err := os.ReadFile(os.Getenv(axeVariable))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if source != nil {
		b.eval(string(source) + "; 0")
	}
	for _, page := range []string{"", "about", "agents.create", "agents.list", "versions.diff", "activities.stream", "organization.plan"} {
		b.do("visit "+page, chromedp.Evaluate[chromedp.Void](`location.hash = "#/`+page+`"`))
		b.await("it is there", `document.querySelector("main h1")`)
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			found := eval[[]string](b, audit)
			if source != nil {
				found = append(found, eval[[]string](b, axe)...)
			}
			for _, wrong := range found {
				t.Errorf("the reference %q, %s: %s", page, scheme, wrong)
			}
		}
		b.resize(390, 844)
		b.fits(page)
		b.shot("docs-phone-" + fileName(page))
		b.resize(1440, 900)
		b.scheme("light")
	}
	if source == nil {
		t.Skipf("SKIPPED: %s names no axe.min.js; the reference was NOT looked at by axe", axeVariable)
	}
}
