package apitest

import (
	"strings"
	"testing"
)

// A well-formed correlation id is adopted, any other is replaced.
func requestIDs(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, id := range []string{"a", "req-1", "0190a5c4-0000-7000-8000-000000000001", strings.Repeat("x", 64), `!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`} {
		r := c.with("X-Request-Id", id).get("/agents/nobody").refused(404, 3000).has("error_detail.instance", id)
		if got := r.header.Get("X-Request-Id"); got != id {
			t.Errorf("X-Request-Id = %q, want %q", got, id)
		}
	}
	seen := map[string]bool{}
	for _, values := range [][]string{nil, {""}, {"a b"}, {strings.Repeat("x", 65)}, {"ä"}, {"a", "b"}} {
		a := c
		if values != nil {
			a = c.with("X-Request-Id", values...)
		}
		id := a.get("/agents/nobody").refused(404, 3000).text("error_detail.instance")
		if seen[id] || len(id) != 36 {
			t.Errorf("X-Request-Id %q became %q, want a new one", values, id)
		}
		seen[id] = true
	}
}

// The description is served in two forms, and the error types lead to a page.
func servedDocuments(t *testing.T, s *Service) {
	c := s.anonymous(t)
	if r := c.get("/openapi.json").want(200).has("openapi", "3.1.0").has("info.version", "0.8.9"); r.header.Get("Content-Type") != "application/json" {
		t.Errorf("Content-Type = %s", r.header.Get("Content-Type"))
	}
	yaml := c.get("/openapi.yaml").want(200)
	if !strings.HasPrefix(string(yaml.body), "openapi: 3.1.0") || yaml.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("openapi.yaml = %s %s", yaml.header.Get("Content-Type"), clip(yaml.body))
	}
	index := c.get("!/").want(200).has("data.name", "orgd").hasAll("data.links", obj{"openapi": "/api/v1/openapi.json", "docs": "/docs"})
	if index.text("data.version") != c.get("/healthz").text("data.version") || index.header.Get("Vary") != "Accept" {
		t.Errorf("the index is %s, with Vary %q", clip(index.body), index.header.Get("Vary"))
	}
	c.send("HEAD", "!/", nil).want(200)
	c.post("!/", nil).refused(405, 2001)
	page := c.get("!/docs/errors").want(200)
	if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(string(page.body), "http") {
		t.Errorf("/docs/errors: policy %q, or it loads something", csp)
	}
	for _, cat := range categories {
		if !strings.Contains(string(page.body), `id="`+cat.name+`"`) {
			t.Errorf("/docs/errors has no anchor %s", cat.name)
		}
	}
}

func operational(t *testing.T, s *Service) {
	c := s.anonymous(t)
	c.get("/healthz").want(200).has("data.status", "ok").text("data.version")
	c.get("/readyz").want(200).hasAll("data", obj{"status": "ok", "persistence": true})
	a := s.admin(t)
	a.get("/capabilities").want(200).hasAll("data", obj{"activity_ingest": true, "webhooks": true})
	a.get("/company").want(200)
	for _, name := range []string{
		`http_server_request_duration_seconds_count{code="200",method="GET",route="/api/v1/company"}`,
		"http_server_in_flight_requests", "orgd_build_info{", "go_goroutines", "process_start_time_seconds",
	} {
		// A request is counted when it has been answered.
		eventually(t, name+" in the metrics", func() bool { return strings.Contains(string(a.get("/metrics").want(200).body), name) })
	}
}

