package apitest

import (
	"net/http"
	"strings"
	"testing"
)

func conditionChecks() map[string]check {
	return map[string]check{
		"IfMatch":         ifMatch,
		"IfMatchAny":      ifMatchAny,
		"IfMatchBad":      ifMatchBad,
		"IfMatchMarked":   ifMatchMarked,
		"IfMatchForeign":  ifMatchForeign,
		"IfNoneMatch":     ifNoneMatch,
		"IfNoneMatchPut":  ifNoneMatchPut,
		"ShownNames":      shownNames,
		"MadeAgain":       madeAgain,
		"Missing":         conditionsOnMissing,
		"TagsOfAnswers":   tagsOfAnswers,
		"ParallelWriters": parallelWriters,
	}
}

// guarded is a write and where its tag comes from.
type guarded struct {
	method, path string
	body         any
	tagOf        string
}

// guardedWrites lists every write on something that exists. The agent Dora and
// the department Empty can be deleted.
func (w world) guardedWrites() []guarded {
	return []guarded{
		{"PATCH", "/company", obj{"company_name": "Acme"}, "/company"},
		{"POST", "/company/reorder-departments", obj{"department_names": list{"Sales", "Design", "Empty"}}, "/company"},
		{"PATCH", "/agents/Dora", obj{"description": "x"}, "/agents/Dora"},
		{"POST", "/agents/Dora/versions/rollback", obj{"target_version": 1}, "/agents/Dora"},
		{"POST", "/agents/Dora/versions/rollback?dry_run=true", obj{"target_version": 1}, "/agents/Dora"},
		{"PUT", "/agents/Dora/labels/canary", obj{"version": 1}, "/agents/Dora"},
		{"DELETE", "/agents/Dora/labels/canary", nil, "/agents/Dora"},
		{"PATCH", "/departments/Design", obj{"description": "x"}, "/departments/Design"},
		{"PUT", "/departments/Design/ceremony-policy", obj{"x": 1}, "/departments/Design"},
		{"PUT", "/departments/Design/ceremony-policy", obj{"x": 2}, "/departments/Design/ceremony-policy"},
		{"DELETE", "/departments/Design/ceremony-policy", nil, "/departments/Design"},
		{"POST", "/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Dora", "Ann"}}, "/departments/Design"},
		{"PATCH", "/projects/" + w.project, obj{"name": "Beta"}, "/projects/" + w.project},
		{"PATCH", "/webhooks/" + w.webhook, obj{"event_types": list{"hired"}}, "/webhooks/" + w.webhook},
		{"POST", "/webhooks/" + w.webhook + "/rotate-secret", nil, "/webhooks/" + w.webhook},
		{"POST", "/webhooks/" + w.webhook + "/test", nil, "/webhooks/" + w.webhook},
		{"POST", "/webhooks/" + w.webhook + "/deliveries/" + w.delivery + "/redeliver", nil, "/webhooks/" + w.webhook},
		{"DELETE", "/agents/Dora", nil, "/agents/Dora"},
		{"DELETE", "/departments/Empty", nil, "/departments/Empty"},
		{"DELETE", "/projects/" + w.project, nil, "/projects/" + w.project},
		{"DELETE", "/webhooks/" + w.webhook, nil, "/webhooks/" + w.webhook},
	}
}

func newGuardedWorld(t *testing.T, s *Service) world {
	t.Helper()
	w := newWorld(t, s)
	w.found("Empty")
	w.hire("Dora", "Design")
	w.hook()
	return w
}

// A write under a tag that is not the current one changes nothing; under the
// current one, or any, it is made.
func ifMatch(t *testing.T, s *Service) {
	w := newGuardedWorld(t, s)
	for _, g := range w.guardedWrites() {
		before := w.get(g.tagOf).want(200)
		tag := before.etag()
		id, rest, _ := strings.Cut(strings.Trim(tag, `"`), ".")
		for _, stale := range []string{`"nonsense"`, `"` + id + `"`, `"` + id + `.99"`, `"x.` + rest + `"`, `"*"`} {
			w.with("If-Match", stale).send(g.method, g.path, g.body).refused(409, 4002)
		}
		w.get(g.tagOf).has("data", before.at("data"))
		w.with("If-Match", `"a", W/"b" ,`+tag).send(g.method, g.path, g.body).success()
	}
}

// A star asks for existence only.
func ifMatchAny(t *testing.T, s *Service) {
	w := newGuardedWorld(t, s)
	for _, g := range w.guardedWrites() {
		w.with("If-Match", " * ").send(g.method, g.path, g.body).success()
	}
}

