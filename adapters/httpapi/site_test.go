package httpapi

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"orgd/adapters/httpapi/web"
)

// page asks for a path as a browser would, but without a token.
func (f fake) page(t *testing.T, path string, header ...string) (status int, h http.Header, body string) {
	t.Helper()
	r := newRequest(t, http.MethodGet, path, "")
	r.Header.Del("Authorization")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := f.send(r)
	var content io.Reader = w.Body
	if w.Header().Get("Content-Encoding") == "gzip" {
		var err error
		if content, err = gzip.NewReader(content); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, w.Header(), string(text)
}

func TestDocsPage(t *testing.T) {
	f := newFake(t, ok)
	for path, want := range map[string][2]string{
		"/docs":            {"text/html; charset=utf-8", "docs.js"},
		"/docs/index.html": {"text/html; charset=utf-8", "docs.js"},
		"/docs/docs.js":    {"text/javascript; charset=utf-8", "api/v1/openapi.json"},
		"/docs/docs.css":   {"text/css; charset=utf-8", ".two"},
		"/docs/element.js": {"text/javascript; charset=utf-8", "createElement"},
		"/docs/icon.svg":   {"image/svg+xml", "<svg"},
	} {
		status, h, packed := f.page(t, path, "Accept-Encoding", "gzip, br")
		if status != 200 || h.Get("Content-Type") != want[0] || h.Get("Content-Encoding") != "gzip" || !strings.Contains(packed, want[1]) {
			t.Errorf("GET %s = %d, type %q, coding %q, want %v packed", path, status, h.Get("Content-Type"), h.Get("Content-Encoding"), want)
		}
		status, plain, unpacked := f.page(t, path)
		if status != 200 || plain.Get("Content-Encoding") != "" || unpacked != packed || plain.Get("ETag") == h.Get("ETag") {
			t.Errorf("GET %s without gzip = %d, coding %q, tag %s, want the same content under another tag", path, status, plain.Get("Content-Encoding"), plain.Get("ETag"))
		}
	}
	for _, path := range []string{"/docs/", "/docs/none.js", "/docs/..%2Fweb.go", "/docs/docs/docs.js"} {
		if status, _, body := f.page(t, path); status != 404 || !strings.Contains(body, "3002") {
			t.Errorf("GET %s = %d %s, want 404/3002", path, status, body)
		}
	}
}

// Nothing is loaded from elsewhere, nobody frames the page, and no script stands
// in it.
func TestPagesAreGuarded(t *testing.T) {
	_, h, body := newFake(t, ok).page(t, "/docs")
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if strings.Contains(body, "//") || strings.Contains(body, "<script>") || strings.Contains(body, "<style") {
		t.Errorf("the page loads something from elsewhere, or has a script in it:\n%s", body)
	}
}

// The console is off unless it is asked for, and its policy allows no more than
// its own files and the API.
func TestConsolePage(t *testing.T) {
	for _, path := range []string{"/console", "/console/main.js"} {
		if status, _, body := newFake(t, ok).page(t, path); status != 404 || !strings.Contains(body, "3002") {
			t.Errorf("GET %s = %d, want 404/3002 while it is off", path, status)
		}
	}
	f := newFake(t, ok, func(c *Config, _ *Parts) { c.Console = true })
	status, h, page := f.page(t, "/console", "Accept-Encoding", "gzip")
	if status != 200 || h.Get("Content-Encoding") != "gzip" || strings.Contains(page, "//") || strings.Contains(page, "<style") || strings.Contains(page, "<script>") {
		t.Errorf("GET /console = %d %q\n%s", status, h.Get("Content-Encoding"), page)
	}
	if got := h.Get("Content-Security-Policy"); got != pagePolicy || strings.Contains(got, "unsafe") || strings.Contains(got, "http") {
		t.Errorf("the policy is %q", got)
	}
	for _, match := range regexp.MustCompile(`(?:href|src)="(console/[^"]+)"`).FindAllStringSubmatch(page, -1) {
		if status, _, _ := f.page(t, "/"+match[1]); status != 200 {
			t.Errorf("GET /%s = %d, want 200: the page needs it", match[1], status)
		}
	}
	for name := range web.Console() {
		status, h, script := f.page(t, "/console/"+name)
		if status != 200 || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET /console/%s = %d %v", name, status, h)
		}
		for _, match := range regexp.MustCompile(`(?:from |import\()"\./([^"]+)"`).FindAllStringSubmatch(script, -1) {
			if _, ok := web.Console()[match[1]]; !ok {
				t.Errorf("%s imports %s, which is not there", name, match[1])
			}
		}
		for _, unsafe := range []string{"innerHTML", "outerHTML", "insertAdjacent", "eval(", "document.write", "localStorage", "http://", "https://"} {
			if unsafe == "localStorage" && name == "draft.js" {
				continue // what was typed, and nothing of a session
			}
			if strings.Contains(strings.ReplaceAll(script, "http://www.w3.org/2000/svg", ""), unsafe) && !strings.Contains(script, `placeholder: "https://"`) {
				t.Errorf("%s has %s in it", name, unsafe)
			}
		}
	}
}

func TestPageIsNotSentAgain(t *testing.T) {
	f := newFake(t, ok)
	_, h, _ := f.page(t, "/docs/docs.js", "Accept-Encoding", "gzip")
	status, again, body := f.page(t, "/docs/docs.js", "Accept-Encoding", "gzip", "If-None-Match", h.Get("ETag"))
	if status != 304 || body != "" || again.Get("ETag") != h.Get("ETag") || again.Get("Content-Encoding") != "" {
		t.Errorf("If-None-Match = %d with %d bytes, %v, want 304", status, len(body), again)
	}
	if status, _, _ := f.page(t, "/docs/docs.js", "If-None-Match", h.Get("ETag")); status != 200 {
		t.Errorf("If-None-Match of the packed file = %d, want 200 for a client that cannot unpack", status)
	}
}
