package apitest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func sessionChecks() map[string]check {
	return map[string]check{
		"Issue":       issuedTokens,
		"IssueBad":    tokensThatAreNotIssued,
		"Agents":      tokensOfAgents,
		"Me":          whoAmI,
		"Renew":       renewedTokens,
		"List":        listedSessions,
		"Revoke":      revokedSessions,
		"RevokeOwn":   revokingOwnSessions,
		"RevokeEarly": revokedBeforeSeen,
		"Logout":      loggedOut,
		"Expiry":      expiredTokens,
		"Mutations":   mutatedTokens,
		"Meanwhile":   sessionsThatEndMeanwhile,
		"Links":       signInLinks,
		"LinksFor":    linksForOthers,
		"Redeemed":    redeemedLinks,
		"MadeFrom":    madeFromSessions,
		"Browsers":    signedInBrowsers,
		"BadSignIns":  badSignIns,
		"Forged":      forgedRequests,
		"Secured":     securedCookies,
	}
}

// bearer is a client with a token.
func (s *Service) bearer(t *testing.T, token string) *client {
	t.Helper()
	return s.anonymous(t).with("Authorization", "Bearer "+token)
}

// everywhere waits until every replica answers a client like this.
func (c *client) everywhere(status, code int) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("%d/%d on every replica", status, code), func() bool {
		for range c.s.URLs {
			if !c.get("/auth/me").is(status, code) {
				return false
			}
		}
		return true
	})
}

// A token is what was asked for, and nothing of it is kept.
func issuedTokens(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	before := time.Now()
	r := c.post("/auth/tokens", obj{"subject": "kim", "role": "department_admin", "departments": list{"design", "Späti"}, "label": "nightly reports", "ttl_seconds": 600}).want(201)
	if r.header.Get("Cache-Control") != "no-store" || r.header.Get("Location") != api+"/auth/sessions/"+r.text("data.sid") {
		t.Errorf("headers = %v", r.header)
	}
	expires, err := time.Parse(time.RFC3339, r.text("data.expires_at"))
	if err != nil || expires.Before(before.Add(595*time.Second)) || expires.After(before.Add(660*time.Second)) {
		t.Errorf("expires_at = %v, want in 600 s", r.at("data.expires_at"))
	}
	kim := s.bearer(t, r.text("data.token"))
	kim.get("/auth/me").want(200).hasAll("data", obj{
		"sid": r.at("data.sid"), "subject": "kim", "role": "department_admin", "departments": list{"design", "Späti"}, "expires_at": r.at("data.expires_at"),
		"label": "nightly reports", "kind": "token",
	})
	kim.get("/auth/sessions").want(200).hasAll("data.0", obj{"sid": r.at("data.sid"), "label": "nightly reports", "kind": "token", "last_used_at": nil})
	renewed := s.bearer(t, kim.post("/auth/renew", nil).want(200).text("data.token"))
	renewed.get("/auth/me").want(200).hasAll("data", obj{"label": "nightly reports", "kind": "token"})
	kim.patch("/departments/Design", obj{"description": "x"}).want(200)
	expires, err = time.Parse(time.RFC3339, c.post("/auth/tokens", obj{"subject": "x", "role": "admin"}).want(201).text("data.expires_at"))
	if d := time.Until(expires) - 12*time.Hour; err != nil || d < -time.Minute || d > 5*time.Second {
		t.Errorf("a token without ttl_seconds lives %v more than 12 h", d)
	}
	if text := string(c.get("/auth/sessions").body); strings.Contains(text, r.text("data.token")) || strings.Contains(text, `"token":`) {
		t.Error("the list of sessions shows tokens")
	}
}

