package apitest

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const redeemPath = "/auth/links/redeem"

// signInLinks checks that a link gives one more session like that of its maker,
// once, and to nobody but a client on this machine.
func signInLinks(t *testing.T, s *Service) {
	one := &Service{URLs: s.URLs[:1], Mint: s.Mint, document: s.document} // links are in the memory of one process
	w := newWorld(t, one)
	nobody := one.anonymous(t)
	for _, g := range []Grant{
		{Subject: "vi", Role: "viewer"}, {Subject: w.ann, Role: "agent"}, {Subject: "dora", Role: "department_admin", Departments: []string{"Design"}},
		{Subject: "ed", Role: "editor"}, {Subject: "ada", Role: "admin"},
	} {
		maker := one.grant(t, g)
		begun := time.Now()
		made := maker.post("/auth/links", nil).want(201)
		code := made.text("data.code")
		ends, err := time.Parse(time.RFC3339, made.text("data.expires_at"))
		if err != nil || ends.Before(begun.Add(5*time.Minute-time.Second)) || ends.After(time.Now().Add(5*time.Minute+time.Second)) || len(code) != 43 {
			t.Errorf("%s: link %s, want 43 characters for five minutes", g.Role, clip(made.body))
		}
		// What previews and crawlers do uses nothing up.
		nobody.get(redeemPath+"?code="+code).refused(405, 2001)
		nobody.send("HEAD", redeemPath+"?code="+code, nil).want(405)
		nobody.get("/auth/links").refused(405, 2001)
		elsewhere(nobody, redeemPath, obj{"code": code})

		page := nobody.with("X-Request-Id", "sign-in").with("Origin", one.URLs[0]).with("Sec-Fetch-Site", "same-origin")
		got := page.post(redeemPath, obj{"code": code}).want(201)
		if got.header.Get("Location") != api+"/auth/sessions/"+got.text("data.sid") {
			t.Errorf("%s: headers = %v", g.Role, got.header)
		}
		me, mine := one.bearer(t, got.text("data.token")).get("/auth/me").want(200), maker.get("/auth/me").want(200)
		for _, field := range []string{"subject", "role", "departments", "agent_id", "issuer"} {
			me.has("data."+field, mine.at("data."+field))
		}
		me.hasAll("data", obj{"kind": "sign_in", "label": nil})
		if me.text("data.sid") == mine.text("data.sid") {
			t.Errorf("%s: the link gave the maker's own session", g.Role)
		}
		page.post(redeemPath, obj{"code": code}).refused(401, 1000, "orgd login --link") // another browser
		trail := w.get("/audit?limit=1").want(200).hasAll("data.0", obj{
			"actor": g.Subject, "route": "POST /api/v1/auth/links/redeem", "resource": "sessions/" + got.text("data.sid"), "request_id": "sign-in",
		})
		for _, r := range []*reply{trail, w.get("/metrics"), w.get("/auth/sessions")} {
			if strings.Contains(string(r.body), code) {
				t.Errorf("%s shows the code of a link", r.what)
			}
		}
	}
	for _, bad := range []any{"{", obj{}, obj{"code": ""}, obj{"code": 1}, obj{"code": strings.Repeat("x", 129)}, obj{"code": "x", "more": 1}} {
		nobody.post(redeemPath, bad).refused(400, 2001)
	}
	nobody.post("/auth/links", nil).refused(401, 1000)
	elsewhere(w.client, "/auth/links", nil)
	w.key("a b").post("/auth/links", nil).refused(400, 2001)
	// However many somebody makes, the links of others stay.
	mine := one.grant(t, Grant{Subject: "lee", Role: "editor"}).post("/auth/links", nil).want(201).text("data.code")
	many := one.grant(t, Grant{Subject: "many", Role: "viewer"})
	for range 1001 { // more than are kept of all
		many.post("/auth/links", nil).want(201)
	}
	nobody.post(redeemPath, obj{"code": mine}).want(201)
	// A link ends with the session of its maker.
	maker := one.grant(t, Grant{Subject: "kim", Role: "admin"})
	code := maker.post("/auth/links", nil).want(201).text("data.code")
	maker.post("/auth/logout", nil).want(204)
	nobody.post(redeemPath, obj{"code": code}).refused(401, 1000)
}

// elsewhere makes a request as other machines, pages of others and names of others
// do, which is refused.
func elsewhere(c *client, path string, body any) {
	c.t.Helper()
	for name, values := range map[string][]string{
		"X-Forwarded-For": {"203.0.113.9", "127.0.0.1"}, // no proxy is trusted
		"Forwarded":       {"for=203.0.113.9"},
		"Origin":          {"https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"},
		"Sec-Fetch-Site":  {"cross-site", "same-site"},
	} {
		for _, v := range values {
			c.with(name, v).post(path, body).refused(403, 1001, "sign-in links work")
		}
	}
	r, _ := c.request(http.MethodPost, path, body)
	r.Host = "evil.example"
	resp, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		c.t.Errorf("%s under the name of somebody else = %d, want 403", path, resp.StatusCode)
	}
}
