package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func permissionChecks() map[string]check {
	return map[string]check{
		"Matrix":        permissionMatrix,
		"Complete":      permissionsAreComplete,
		"BetweenScopes": permissionsBetweenScopes,
		"Budget":        budgetPermission,
	}
}

// may says which roles may perform an operation: on what is theirs (own), and
// on what is not (foreign). What is theirs are, for a department admin, the
// department Design, for an agent itself, for a session one of the same
// subject.
type may struct{ own, foreign string }

const (
	everybody = "agent department_admin editor admin"
	editors   = "editor admin"
	managers  = "department_admin editor admin"
)

// permissions is the whole table of who may do what.
var permissions = map[string]may{
	"metrics":      {everybody, everybody},
	"capabilities": {everybody, everybody},
	"audit.list":   {"admin", "admin"},

	"company.get":                 {everybody, everybody},
	"company.departments":         {everybody, everybody},
	"company.update":              {editors, editors},
	"company.reorder_departments": {editors, editors},

	"agents.list":        {everybody, everybody},
	"agents.get":         {everybody, everybody},
	"agents.activity":    {everybody, everybody},
	"agents.health":      {everybody, everybody},
	"agents.history":     {everybody, everybody},
	"agents.performance": {everybody, everybody},
	"versions.list":      {everybody, everybody},
	"versions.get":       {everybody, everybody},
	"versions.diff":      {everybody, everybody},
	"agents.create":      {managers, editors},
	"agents.update":      {managers, editors},
	"agents.delete":      {managers, editors},
	"agents.rollback":    {managers, editors},

	"activities.list":   {everybody, everybody},
	"activities.ingest": {everybody, editors},

	"departments.list":                     {everybody, everybody},
	"departments.get":                      {everybody, everybody},
	"departments.health":                   {everybody, everybody},
	"departments.ceremony_policy":          {everybody, everybody},
	"departments.resolved_ceremony_policy": {everybody, everybody},
	"departments.create":                   {editors, editors},
	"departments.update":                   {managers, editors},
	"departments.delete":                   {managers, editors},
	"departments.reorder_agents":           {managers, editors},
	"departments.update_ceremony_policy":   {managers, editors},
	"departments.delete_ceremony_policy":   {managers, editors},

	"projects.list":   {everybody, everybody},
	"projects.get":    {everybody, everybody},
	"projects.create": {editors, editors},
	"projects.update": {editors, editors},
	"projects.delete": {editors, editors},

	"auth.me":             {everybody, everybody},
	"auth.renew":          {everybody, everybody},
	"auth.logout":         {everybody, everybody},
	"auth.sessions":       {everybody, everybody},
	"auth.revoke_session": {everybody, "admin"},
	"auth.tokens":         {"admin", "admin"},
}

// public operations need no token.
var public = map[string]bool{"healthz": true, "readyz": true, "openapi.json": true, "openapi.yaml": true}

// scene is an organization of its own with what one attempt needs, in the
// caller's reach or out of it.
type scene struct {
	department, empty string // a department with two agents, and one without
	agent, other      string // its agents, by id
	project, sid      string
}