// A tag that a proxy has marked, because it compresses, names the same revision.
func ifMatchMarked(t *testing.T, s *Service) {
	w := newGuardedWorld(t, s)
	for _, g := range w.guardedWrites() {
		tag := w.get(g.tagOf).want(200).etag()
		id, _, _ := strings.Cut(strings.Trim(tag, `"`), ".")
		old := `W/"` + id + `.0-gzip"`
		w.with("If-Match", old).send(g.method, g.path, g.body).refused(409, 4002, "has changed since")
		w.with("If-Match", `"x", `+old+", "+marked(tag)).send(g.method, g.path, g.body).success()
	}
}

// marked is a tag as one such proxy passes it on. All forms are in adapters/httpapi/internal/protocol.
func marked(tag string) string { return "W/" + strings.TrimSuffix(tag, `"`) + `-gzip"` }

// Who sends a tag that names no revision of the resource is not told that somebody has
// changed it.
func ifMatchForeign(t *testing.T, s *Service) {
	w := newGuardedWorld(t, s)
	for _, g := range w.guardedWrites() {
		for _, header := range []string{`W/"x"`, `"", W/"*"`} {
			w.with("If-Match", header).send(g.method, g.path, g.body).refused(409, 4002, "no tag that this service made")
		}
		incarnation, _, _ := strings.Cut(w.get(g.tagOf).want(200).etag(), ":")
		w.with("If-Match", incarnation+":"+nobody+`.1"`).send(g.method, g.path, g.body).refused(409, 4002, "tags of other resources")
	}
}

// A header that cannot be read is never taken for none.
func ifMatchBad(t *testing.T, s *Service) {
	w := newGuardedWorld(t, s)
	for _, g := range w.guardedWrites() {
		before := w.get(g.tagOf).want(200)
		for _, values := range [][]string{{""}, {"nonsense"}, {"*", before.etag()}} {
			w.with("If-Match", values...).send(g.method, g.path, g.body).refused(400, 2001, "If-Match")
		}
		w.get(g.tagOf).has("data", before.at("data"))
	}
}

// What a client has already is not sent again.
func ifNoneMatch(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.put("/departments/Design/ceremony-policy", obj{"x": 1}).want(200)
	w.patch("/departments/Design", obj{"head": "Ann"}).want(200)
	w.put(labelPath(w.ann, "production"), obj{"version": 1}).want(201)
	w.hook()
	for path, change := range map[string]func(){
		"/company":                            func() { w.patch("/company", obj{"company_name": "Acme"}).want(200) },
		"/departments/Design":                 func() { w.patch("/departments/Design", obj{"description": "x"}).want(200) },
		"/departments/Design/ceremony-policy": func() { w.put("/departments/Design/ceremony-policy", obj{"x": 2}).want(200) },
		agentPath(w.ann):                      func() { w.patch(agentPath(w.ann), obj{"role": "Boss"}).want(200) },
		agentPath(w.ann) + "/versions/1":      nil,
		labelPath(w.ann, "production"):        func() { w.put(labelPath(w.ann, "production"), obj{"version": 2}).want(200) },
		"/labels/latest/agents":               func() { w.patch(agentPath(w.bob), obj{"status": "on_leave"}).want(200) },
		"/projects/" + w.project:              func() { w.patch("/projects/"+w.project, obj{"name": "Beta"}).want(200) },
		"/webhooks/" + w.webhook:              func() { w.patch("/webhooks/"+w.webhook, obj{"event_types": list{}}).want(200) },
	} {
		tag := w.get(path).want(200).etag()
		for _, header := range []string{tag, marked(tag), "*", `W/"x",` + tag + `,"y"`} {
			for _, method := range []string{"GET", "HEAD"} {
				r := w.with("If-None-Match", header).send(method, path, nil).want(304)
				if r.etag() != tag {
					t.Errorf("%s: 304 with tag %s, want %s", path, r.etag(), tag)
				}
			}
		}
		for _, header := range []string{`"x"`, "", tag[1:], `"` + nobody + `.1"`} {
			w.with("If-None-Match", header).get(path).want(200)
		}
		w.with("If-Match", `"x"`).get(path).want(200) // reads have no If-Match
		if change != nil {
			change()
			if next := w.with("If-None-Match", tag).get(path).want(200).etag(); next == tag {
				t.Errorf("%s: tag %s after a change", path, next)
			}
		}
	}
	w.with("If-None-Match", "*").patch("/company", obj{"company_name": "Acme"}).want(200) // a condition of reads only
	// Lists and figures have no tag.
	for _, path := range []string{"/agents", "/departments", "/company/departments", "/activities", agentPath(w.ann) + "/health", agentPath(w.ann) + "/labels", "/departments/Design/ceremony-policy/resolved"} {
		if tag := w.with("If-None-Match", "*").get(path).want(200).header.Get("ETag"); tag != "" {
			t.Errorf("%s: ETag = %s, want none", path, tag)
		}
	}
}

