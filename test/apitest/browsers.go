package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	sessionPath   = "!/console/session"
	consoleHeader = "Orgd-Console"
)

// browser is the console in a browser where somebody signs in with the token of c.
func (c *client) browser() *client {
	c.t.Helper()
	r := c.page().post(sessionPath, obj{"token": c.token()}).want(200)
	next := *c.page()
	next.header.Set("Cookie", pair(r.cookie()))
	next.subject = c.subject
	return &next
}

// page is the console in a browser where nobody is signed in.
func (c *client) page() *client { return c.s.anonymous(c.t).with(consoleHeader, "1") }

func (c *client) token() string { return strings.TrimPrefix(c.header.Get("Authorization"), "Bearer ") }

func pair(c *http.Cookie) string { return c.Name + "=" + c.Value }

// cookie is the only one that an answer sets.
func (r *reply) cookie() *http.Cookie {
	r.t.Helper()
	all := (&http.Response{Header: r.header}).Cookies()
	if len(all) != 1 {
		r.t.Fatalf("%s sets the cookies %v, want one", r.what, r.header["Set-Cookie"])
	}
	return all[0]
}

// signedInAs checks that a session was made from another, for the same person.
func (r *reply) signedInAs(maker *reply) *reply {
	r.t.Helper()
	for _, field := range []string{"subject", "role", "departments", "agent_id", "issuer"} {
		r.has("data."+field, maker.at("data."+field))
	}
	return r.hasAll("data", obj{"kind": "sign_in", "label": nil})
}

// signedInBrowsers checks that a browser has a session of its own, like that of whose token
// it was given, until either of them ends.
func signedInBrowsers(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, g := range w.people() {
		maker := s.grant(t, g)
		mine := maker.get("/auth/me").want(200)
		page := maker.page()
		page.get(sessionPath).want(200).has("data.session", nil)
		r := page.with("X-Request-Id", "sign-in").post(sessionPath, obj{"token": maker.token()}).want(200)
		c := r.cookie()
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.Path != "/" || c.Domain != "" || c.MaxAge < 3500 || c.MaxAge > 3600 {
			t.Errorf("%s: %v", g.Role, r.header["Set-Cookie"])
		}
		if strings.Contains(string(r.body), c.Value) {
			t.Errorf("%s: a script can read the session in %s", g.Role, clip(r.body))
		}
		w.get("/audit?limit=1").want(200).hasAll("data.0", obj{"actor": g.Subject, "route": "POST /console/session", "resource": "sessions/" + r.text("data.sid"), "request_id": "sign-in"})

		b := page.with("Cookie", pair(c))
		me := b.get("/auth/me").want(200).signedInAs(mine).hasAll("data", obj{"sid": r.at("data.sid"), "expires_at": mine.at("data.expires_at")})
		b.get(sessionPath).want(200).has("data.session", me.at("data"))
		b.get("/activities/stream").want(200)
		b.get("/company").want(200)
		maker.get("/auth/me").want(200).has("data.sid", mine.at("data.sid"))

		gone := b.post("/auth/logout", nil).want(204).cookie()
		if gone.Name != c.Name || gone.Value != "" || gone.MaxAge >= 0 {
			t.Errorf("%s: signing out sets %v", g.Role, gone)
		}
		b.everywhere(401, 1002)
		if r := b.get(sessionPath).want(200).has("data.session", nil); r.cookie().MaxAge >= 0 {
			t.Errorf("%s: the cookie of a session that has ended stays", g.Role)
		}
		maker.get("/company").want(200) // the token is still good
	}
	// What a leaked token was made into ends with it.
	maker := s.grant(t, Grant{Subject: "kim", Role: "editor"})
	b := maker.browser()
	again := s.bearer(t, strings.SplitN(b.header.Get("Cookie"), "=", 2)[1]).browser()
	maker.post("/auth/logout", nil).want(204)
	b.everywhere(401, 1002)
	again.everywhere(401, 1002)
}

// badSignIns checks who does not get a session.
func badSignIns(t *testing.T, s *Service) {
	c := s.as(t, "editor")
	page := c.page()
	for _, bad := range []any{"{", obj{}, obj{"token": ""}, obj{"token": 1}, obj{"code": "x", "token": "y"}, obj{"token": strings.Repeat("x", 8<<10+1)}, obj{"token": "x", "more": 1}} {
		page.post(sessionPath, bad).refused(400, 2001)
	}
	for _, token := range []string{"x", c.token() + "x", strings.Repeat("x", 8<<10)} {
		page.post(sessionPath, obj{"token": token}).refused(401, 1000)
	}
	page.post(sessionPath, obj{"code": "x"}).refused(401, 1000, "orgd login --link")
	c.page().with("Authorization", "Bearer "+c.token()).post(sessionPath, obj{}).refused(400, 2001) // which is not looked at
	revoked := s.as(t, "editor")
	revoked.post("/auth/logout", nil).want(204)
	revoked.everywhere(401, 1002)
	page.post(sessionPath, obj{"token": revoked.token()}).want(401)
	short := s.grant(t, Grant{Subject: "sho", Role: "viewer", TTL: 2 * time.Second})
	b := short.browser()
	eventually(t, "the session ends", func() bool { return b.get("/auth/me").is(401, 1000) })
	many := s.grant(t, Grant{Subject: "dora", Role: "department_admin", Departments: longNamesOf(30)})
	page.post(sessionPath, obj{"token": many.token()}).refused(400, 2000, "departments", "cookie")
}

