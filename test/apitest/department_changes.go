package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The shares of all departments never exceed 100 percent.
func budgetShares(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch("/departments/Design", obj{"budget_percent": 60}).want(200)
	w.patch("/departments/Sales", obj{"budget_percent": 40.0001}).refused(400, 2000, "budget_percent")
	w.patch("/departments/Sales", obj{"budget_percent": 40}).want(200)
	w.post("/departments", obj{"name": "X", "budget_percent": 0.0001}).refused(400, 2000, "budget_percent")
	w.post("/departments", obj{"name": "X"}).want(201)
	w.patch("/departments/Design", obj{"budget_percent": 60, "description": "x"}).want(200)
	w.patch("/departments/Design", obj{"budget_percent": 59.9999}).want(200)
	w.patch("/departments/X", obj{"budget_percent": 0.0001}).want(200)
	w.delete("/departments/X").want(204)
	w.patch("/departments/Design", obj{"budget_percent": 0}).want(200)
	const writers = 8
	done := make(chan int, writers)
	for _, n := range numbered("D", writers) {
		go func() { done <- w.post("/departments", obj{"name": n, "budget_percent": 25}).status }()
	}
	made := 0
	for range writers {
		if <-done == http.StatusCreated {
			made++
		}
	}
	if made != 2 {
		t.Errorf("%d departments share the 60 %% that are left by 25 %%, want 2", made)
	}
}

// A department goes when it is empty.
func deletedDepartments(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch("/departments/Sales", obj{"budget_percent": 100}).want(200)
	w.delete("/departments/Design").refused(400, 2000, "2 agents")
	w.delete("/departments/Sales").refused(400, 2000, "1 agent")
	w.patch("/agents/Carl", obj{"department": "Design"}).want(200)
	revision := w.get("/company").number("data.revision")
	w.delete("/departments/sales").want(204)
	w.get("/company").hasAll("data", obj{"revision": revision + 1, "departments": list{w.get("/departments/Design").at("data")}})
	w.delete("/departments/Sales").refused(404, 3000)
	for _, below := range []string{"", "/health", "/ceremony-policy", "/ceremony-policy/resolved"} {
		w.get("/departments/Sales"+below).refused(404, 3000)
	}
	w.post("/agents", agentBody("X", "Sales")).refused(400, 2000)
	w.patch("/agents/Carl", obj{"department": "Sales"}).refused(400, 2000)
	w.patch("/departments/Design", obj{"budget_percent": 100}).want(200) // its share is free
	w.found("Sales")
	w.get("/departments/Sales").hasAll("data", obj{"revision": 1, "budget_percent": 0})
	w.get("/departments/Sales/health").hasAll("data", obj{"agent_count": 0, "utilization_percent": 0})
}

// No agent is ever left without its department.
func deletionsAndHires(t *testing.T, s *Service) {
	c := s.admin(t)
	for _, d := range numbered("D", 10) {
		c.found(d)
		hired, deleted := make(chan *reply, 2), make(chan *reply, 1)
		go func() { hired <- c.post("/agents", agentBody("a "+d, d)) }()
		go func() { deleted <- c.delete(departmentPath(d)) }()
		go func() { hired <- c.post("/agents", agentBody("b "+d, d)) }()
		gone := (<-deleted).status == 204
		for range 2 {
			r := <-hired
			if gone && !r.is(400, 2000) {
				t.Errorf("hired into a department that is gone: %d %s", r.status, clip(r.body))
			}
			if !gone && r.status != 201 && !r.is(400, 2000) {
				t.Errorf("hire beside a deletion = %d %s", r.status, clip(r.body))
			}
		}
		if !gone {
			c.get(departmentPath(d)).want(200)
			if n := len(c.get("/agents?department=" + d).items("data")); n == 0 {
				t.Errorf("%s was not deleted although it is empty", d)
			}
		}
	}
}