// PUT with If-None-Match: * creates only.
func ifNoneMatchPut(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const path = "/departments/Design/ceremony-policy"
	create := w.with("If-None-Match", "*")
	create.put(path, obj{"x": 1}).want(200)
	create.put(path, obj{"x": 1}).refused(409, 4002)
	create.put(path, obj{"x": 2}).refused(409, 4002)
	w.get(path).has("data", obj{"x": 1})
	w.delete(path).want(204)
	tag := w.get("/departments/Design").etag()
	create.with("If-Match", `"stale"`).put(path, obj{}).refused(409, 4002)
	create.with("If-Match", tag).put(path, obj{}).want(200).has("data", obj{})
	create.put("/departments/None/ceremony-policy", obj{}).refused(404, 3000)
	for _, header := range []string{"", `"x"`, "*, *", "nonsense", tag, "W/" + tag} {
		w.with("If-None-Match", header).put(path, obj{}).refused(400, 2001, "If-None-Match")
	}
}

// A tag covers the names that a body shows for those who read, and only the
// resource itself for those who write.
func shownNames(t *testing.T, s *Service) {
	w := newWorld(t, s)
	project := "/projects/" + w.project
	w.patch("/departments/Design", obj{"head": "Carl", "teams": list{obj{"name": "UI", "members": list{"Bob"}}}}).want(200)
	w.patch(project, obj{"lead": "Carl", "team": list{"Bob", "Carl"}}).want(200)
	dept, co, proj := w.get("/departments/Design").etag(), w.get("/company").etag(), w.get(project).etag()
	policy := w.get("/departments/Design/ceremony-policy").etag()

	w.patch(agentPath(w.carl), obj{"name": "Karl"}).want(200)
	w.with("If-None-Match", dept).get("/departments/Design").want(200).hasAll("data", obj{"head": "Karl", "revision": 2})
	w.with("If-None-Match", co).get("/company").want(200).has("data.departments.0.head", "Karl")
	w.with("If-None-Match", proj).get(project).want(304) // shows ids
	w.with("If-None-Match", policy).get("/departments/Design/ceremony-policy").want(304)

	w.with("If-Match", dept).patch("/departments/Design", obj{}).want(200)
	w.with("If-Match", co).patch("/company", obj{}).want(200)

	renamed := w.get("/departments/Design").etag()
	w.delete(agentPath(w.carl)).want(204)
	w.with("If-None-Match", renamed).get("/departments/Design").want(200).hasAll("data", obj{"head": nil, "revision": 2})
	w.with("If-None-Match", proj).get(project).want(200).hasAll("data", obj{"lead": nil, "team": list{w.bob}, "revision": 2})
	w.with("If-Match", proj).patch(project, obj{"name": "Beta"}).want(200)
	w.with("If-Match", dept).patch("/departments/Design", obj{"description": "x"}).want(200)

	// The company shows its departments, but is not changed by them.
	before := w.get("/company")
	w.patch("/departments/Design", obj{"description": "y"}).want(200)
	w.with("If-None-Match", before.etag()).get("/company").want(200).has("data.revision", before.number("data.revision"))
	w.with("If-Match", before.etag()).patch("/company", obj{"company_name": "Acme"}).want(200)
}

// What is deleted and made again is something else.
func madeAgain(t *testing.T, s *Service) {
	w := newGuardedWorld(t, s)
	tag := w.get("/departments/Empty").etag()
	agent := w.get("/agents/Dora").etag()
	w.delete("/departments/Empty").want(204)
	w.delete("/agents/Dora").want(204)
	w.found("Empty")
	w.hire("Dora", "Design")
	for path, old := range map[string]string{"/departments/Empty": tag, "/agents/Dora": agent} {
		w.with("If-Match", old).patch(path, obj{"description": "x"}).refused(409, 4002)
		w.with("If-Match", old).delete(path).refused(409, 4002)
		w.with("If-None-Match", old).get(path).want(200)
	}
	w.with("If-Match", tag).put("/departments/Empty/ceremony-policy", obj{}).refused(409, 4002)
}

