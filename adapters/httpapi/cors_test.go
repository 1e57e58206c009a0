package httpapi

import (
	"net/http"
	"testing"
)

func TestCORS(t *testing.T) {
	const page = "https://console.example"
	allowed := func(c *Config, _ *Parts) { c.CORSOrigins = []string{page} }
	preflight := func(r *http.Request) {
		r.Method = http.MethodOptions
		r.Header.Set("Access-Control-Request-Method", "PATCH")
	}
	for what, tt := range map[string]struct {
		config func(*Config, *Parts)
		origin string
		change func(*http.Request)
		status int
		allows string
		vary   string
	}{
		"none configured":         {func(*Config, *Parts) {}, page, func(*http.Request) {}, 200, "", ""},
		"none configured, asked":  {func(*Config, *Parts) {}, page, preflight, 405, "", ""},
		"page":                    {allowed, page, func(*http.Request) {}, 200, page, "Origin"},
		"other page":              {allowed, "https://evil.example", func(*http.Request) {}, 200, "", "Origin"},
		"opaque page":             {allowed, "null", func(*http.Request) {}, 200, "", "Origin"},
		"no page":                 {allowed, "", func(*http.Request) {}, 200, "", "Origin"},
		"preflight":               {allowed, page, preflight, 204, page, "Origin"},
		"preflight of another":    {allowed, "https://evil.example", preflight, 405, "", "Origin"},
		"OPTIONS, not a question": {allowed, page, func(r *http.Request) { r.Method = http.MethodOptions }, 405, page, "Origin"},
	} {
		f := newFake(t, ok, tt.config)
		r := newRequest(t, "GET", "/api/v1/auth/me", "")
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		tt.change(r)
		w := f.send(r)
		h := w.Header()
		if w.Code != tt.status || h.Get("Access-Control-Allow-Origin") != tt.allows || h.Get("Vary") != tt.vary {
			t.Errorf("%s: answer = %d %v, want %d, origin %q, Vary %q", what, w.Code, h, tt.status, tt.allows, tt.vary)
		}
		if h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", what)
		}
	}
}