func tokensThatAreNotIssued(t *testing.T, s *Service) {
	c := s.admin(t)
	good := obj{"subject": "kim", "role": "editor"}
	for _, role := range []any{"", "root", "Admin", 1, nil} {
		c.post("/auth/tokens", with(good, "role", role)).refused(400, 2001, "role")
	}
	c.post("/auth/tokens", obj{}).refused(400, 2001, "subject: is required", "role: is required")
	c.post("/auth/tokens", with(with(good, "role", "department_admin"), "departments", anys(longNamesOf(200)))).refused(400, 2000, "departments")
	c.post("/auth/tokens", with(good, "ttl_seconds", 2592000)).want(201)
	for _, label := range []any{nil, "x", "<b>'; --", strings.Repeat("🌙", 128)} {
		r := c.post("/auth/tokens", with(good, "label", label)).want(201)
		s.bearer(t, r.text("data.token")).get("/auth/me").want(200).has("data.label", label)
	}
}

func longNamesOf(n int) []string {
	var all []string
	for i := range n {
		all = append(all, strings.Repeat("x", 100)+fmt.Sprint(i))
	}
	return all
}

// A token of an agent belongs to an agent that exists.
func tokensOfAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	issue := func(subject string) *reply {
		t.Helper()
		return w.post("/auth/tokens", obj{"subject": subject, "role": "agent"})
	}
	for _, subject := range []string{"Ann", nobody, "kim"} {
		issue(subject).refused(400, 2000, "subject")
	}
	ann := s.bearer(t, issue(w.ann).want(201).text("data.token"))
	ann.get("/auth/me").hasAll("data", obj{"subject": w.ann, "agent_id": w.ann, "role": "agent"})
	ann.report(task("Ann", 1, nil)).want(201)
	w.delete(agentPath(w.ann)).want(204)
	issue(w.ann).refused(400, 2000, "subject")
	ann.report(task(w.ann, 1, nil)).refused(400, 2000)
}

func whoAmI(t *testing.T, s *Service) {
	for _, role := range []string{"viewer", "agent", "reporter", "department_admin", "editor", "admin"} {
		c := s.as(t, role, "Design")
		r := c.get("/auth/me").want(200).hasAll("data", obj{"subject": c.subject, "role": role, "departments": list{"Design"}})
		if _, ok := r.at("data.agent_id").(string); ok != (role == "agent") {
			t.Errorf("%s: agent_id = %v", role, r.at("data.agent_id"))
		}
	}
}

// A renewed token continues the session with the lifetime of the old one.
func renewedTokens(t *testing.T, s *Service) {
	c := s.admin(t)
	old := c.post("/auth/tokens", obj{"subject": "kim", "role": "editor", "ttl_seconds": 3600}).want(201)
	r := s.bearer(t, old.text("data.token")).post("/auth/renew", nil).want(200).has("data.sid", old.at("data.sid"))
	if r.text("data.token") == old.text("data.token") || r.text("data.expires_at") < old.text("data.expires_at") || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("renew = %s", clip(r.body))
	}
	s.bearer(t, r.text("data.token")).get("/auth/me").hasAll("data", obj{"sid": old.at("data.sid"), "subject": "kim", "role": "editor", "expires_at": r.at("data.expires_at")})
	s.bearer(t, old.text("data.token")).get("/auth/me").want(200)
	c.delete("/auth/sessions/" + old.text("data.sid")).want(204)
	for _, token := range []string{old.text("data.token"), r.text("data.token")} {
		s.bearer(t, token).everywhere(401, 1002)
		s.bearer(t, token).post("/auth/renew", nil).refused(401, 1002)
	}
}

