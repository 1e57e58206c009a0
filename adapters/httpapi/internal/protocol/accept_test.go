package protocol

import (
	"net/http"
	"strings"
	"testing"
)

// Errors go out as a problem document only to clients that want one more than the
// envelope.
func TestPrefersProblem(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                                       false,
		"*/*":                                    false,
		"application/*":                          false,
		"text/html":                              false,
		"nonsense":                               false,
		";q=1":                                   false,
		"/":                                      false,
		"application/json":                       false,
		"application/problem+json":               true,
		"Application/Problem+JSON":               true,
		" application/problem+json ; q=0.1 ":     true,
		"application/problem+json;charset=utf-8": true,
		"application/problem+json, application/json":                                          true,
		"application/json, application/problem+json":                                          false,
		"application/json;q=0.5, application/problem+json":                                    true,
		"application/json, application/problem+json;q=0.9":                                    false,
		"application/problem+json;q=0.5, application/json;q=0.50":                             true,
		"application/problem+json, */*":                                                       true,
		"*/*, application/problem+json":                                                       true,
		"application/*, application/problem+json":                                             true,
		"application/json, application/*":                                                     false,
		"application/problem+json;q=0.1, */*;q=0.9":                                           false,
		"application/*;q=0.9, application/problem+json;q=0.1":                                 false,
		"application/json;q=0, application/problem+json":                                      true,
		"application/json;q=0, */*":                                                           false,
		"application/problem+json;q=0":                                                        false,
		"application/problem+json;q=0, */*":                                                   false,
		"application/problem+json;q=0, application/json;q=0":                                  false,
		"text/html, application/problem+json;q=0.2":                                           true,
		"application/problem+json;q=2":                                                        false,
		"application/problem+json;q=-1":                                                       false,
		"application/problem+json;q=NaN":                                                      false,
		"application/problem+json;q=":                                                         false,
		"application/problem+json;q=x, application/json;q=0.1":                                false,
		",,,application/problem+json,,":                                                       true,
		"application/problem+json;Q=0.3, application/json;q=0.2":                              true,
		"application/problem+json; q = 0.3, application/json; q=0.4":                          false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8":          false,
		"application/problem+json, application/json, application/problem+json;q=0.1":          true,
		"application/json-patch+json, application/problem+json;q=0.5, application/json;q=0.4": true,
	} {
		h := http.Header{}
		if accept != "" {
			h.Set("Accept", accept)
		}
		if got := Prefers(h, Problem, JSON); got != want {
			t.Errorf("Prefers(%q) = %v, want %v", accept, got, want)
		}
	}
}

// Several headers are one list.
func TestPrefersReadsEveryHeader(t *testing.T) {
	h := http.Header{"Accept": {"application/json;q=0.5", "application/problem+json"}}
	if !Prefers(h, Problem, JSON) {
		t.Errorf("Prefers(%q) = false, want true", h["Accept"])
	}
	if Prefers(http.Header{"Accept": {""}}, Problem, JSON) {
		t.Error("Prefers(empty header) = true, want false")
	}
}

// No header gets both kinds, or a kind that it excludes while taking the other.
func FuzzPrefers(f *testing.F) {
	f.Add("application/problem+json;q=0.5, application/json")
	f.Add("*/*;q=0, application/problem+json")
	f.Add("a/b;c=\"d,e\";q=1")
	f.Fuzz(func(t *testing.T, accept string) {
		h := http.Header{"Accept": {accept}}
		problem, patch := Prefers(h, Problem, JSON), Prefers(h, JSON, Problem)
		if problem && patch {
			t.Errorf("Prefers(%q) prefers each to the other", accept)
		}
		lower := strings.ToLower(accept)
		if problem && !strings.Contains(lower, "problem+json") && !strings.Contains(lower, "*") {
			t.Errorf("Prefers(%q) = true without a word about problems", accept)
		}
	})
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, GZIP;q=0.5": true, "*": true, "identity": false, "gzip;q=0": false, "gzip;q=0, *": false,
		"*;q=0": false, "*;q=0, gzip": true, "gzip;q=x": false, "x-gzip": true,
	} {
		if got := AcceptsGzip(http.Header{"Accept-Encoding": {header}}); got != want {
			t.Errorf("AcceptsGzip(%q) = %t, want %t", header, got, want)
		}
	}
}
