package apitest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func routerChecks() map[string]check {
	return map[string]check{
		"UnknownPaths":      unknownPaths,
		"UnknownMethods":    unknownMethods,
		"Head":              headEverywhere,
		"Escapes":           escapedNames,
		"DotSegments":       dotSegments,
		"ErrorForms":        errorForms,
		"RequestIDs":        requestIDs,
		"Documents":         servedDocuments,
		"Operational":       operational,
		"QueryNeverHurts":   queryNeverHurts,
		"OrderOfChecks":     orderOfChecks,
		"TokensAreRequired": tokensAreRequired,
	}
}

var notFoundPaths = []string{
	"!/", "!/api", "!/api/v1", "!/api/v1/", "!/api/v2/agents", "!/agents", "!/favicon.ico", "!/API/V1/agents", "!//api/v1/agents",
	"!/api//v1/agents", "!/api/v1//agents", "/Agents", "/agents/", "/agents//", "/agents//versions", "/agents/x/", "/agents/x//versions",
	"/agents/x/nothing", "/agents/x/versions/", "/agents/x/versions/1/", "/agents/x/versions/1/2", "/agents/x/activity/y", "/company/",
	"/company/x", "/departments/", "/departments//health", "/departments/x/ceremony-policy/", "/departments/x/ceremony-policy/other",
	"/departments/x%2Fhealth/y", "/projects/", "/projects/x/y", "/auth", "/auth/", "/auth/sessions/", "/healthz/", "/audit/x", "/openapi",
	"/agents/../company", "/agents/%2e%2e/company", "/activities/x", "/agents/x/versions//diff",
}

// A path that is not there is 404/3002, in both forms, for everybody, without
// redirect.
func unknownPaths(t *testing.T, s *Service) {
	for _, c := range []*client{s.anonymous(t), s.admin(t), s.anonymous(t).with("Authorization", "Bearer nonsense")} {
		for _, path := range notFoundPaths {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				c.send(method, path, nil).refused(404, 3002)
			}
		}
		r := c.with("Accept", "application/problem+json").get("/nowhere").refused404Problem()
		if r.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("Content-Type = %s, want application/problem+json", r.header.Get("Content-Type"))
		}
	}
}

func (r *reply) refused404Problem() *reply {
	r.t.Helper()
	if status, code := r.codes(); status != 404 || code != 3002 {
		r.t.Errorf("%s = %d %s, want 404/3002", r.what, r.status, clip(r.body))
	}
	return r
}

// A method that a path does not answer is 405 with the ones that it does.
func unknownMethods(t *testing.T, s *Service) {
	c := s.anonymous(t)
	for _, op := range s.document.operations {
		allowed := s.document.methods(op.example)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FROBNICATE", "get"} {
			if slices.Contains(allowed, method) {
				continue
			}
			r := c.send(method, op.example, nil)
			if method != "HEAD" {
				r.refused(405, 2001)
			}
			got := sorted(strings.Split(r.header.Get("Allow"), ", "))
			if r.status != 405 || !cmp.Equal(got, allowed) {
				t.Errorf("%s %s = %d, Allow %q, want 405, %q", method, op.path, r.status, got, allowed)
			}
		}
	}
}

// HEAD answers what GET answers, without the body.
func headEverywhere(t *testing.T, s *Service) {
	w := newWorld(t, s)
	changing := map[string]bool{"metrics": true, "healthz": true, "readyz": true}
	for _, op := range s.document.operations {
		if op.method != "GET" {
			continue
		}
		for _, path := range []string{w.existing(op), op.example} {
			get, head := w.get(path), w.send("HEAD", path, nil)
			if head.status != get.status {
				t.Errorf("HEAD %s = %d, GET = %d", path, head.status, get.status)
			}
			for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control", "Link", "Vary", "Content-Security-Policy"} {
				if a, b := head.header.Get(name), get.header.Get(name); a != b && !(changing[op.id] && name == "Content-Length") && get.status == 200 {
					t.Errorf("HEAD %s: %s = %q, GET: %q", path, name, a, b)
				}
			}
		}
	}
}

