package apitest

import (
	"strings"
	"testing"
)

func departmentChecks() map[string]check {
	return map[string]check{
		"Defaults":       departmentDefaults,
		"AllFields":      departmentWithAllFields,
		"Names":          departmentNames,
		"Spelling":       departmentSpelling,
		"References":     departmentReferences,
		"Rules":          departmentRules,
		"Bounds":         departmentBounds,
		"Budget":         budgetShares,
		"Delete":         deletedDepartments,
		"DeleteRace":     deletionsAndHires,
		"Reorder":        reorderedAgents,
		"ReorderRefusal": wrongReorders,
		"Missing":        missingDepartments,
		"Revisions":      departmentRevisions,
	}
}

func departmentDefaults(t *testing.T, s *Service) {
	c := s.admin(t)
	r := c.post("/departments", obj{"name": " Ünique "}).want(201).hasAll("data", obj{"name": "Ünique", "revision": 1})
	golden(t, "department_defaults.json", r)
	if loc := r.header.Get("Location"); loc != api+"/departments/%C3%9Cnique" {
		t.Errorf("Location = %s", loc)
	}
	c.get("/departments/%C3%BCNIQUE").has("data", r.at("data"))
	c.get("/company").has("data.departments.0", r.at("data"))
	c.get("/departments").has("data.0", r.at("data"))
}

// Every way into a department takes its name as it writes it, also when it was another
// department that an agent left.
func departmentSpelling(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.found("Ops")
	path := agentPath(w.hire("Dora", "OPS"))
	in := func(department string) {
		t.Helper()
		w.get(path).want(200).has("data.department", department)
		w.get("/organization").want(200).has("data.agents.3.department", department)
	}
	in("Ops")
	w.patch(path, obj{"department": "Sales"}).want(200)
	w.delete("/departments/ops").want(204)
	w.found("OPS")
	dry := w.post(path+"/versions/rollback?dry_run=true", obj{"target_version": 1}).want(200)
	dry.has("data.department", "OPS")
	w.post(path+"/versions/rollback", obj{"target_version": 1}).want(200).has("data.department", "OPS")
	in("OPS")
	tag := w.get(path).etag()
	w.post(path+"/versions/rollback", obj{"target_version": 1}).want(200).has("data.department", "OPS")
	if now := w.get(path).etag(); now != tag {
		t.Errorf("tag = %s after a rollback to another spelling, want %s", now, tag)
	}
	w.patch(path, obj{"department": "Sales"}).want(200)
	w.delete("/departments/OPS").want(204)
	w.found("OPS")
	w.patch(path, obj{"department": "ops"}).want(200)
	in("OPS")
	w.apply(obj{"format": 1, "agents": list{obj{"name": "Dora", "department": "sales"}}})
	in("Sales")
	w.apply(obj{"format": 1, "agents": list{obj{"name": "Dora", "department": "ops"}}})
	in("OPS")
	w.delete(path).want(204)
	w.delete("/departments/OPS").want(204)
	w.found("oPS")
	w.post(path+"/restore", obj{}).want(200).has("data.department", "oPS")
	in("oPS")
	w.delete(path).want(204)
	w.post(path+"/restore", obj{"department": "OPS"}).want(200).has("data.department", "oPS")
	in("oPS")
	w.get(path+"/history").has("data.3.description", "rehired as Worker in oPS")
}

