// Package webproxy stands between HTTP clients and a server and does to requests and
// answers what reverse proxies do in usual configurations.
package webproxy

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// Kind is what a proxy does.
type Kind int

const (
	// Weakens compresses JSON and makes its strong entity tags weak, as nginx does.
	Weakens Kind = iota
	// Suffixes compresses JSON and appends -gzip to its entity tags, as Apache httpd does.
	Suffixes
	// Decodes makes a slash of %2F in paths, as nginx does if proxy_pass has a path.
	Decodes
)

// Start starts a proxy of the server at target, a URL, and returns its own URL. It ends
// with the test.
func Start(t testing.TB, target string, kind Kind) string {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatalf("webproxy: %v", err)
	}
	transport := &http.Transport{DisableCompression: true}
	p := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			if kind == Decodes {
				r.Out.URL.RawPath = ""
			}
		},
	}
	if kind != Decodes {
		p.ModifyResponse = func(r *http.Response) error { return compress(r, kind) }
	}
	s := httptest.NewServer(p)
	t.Cleanup(func() {
		s.Close()
		transport.CloseIdleConnections()
	})
	return s.URL
}

// compress compresses an answer in JSON for a client that takes gzip, and marks its tag.
func compress(r *http.Response, kind Kind) error {
	h := r.Header
	wanted := strings.Contains(r.Request.Header.Get("Accept-Encoding"), "gzip") && strings.HasSuffix(h.Get("Content-Type"), "json")
	if !wanted || r.StatusCode != http.StatusOK || h.Get("Content-Encoding") != "" || r.Request.Method == http.MethodHead {
		return nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.Copy(w, r.Body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := r.Body.Close(); err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(&packed), int64(packed.Len())
	h.Set("Content-Length", strconv.Itoa(packed.Len()))
	h.Set("Content-Encoding", "gzip")
	if tag := h.Get("ETag"); tag != "" && kind == Weakens {
		h.Set("ETag", "W/"+tag)
	} else if tag != "" {
		h.Set("ETag", strings.TrimSuffix(tag, `"`)+`-gzip"`)
	}
	return nil
}
