package apitest

import (
	"fmt"
	"strings"
	"testing"
)

func labelChecks() map[string]check {
	return map[string]check{
		"Moves":     labelMoves,
		"Names":     labelNames,
		"Protected": protectedLabels,
		"Resolve":   resolvedLabels,
		"Agents":    agentsOfLabels,
		"Lifetime":  labelsEnd,
		"Parallel":  parallelMoves,
		"Documents": labelsInDocuments,
	}
}

func labelPath(agent, label string) string { return agentPath(agent) + "/labels/" + label }

// A label is set, moved, fixed and removed, and its history tells all of it.
func labelMoves(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := labelPath(w.ann, "production")
	w.get(path).refused(404, 3001)
	w.delete(path).refused(404, 3001)
	w.get(path+"/history").refused(404, 3001)
	before := w.get(agentPath(w.ann)).number("data.revision")
	w.put(path, obj{"version": 1, "reason": "first"}).want(201).hasAll("data",
		obj{"label": "production", "version": 1, "fixed": false, "protected": false, "set_by": "admin", "reason": "first"})
	w.put(path, obj{"version": 2}).want(200).hasAll("data", obj{"version": 2, "reason": nil})
	w.put(path, obj{"version": 2, "reason": "again"}).want(200).hasAll("data", obj{"version": 2, "reason": nil})
	w.get(agentPath(w.ann)).hasAll("data", obj{"revision": before + 2, "version": 2})
	w.put(path, obj{"version": 99}).refused(404, 3001, "has no version 99: it has 2 versions")
	w.put(labelPath("nobody", "production"), obj{"version": 1}).refused(404, 3000)
	for _, bad := range []any{obj{}, obj{"version": 0}, obj{"version": "1"}, obj{"version": 1, "fixed": "true"}, obj{"version": 1, "x": 1}, obj{"version": 1, "reason": ""}} {
		w.put(path, bad).refused(400, 2001)
	}
	w.get(agentPath(w.ann)+"/labels").hasAll("data", obj{"0.label": "latest", "0.version": 2, "1.label": "production", "1.version": 2})

	w.put(path, obj{"version": 2, "fixed": nil, "reason": nil}).want(200).has("data.fixed", false)
	w.put(path, obj{"version": 2, "fixed": true}).want(200).has("data.fixed", true)
	w.put(path, obj{"version": 1}).refused(409, 4000, "is fixed: it names version 2 for ever")
	w.put(path, obj{"version": 2, "fixed": false}).refused(409, 4000, "fixed")
	w.delete(path).refused(409, 4000, "is fixed: it cannot be removed")
	w.put(labelPath(w.ann, "canary"), obj{"version": 1}).want(201)
	w.delete(labelPath(w.ann, "canary")).want(204)
	w.get(labelPath(w.ann, "canary")+"/history").hasAll("data",
		obj{"0.version": nil, "0.from_version": 1, "0.way": "direct", "1.version": 1, "1.from_version": nil})
	w.get("/changes?agent_id="+w.ann+"&action=agent.label_removed").hasAll("data.0",
		obj{"label": "canary", "from_version": 1, "to_version": nil, "way": "direct"})

	w.delete(agentPath(w.ann)).want(204)
	w.get(path).refused(404, 3000)
	w.get(path+"/history").hasAll("data", obj{"0.version": nil, "0.from_version": 2})
}

// Names are words of small letters; latest is computed, and there is a bound.
func labelNames(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, bad := range []string{"Latest", "a%2Fb", "a" + strings.Repeat("x", 63), "1a", "%C3%A9", "a%20b"} {
		w.put(labelPath(w.ann, bad), obj{"version": 1}).refused(400, 2001)
		w.get(labelPath(w.ann, bad)).refused(400, 2001)
		w.get("/labels/"+bad+"/agents").refused(400, 2001)
	}
	w.put(labelPath(w.ann, "Latest"), obj{"version": 1}).refused(400, 2001, "must be the name of a label")
	w.put(labelPath(w.ann, "latest"), obj{"version": 1}).refused(400, 2001, "must not be latest: that always names the newest version")
	w.delete(labelPath(w.ann, "latest")).refused(400, 2001, "latest")
	w.get(labelPath(w.ann, "latest")).want(200).has("data.version", 2)
	for i := range 16 {
		w.put(labelPath(w.ann, fmt.Sprint("l", i)), obj{"version": 1}).want(201)
	}
	w.put(labelPath(w.ann, "l16"), obj{"version": 1}).refused(400, 2000, "16")
	w.put(labelPath(w.ann, "l15"), obj{"version": 2}).want(200)
}

