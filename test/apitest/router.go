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
	"!//", "!/api", "!/api/v1", "!/api/v1/", "!/api/v2/agents", "!/agents", "!/favicon.ico", "!/API/V1/agents", "!//api/v1/agents",
	"!/api//v1/agents", "!/api/v1//agents", "/Agents", "/agents/", "/agents//", "/agents//versions", "/agents/x/", "/agents/x//versions",
	"/agents/x/nothing", "/agents/x/versions/", "/agents/x/versions/1/", "/agents/x/versions/1/2", "/agents/x/activity/y", "/company/",
	"/company/x", "/departments/", "/departments//health", "/departments/x/ceremony-policy/", "/departments/x/ceremony-policy/other",
	"/departments/x%2Fhealth/y", "/projects/", "/projects/x/y", "/auth", "/auth/", "/auth/sessions/", "/healthz/", "/audit/x", "/openapi",
	"/agents/../company", "/agents/%2e%2e/company", "/activities/x", "/agents/x/versions//diff",
	"/agents/x/labels/", "/agents/x/labels//history", "/agents/x/labels/y/", "/agents/x/labels/y/history/z", "/labels", "/labels/", "/labels/x", "/labels//agents",
}

// A path that is not there is 404/3002, in both forms, for everybody, without
// redirect.
func unknownPaths(t *testing.T, s *Service) {
	for _, c := range []*client{s.anonymous(t), s.admin(t), s.anonymous(t).with("Authorization", "Bearer nonsense")} {
		for _, path := range notFoundPaths {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				if allow := c.send(method, path, nil).refused(404, 3002).header.Get("Allow"); allow != "" {
					t.Errorf("%s %s: Allow = %s beside 404", method, path, allow)
				}
			}
		}
		r := c.with("Accept", "application/problem+json").get("/nowhere").refused(404, 3002)
		if r.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("Content-Type = %s, want application/problem+json", r.header.Get("Content-Type"))
		}
	}
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
				r.refused(405, 2001, "this endpoint does not answer "+method)
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
	w.hook()
	w.put(labelPath(w.ann, "production"), obj{"version": 1}).want(201)
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
		"{agent_name}", "Ann", "{agent_id}", w.ann, "{name}", "Design", "{version_num}", "1", "{project_id}", w.project, "{id}", w.webhook, "{label}", "production",
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
		"": "application/json", "*/*": "application/json", "application/problem+json": "application/problem+json",
		"application/json;q=0.8, application/problem+json": "application/problem+json",
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
	c.get("/nowhere").has("error_detail.type", "https://orgd.invalid/errors#not_found")
}
