package apitest

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func auditChecks() map[string]check {
	return map[string]check{
		"EveryChange": auditEveryChange,
		"NoChange":    auditWithoutChange,
		"Filters":     auditFilters,
		"Follow":      auditFollow,
	}
}

// Every change leaves an entry that says who did what through which request.
func auditEveryChange(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.found("Empty")
	admin := s.grant(t, Grant{Subject: "kim", Role: "admin"})
	sid := admin.get("/auth/me").text("data.sid")
	ann, project := "agents/"+w.ann, "projects/"+w.project
	type row struct {
		method, path string
		body         any
		route        string
		resource     string // "" is taken from the answer
		from, to     any
	}
	company := w.get("/company").number("data.revision")
	rows := []row{
		{"PATCH", "/company", obj{"company_name": "X"}, "PATCH /api/v1/company", "company", company, company + 1},
		{"POST", "/company/reorder-departments", obj{"department_names": list{"Sales", "Design", "Empty"}}, "POST /api/v1/company/reorder-departments", "company", company + 1, company + 2},
		{"POST", "/departments", obj{"name": "Ops/1"}, "POST /api/v1/departments", "departments/Ops/1", nil, 1},
		{"PATCH", "/departments/design", obj{"description": "x"}, "PATCH /api/v1/departments/{name}", "departments/Design", 1, 2},
		{"PUT", "/departments/Design/ceremony-policy", obj{"x": 1}, "PUT /api/v1/departments/{name}/ceremony-policy", "departments/Design", 2, 3},
		{"DELETE", "/departments/Design/ceremony-policy", nil, "DELETE /api/v1/departments/{name}/ceremony-policy", "departments/Design", 3, 4},
		{"POST", "/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann"}}, "POST /api/v1/departments/{name}/reorder-agents", "departments/Design", 4, 5},
		{"DELETE", "/departments/Empty", nil, "DELETE /api/v1/departments/{name}", "departments/Empty", 1, nil},
		{"POST", "/agents", agentBody("Dora", "Design"), "POST /api/v1/agents", "", nil, 1},
		{"PATCH", "/agents/Ann", obj{"role": "X"}, "PATCH /api/v1/agents/{agent_name}", ann, 2, 3},
		{"POST", "/agents/ann/versions/rollback", obj{"target_version": 1}, "POST /api/v1/agents/{agent_id}/versions/rollback", ann, 3, 4},
		{"PUT", "/agents/Ann/labels/production", obj{"version": 1}, "PUT /api/v1/agents/{agent_name}/labels/{label}", ann, 4, 5},
		{"DELETE", "/agents/Ann/labels/production", nil, "DELETE /api/v1/agents/{agent_name}/labels/{label}", ann, 5, 6},
		{"POST", "/activities", obj{"events": list{task("Ann", 1, nil), task("Bob", 1, nil)}}, "POST /api/v1/activities", "activities", nil, nil},
		{"DELETE", "/agents/Ann", nil, "DELETE /api/v1/agents/{agent_name}", ann, 6, nil},
		{"POST", "/projects", obj{"name": "P"}, "POST /api/v1/projects", "", nil, 1},
		{"PATCH", "/projects/" + w.project, obj{"name": "Q"}, "PATCH /api/v1/projects/{project_id}", project, 1, 2},
		{"DELETE", "/projects/" + w.project, nil, "DELETE /api/v1/projects/{project_id}", project, 2, nil},
		{"POST", "/auth/tokens", obj{"subject": "x", "role": "editor"}, "POST /api/v1/auth/tokens", "", nil, 1},
		{"POST", "/auth/renew", nil, "POST /api/v1/auth/renew", "sessions/" + sid, nil, 1},
		{"DELETE", "/auth/sessions/some-sid", nil, "DELETE /api/v1/auth/sessions/{sid}", "sessions/some-sid", 1, nil},
		{"POST", "/auth/logout", nil, "POST /api/v1/auth/logout", "sessions/" + sid, 1, nil},
	}
	for i, row := range rows {
		id := "req-" + string(rune('a'+i))
		r := admin.with("X-Request-Id", id).send(row.method, row.path, row.body).success()
		if row.resource == "" {
			switch {
			case row.path == "/auth/tokens":
				row.resource = "sessions/" + r.text("data.sid")
			default:
				row.resource = strings.TrimPrefix(row.path, "/") + "/" + r.text("data.id")
			}
		}
		e := w.get("/audit?limit=1").want(200).hasAll("data.0", obj{
			"actor": "kim", "route": row.route, "resource": row.resource, "revision_from": row.from, "revision_to": row.to, "request_id": id,
		})
		if len(e.text("data.0.id")) != 36 || e.text("data.0.timestamp") == "" {
			t.Errorf("%s: entry %v", row.route, e.at("data.0"))
		}
	}
}