// A protected label is moved by whoever manages the department, and back by others.
func protectedLabels(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch(departmentPath("Design"), obj{"policies": obj{"protected_labels": list{"production"}}}).want(200)
	for _, bad := range []list{{"Production"}, {"latest"}, {"a", "a"}, {1}} {
		w.patch(departmentPath("Design"), obj{"policies": obj{"protected_labels": bad}}).refused(400, 2001)
	}
	path := labelPath(w.ann, "production")
	editor, viewer := s.as(t, "editor"), s.as(t, "viewer")
	own, other := s.as(t, "department_admin", "Design"), s.as(t, "department_admin", "Sales")
	editor.put(path, obj{"version": 1, "reason": "x"}).refused(403, 1001, "department_admin", "before")
	viewer.put(path, obj{"version": 1}).refused(403, 1001)
	other.put(path, obj{"version": 1}).refused(403, 1001)
	own.put(path, obj{"version": 1}).want(201).has("data.protected", true)
	editor.delete(path).refused(403, 1001)
	editor.put(path, obj{"version": 2, "reason": "x"}).refused(403, 1001)
	w.put(path, obj{"version": 2}).want(200)
	editor.put(path, obj{"version": 1}).refused(403, 1001, "say why in reason")
	editor.put(path, obj{"version": 1, "reason": "worse"}).want(200)
	w.get(path+"/history").hasAll("data.0", obj{"version": 1, "from_version": 2, "by": "editor", "way": "return", "reason": "worse"})
	w.get("/changes?agent_id="+w.ann).hasAll("data.0", obj{"label": "production", "way": "return"})
	editor.put(path, obj{"version": 2, "reason": "better"}).refused(403, 1001, "was not taken back since")
	w.put(path, obj{"version": 2}).want(200)
	w.put(path, obj{"version": 1}).want(200)
	editor.put(path, obj{"version": 2, "reason": "better"}).refused(403, 1001)
	editor.put(labelPath(w.ann, "canary"), obj{"version": 2}).want(201)
	editor.patch(agentPath(w.ann), obj{"department": "Sales"}).want(200)
	editor.put(path, obj{"version": 3}).want(200).has("data.protected", false)
}

// A runtime asks for what a label names, and is told only what is new.
func resolvedLabels(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := labelPath(w.ann, "production")
	w.put(path, obj{"version": 1}).want(201)
	r := w.get(path).want(200)
	r.hasAll("data", obj{"agent_id": w.ann, "department": "Design", "status": "active", "label": "production", "version": 1})
	v := w.get(agentPath(w.ann) + "/versions/1")
	r.has("data.snapshot", v.at("data.snapshot"))
	r.has("data.content_hash", v.at("data.content_hash"))
	w.patch(agentPath(w.ann), obj{"role": "Unfinished"}).want(200)
	w.with("If-None-Match", r.etag()).get(path).want(304)
	w.put(path, obj{"version": 2}).want(200)
	next := w.with("If-None-Match", r.etag()).get(path).want(200)
	w.patch(agentPath(w.ann), obj{"status": "on_leave"}).want(200)
	w.with("If-None-Match", next.etag()).get(path).want(200).has("data.status", "on_leave")
	w.get(labelPath("nobody", "production")).refused(404, 3000)
	w.get(labelPath(w.ann, "nothing")).refused(404, 3001)
}

// All agents of a label come in the organization's order, under one tag.
func agentsOfLabels(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.get("/labels/production/agents").want(200).has("data", list{})
	w.put(labelPath(w.ann, "production"), obj{"version": 1}).want(201)
	r := w.get("/labels/production/agents?department=Design&status=active").want(200)
	r.hasAll("data.0", obj{"agent_id": w.ann, "version": 1})
	w.with("If-None-Match", r.etag()).get("/labels/production/agents?department=Design&status=active").want(304)
	w.get("/labels/production/agents?status=x").refused(400, 2001)
	w.get("/labels/production/agents?owner=eve&tag=a").want(200).has("data", list{})
	w.patch(agentPath(w.ann), obj{"owner": "eve", "tags": list{"b", "a"}}).want(200)
	w.get("/labels/production/agents?owner=eve&tag=a&tag=b").want(200).has("data.0.agent_id", w.ann)
}

