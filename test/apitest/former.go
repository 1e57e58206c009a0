package apitest

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A deleted agent is in the list of deleted ones, and comes back as itself.
func restoredAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.get("/agents?deleted=true").want(200).has("data", list{})
	w.patch("/departments/Design", obj{"head": "Ann"}).want(200)
	w.put(labelPath(w.ann, "production"), obj{"version": 2}).want(201)
	w.report(task("Ann", 1, nil)).want(201)
	before := w.get(agentPath(w.ann)).want(200)
	order := w.get("/agents?view=summary").column("data", "id")
	editor := s.as(t, "editor")
	editor.delete(agentPath(w.ann)).want(204)
	r := w.get("/agents?deleted=true").want(200)
	r.hasAll("data.0", obj{"id": w.ann, "name": "Ann", "department": "Design", "deleted_by": "editor"})
	r.has("data.0.deleted_at", w.get(agentPath(w.ann)+"/history").at("data.2.timestamp"))
	w.get("/departments/Design").has("data.head", nil)

	key := w.with("Idempotency-Key", "restore-ann").with("Change-Reason", "by mistake")
	r = key.post(agentPath(w.ann)+"/restore", obj{}).want(200)
	r.hasAll("data", obj{"id": w.ann, "name": "Ann", "department": "Design", "version": 3, "revision": before.number("data.revision") + 2,
		"hiring_date": before.at("data.hiring_date"), "created_at": before.at("data.created_at")})
	if again := key.post(agentPath(w.ann)+"/restore", obj{}).want(200); again.etag() != r.etag() {
		t.Errorf("the repeated request is answered with the tag %s, want %s", again.etag(), r.etag())
	}
	w.get(agentPath(w.ann)).has("data", r.at("data"))
	w.get(agentPath(w.ann)+"/versions/3").hasAll("data", obj{"restored_from": 2, "reason": "by mistake", "saved_by": "admin"})
	h := w.get(agentPath(w.ann) + "/history").want(200)
	h.hasAll("data.3", obj{"event_type": "hired", "description": "rehired as Worker in Design", "metadata": obj{"version": "3"}})
	w.soon("/agents/Ann/performance", "data.tasks_completed_total", 1)
	w.get("/departments/Design").has("data.head", "Ann")
	if got := w.get("/agents?view=summary").column("data", "id"); fmt.Sprint(got) != fmt.Sprint(order) {
		t.Errorf("the order is %v, want %v", got, order)
	}
	w.get(labelPath(w.ann, "production")).refused(404, 3001)
	w.get(labelPath(w.ann, "production")+"/history").has("data.0.version", nil)
	w.get("/agents?deleted=true").has("data", list{})
	w.counts("/agents", 3)
}

// What keeps an agent from coming back is named.
func refusedRestores(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann) + "/restore"
	w.post(path, obj{}).refused(409, 4000, "Ann", "not deleted")
	w.post("/agents/Ann/restore", obj{}).refused(409, 4000, "not deleted")
	w.post(agentPath(nobody)+"/restore", obj{}).refused(404, 3000)
	w.post("/agents/Nobody/restore", obj{}).refused(404, 3000)
	tag := w.get(agentPath(w.ann)).etag()
	w.delete(agentPath(w.ann)).want(204)
	w.post("/agents/Ann/restore", obj{}).refused(404, 3000)
	for _, body := range []any{obj{"name": ""}, obj{"name": 1}, obj{"name": "x/restore"}, obj{"department": list{}}, obj{"id": w.ann}, list{}, nil} {
		w.post(path, body).refused(400, 2001)
	}
	w.hire("ANN", "Sales")
	w.post(path, obj{}).refused(409, 4000, "ANN")
	w.post(path, obj{"name": "bob"}).refused(409, 4000, "Bob")
	w.post(path, obj{"name": "Anna", "department": "Nowhere"}).refused(409, 4000, "Nowhere")
	for _, id := range w.get("/agents?department=Design").column("data", "id") {
		w.patch(agentPath(id.(string)), obj{"department": "Sales"}).want(200)
	}
	w.delete("/departments/Design").want(204)
	w.post(path, obj{"name": "Anna"}).refused(409, 4000, "Design")
	w.with("If-Match", `"other.1"`).post(path, obj{"name": "Anna", "department": "sales"}).refused(409, 4002)
	w.with("If-Match", tag).post(path, obj{"name": "Anna", "department": "sales"}).want(200).hasAll("data", obj{"name": "Anna", "department": "Sales"})
	w.post(path, obj{}).refused(409, 4000, "Anna")
	w.get("/departments/Sales/health").has("data.agent_count", len(w.get("/agents?department=Sales").items("data")))
}

// Of many who restore an agent at once one does.
func restoredAtOnce(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.delete(agentPath(w.ann)).want(204)
	var mu sync.Mutex
	var wg sync.WaitGroup
	statuses := map[int]int{}
	for range 8 {
		wg.Go(func() {
			r := w.post(agentPath(w.ann)+"/restore", obj{})
			mu.Lock()
			defer mu.Unlock()
			status, _ := r.codes()
			statuses[status]++
		})
	}
	wg.Wait()
	if statuses[200] != 1 || statuses[409] != 7 {
		t.Errorf("the statuses are %v, want one 200 and seven 409", statuses)
	}
	w.get(agentPath(w.ann)).has("data.version", 3)
}