// changesNothing asks for changes that have no effect, and for some that are refused.
func (w world) changesNothing() {
	w.patch("/agents/Ann", obj{"role": "Worker"}).want(200)
	w.patch("/company", obj{}).want(200)
	w.delete("/departments/Design/ceremony-policy").want(204)
	w.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Ann", "Bob"}}).want(201)
	w.post("/agents/Ann/versions/rollback", obj{"target_version": 2}).want(200)
	w.post("/agents/Ann/versions/rollback?dry_run=true", obj{"target_version": 1}).want(200)
	w.put(labelPath(w.ann, "kept"), obj{"version": 1, "reason": "again"}).want(200)
	w.put(labelPath(w.ann, "kept"), obj{"version": 9}).refused(404, 3001)
	w.delete(labelPath(w.ann, "none")).refused(404, 3001)
	w.patch("/agents/Ann", obj{"name": "Bob"}).refused(409, 4001)
	w.with("If-Match", `"x"`).patch("/agents/Ann", obj{"role": "X"}).refused(409, 4002)
}

// What changes nothing leaves nothing.
func auditWithoutChange(t *testing.T, s *Service) {
	w := newWorld(t, s)
	event := with(task("Ann", 1, nil), "id", newID(t, s))
	w.report(event).want(201)
	w.put(labelPath(w.ann, "kept"), obj{"version": 1}).want(201)
	before := w.get("/audit").at("data")
	w.report(event).want(201)
	w.changesNothing()
	w.delete("/departments/Design").refused(400, 2000)
	s.as(t, "agent").patch("/company", obj{"company_name": "X"}).refused(403, 1001)
	w.get("/audit").has("data", before)
}

func auditFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	s.as(t, "editor").patch("/agents/Bob", obj{"role": "X"}).want(200)
	routes := func(query string) []any { return w.get("/audit"+query).want(200).column("data", "resource") }
	if got := routes("?actor=editor"); !cmp.Equal(got, anys([]string{"agents/" + w.bob})) {
		t.Errorf("actor=editor: %v", got)
	}
	if got := routes("?resource=" + url.QueryEscape("agents/"+w.bob)); len(got) != 2 {
		t.Errorf("resource of Bob: %v, want 2", got)
	}
	if got := routes("?resource=agents/" + w.bob + "&actor=admin"); len(got) != 1 {
		t.Errorf("resource of Bob by admin: %v, want 1", got)
	}
	all := w.get("/audit?limit=200")
	at := all.text("data.2.timestamp")
	since, until := 0, 0
	for _, ts := range all.column("data", "timestamp") {
		if ts.(string) >= at {
			since++
		} else {
			until++
		}
	}
	if got := routes("?since=" + at); len(got) != since {
		t.Errorf("since %s: %d entries, want %d", at, len(got), since)
	}
	if got := routes("?until=" + at); len(got) != until {
		t.Errorf("until %s: %d entries, want %d", at, len(got), until)
	}
	if got := routes("?since=" + url.QueryEscape(strings.Replace(at, "Z", "+00:00", 1)) + "&until=" + at); len(got) != 0 {
		t.Errorf("since and until %s: %v, want none", at, got)
	}
	for _, role := range []string{"agent", "editor"} {
		s.as(t, role).get("/audit").refused(403, 1001)
	}
	s.as(t, "department_admin", "Design").get("/audit?limit=0").refused(403, 1001)
}

// Who follows the trail gets each entry in the order of the commits, and goes on behind the
// last one when there are more.
func auditFollow(t *testing.T, s *Service) {
	w := newWorld(t, s)
	follow := func(query, cursor string) (ids []any, end string) {
		t.Helper()
		for more := true; more; {
			if cursor != "" {
				query = "&cursor=" + cursor
			}
			page := w.get("/audit?follow=true&limit=3" + query).want(200)
			ids = append(ids, page.column("data", "id")...)
			cursor, more = page.text("pagination.next_cursor"), page.at("pagination.has_more").(bool)
		}
		return ids, cursor
	}
	oldest := func() []any {
		ids := w.get("/audit?limit=200").want(200).column("data", "id")
		slices.Reverse(ids)
		return ids
	}
	all := oldest()
	got, end := follow("", "")
	if !cmp.Equal(got, all) {
		t.Errorf("followed are %v, want %v", got, all)
	}
	if got, end = follow("", end); len(got) != 0 {
		t.Errorf("behind the end are %v, want none", got)
	}
	w.patch("/agents/Ann", obj{"role": "X"}).want(200)
	w.report(task("Ann", 1, nil)).want(201)
	if got, end = follow("", end); !cmp.Equal(got, oldest()[len(all):]) {
		t.Errorf("behind the end are %v, want two of %v", got, oldest())
	}
	last := w.get("/audit?limit=1").text("data.0.timestamp")
	if got, _ = follow("&since="+last, ""); len(got) == 0 || len(got) >= len(all) {
		t.Errorf("%d entries since the last one, want some of %d", len(got), len(all))
	}
	if got := w.get("/audit?follow=true&without_reports=true&actor=nobody").want(200).column("data", "id"); len(got) != 0 {
		t.Errorf("followed of nobody are %v", got)
	}
	w.get("/audit?cursor="+end).refused(400, 2001)
	w.get("/audit?follow=true&cursor=x").refused(400, 2001)
	w.get("/audit?follow=true&until="+last).refused(400, 2001)
	s.as(t, "editor").get("/audit?follow=true").refused(403, 1001)
}