// attempt is a request of an operation that must succeed for who may make it.
func (sc scene) attempt(id string) (path string, body any) {
	agent, dept := agentPath(sc.agent), departmentPath(sc.department)
	switch id {
	case "metrics", "capabilities", "audit.list", "auth.me", "auth.sessions", "auth.renew", "auth.logout":
		return "", nil
	case "company.update":
		return "", obj{"company_name": sc.department}
	case "agents.create":
		return "", agentBody("New", sc.department)
	case "agents.update":
		return agent, obj{"role": "Changed"}
	case "agents.get", "agents.delete":
		return agent, nil
	case "agents.activity", "agents.health", "agents.history", "agents.performance":
		return agent + "/" + id[len("agents."):], nil
	case "agents.rollback":
		return agent + "/versions/rollback", obj{"target_version": 1}
	case "versions.list":
		return agent + "/versions", nil
	case "versions.get":
		return agent + "/versions/1", nil
	case "versions.diff":
		return agent + "/versions/diff?from_version=1&to_version=2", nil
	case "activities.ingest":
		return "", obj{"events": list{task(sc.agent, 1, nil)}}
	case "departments.create":
		return "", obj{"name": "New"}
	case "departments.get":
		return dept, nil
	case "departments.health":
		return dept + "/health", nil
	case "departments.update":
		return dept, obj{"description": "Changed"}
	case "departments.delete":
		return departmentPath(sc.empty), nil
	case "departments.reorder_agents":
		return dept + "/reorder-agents", obj{"agent_names": list{sc.other, sc.agent}}
	case "departments.ceremony_policy", "departments.delete_ceremony_policy":
		return dept + "/ceremony-policy", nil
	case "departments.update_ceremony_policy":
		return dept + "/ceremony-policy", obj{"x": 1}
	case "departments.resolved_ceremony_policy":
		return dept + "/ceremony-policy/resolved", nil
	case "projects.create":
		return "", obj{"name": "New"}
	case "projects.get", "projects.delete":
		return "/projects/" + sc.project, nil
	case "projects.update":
		return "/projects/" + sc.project, obj{"name": "Changed"}
	case "auth.tokens":
		return "", obj{"subject": "new", "role": "editor"}
	case "auth.revoke_session":
		return "/auth/sessions/" + sc.sid, nil
	}
	return "", nil // lists
}

// permissionMatrix tries every operation in every role, on what is the caller's
// own and on what is not.
func permissionMatrix(t *testing.T, s *Service) {
	admin := s.admin(t)
	n := 0
	for _, op := range s.document.operations {
		rule, known := permissions[op.id]
		if !known {
			continue // see permissionsAreComplete
		}
		for _, role := range []string{"agent", "department_admin", "editor", "admin"} {
			for scope, allowed := range map[string]string{"own": rule.own, "foreign": rule.foreign} {
				n++
				sc, caller := admin.setScene(n, role, scope == "own", op.id)
				path, body := sc.attempt(op.id)
				if path == "" {
					path = op.path
				}
				if op.id == "company.reorder_departments" {
					body = obj{"department_names": admin.get("/company/departments").column("data", "name")}
				}
				r := caller.send(op.method, path, body)
				switch {
				case contains(allowed, role) && r.status >= 300:
					t.Errorf("%s by %s on %s: %d %s, want success", op.id, role, scope, r.status, clip(r.body))
				case !contains(allowed, role) && !r.is(403, 1001):
					t.Errorf("%s by %s on %s: %d %s, want 403/1001", op.id, role, scope, r.status, clip(r.body))
				}
				admin.strike(sc)
			}
		}
	}
}

func contains(roles, role string) bool { return slices.Contains(strings.Fields(roles), role) }

// setScene makes what an attempt needs, and the caller who makes it. Only what
// the operation can touch is made.
func (c *client) setScene(n int, role string, own bool, op string) (scene, *client) {
	c.t.Helper()
	sc := scene{department: fmt.Sprintf("Dept %d", n), empty: fmt.Sprintf("Empty %d", n)}
	c.found(sc.department, sc.empty)
	sc.agent = c.hire(fmt.Sprintf("A %d", n), sc.department)
	sc.other = c.hire(fmt.Sprintf("B %d", n), sc.department)
	c.patch(agentPath(sc.agent), obj{"role": "Second"}).want(200)
	sc.project = c.start("P")
	g := Grant{Subject: fmt.Sprintf("caller %d", n), Role: role, Departments: []string{"Elsewhere"}}
	victim := Grant{Subject: "victim", Role: "editor"}
	if own {
		g.Departments = []string{sc.department, sc.empty}
	}
	if role == "agent" {
		g.Subject = nobody
		if own {
			g.Subject = sc.agent
		}
	}
	if own {
		victim = g
	}
	sc.sid = c.s.grant(c.t, victim).get("/auth/me").text("data.sid")
	return sc, c.s.grant(c.t, g)
}