// existing is a path of an operation on something that exists in w.
func (w world) existing(op operation) string {
	path := strings.NewReplacer(
		"{agent_name}", "Ann", "{agent_id}", w.ann, "{name}", "Design", "{version_num}", "1", "{project_id}", w.project,
	).Replace(op.path)
	if op.id == "versions.diff" {
		path += "?from_version=1&to_version=2"
	}
	return path
}

// Names with characters that have a meaning in URLs can be used in paths.
func escapedNames(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, name := range []string{
		"a/b", "/", "a//b", "C++/Go", "1+1", "a b", "50%", "%2F", "what?", "#1", "a;b", "a:b", "a@b", "a&b=c", "[x]", "{y}", `back\slash`,
		"ä ö", "名前", "a.b", "...", "~user", "*", "versions", "diff", "rollback", "reorder-agents", "$where", `"quoted"`, "<tag>", "a,b",
	} {
		at := c.post("/departments", obj{"name": name}).want(201).has("data.name", name).header.Get("Location")
		c.get(at).want(200).has("data.name", name)
		c.get(departmentPath(name)).want(200).has("data.name", name)
		id := c.hire(name, name)
		c.get(agentPath(name)).want(200).hasAll("data", obj{"id": id, "name": name, "department": name})
		c.get(agentPath(name)+"/versions/1").want(200).has("data.entity_id", id)
		c.get(departmentPath(name)+"/health").want(200).has("data.department_name", name)
		c.delete(agentPath(name)).want(204)
		c.delete(departmentPath(name)).want(204)
	}
	c.get("/departments/%00").refused(400, 2001)
	c.get("/agents/a%0Ab").refused(400, 2001)
	c.get("/agents/%FF").refused(400, 2001)
	c.get("/departments/%E2%80%8B").refused(400, 2001)
	c.get("/agents/%20").refused(400, 2001)
}

// Dots are no way around.
func dotSegments(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, path := range []string{"/agents/..", "/agents/.", "/agents/%2e%2e", "/agents/%2E", "/departments/..", "/departments/%2e%2e/health"} {
		c.get(path).refused(400, 2001)
	}
}

// The form of an error follows Accept; a success is JSON whatever is asked for.
func errorForms(t *testing.T, s *Service) {
	c := s.admin(t)
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "text/html": "application/json", "nonsense": "application/json",
		"application/problem+json":                           "application/problem+json",
		"application/json, application/problem+json;q=0.9":   "application/json",
		"application/json;q=0.8, application/problem+json":   "application/problem+json",
		"application/*, application/problem+json":            "application/problem+json",
		"application/problem+json;q=0, application/json;q=0": "application/json",
	} {
		a := c
		if accept != "" {
			a = c.with("Accept", accept)
		}
		for _, path := range []string{"/agents/nobody", "/agents?limit=0", "/nowhere"} {
			if got := a.get(path).header.Get("Content-Type"); got != want {
				t.Errorf("Accept %q: Content-Type of %s = %s, want %s", accept, path, got, want)
			}
		}
		if r := a.get("/company").want(200); r.header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept %q: Content-Type of a success = %s", accept, r.header.Get("Content-Type"))
		}
	}
}

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
	a.get("/capabilities").want(200).hasAll("data", obj{"activity_ingest": true})
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
	const junk = "?limit=0&cursor=x&x=%zz&limit=-1&;&type[$ne]=a"
	odd := w.with("If-None-Match", "nonsense").with("If-Match", "")
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/capabilities", "/company", "/company/departments", "/auth/me", "/openapi.json"} {
		odd.get(path + junk).want(200)
	}
	for _, op := range s.document.operations {
		if op.method == "GET" {
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
