package apitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func permissionChecks() map[string]check {
	return map[string]check{
		"Matrix":        permissionMatrix,
		"Complete":      permissionsAreComplete,
		"BetweenScopes": permissionsBetweenScopes,
		"Budget":        budgetPermission,
		"Events":        permissionsOfEvents,
	}
}

// may says which roles may perform an operation: on what is theirs (own), and
// on what is not (foreign). What is theirs are, for a department admin, the
// department Design, for an agent itself, for a session one of the same
// subject.
type may struct{ own, foreign string }

const (
	everybody = "viewer " + members
	members   = "agent reporter department_admin editor admin"
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
	"company.days":                {everybody, everybody},
	"company.update":              {editors, editors},
	"company.reorder_departments": {editors, editors},

	"organization.export": {editors, editors},
	"organization.plan":   {editors, editors},
	"organization.apply":  {editors, editors},

	"agents.list":        {everybody, everybody},
	"agents.get":         {everybody, everybody},
	"agents.activity":    {everybody, everybody},
	"agents.health":      {everybody, everybody},
	"agents.history":     {everybody, everybody},
	"agents.performance": {everybody, everybody},
	"agents.figures":     {everybody, everybody},
	"agents.days":        {everybody, everybody},
	"versions.list":      {everybody, everybody},
	"versions.get":       {everybody, everybody},
	"versions.diff":      {everybody, everybody},
	"agents.create":      {managers, editors},
	"agents.update":      {managers, editors},
	"agents.delete":      {managers, editors},
	"agents.rollback":    {managers, editors},
	"agents.restore":     {managers, editors},

	"labels.list":    {everybody, everybody},
	"labels.resolve": {everybody, everybody},
	"labels.history": {everybody, everybody},
	"labels.agents":  {everybody, everybody},
	"labels.set":     {managers, editors},
	"labels.remove":  {managers, editors},

	"activities.list":   {everybody, everybody},
	"activities.ingest": {members, editors},
	"activities.stream": {everybody, everybody},

	"changes.list":   {everybody, everybody},
	"changes.stream": {everybody, everybody},

	"departments.list":                     {everybody, everybody},
	"departments.get":                      {everybody, everybody},
	"departments.health":                   {everybody, everybody},
	"departments.figures":                  {everybody, everybody},
	"departments.days":                     {everybody, everybody},
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

	"webhooks.list":          {"admin", "admin"},
	"webhooks.create":        {"admin", "admin"},
	"webhooks.get":           {"admin", "admin"},
	"webhooks.update":        {"admin", "admin"},
	"webhooks.delete":        {"admin", "admin"},
	"webhooks.rotate_secret": {"admin", "admin"},
	"webhooks.test":          {"admin", "admin"},
	"webhooks.deliveries":    {"admin", "admin"},
	"webhooks.redeliver":     {"admin", "admin"},

	"auth.me":             {everybody, everybody},
	"auth.renew":          {everybody, everybody},
	"auth.logout":         {everybody, everybody},
	"auth.sessions":       {everybody, everybody},
	"auth.revoke_session": {everybody, "admin"},
	"auth.tokens":         {"admin", "admin"},
	"auth.links":          {everybody, everybody},
}

// public operations need no token.
var public = map[string]bool{"auth.sign_in": true, "auth.oidc_start": true, "auth.oidc_callback": true, "healthz": true, "readyz": true, "openapi.json": true, "openapi.yaml": true}

// withProvider reports whether an operation needs an identity provider, which the service of
// these tests has not. It looks at no token.
func (op operation) withProvider() bool { return strings.HasPrefix(op.id, "auth.oidc_") }

// scene is an organization of its own with what one attempt needs, in the
// caller's reach or out of it.
type scene struct {
	department, empty string // a department with two agents, and one without
	agent, other      string // its agents, by id
	project, sid      string
	webhook, delivery string
}