// A rollback leaves labels; a deletion ends them, also for another agent of the name.
func labelsEnd(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := labelPath("Ann", "production")
	w.put(path, obj{"version": 1}).want(201)
	w.post(agentPath(w.ann)+"/versions/rollback", obj{"target_version": 1}).want(200)
	w.patch(agentPath(w.ann), obj{"department": "Sales", "tier": "large"}).want(200)
	old := w.get(path).hasAll("data", obj{"version": 1, "department": "Sales"})
	w.delete("/agents/Ann").want(204)
	next := w.hire("Ann", "Design")
	w.with("If-None-Match", old.etag()).get(path).refused(404, 3001)
	if all := w.get("/agents/Ann/labels").column("data", "label"); len(all) != 1 {
		t.Errorf("another agent of the name has the labels %v, want latest only", all)
	}
	w.get("/labels/production/agents").has("data", list{})
	w.get(path+"/history").refused(404, 3001)
	w.put(path, obj{"version": 1}).want(201)
	w.with("If-None-Match", old.etag()).get(path).want(200).has("data.agent_id", next)
	w.get(labelPath(w.ann, "production")+"/history").hasAll("data", obj{"0.version": nil, "0.from_version": 1, "1.version": 1})
}

// Of many who move a label at once, under one tag one succeeds; without a condition all do,
// and each begins where another has ended.
func parallelMoves(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path, writers := labelPath(w.ann, "production"), 16
	for i := range writers {
		w.patch(agentPath(w.ann), obj{"role": fmt.Sprint("R", i)}).want(200)
	}
	at := func(c *client) map[int]int {
		done := make(chan int, writers)
		for i := range writers {
			go func() {
				status, _ := c.put(path, obj{"version": i + 1}).codes()
				done <- status
			}()
		}
		statuses := map[int]int{}
		for range writers {
			statuses[<-done]++
		}
		return statuses
	}
	before := w.get(agentPath(w.ann))
	if got := at(w.with("If-Match", before.etag())); got[201] != 1 || got[409] != writers-1 {
		t.Errorf("%d moves under one tag: %v, want one 201, and 409", writers, got)
	}
	if got := at(w.client); got[200] != writers {
		t.Errorf("%d moves without a condition: %v, want 200", writers, got)
	}
	moves := w.get(path + "/history?limit=200").items("data")
	w.get(agentPath(w.ann)).has("data.revision", before.number("data.revision")+len(moves))
	if n := len(w.get("/changes?limit=200&action=agent.label_set").items("data")); n != len(moves) {
		t.Errorf("the change log has %d moves, the history %d", n, len(moves))
	}
	for i, m := range moves[:len(moves)-1] {
		if from, last := m.(obj)["from_version"], moves[i+1].(obj)["version"]; from != last {
			t.Errorf("move %d begins with version %v, the one before ends with %v", i, from, last)
		}
	}
	w.get(path).has("data.version", moves[0].(obj)["version"])
}

// What a department protects is in the document of the organization, and is changed by it.
func labelsInDocuments(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.put(labelPath(w.ann, "canary"), obj{"version": 1}).want(201)
	of := func(labels ...any) obj {
		return obj{"format": 1, "departments": list{obj{"name": "Design", "policies": obj{"protected_labels": labels}}, obj{"name": "Sales"}}}
	}
	w.apply(of("production", "canary")).want(200)
	w.get("/departments/Design").has("data.policies.protected_labels", list{"production", "canary"})
	w.get(labelPath(w.ann, "canary")).want(200)
	w.get(agentPath(w.ann)+"/labels").hasAll("data.0", obj{"label": "canary", "protected": true})
	s.as(t, "editor").put(labelPath(w.ann, "canary"), obj{"version": 2, "reason": "x"}).refused(403, 1001)
	doc := w.get("/organization").want(200).at("data")
	w.plan(doc).want(200).has("data.changes", list{})
	w.apply(of()).want(200)
	w.get("/departments/Design").has("data.policies.protected_labels", list{})
	w.apply(doc).want(200)
	w.get("/departments/Design").has("data.policies.protected_labels", list{"production", "canary"})
	w.post("/organization/plan", of("Production")).refused(400, 2001, "protected_labels")
	w.get(labelPath(w.ann, "canary")).has("data.version", 1)
}