// forgedRequests checks that nothing counts as asked for by somebody who is signed in but
// what the console asks for in his browser (RFC 9700, section 4.7).
func forgedRequests(t *testing.T, s *Service) {
	w := newWorld(t, s)
	b := w.browser()
	before := string(w.get("/organization").want(200).body)
	without := *b
	without.header = http.Header{"Cookie": b.header["Cookie"], consoleHeader: {""}}
	origin := s.URLs[0]
	attacks := map[string]*client{
		"cookie alone":           &without,
		"cookie, simple request": without.with("Origin", "https://evil.example").with("Sec-Fetch-Site", "cross-site"),
		"header alone":           b.page(),
		"cookie of another port": b.with("Cookie", strings.Replace(b.header.Get("Cookie"), "=", "1=", 1)),
		"other origin":           b.with("Origin", "https://evil.example"),
		"no origin":              b.with("Origin", "null"),
		"other port":             b.with("Origin", "http://127.0.0.1:1"),
		"cross-site":             b.with("Sec-Fetch-Site", "cross-site"),
		"same-site":              b.with("Sec-Fetch-Site", "same-site"),
		"cross-site by itself":   b.with("Origin", origin).with("Sec-Fetch-Site", "cross-site"),
	}
	for what, c := range attacks {
		for _, op := range s.document.operations {
			if op.method == "GET" && op.id != "activities.stream" && op.id != "auth.me" || op.id == "auth.sign_in" || op.withProvider() {
				continue
			}
			r := c.send(op.method, op.example, nil)
			if r.status != 401 || r.header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %s = %d %s, want it refused", what, r.what, r.status, clip(r.body))
			}
		}
	}
	if now := string(w.get("/organization").want(200).body); now != before {
		t.Error("a forged request has changed something")
	}
	b.post("/auth/renew", nil).want(200) // it was none of them that ended the session

	// Nobody signs somebody else's browser in (login CSRF), or puts a session there (fixation).
	signIn := obj{"token": s.as(t, "viewer").token()}
	s.anonymous(t).post(sessionPath, signIn).refused(401, 1000)
	for what, c := range attacks {
		if c.header.Get("Origin") != "" || c.header.Get("Sec-Fetch-Site") != "" {
			if r := c.post(sessionPath, signIn).want(401); r.header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %v", what, r.header["Set-Cookie"])
			}
		}
	}
	first, second := b.page().post(sessionPath, signIn).want(200), b.page().post(sessionPath, signIn).want(200)
	if first.text("data.sid") == second.text("data.sid") {
		t.Error("two browsers have one session")
	}
	if r := b.get("!/console").want(200); !strings.Contains(r.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("other pages may show the console in a frame: %v", r.header)
	}
}

// securedCookies checks that a session over TLS is never taken from what came without it.
func securedCookies(t *testing.T, s *Service) {
	c := s.as(t, "editor")
	plain := c.page().post(sessionPath, obj{"token": c.token()}).want(200).cookie()
	proxied := c.page().with("X-Forwarded-Proto", "https")
	secured := proxied.post(sessionPath, obj{"token": c.token()}).want(200).cookie()
	if !secured.Secure || secured.Name != "__Host-"+plain.Name || secured.Path != "/" || secured.Domain != "" {
		t.Errorf("over TLS the cookie is %v, without %v", secured, plain)
	}
	c.page().with("Cookie", pair(secured)).get("/auth/me").want(200)
	proxied.with("Cookie", pair(secured)).get("/auth/me").want(200)
	c.page().with("Cookie", pair(plain)).get("/auth/me").want(200)
	proxied.with("Cookie", pair(plain)).get("/auth/me").refused(401, 1000)
	both := fmt.Sprintf("%s=x; %s", plain.Name, pair(secured))
	c.page().with("Cookie", both).get("/auth/me").want(200)
	if gone := proxied.with("Cookie", pair(secured)).post("/auth/logout", nil).want(204).cookie(); gone.Name != secured.Name || !gone.Secure {
		t.Errorf("signing out over TLS sets %v", gone)
	}
}