// attempt is a request of an operation that must succeed for who may make it.
// Where the path is "", it is the one that the operation is described with.
func (sc scene) attempt(id string) (path string, body any) {
	switch noun, what, _ := strings.Cut(id, "."); noun {
	case "agents":
		return sc.onAgent(what)
	case "versions":
		return sc.onVersions(what)
	case "labels":
		return sc.onLabel(what)
	case "departments":
		return sc.onDepartment(what)
	case "projects":
		return sc.onProject(what)
	case "webhooks":
		return sc.onWebhook(what)
	}
	switch id {
	case "organization.plan", "organization.apply":
		return "", obj{"format": 1, "company": obj{"communication_pattern": sc.department}}
	case "company.update":
		return "", obj{"company_name": sc.department}
	case "activities.ingest":
		return "", obj{"events": list{task(sc.agent, 1, nil)}}
	case "auth.tokens":
		return "", obj{"subject": "new", "role": "editor"}
	case "auth.revoke_session":
		return "/auth/sessions/" + sc.sid, nil
	}
	return "", nil
}

func (sc scene) onAgent(what string) (path string, body any) {
	path = agentPath(sc.agent)
	switch what {
	case "list", "figures":
		return "", nil
	case "create":
		return "", agentBody("New", sc.department)
	case "update":
		return path, obj{"role": "Changed"}
	case "get", "delete":
		return path, nil
	case "restore":
		return path + "/restore", obj{}
	case "rollback":
		return path + "/versions/rollback", obj{"target_version": 1}
	}
	return path + "/" + what, nil
}

func (sc scene) onVersions(what string) (path string, body any) {
	path = agentPath(sc.agent) + "/versions"
	switch what {
	case "get":
		return path + "/1", nil
	case "diff":
		return path + "/diff?from_version=1&to_version=2", nil
	}
	return path, nil
}

func (sc scene) onLabel(what string) (path string, body any) {
	path = labelPath(sc.agent, "production")
	switch what {
	case "list":
		return agentPath(sc.agent) + "/labels", nil
	case "agents":
		return "/labels/production/agents", nil
	case "history":
		return path + "/history", nil
	case "set":
		return path, obj{"version": 2}
	}
	return path, nil
}

func (sc scene) onDepartment(what string) (path string, body any) {
	path = departmentPath(sc.department)
	switch what {
	case "list", "figures":
		return "", nil
	case "create":
		return "", obj{"name": "New"}
	case "update":
		return path, obj{"description": "Changed"}
	case "delete":
		return departmentPath(sc.empty), nil
	case "health", "days":
		return path + "/" + what, nil
	case "reorder_agents":
		return path + "/reorder-agents", obj{"agent_names": list{sc.other, sc.agent}}
	case "ceremony_policy", "delete_ceremony_policy":
		return path + "/ceremony-policy", nil
	case "update_ceremony_policy":
		return path + "/ceremony-policy", obj{"x": 1}
	case "resolved_ceremony_policy":
		return path + "/ceremony-policy/resolved", nil
	}
	return path, nil
}

func (sc scene) onProject(what string) (path string, body any) {
	path = "/projects/" + sc.project
	switch what {
	case "list":
		return "", nil
	case "create":
		return "", obj{"name": "New"}
	case "update":
		return path, obj{"name": "Changed"}
	}
	return path, nil
}