// Rows that list no 400 never answer one, whatever the query and the
// conditional headers say; unknown parameters are ignored everywhere.
func queryNeverHurts(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	w.put(labelPath(w.ann, "production"), obj{"version": 1}).want(201)
	const junk = "?limit=0&cursor=x&x=%zz&limit=-1&;&type[$ne]=a"
	odd := w.with("If-None-Match", "nonsense").with("If-Match", "")
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/capabilities", "/company", "/company/departments", "/auth/me", "/openapi.json"} {
		odd.get(path + junk).want(200)
	}
	for _, op := range s.document.operations {
		if op.method == "GET" && !op.withProvider() {
			path := w.existing(op)
			sep := "?"
			if strings.Contains(path, "?") {
				sep = "&"
			}
			if r := w.get(path + sep + "unknown=1&unknown=&type%5B%24ne%5D=x"); r.status != 200 {
				t.Errorf("GET %s with unknown parameters = %d %s", path, r.status, clip(r.body))
			}
		}
	}
}

// The first of several mistakes that the order of checks meets is answered.
func orderOfChecks(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const bad = `{"unknown": 1}`
	agent := s.as(t, "agent")
	sales := s.as(t, "department_admin", "Sales")
	s.anonymous(t).send("PUT", "/agents/x", bad).refused(405, 2001) // method before token
	s.anonymous(t).patch("/agents/nobody", bad).refused(401, 1000)  // token before everything else
	agent.patch("/agents/nobody", bad).refused(403, 1001)           // permission before the body
	sales.patch("/departments/Design", bad).refused(403, 1001)      // as soon as it is known
	sales.patch("/departments/None", bad).refused(403, 1001)
	sales.patch("/agents/Ann", bad).refused(400, 2001) // known only with the agent
	sales.patch("/agents/Ann", obj{"name": "Carl"}).refused(403, 1001)
	w.patch("/agents/nobody", bad).refused(400, 2001)                            // body before existence
	w.patch("/agents/nobody", obj{"level": "junior", "autonomy_level": "full"}). // rules without state, too
											refused(400, 2000)
	w.with("If-Match", "nonsense").patch("/agents/nobody", obj{}).refused(400, 2001)
	w.with("If-Match", `"x"`).patch("/agents/nobody", obj{}).refused(404, 3000) // existence before the condition
	w.with("If-Match", `"x"`).patch("/agents/Ann", obj{"name": "Bob"}).refused(409, 4002)
	w.with("If-Match", `"x"`).patch("/agents/Ann", obj{"department": "None"}).refused(409, 4002)
	w.with("If-Match", `"x"`).patch("/agents/Ann", obj{"status": "onboarding"}).refused(409, 4002)
	w.with("If-Match", `"x"`).delete("/departments/Design").refused(409, 4002)
	w.get("/agents/nobody/versions/diff?from_version=2&to_version=1").refused(400, 2000)
	w.get("/agents/nobody/versions/0").refused(400, 2001)
}

// Every operation but the public ones needs a token that is accepted.
func tokensAreRequired(t *testing.T, s *Service) {
	public := map[string]bool{"healthz": true, "readyz": true, "openapi.json": true, "openapi.yaml": true}
	none := s.anonymous(t)
	good := s.admin(t).header.Get("Authorization")
	for _, op := range s.document.operations {
		if op.id == "auth.sign_in" {
			none.with("Authorization", good).send(op.method, op.example, obj{"code": "guessed"}).refused(401, 1000)
			continue
		}
		if op.withProvider() {
			none.with("Authorization", "Bearer nonsense").send(op.method, op.example, nil).refused(404, 3002, "no identity provider")
			continue
		}
		if public[op.id] {
			none.with("Authorization", "Bearer nonsense").send(op.method, op.example, nil).want(200)
			continue
		}
		none.send(op.method, op.example, nil).refused(401, 1000)
		for _, value := range []string{"Bearer nonsense", "Bearer", "", "Basic YTpi", good + "x", good[:len(good)-2], "Token " + good[7:]} {
			none.with("Authorization", value).send(op.method, op.example, nil).refused(401, 1000)
		}
	}
	none.with("Authorization", good, good).get("/company").refused(401, 1000)
	none.with("Authorization", "bearer "+good[7:]).get("/company").want(200)
}