// What is written comes back; agents are shown by name.
func departmentWithAllFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := obj{
		"name": "Ops", "description": "Runs things", "head": "ann", "budget_percent": 12.3456, "autonomy_level": "locked",
		"teams":           list{obj{"name": "Night", "lead": w.bob, "members": list{"Ann", w.carl}}, obj{"name": "Day", "lead": nil, "members": list{}}},
		"reporting_lines": list{obj{"subordinate": "BOB", "supervisor": w.ann}, obj{"subordinate": "Ann", "supervisor": "Carl"}},
		"policies": obj{
			"review_requirements": obj{"min_reviewers": 0, "required_reviewer_roles": list{"lead"}, "self_review_allowed": true},
			"approval_chains":     list{obj{"action_type": "deploy", "approvers": list{"cto", "sre"}, "min_approvals": 1}, obj{"action_type": "hire", "approvers": list{"ceo"}}},
			"protected_labels":    list{"production", "release-1"},
		},
		"ceremony_policy": obj{"strategy": "calendar", "other": list{1}},
	}
	shown := with(body, "head", "Ann")
	shown["teams"] = list{obj{"name": "Night", "lead": "Bob", "members": list{"Ann", "Carl"}}, obj{"name": "Day", "lead": nil, "members": list{}}}
	shown["reporting_lines"] = list{obj{"subordinate": "Bob", "supervisor": "Ann"}, obj{"subordinate": "Ann", "supervisor": "Carl"}}
	shown["policies"] = with(body["policies"].(obj), "approval_chains", list{
		obj{"action_type": "deploy", "approvers": list{"cto", "sre"}, "min_approvals": 1}, obj{"action_type": "hire", "approvers": list{"ceo"}, "min_approvals": 0},
	})
	w.post("/departments", body).want(201).hasAll("data", shown)
	r := w.get("/departments/Ops").want(200).hasAll("data", shown)
	delete(body, "name")
	w.patch("/departments/Ops", body).want(200).has("data", r.at("data")) // the same again: names are ids inside
	w.patch("/departments/Sales", with(body, "budget_percent", 1)).want(200).has("data.teams", shown["teams"])
}

func departmentNames(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Straße")
	for _, taken := range []string{"Straße", "STRASSE", " strasse ", "straße"} {
		c.post("/departments", obj{"name": taken}).refused(409, 4001)
	}
	for _, bad := range []string{"Straße/ceremony-policy", "a/reorder-agents", "a/b/HEALTH", "a/versions/3"} {
		c.post("/departments", obj{"name": bad}).refused(400, 2001, "name: the name must not end in")
		c.post("/departments", obj{"name": "T", "teams": list{obj{"name": bad}}}).refused(400, 2001, "teams[0].name: the name must not end in")
		c.patch("/departments/strasse", obj{"teams": list{obj{"name": bad}}}).refused(400, 2001, "teams[0].name: the name must not end in")
		c.plan(obj{"format": 1, "departments": list{obj{"name": bad}}}).refused(400, 2000, "departments[0].name: the name must not end in")
	}
	c.post("/departments", obj{"name": "a\u202eb"}).refused(400, 2001, "U+202E")
	c.found("می\u200cخواهم")
	c.get(departmentPath("میخواهم")).want(200).has("data.name", "می\u200cخواهم")
	c.post("/departments", obj{"name": "میخواهم"}).refused(409, 4001, `"می\u200cخواهم"`)
	c.found(strings.Repeat("😀", 128))
	c.get(departmentPath(strings.Repeat("😀", 128))).want(200)
}