func (sc scene) onWebhook(what string) (path string, body any) {
	path = "/webhooks/" + sc.webhook
	switch what {
	case "list":
		return "", nil
	case "create":
		return "", obj{"url": nowhere, "event_types": list{"fired"}}
	case "update":
		return path, obj{"event_types": list{"hired"}}
	case "rotate_secret":
		return path + "/rotate-secret", nil
	case "test", "deliveries":
		return path + "/" + what, nil
	case "redeliver":
		return path + "/deliveries/" + sc.delivery + "/redeliver", nil
	}
	return path, nil
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
		for _, role := range []string{"viewer", "agent", "reporter", "department_admin", "editor", "admin"} {
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
	t.Logf("R18: %d attempts, of every operation in every role, on one's own and on others'", n)
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
	if strings.HasPrefix(op, "labels.") {
		c.put(labelPath(sc.agent, "production"), obj{"version": 1}).want(201)
	}
	if op == "agents.restore" {
		c.delete(agentPath(sc.agent)).want(204)
	}
	if strings.HasPrefix(op, "webhooks.") {
		sc.webhook, sc.delivery = c.hooked(nowhere, obj{"event_types": list{"fired"}})
	}
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
		agentPath(sc.agent), agentPath(sc.other), "/agents/New", departmentPath(sc.department), departmentPath(sc.empty), "/departments/New", "/projects/" + sc.project, "/webhooks/" + sc.webhook,
	} {
		if strings.HasSuffix(path, "/") {
			continue // was not made
		}
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
	runtime := s.as(t, "reporter", "Design")
	runtime.report(task("Ann", 1, nil), task("Carl", 2, nil)).refused(403, 1001)
	runtime.report(task("Ann", 1, nil), task("Bob", 2, nil)).want(201)
	s.as(t, "reporter").report(task("Ann", 1, nil), task("Carl", 2, nil)).want(201)
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

// What happens is shown alike to every role, and to nobody else. A webhook's
// deliveries tell of its own events only.
func permissionsOfEvents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	known := w.hires()
	hooks := map[string]string{}
	for name, department := range map[string]string{"Ann": "Design", "Carl": "Sales"} {
		hooks[name], _ = w.hooked(nowhere, obj{"event_types": list{"task_completed"}, "departments": list{department}})
	}
	readers := []*client{w.client}
	for _, g := range []Grant{
		{Subject: w.ann, Role: "agent"}, {Subject: nobody, Role: "agent"},
		{Subject: "kim", Role: "viewer"}, {Subject: "kim", Role: "department_admin"}, {Subject: "kim", Role: "editor"},
	} {
		readers = append(readers, s.grant(t, g))
	}
	var streams []*stream
	for _, c := range readers {
		streams = append(streams, c.follow(streamPath, "").without(known))
	}
	ids := map[string]string{"Ann": newID(t, s), "Carl": newID(t, s)}
	w.report(with(task("Ann", 1, nil), "id", ids["Ann"]), with(task("Carl", 2, nil), "id", ids["Carl"])).want(201)
	want := streams[0].events(2)
	shown := w.soon("/activities?type=task_completed", "data.1.event_type", "task_completed").at("data")
	for i, c := range readers {
		if diff := cmp.Diff(shown, c.soon("/activities?type=task_completed", "data.1.event_type", "task_completed").at("data")); diff != "" {
			t.Errorf("the feed of reader %d (-admin +this):\n%s", i, diff)
		}
		if i > 0 {
			if diff := cmp.Diff(want, streams[i].events(2)); diff != "" {
				t.Errorf("the stream of reader %d (-admin +this):\n%s", i, diff)
			}
		}
	}
	for name, hook := range hooks {
		var of []any
		eventually(t, "the deliveries of "+name+"'s events", func() bool {
			of = slices.DeleteFunc(w.get("/webhooks/"+hook+"/deliveries").column("data", "event_id"), func(id any) bool {
				return !slices.Contains(slices.Collect(maps.Values(ids)), id.(string)) // the test that hooked has made
			})
			return len(of) > 0
		})
		if diff := cmp.Diff(anys([]string{ids[name]}), of); diff != "" {
			t.Errorf("deliveries about %s (-want +got):\n%s", name, diff)
		}
	}
	gone := s.grant(t, Grant{Subject: "kim", Role: "admin"})
	gone.post("/auth/logout", nil).want(204)
	gone.everywhere(401, 1002)
	for _, path := range []string{"/activities", streamPath, agentPath(w.ann) + "/activity", "/webhooks", "/webhooks/" + hooks["Ann"] + "/deliveries"} {
		s.anonymous(t).get(path).refused(401, 1000)
		s.bearer(t, "nonsense").get(path).refused(401, 1000)
		gone.get(path).refused(401, 1002)
	}
}