// A reorder takes names and ids, and answers the agents in their new order.
func reorderedAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hire("Dora", "Design")
	const path = "/departments/design/reorder-agents"
	r := w.post(path, obj{"agent_names": list{"DORA", w.ann, "bob"}}).want(201)
	if got := r.column("data", "name"); !cmp.Equal(got, anys([]string{"Dora", "Ann", "Bob"})) {
		t.Errorf("reorder answers %v", got)
	}
	if loc := r.header.Get("Location"); loc != api+"/departments/Design" {
		t.Errorf("Location = %s", loc)
	}
	w.get("/agents?department=Design").has("data", r.at("data"))
	w.get("/departments/Design").has("data.revision", 2)
	w.get("/agents/Ann").hasAll("data", obj{"revision": 2, "version": 2})
	again := w.post(path, obj{"agent_names": list{"Dora", "Ann", "Bob"}}).want(201)
	if again.etag() != r.etag() {
		t.Errorf("the same order again has tag %s, want %s", again.etag(), r.etag())
	}
	w.get("/agents").has("data.2.name", "Carl")
}

// An order that is not exactly that of the department's agents is refused.
func wrongReorders(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const path = "/departments/Design/reorder-agents"
	before := w.get("/agents").at("data")
	w.post(path, obj{"agent_names": list{"Ann"}}).refused(400, 2000, "must name each of the department's 2 agents exactly once, has 1 names")
	for says, all := range map[string][]list{
		"is not an agent of the department": {{"Ann", "Carl"}, {"Ann", "nobody"}, {"Ann", nobody}}, "is named twice": {{"Ann", "ANN"}, {"Ann", w.ann}},
	} {
		for _, names := range all {
			w.post(path, obj{"agent_names": names}).refused(400, 2000, "agent_names[1]: "+says)
		}
	}
	w.post(path, obj{"agent_names": list{"Ann", "Ann"}}).refused(400, 2001)
	for _, bad := range []any{obj{}, obj{"agent_names": nil}, obj{"agent_names": "Ann"}, obj{"agent_names": list{1}}, obj{"agent_names": list{""}}, obj{"agent_names": anys(numbered("a", 10_001))}} {
		w.post(path, bad).refused(400, 2001, "agent_names")
	}
	w.get("/agents").has("data", before)
	w.found("Empty")
	w.post("/departments/Empty/reorder-agents", obj{"agent_names": list{}}).want(201).has("data", list{})
}

func missingDepartments(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, key := range []string{"NoWhere", "%24where", "Desig", "Designs"} {
		shown := fmt.Sprintf("department %q", strings.ReplaceAll(key, "%24", "$"))
		for _, below := range []string{"", "/health", "/ceremony-policy", "/ceremony-policy/resolved"} {
			w.get("/departments/"+key+below).refused(404, 3000, shown)
		}
		w.patch("/departments/"+key, obj{"description": "x"}).refused(404, 3000, shown)
		w.put("/departments/"+key+"/ceremony-policy", obj{}).refused(404, 3000, shown)
		w.delete("/departments/"+key+"/ceremony-policy").refused(404, 3000, shown)
		w.delete("/departments/"+key).refused(404, 3000, shown)
		w.post("/departments/"+key+"/reorder-agents", obj{"agent_names": list{"Ann"}}).refused(404, 3000, shown)
	}
	w.get("/departments/"+nobody).refused(400, 2001) // departments have names only
}

// What raises a department's revision, and what does not.
func departmentRevisions(t *testing.T, s *Service) {
	w := newWorld(t, s)
	revision := 1
	step := func(raises bool, r *reply) {
		t.Helper()
		r.success()
		if raises {
			revision++
		}
		w.get("/departments/Design").has("data.revision", revision)
	}
	const policy = "/departments/Design/ceremony-policy"
	step(true, w.patch("/departments/Design", obj{"description": "x"}))
	step(false, w.patch("/departments/Design", obj{"description": "x"}))
	step(true, w.put(policy, obj{"a": 1}))
	step(false, w.put(policy, obj{"a": 1.0}))
	step(true, w.put(policy, obj{}))
	step(true, w.delete(policy))
	step(false, w.delete(policy))
	step(true, w.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann"}}))
	step(false, w.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann"}}))
	step(false, w.hired("Dora", "Design"))
	step(false, w.post("/company/reorder-departments", obj{"department_names": list{"Sales", "Design"}}))
	step(false, w.post("/departments", obj{"name": "New"}))
}