// A condition on what does not exist is 404 as without it.
func conditionsOnMissing(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, header := range []string{"*", `"x"`, `W/"x"`} {
		c := w.with("If-Match", header)
		for _, path := range []string{"/agents/nobody", "/departments/none", "/projects/proj-000000000000", "/webhooks/" + nobody} {
			c.patch(path, obj{}).refused(404, 3000)
			c.delete(path).refused(404, 3000)
		}
		c.put("/departments/none/ceremony-policy", obj{}).refused(404, 3000)
		c.delete("/departments/none/ceremony-policy").refused(404, 3000)
		c.post("/departments/none/reorder-agents", obj{"agent_names": list{}}).refused(404, 3000)
		c.post("/agents/nobody/versions/rollback", obj{"target_version": 1}).refused(404, 3000)
		c.put("/agents/nobody/labels/production", obj{"version": 1}).refused(404, 3000)
		c.delete("/agents/nobody/labels/production").refused(404, 3000)
		for _, path := range []string{"/rotate-secret", "/test", "/deliveries/" + nobody + "/redeliver"} {
			c.post("/webhooks/"+nobody+path, nil).refused(404, 3000)
		}
	}
}

// The tag of a write's answer is the one that a read answers.
func tagsOfAnswers(t *testing.T, s *Service) {
	w := newWorld(t, s)
	same := func(r *reply, path string) {
		t.Helper()
		if a, b := r.success().etag(), w.get(path).etag(); a != b {
			t.Errorf("%s answers tag %s, GET %s answers %s", r.what, a, path, b)
		}
	}
	same(w.hired("Dora", "Design"), "/agents/Dora")
	same(w.post(agentPath(w.ann)+"/versions/rollback", obj{"target_version": 1}), agentPath(w.ann))
	same(w.put(labelPath(w.ann, "production"), obj{"version": 1}), agentPath(w.ann))
	same(w.put(labelPath(w.ann, "production"), obj{"version": 2}), agentPath(w.ann))
	same(w.put(labelPath(w.ann, "production"), obj{"version": 2}), agentPath(w.ann))
	same(w.post("/departments", obj{"name": "New", "head": "Ann"}), "/departments/New")
	same(w.patch("/departments/Design", obj{"head": "Ann"}), "/departments/Design")
	same(w.put("/departments/Sales/ceremony-policy", obj{}), "/departments/Sales")
	same(w.post("/departments/Sales/reorder-agents", obj{"agent_names": list{"Carl"}}), "/departments/Sales")
	made := w.post("/projects", obj{"name": "Beta", "lead": "Ann"})
	same(made, "/projects/"+made.text("data.id"))
	hook := w.post("/webhooks", obj{"url": nowhere})
	same(hook, "/webhooks/"+hook.text("data.id"))
	same(w.patch("/webhooks/"+hook.text("data.id"), obj{"event_types": list{"fired"}}), "/webhooks/"+hook.text("data.id"))
	same(w.post("/webhooks/"+hook.text("data.id")+"/rotate-secret", nil), "/webhooks/"+hook.text("data.id"))
	same(w.patch("/company", obj{"company_name": "Acme"}), "/company")
	r := w.post("/company/reorder-departments", obj{"department_names": list{"Sales", "New", "Design"}}).want(200)
	w.with("If-Match", r.etag()).patch("/company", obj{"company_name": "Acme 2"}).want(200)
	if tag := w.post(agentPath(w.ann)+"/versions/rollback?dry_run=true", obj{"target_version": 2}).want(200).header.Get("ETag"); tag != "" {
		t.Errorf("a dry run answers tag %s, want none", tag)
	}
}

// Of many who write under the same tag one succeeds.
func parallelWriters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, path := range []string{"/company", "/departments/Design", agentPath(w.ann), "/projects/" + w.project} {
		field := "description"
		if path == "/company" {
			field = "company_name"
		}
		tag := w.get(path).etag()
		const writers = 16
		done := make(chan [2]int, writers)
		for _, value := range numbered("v", writers) {
			go func() {
				status, code := w.with("If-Match", tag).patch(path, obj{field: value}).codes()
				done <- [2]int{status, code}
			}()
		}
		counts := map[[2]int]int{}
		for range writers {
			counts[<-done]++
		}
		if counts[[2]int{http.StatusOK, 0}] != 1 || counts[[2]int{http.StatusConflict, 4002}] != writers-1 {
			t.Errorf("%s: answers %v, want one 200 and %d × 409/4002", path, counts, writers-1)
		}
	}
}
