package apitest

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func projectChecks() map[string]check {
	return map[string]check{
		"Defaults":   projectDefaults,
		"AllFields":  projectWithAllFields,
		"References": projectReferences,
		"Status":     projectStatus,
		"Delete":     deletedProjects,
		"Missing":    missingProjects,
	}
}

func projectDefaults(t *testing.T, s *Service) {
	c := s.admin(t)
	began := time.Now().Unix()
	r := c.post("/projects", obj{"name": " Apollo "}).want(201).hasAll("data", obj{"name": "Apollo", "status": "planning", "revision": 1})
	golden(t, "project_defaults.json", r)
	id := r.text("data.id")
	if !regexp.MustCompile(`^proj-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("id = %s", id)
	}
	if at, err := time.Parse(time.RFC3339, r.text("data.created_at")); err != nil || at.Unix() < began-1 {
		t.Errorf("created_at = %v", r.at("data.created_at"))
	}
	if loc := r.header.Get("Location"); loc != api+"/projects/"+id {
		t.Errorf("Location = %s", loc)
	}
	c.get("/projects/"+id).has("data", r.at("data"))
	c.post("/projects", obj{"name": "Apollo"}).want(201) // names need not be unique
}

func projectWithAllFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := obj{"name": "Apollo", "description": "Moon", "team": list{"bob", w.carl}, "lead": "ANN", "deadline": "2030-12-31T23:59:59.999+01:00", "budget": 0.000000001}
	shown := obj{"team": list{w.bob, w.carl}, "lead": w.ann, "deadline": "2030-12-31T22:59:59.999Z", "budget": 1e-9, "task_ids": list{}}
	r := w.post("/projects", body).want(201)
	delete(shown, "budget")
	r.hasAll("data", shown)
	if !strings.Contains(string(r.body), `"budget":0.000000001`) {
		t.Errorf("budget = %v, want 0.000000001", r.at("data.budget"))
	}
	path := "/projects/" + r.text("data.id")
	w.patch(path, body).want(200).has("data", r.at("data"))
	w.patch(path, obj{"task_ids": list{"a", "b"}, "status": "active", "team": list{}}).want(200).
		hasAll("data", obj{"task_ids": list{"a", "b"}, "status": "active", "team": list{}, "lead": w.ann, "revision": 2})
	w.get("/projects?status=active").has("data.0", w.get(path).at("data"))
}

// Agents of a project are ids that must exist, and vanish when they go.
func projectReferences(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := "/projects/" + w.project
	w.patch(path, obj{"lead": "nobody"}).refused(400, 2000, "lead")
	w.patch(path, obj{"team": list{"Ann", nobody}}).refused(400, 2000, "team")
	w.patch(path, obj{"team": list{"Ann", w.ann}}).refused(400, 2000, "team")
	w.post("/projects", obj{"name": "X", "lead": "nobody"}).refused(400, 2000, "lead")
	w.patch(path, obj{"lead": "Ann", "team": list{"Ann", "Bob"}}).want(200)
	w.patch("/agents/Ann", obj{"name": "Anna"}).want(200)
	w.get(path).hasAll("data", obj{"lead": w.ann, "team": list{w.ann, w.bob}})
	w.delete("/agents/Anna").want(204)
	w.get(path).hasAll("data", obj{"lead": nil, "team": list{w.bob}, "revision": 2})
	w.patch(path, obj{"description": "x"}).want(200).hasAll("data", obj{"lead": nil, "team": list{w.bob}})
}

// A project goes forward, and once it has ended it stays. All moves are in domain/project.
func projectStatus(t *testing.T, s *Service) {
	c := s.admin(t)
	path := "/projects/" + c.start("P")
	for _, next := range []string{"active", "on_hold", "active", "completed", "completed"} {
		c.patch(path, obj{"status": next}).want(200).has("data.status", next)
	}
	c.patch(path, obj{"status": "active"}).refused(409, 4000, "status: a project cannot go from completed to active")
	c.get(path).has("data.status", "completed")
	c.post("/projects", obj{}).refused(400, 2001, "name: is required")
}

func deletedProjects(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := "/projects/" + w.project
	w.delete(path).want(204)
	w.delete(path).refused(404, 3000)
	w.get(path).refused(404, 3000)
	w.patch(path, obj{}).refused(404, 3000)
	w.counts("/projects", 0)
}

func missingProjects(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, id := range []string{"proj-000000000000", "proj-", "x", nobody, "proj-00000000000g", "PROJ-000000000000", strings.ToUpper(w.project), "Alpha", w.project + "0"} {
		w.get("/projects/"+id).refused(404, 3000)
		w.patch("/projects/"+id, obj{}).refused(404, 3000)
		w.delete("/projects/"+id).refused(404, 3000)
	}
}