// strike removes a scene again, so that the next one has room.
func (c *client) strike(sc scene) {
	c.t.Helper()
	for _, path := range []string{
		agentPath(sc.agent), agentPath(sc.other), "/agents/New", departmentPath(sc.department), departmentPath(sc.empty), "/departments/New", "/projects/" + sc.project,
	} {
		if r := c.delete(path); r.status != 204 && r.status != 404 {
			c.t.Fatalf("%s = %d %s", r.what, r.status, clip(r.body))
		}
	}
}

// Every operation has its row, and every row an operation.
func permissionsAreComplete(t *testing.T, s *Service) {
	described := map[string]bool{}
	for _, op := range s.document.operations {
		described[op.id] = true
		if _, ok := permissions[op.id]; !ok && !public[op.id] {
			t.Errorf("nothing says who may perform %s", op.id)
		}
	}
	for id := range permissions {
		if !described[id] {
			t.Errorf("%s is not described", id)
		}
	}
	newWorld(t, s)
}

// Who manages one department cannot move agents out of it or into it.
func permissionsBetweenScopes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	design, both := s.as(t, "department_admin", "design"), s.as(t, "department_admin", "DESIGN", "Sales")
	none := s.as(t, "department_admin")
	design.patch("/agents/Ann", obj{"department": "Sales"}).refused(403, 1001)
	design.patch("/agents/Ann", obj{"department": "None"}).refused(403, 1001)
	design.patch("/agents/Carl", obj{"department": "Design"}).refused(403, 1001)
	design.post("/agents", agentBody("X", "Sales")).refused(403, 1001)
	design.post("/agents", agentBody("X", "None")).refused(403, 1001)
	none.post("/agents", agentBody("X", "Design")).refused(403, 1001)
	none.patch("/departments/Design", obj{}).refused(403, 1001)
	both.patch("/agents/Ann", obj{"department": "Sales"}).want(200)
	// Ann was in Design in version 1 and is in Sales now.
	design.post("/agents/Ann/versions/rollback", obj{"target_version": 1}).refused(403, 1001)
	s.as(t, "department_admin", "Sales").post("/agents/Ann/versions/rollback", obj{"target_version": 1}).refused(403, 1001)
	both.post("/agents/Ann/versions/rollback", obj{"target_version": 1}).want(200)
	design.post("/agents/nobody/versions/rollback", obj{"target_version": 1}).refused(404, 3000)
	design.delete("/agents/nobody").refused(404, 3000)
	// Reports: all of a batch, or nothing.
	design.report(task("Ann", 1, nil), task("Carl", 2, nil)).refused(403, 1001)
	design.report(task("Ann", 1, nil), task("Bob", 2, nil)).want(201)
	none.report(task("Ann", 1, nil)).refused(403, 1001)
	// Departments of others' tokens mean nothing.
	s.as(t, "agent", "Design").patch("/agents/Ann", obj{"role": "X"}).refused(403, 1001)
	s.as(t, "editor", "Sales").patch("/agents/Ann", obj{"role": "X"}).want(200)
	w.get("/agents/Ann").has("data.department", "Design")
}

// A department admin does not decide on the budget, not even of his own.
func budgetPermission(t *testing.T, s *Service) {
	w := newWorld(t, s)
	design := s.as(t, "department_admin", "Design")
	design.patch("/departments/Design", obj{"budget_percent": 10}).refused(403, 1001)
	design.patch("/departments/Design", obj{"budget_percent": 0}).refused(403, 1001)
	design.patch("/departments/Design", obj{"budget_percent": 101}).refused(400, 2001)
	design.patch("/departments/Design", obj{"description": "x"}).want(200)
	s.as(t, "editor").patch("/departments/Design", obj{"budget_percent": 10}).want(200)
	w.get("/departments/Design").has("data.budget_percent", 10)
}