// Everybody sees his own sessions, an admin all of them.
func listedSessions(t *testing.T, s *Service) {
	admin := s.admin(t)
	kim, lee := Grant{Subject: "kim", Role: "editor"}, Grant{Subject: "lee", Role: "editor"}
	var sids []any
	for range 3 {
		sids = append(sids, s.grant(t, kim).get("/auth/me").text("data.sid"))
	}
	other := s.grant(t, lee).get("/auth/me").text("data.sid")
	unseen := admin.post("/auth/tokens", obj{"subject": "kim", "role": "editor"}).want(201).text("data.sid")
	sids = append(sids, unseen)
	listed := func(c *client) []string {
		var all []string
		for _, sid := range c.get("/auth/sessions?limit=200").want(200).column("data", "sid") {
			all = append(all, sid.(string))
		}
		return all
	}
	mine := listed(s.bearer(t, admin.post("/auth/tokens", obj{"subject": "lee", "role": "editor"}).text("data.token")))
	if !slices.Contains(mine, other) || slices.Contains(mine, unseen) || len(mine) != 2 {
		t.Errorf("lee sees %v, want his own two sessions", mine)
	}
	all := listed(admin)
	for _, sid := range append(sids, other) {
		if !slices.Contains(all, sid.(string)) {
			t.Errorf("the admin does not see %v in %v", sid, all)
		}
	}
	r := admin.get("/auth/sessions?limit=200")
	times := r.column("data", "issued_at")
	if !slices.IsSortedFunc(times, func(a, b any) int { return strings.Compare(b.(string), a.(string)) }) {
		t.Errorf("sessions were issued at %v, want the latest first", times)
	}
	admin.delete("/auth/sessions/" + unseen).want(204)
	for i, sid := range admin.get("/auth/sessions?limit=200").column("data", "sid") {
		at, revoked := admin.get("/auth/sessions?limit=200").at(fmt.Sprintf("data.%d.revoked_at", i)).(string)
		if revoked != (sid == unseen) || revoked && at == "" {
			t.Errorf("session %v: revoked_at = %q", sid, at)
		}
	}
}

// A revoked session is refused everywhere, whatever its token.
func revokedSessions(t *testing.T, s *Service) {
	admin := s.admin(t)
	kim := s.as(t, "editor")
	sid := kim.get("/auth/me").text("data.sid")
	kim.get("/company").want(200)
	admin.delete("/auth/sessions/" + sid).want(204)
	kim.everywhere(401, 1002)
	for _, op := range s.document.operations {
		switch op.id {
		case "healthz", "readyz", "openapi.json", "openapi.yaml":
			kim.send(op.method, op.example, nil).want(200)
		case "auth.oidc_start", "auth.oidc_callback":
			kim.send(op.method, op.example, nil).refused(404, 3002)
		case "auth.sign_in": // looks at no token
			kim.send(op.method, op.example, nil).refused(400, 2001)
		default:
			kim.send(op.method, op.example, nil).refused(401, 1002)
		}
	}
	kim.get("/nowhere").refused(404, 3002)
	admin.delete("/auth/sessions/" + sid).want(204)
	s.as(t, "editor").get("/company").want(200) // another session of the same subject
}

// A request whose session ends while its body comes changes nothing.
func sessionsThatEndMeanwhile(t *testing.T, s *Service) {
	admin := s.admin(t)
	for path, body := range map[string]obj{
		"PATCH /company":                         {"company_name": "Late"},
		"POST /departments":                      {"name": "Late"},
		"POST /organization/apply":               {"format": 1, "departments": list{obj{"name": "Late"}}},
		"POST /organization/plan":                {"format": 1, "departments": list{obj{"name": "Late"}}},
		"POST /auth/tokens":                      {"subject": "late", "role": "viewer"},
		"PUT /departments/Early/ceremony-policy": {"strategy": "hybrid"},
	} {
		kim := s.as(t, "admin")
		sid := kim.get("/auth/me").text("data.sid")
		method, path, _ := strings.Cut(path, " ")
		kim.sendInTwo(method, path, body, func() {
			admin.delete("/auth/sessions/" + sid).want(204)
			kim.everywhere(401, 1002)
		}).refused(401, 1002)
	}
	admin.get("/company").want(200).has("data.company_name", "Company").has("data.departments", list{})
}

// sendInTwo sends a request, and its body when the service asks for it and between has
// returned.
func (c *client) sendInTwo(method, path string, body any, between func()) *reply {
	c.t.Helper()
	r, text := c.request(method, path, body)
	admitted, written := make(chan struct{}), make(chan struct{})
	rest, end := io.Pipe()
	r.Body, r.ContentLength = rest, int64(len(text))
	r.Header.Set("Expect", "100-continue")
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(admitted) }}))
	go func() {
		defer close(written)
		<-admitted
		between()
		_, err := end.Write(text)
		end.CloseWithError(err)
	}()
	transport := c.http.Transport.(*http.Transport).Clone()
	transport.ExpectContinueTimeout = time.Minute
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("%s %s: read the answer: %v", method, path, err)
	}
	select {
	case <-admitted:
		<-written
	default:
		c.t.Fatalf("%s %s = %d %s before the body was asked for", method, path, resp.StatusCode, clip(answer))
	}
	return &reply{t: c.t, what: method + " " + path, status: resp.StatusCode, header: resp.Header, body: answer}
}

