package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

// A session is renewed while its browser is used, under the name that its cookie has, and
// never beyond its end.
func TestKeepSignedIn(t *testing.T) {
	d := newLocal(t)
	for _, name := range []string{"orgd-session-8080", "__Host-orgd-session-8080"} {
		r := d.ask(http.MethodGet, "/api/v1/auth/me", "", "Cookie", name+"=half", consoleHeader, "1")
		want := name + "=token of root; Path=/; Max-Age=32400; HttpOnly; "
		if secured := strings.HasPrefix(name, "__Host-"); secured {
			want += "Secure; "
		}
		want = strings.Replace(want, "token of root", `"token of root"`, 1) + "SameSite=Strict"
		if got := r.Header()["Set-Cookie"]; r.Code != http.StatusOK || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %d sets %q, want %q", name, r.Code, got, want)
		}
		if r := d.ask(http.MethodGet, "/api/v1/auth/me", "", "Cookie", name+"=good", consoleHeader, "1"); r.Code != http.StatusOK || r.Header()["Set-Cookie"] != nil {
			t.Errorf("%s: a new session: %d sets %q, want nothing", name, r.Code, r.Header()["Set-Cookie"])
		}
	}
}

// A proxy may change Host: the address that people know is the service's own, too.
func TestPublicURL(t *testing.T) {
	d := newLocal(t)
	d.browsers = newBrowsers(Config{PublicURL: "https://orgd.example.com"})
	for origin, want := range map[string]int{
		"https://orgd.example.com": http.StatusOK, "https://ORGD.example.com": http.StatusOK, "http://127.0.0.1:8080": http.StatusOK,
		"https://orgd.example.com:444": http.StatusUnauthorized, "https://evil.example.com": http.StatusUnauthorized, "null": http.StatusUnauthorized,
	} {
		if r := d.ask(http.MethodGet, "/api/v1/auth/me", "", "Cookie", "__Host-orgd-session-8080=good", consoleHeader, "1", "Origin", origin); r.Code != want {
			t.Errorf("%s: %d %s, want %d", origin, r.Code, r.Body, want)
		}
	}
}

// That browsers use TLS is known from the public address, whatever a proxy says of a request:
// the cookie that came without it does not count, and none is set.
func TestPublicURLSaysTLS(t *testing.T) {
	d := newLocalWith(t, func(c *Config) { c.PublicURL, c.Console = "https://orgd.example.com", true })
	for _, header := range [][]string{nil, {"Origin", "https://orgd.example.com"}, {"X-Forwarded-Proto", "https"}, {"X-Forwarded-Proto", "http"}, {"Origin", "http://127.0.0.1:8080"}} {
		for cookie, want := range map[string]int{"orgd-session-8080=good": http.StatusUnauthorized, "__Host-orgd-session-8080=good": http.StatusOK} {
			if r := d.ask(http.MethodGet, "/api/v1/auth/me", "", append(header, "Cookie", cookie, consoleHeader, "1")...); r.Code != want {
				t.Errorf("%s with %q = %d, want %d", cookie, header, r.Code, want)
			}
		}
		r := d.ask(http.MethodPost, "/console/session", `{"token":"good"}`, append(header, consoleHeader, "1")...)
		if set := r.Header().Get("Set-Cookie"); r.Code != http.StatusOK || !strings.HasPrefix(set, "__Host-orgd-session-8080=") || !strings.Contains(set, "Secure") {
			t.Errorf("signing in with %q = %d, sets %q, want a cookie for TLS only", header, r.Code, set)
		}
	}
	plain := newLocalWith(t, func(c *Config) { c.PublicURL = "http://127.0.0.1:8080" })
	if r := plain.ask(http.MethodGet, "/api/v1/auth/me", "", "Cookie", "orgd-session-8080=good", consoleHeader, "1"); r.Code != http.StatusOK {
		t.Errorf("a public address without TLS: %d, want 200", r.Code)
	}
}
