package apitest

import "testing"

func companyChecks() map[string]check {
	return map[string]check{
		"Defaults": companyDefaults,
		"Change":   companyChanges,
		"Currency": currencies,
		"Reorder":  reorderedDepartments,
		"Revision": companyRevisions,
	}
}

func companyDefaults(t *testing.T, s *Service) {
	golden(t, "company_defaults.json", s.admin(t).get("/company").want(200))
}

// A change answers the whole company.
func companyChanges(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := obj{
		"company_name": "Acme", "autonomy_level": "full", "budget_monthly": 1000.5, "currency": "EUR", "communication_pattern": "async",
		"settings": obj{"a": obj{"b": list{1}}},
	}
	r := w.patch("/company", body).want(200).hasAll("data", body)
	w.get("/company").has("data", r.at("data"))
	if n := len(r.items("data.departments")); n != 2 {
		t.Errorf("the company has %d departments, want 2", n)
	}
	if _, err := r.find("data.agents"); err == nil {
		t.Error("the company shows agents")
	}
}

// The currency is fixed by the first cost.
func currencies(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch("/company", obj{"currency": "CHF"}).want(200)
	w.report(obj{"event_type": "cost_incurred", "agent": "Ann", "data": obj{"amount": 0.01}}).want(201)
	w.patch("/company", obj{"currency": "EUR", "company_name": "X"}).refused(409, 4000, "currency")
	w.patch("/company", obj{"currency": "CHF", "company_name": "Y"}).want(200).hasAll("data", obj{"currency": "CHF", "company_name": "Y"})
	w.get("/departments/Design/health").has("data.currency", "CHF")
	w.get("/agents/Ann/performance").has("data.windows.0.currency", "CHF")
}

// The order of the departments is an exact permutation of their names.
func reorderedDepartments(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const path = "/company/reorder-departments"
	w.post(path, obj{"department_names": list{"Design"}}).refused(400, 2000, "must name each of the 2 departments exactly once, has 1 names")
	for _, names := range []list{{"Design", "None"}, {"Design", "DESIGN"}} {
		w.post(path, obj{"department_names": names}).refused(400, 2000, "department_names[1]: is not a department, or is named twice")
	}
	w.post(path, obj{"department_names": list{"Design", "Design"}}).refused(400, 2001)
	for _, bad := range []any{obj{}, obj{"department_names": nil}, obj{"department_names": "Design"}, obj{"department_names": list{1}}, obj{"department_names": list{""}}} {
		w.post(path, bad).refused(400, 2001, "department_names")
	}
	w.get("/company").hasAll("data", obj{"revision": 3, "departments.0.name": "Design"})
	r := w.post(path, obj{"department_names": list{" SALES", "design"}}).want(200)
	w.get("/company/departments").has("data", r.at("data"))
	r.has("data.0.name", "Sales")
}

// What raises the company's revision, and what does not.
func companyRevisions(t *testing.T, s *Service) {
	w := newWorld(t, s)
	revision := 3
	step := func(raises bool, r *reply) {
		t.Helper()
		r.success()
		if raises {
			revision++
		}
		w.get("/company").has("data.revision", revision)
	}
	step(true, w.patch("/company", obj{"company_name": "Acme"}))
	step(false, w.patch("/company", obj{"company_name": "Acme"}))
	step(true, w.post("/company/reorder-departments", obj{"department_names": list{"Sales", "Design"}}))
	step(false, w.post("/company/reorder-departments", obj{"department_names": list{"Sales", "Design"}}))
	step(true, w.post("/departments", obj{"name": "New"}))
	step(true, w.delete("/departments/New"))
	step(false, w.patch("/departments/Design", obj{"description": "x"}))
	step(false, w.hired("Dora", "Design"))
	step(false, w.post("/projects", obj{"name": "P"}))
}