// Others than admins end their own sessions only.
func revokingOwnSessions(t *testing.T, s *Service) {
	for _, role := range []string{"viewer", "agent", "reporter", "department_admin", "editor"} {
		one, two := s.as(t, role, "Design"), s.as(t, role, "Design")
		foreign := s.grant(t, Grant{Subject: "lee", Role: "editor"})
		sid, other := two.get("/auth/me").text("data.sid"), foreign.get("/auth/me").text("data.sid")
		one.delete("/auth/sessions/"+other).refused(403, 1001, "only on its own sessions")
		foreign.get("/company").want(200)
		one.delete("/auth/sessions/" + sid).want(204)
		two.everywhere(401, 1002)
		one.delete("/auth/sessions/" + sid).want(204)
		one.delete("/auth/sessions/never-seen").want(204) // any well-formed sid, without effect
		one.delete("/auth/sessions/" + one.get("/auth/me").text("data.sid")).want(204)
		one.everywhere(401, 1002)
	}
	admin := s.admin(t)
	admin.delete("/auth/sessions/" + url.PathEscape(`a/b?c#d%e"f`)).want(204)
	admin.delete("/auth/sessions/" + strings.Repeat("x", 128)).want(204)
	for _, bad := range []string{"%20", "a%0Ab", "..", ".", "%2e%2e", "%C3%A4", strings.Repeat("x", 129)} {
		admin.delete("/auth/sessions/"+bad).refused(400, 2001, "sid")
	}
}

// A session can be revoked before its token is used.
func revokedBeforeSeen(t *testing.T, s *Service) {
	admin := s.admin(t)
	r := admin.post("/auth/tokens", obj{"subject": "kim", "role": "editor"}).want(201)
	admin.delete("/auth/sessions/" + r.text("data.sid")).want(204)
	s.bearer(t, r.text("data.token")).everywhere(401, 1002)
}

func loggedOut(t *testing.T, s *Service) {
	for _, role := range []string{"viewer", "agent", "reporter", "department_admin", "editor", "admin"} {
		c, other := s.as(t, role), s.as(t, role)
		c.post("/auth/logout", nil).want(204)
		c.everywhere(401, 1002)
		c.post("/auth/logout", nil).refused(401, 1002)
		other.get("/auth/me").want(200)
	}
}

// A token ends when it says.
func expiredTokens(t *testing.T, s *Service) {
	c := s.admin(t)
	r := c.post("/auth/tokens", obj{"subject": "kim", "role": "editor", "ttl_seconds": 1}).want(201)
	kim := s.bearer(t, r.text("data.token"))
	kim.get("/auth/me").want(200)
	eventually(t, "the end of the token", func() bool { return kim.get("/auth/me").is(401, 1000) })
	kim.post("/auth/renew", nil).refused(401, 1000, "expired")
}

// No change of a token is accepted. All kinds of changes are in adapters/jwtauth.
func mutatedTokens(t *testing.T, s *Service) {
	c := s.admin(t)
	token := strings.TrimPrefix(c.header.Get("Authorization"), "Bearer ")
	parts := strings.Split(token, ".")
	none := "eyJhbGciOiJub25lIn0" // {"alg":"none"}
	for what, bad := range map[string]string{
		"alg none":          none + "." + parts[1] + ".",
		"other claims":      parts[0] + ".eyJzdWIiOiJyb290In0." + parts[2],
		"other last letter": token[:len(token)-1] + string(rune(token[len(token)-1]^1)),
		"very long":         token + strings.Repeat("x", 20_000),
	} {
		if r := s.bearer(t, bad).get("/auth/me"); !r.is(401, 1000) {
			t.Errorf("%s: %d %s, want 401/1000", what, r.status, clip(r.body))
		}
	}
	c.get("/auth/me").want(200)
}
