package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const redeemPath = "/auth/links/redeem"

// signInLinks checks that a link gives one more session like that of its maker,
// once, and to nobody but a client on this machine.
func signInLinks(t *testing.T, s *Service) {
	w := newWorld(t, s)
	nobody := s.anonymous(t)
	for _, g := range w.people() {
		maker := s.grant(t, g)
		mine := maker.get("/auth/me").want(200)
		begun := time.Now()
		made := maker.post("/auth/links", nil).want(201).has("data.url", nil)
		code := made.text("data.code")
		ends, err := time.Parse(time.RFC3339, made.text("data.expires_at"))
		if err != nil || ends.Before(begun.Add(5*time.Minute-time.Second)) || ends.After(time.Now().Add(5*time.Minute+time.Second)) || len(code) != 43 {
			t.Errorf("%s: link %s, want 43 characters for five minutes", g.Role, clip(made.body))
		}
		w.get("/audit?limit=1").want(200).hasAll("data.0", obj{
			"action": "session.link_made", "actor": g.Subject, "route": "POST /api/v1/auth/links", "resource": "sessions/" + mine.text("data.sid"),
		})
		// What previews and crawlers do uses nothing up.
		nobody.get(redeemPath+"?code="+code).refused(405, 2001)
		nobody.send("HEAD", redeemPath+"?code="+code, nil).want(405)
		nobody.get("/auth/links").refused(405, 2001)
		elsewhere(nobody, redeemPath, obj{"code": code})

		page := nobody.page().with("X-Request-Id", "sign-in").with("Origin", s.URLs[0]).with("Sec-Fetch-Site", "same-origin")
		got := page.post(redeemPath, obj{"code": code}).want(201)
		if got.header.Get("Location") != api+"/auth/sessions/"+got.text("data.sid") {
			t.Errorf("%s: headers = %v", g.Role, got.header)
		}
		me := s.bearer(t, got.text("data.token")).get("/auth/me").want(200).signedInAs(mine)
		if me.text("data.sid") == mine.text("data.sid") {
			t.Errorf("%s: the link gave the maker's own session", g.Role)
		}
		page.post(redeemPath, obj{"code": code}).refused(401, 1000, "orgd login --link") // another browser
		trail := w.get("/audit?limit=1").want(200).hasAll("data.0", obj{
			"actor": g.Subject, "route": "POST /api/v1/auth/links/redeem", "resource": "sessions/" + got.text("data.sid"), "request_id": "sign-in",
		})
		for _, r := range []*reply{trail, w.get("/audit"), w.get("/metrics"), w.get("/auth/sessions")} {
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
	mine := s.grant(t, Grant{Subject: "lee", Role: "editor"}).post("/auth/links", nil).want(201).text("data.code")
	many := s.grant(t, Grant{Subject: "many", Role: "viewer"})
	first := many.post("/auth/links", nil).want(201).text("data.code")
	for range 110 { // more than are kept of one maker; those of one millisecond have no order
		many.post("/auth/links", nil).want(201)
	}
	nobody.post(redeemPath, obj{"code": mine}).want(201)
	nobody.post(redeemPath, obj{"code": first}).refused(401, 1000)
}

// linksForOthers checks that an admin makes links for one other person each, and nobody else
// does.
func linksForOthers(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := obj{"subject": "kim", "role": "department_admin", "departments": list{"Design"}, "label": "a laptop", "ttl_seconds": 60}
	made := w.post("/auth/links", body).want(201)
	ends, err := time.Parse(time.RFC3339, made.text("data.expires_at"))
	if left := time.Until(ends); err != nil || left < 50*time.Second || left > time.Minute+time.Second {
		t.Errorf("link %s, want it for a minute", clip(made.body))
	}
	linked := func(at int) string { // by the audit trail, the latest first
		trail := w.get("/audit?limit=2").want(200).has(fmt.Sprintf("data.%d.action", at), "session.link_made")
		return strings.TrimPrefix(trail.text(fmt.Sprintf("data.%d.resource", at)), "sessions/")
	}
	given := linked(0)

	page := w.page()
	got := page.post(sessionPath, obj{"code": made.text("data.code")}).want(200)
	kim := page.with("Cookie", pair(got.cookie()))
	kim.get("/auth/me").want(200).hasAll("data", obj{"subject": "kim", "role": "department_admin", "departments": list{"Design"}, "label": "a laptop", "kind": "sign_in"})
	kim.post("/auth/links", nil).want(201)
	kim.post("/auth/links", body).refused(403, 1001, "auth.tokens")

	// Revoking what the audit trail names ends a link, and what it has given. Replicas learn of
	// revocations in their order.
	ended, next := w.post("/auth/links", body).want(201), w.post("/auth/links", body).want(201)
	w.delete("/auth/sessions/" + linked(1)).want(204)
	w.delete("/auth/sessions/" + given).want(204)
	kim.everywhere(401, 1002)
	for range s.URLs {
		page.post(sessionPath, obj{"code": ended.text("data.code")}).refused(401, 1000)
	}
	page.post(sessionPath, obj{"code": next.text("data.code")}).want(200)
	for _, g := range w.people() {
		if g.Role != "admin" {
			s.grant(t, g).post("/auth/links", body).refused(403, 1001, "auth.tokens")
		}
	}
	w.post("/auth/links", obj{"subject": nobody, "role": "agent"}).refused(400, 2000, "subject")
	w.post("/auth/links", obj{"subject": "kim", "role": "department_admin", "departments": longNamesOf(100)}).refused(400, 2000, "departments")
	for _, bad := range []any{"{", obj{}, obj{"subject": "kim"}, obj{"subject": "a|b", "role": "viewer"}, obj{"subject": "kim", "role": "viewer", "ttl_seconds": 59}} {
		w.post("/auth/links", bad).refused(400, 2001)
	}
}

// redeemedLinks checks that one of many gets a link, whichever replica each asks, and that a
// link ends with the session of its maker.
func redeemedLinks(t *testing.T, s *Service) {
	maker := s.grant(t, Grant{Subject: "kim", Role: "admin"})
	nobody := s.anonymous(t)
	for range 3 {
		code := maker.post("/auth/links", nil).want(201).text("data.code")
		answers := make([]*reply, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = nobody.post(redeemPath, obj{"code": code}) })
		}
		all.Wait()
		won := 0
		for _, r := range answers {
			if r.status == 201 {
				won++
			} else if !r.is(401, 1000) {
				t.Errorf("redeem = %d %s, want 201 or 401", r.status, clip(r.body))
			}
		}
		if won != 1 {
			t.Errorf("%d of 20 redeemed a link, want one", won)
		}
	}
	codes := make([]string, 2*len(s.URLs))
	for i := range codes {
		codes[i] = maker.post("/auth/links", nil).want(201).text("data.code")
	}
	maker.post("/auth/logout", nil).want(204)
	maker.everywhere(401, 1002)
	for _, code := range codes {
		nobody.post(redeemPath, obj{"code": code}).refused(401, 1000)
	}
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

// madeFromSessions checks that a session ends with each of those that it was made from, one
// after the other by links, and so do its links that nobody has used yet.
func madeFromSessions(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const generations = 4
	for ended := range generations {
		for how, end := range map[string]func(c *client, sid string){
			"revoked":    func(_ *client, sid string) { w.delete("/auth/sessions/" + sid).want(204) },
			"signed out": func(c *client, _ string) { c.post("/auth/logout", nil).want(204) },
		} {
			first := s.grant(t, Grant{Subject: "kim", Role: "editor"}).browser()
			all := []*client{first}
			for len(all) < generations {
				code := all[len(all)-1].post("/auth/links", nil).want(201).text("data.code")
				made := w.page().post(sessionPath, obj{"code": code}).want(200)
				all = append(all, w.page().with("Cookie", pair(made.cookie())))
			}
			youngest := all[generations-1]
			waiting := make([]string, 2*len(s.URLs))
			for i := range waiting {
				waiting[i] = youngest.post("/auth/links", nil).want(201).text("data.code")
			}
			end(all[ended], all[ended].get("/auth/me").want(200).text("data.sid"))
			for n, c := range all[ended:] {
				c.everywhere(401, 1002)
				if r := c.post("/projects", obj{"name": "P"}); !r.is(401, 1002) {
					t.Errorf("generation %d was %s, and generation %d writes: %d %s", ended, how, ended+n, r.status, clip(r.body))
				}
			}
			for _, c := range all[:ended] {
				c.get("/company").want(200)
			}
			for _, code := range waiting {
				w.page().post(sessionPath, obj{"code": code}).refused(401, 1000)
			}
		}
	}
	// Which session is the last that may make others.
	c := s.grant(t, Grant{Subject: "kim", Role: "editor"})
	for range 8 {
		made := w.page().post(sessionPath, obj{"code": c.post("/auth/links", nil).want(201).text("data.code")}).want(200)
		c = w.page().with("Cookie", pair(made.cookie()))
	}
	c.post("/auth/links", nil).refused(403, 1001, "this session was made from 8 others")
}