// Agents in departments are shown by their current names, and vanish with them.
func departmentReferences(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch("/departments/Design", obj{
		"head": "Carl", "teams": list{obj{"name": "T", "lead": "Bob", "members": list{"Carl", "Ann"}}},
		"reporting_lines": list{obj{"subordinate": "Bob", "supervisor": "Carl"}, obj{"subordinate": "Ann", "supervisor": "Bob"}},
	}).want(200)
	w.patch("/agents/Carl", obj{"name": "Karl"}).want(200)
	for _, path := range []string{"/departments/Design", "/departments", "/company/departments", "/company"} {
		at := map[string]string{"/departments/Design": "data", "/company": "data.departments.0"}[path]
		if at == "" {
			at = "data.0"
		}
		w.get(path).hasAll(at, obj{
			"head": "Karl", "teams": list{obj{"name": "T", "lead": "Bob", "members": list{"Karl", "Ann"}}}, "revision": 2,
			"reporting_lines": list{obj{"subordinate": "Bob", "supervisor": "Karl"}, obj{"subordinate": "Ann", "supervisor": "Bob"}},
		})
	}
	w.delete(agentPath(w.carl)).want(204)
	w.delete(agentPath(w.bob)).want(204)
	w.get("/departments/Design").hasAll("data", obj{
		"head": nil, "teams": list{obj{"name": "T", "lead": nil, "members": list{"Ann"}}}, "reporting_lines": list{}, "revision": 2,
	})
	// A patch of something else keeps what is not shown; a new agent of an old
	// name is not the old agent.
	w.patch("/departments/Design", obj{"description": "x"}).want(200).has("data.head", nil)
	w.hire("Karl", "Sales")
	w.get("/departments/Design").has("data.head", nil)
	for field, bad := range map[string]any{
		"head":            "nobody",
		"teams":           list{obj{"name": "T", "members": list{"Ann", nobody}}},
		"reporting_lines": list{obj{"subordinate": "Ann", "supervisor": "Bob"}},
	} {
		w.patch("/departments/Design", obj{field: bad}).refused(400, 2000, field)
		w.post("/departments", obj{"name": "X", field: bad}).refused(400, 2000, field)
	}
	w.patch("/departments/Design", obj{"teams": list{obj{"name": "T", "lead": "nobody"}}}).refused(400, 2000, "teams[0].lead")
}

// Fields that are fine by themselves may be wrong together.
func departmentRules(t *testing.T, s *Service) {
	w := newWorld(t, s)
	line := func(below, above string) obj { return obj{"subordinate": below, "supervisor": above} }
	for what, lines := range map[string]list{
		"itself":          {line("Ann", "Ann")},
		"itself by id":    {line("Ann", w.ann)},
		"two supervisors": {line("Ann", "Bob"), line("ann", "Carl")},
		"cycle of two":    {line("Ann", "Bob"), line("Bob", w.ann)},
		"cycle of three":  {line("Ann", "Bob"), line("Bob", "Carl"), line("Carl", "ANN")},
	} {
		if r := w.patch("/departments/Design", obj{"reporting_lines": lines}); !r.is(400, 2000) {
			t.Errorf("%s: %d %s, want 400/2000", what, r.status, clip(r.body))
		}
	}
	w.patch("/departments/Design", obj{"reporting_lines": list{line("Ann", "Bob"), line("Carl", "Bob")}}).want(200)
	w.patch("/departments/Design", obj{"teams": list{obj{"name": "A"}, obj{"name": " a "}}}).refused(400, 2001, "teams")
	w.patch("/departments/Design", obj{"teams": list{obj{"name": "A", "members": list{"Ann", w.ann}}}}).refused(400, 2000, "members")
	chain := func(name string, min int) obj {
		return obj{"action_type": name, "approvers": list{"a", "b"}, "min_approvals": min}
	}
	w.patch("/departments/Design", obj{"policies": obj{"approval_chains": list{chain("x", 3)}}}).refused(400, 2000, "min_approvals")
	w.patch("/departments/Design", obj{"policies": obj{"approval_chains": list{chain("x", 0), chain("x", 1)}}}).refused(400, 2001, "approval_chains")
	w.patch("/departments/Design", obj{"policies": obj{"approval_chains": list{chain("x", 2), chain("X", 0)}}}).want(200)
}

func departmentBounds(t *testing.T, s *Service) {
	w := newWorld(t, s)
	var teams list
	for _, n := range numbered("t", 65) {
		teams = append(teams, obj{"name": n})
	}
	w.patch("/departments/Design", obj{"teams": teams}).refused(400, 2001, "teams: must have at most 64 items")
	w.patch("/departments/Design", obj{"teams": teams[:64], "description": strings.Repeat("名", 2048)}).want(200)
	w.post("/departments", obj{}).refused(400, 2001, "name: is required")
}