// The list of deleted agents is read in pages, the last one first.
func deletedPages(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("Design")
	var want []any
	for i := range 5 {
		id := c.hire(fmt.Sprint("Agent ", i), "Design")
		c.delete(agentPath(id)).want(204)
		want = append([]any{id}, want...)
	}
	var got []any
	for path := "/agents?deleted=true&limit=2"; path != ""; {
		r := c.get(path).want(200)
		got = append(got, r.column("data", "id")...)
		if path = ""; r.at("pagination.has_more") == true {
			path = "/agents?deleted=true&limit=2&cursor=" + url.QueryEscape(r.text("pagination.next_cursor"))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the pages have %v, want %v", got, want)
	}
	for _, query := range []string{"deleted=yes", "deleted=", "deleted=true&deleted=true", "deleted=true&status=active", "deleted=true&q=a",
		"deleted=true&department=Design", "deleted=true&level=mid", "deleted=true&owner=ann", "deleted=true&tag=a", "deleted=true&view=summary"} {
		c.get("/agents?"+query).refused(400, 2001)
	}
	cursor := url.QueryEscape(c.get("/agents?deleted=true&limit=2").text("pagination.next_cursor"))
	c.get("/agents?cursor="+cursor).refused(400, 2001)
	c.get("/agents?deleted=false").has("data", list{})
	s.as(t, "viewer").counts("/agents?deleted=true", 5)
}

// Who may hire into a department may restore into it, and only admins purge.
func restorePermissions(t *testing.T, s *Service) {
	w := newWorld(t, s)
	design, sales := s.as(t, "department_admin", "Design"), s.as(t, "department_admin", "Sales")
	w.delete(agentPath(w.ann)).want(204)
	path := agentPath(w.ann) + "/restore"
	sales.post(path, obj{}).refused(403, 1001)
	design.post(path, obj{"department": "Sales"}).refused(403, 1001)
	sales.post(agentPath(nobody)+"/restore", obj{}).refused(404, 3000)
	sales.post(path, obj{"department": "sales"}).want(200).has("data.department", "Sales")
	for _, c := range []*client{design, sales, s.as(t, "editor"), s.as(t, "viewer")} {
		c.delete(agentPath(w.ann)+"?purge=true").refused(403, 1001)
	}
	w.get(agentPath(w.ann)).want(200)
}

// What was purged is gone for good, while streams read it.
func purgedAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann)
	const secret = "the words of nobody"
	w.patch(path, obj{"description": secret}).want(200)
	w.with("Change-Reason", "reason").put(labelPath(w.ann, "production"), obj{"version": 1}).want(201)
	w.report(task("Ann", 1, obj{"cost": 1}), obj{"event_type": "cost_incurred", "agent": "Ann", "data": obj{"amount": 3}}).want(201)
	w.soon("/departments/Design/health", "data.department_cost_7d", 3)
	stream := w.follow("/activities/stream", "")
	w.delete(path+"?purge=true").refused(409, 4000, "Ann", "not deleted")
	w.delete("/agents/Nobody?purge=true").refused(404, 3000)
	for _, query := range []string{"purge=", "purge=yes", "purge=true&purge=true"} {
		w.delete(path+"?"+query).refused(400, 2001)
	}
	w.delete(path + "?purge=false").want(204)
	w.delete(path).refused(404, 3000)
	w.with("If-Match", `"other.1"`).delete(path+"?purge=true").refused(409, 4002)
	w.with("Change-Reason", "the law").delete(path + "?purge=true").want(204)
	for _, below := range []string{"/versions", "/versions/1", "/history", "/activity", "/labels/production/history", "/health"} {
		w.get(path+below).refused(404, 3000)
	}
	w.delete(path+"?purge=true").refused(404, 3000)
	w.post(path+"/restore", obj{}).refused(404, 3000)
	w.get("/agents?deleted=true").has("data", list{})
	w.get("/activities?agent_id="+w.ann).has("data", list{})
	if all := string(w.get("/activities?limit=200").body); strings.Contains(all, w.ann) {
		t.Errorf("the feed has events of the agent: %s", all)
	}
	w.get("/departments/Design/health").has("data.department_cost_7d", 3)
	r := w.get("/changes?agent_id=" + w.ann).want(200)
	r.hasAll("data.0", obj{"action": "agent.purged", "reason": "the law", "from_version": 3, "to_version": nil, "from_revision": nil, "to_revision": nil})
	if strings.Contains(string(r.body), secret) {
		t.Errorf("the change log has the agent's texts: %s", r.body)
	}
	hiring := obj{"name": "Zoe \"Z\"", "role": "r", "department": "Design", "description": secret}
	keyed := w.key("hires-Zoe")
	zoe := agentPath(keyed.post("/agents", hiring).want(201).text("data.id"))
	keyed.post("/agents", hiring).want(201)
	w.delete(zoe).want(204)
	keyed.post("/agents", hiring).want(201) // as long as she can come back
	w.delete(zoe + "?purge=true").want(204)
	keyed.post("/agents", hiring).refused(409, 4000, "is not kept")

	id := w.hire("Ann", "Design") // the stream goes on
	for {
		if e := stream.events(1)[0]; e["agent_id"] == id {
			break
		}
	}
}
