package apitest

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// within is how long something may take that the interface does not promise to
// be visible at once.
const within = 30 * time.Second

// eventually calls done until it reports true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen within %v", what, within)
		}
	}
}

// soon reads a path until a value in the answer is what is wanted. Feeds of all
// agents, and figures, may take a second to show what was stored.
func (c *client) soon(path, at string, want any) *reply {
	c.t.Helper()
	var r *reply
	want = asJSON(c.t, want)
	eventually(c.t, fmt.Sprintf("%s = %v in %s", at, want, path), func() bool {
		r = c.get(path).want(200)
		got, err := r.find(at)
		return err == nil && cmp.Equal(got, want)
	})
	return r
}

// agentPath is the path of an agent, by name or id.
func agentPath(nameOrID string) string { return "/agents/" + url.PathEscape(nameOrID) }

func departmentPath(name string) string { return "/departments/" + url.PathEscape(name) }

// found creates departments.
func (c *client) found(names ...string) {
	c.t.Helper()
	for _, n := range names {
		c.post("/departments", obj{"name": n}).want(201)
	}
}

// hire creates an agent and returns its id. fields are added to those that an
// agent needs.
func (c *client) hire(name, department string, fields ...obj) string {
	c.t.Helper()
	return c.hired(name, department, fields...).text("data.id")
}

func (c *client) hired(name, department string, fields ...obj) *reply {
	c.t.Helper()
	return c.post("/agents", agentBody(name, department, fields...)).want(201)
}

func agentBody(name, department string, fields ...obj) obj {
	body := obj{"name": name, "role": "Worker", "department": department}
	for _, f := range fields {
		for k, v := range f {
			body[k] = v
		}
	}
	return body
}

// start creates a project and returns its id.
func (c *client) start(name string) string {
	c.t.Helper()
	return c.post("/projects", obj{"name": name}).want(201).text("data.id")
}

// world is a small organization that many checks begin with.
type world struct {
	*client        // an admin
	ann, bob, carl string
	project        string
	// A webhook and a delivery to it, once hook has made them.
	webhook, delivery string
}

// newWorld makes two departments, Design with Ann and Bob and Sales with Carl,
// and a project. Ann has two versions.
func newWorld(t *testing.T, s *Service) world {
	t.Helper()
	c := s.admin(t)
	c.found("Design", "Sales")
	w := world{client: c, ann: c.hire("Ann", "Design"), bob: c.hire("Bob", "Design"), carl: c.hire("Carl", "Sales")}
	c.patch(agentPath(w.ann), obj{"description": "Designs"}).want(200)
	w.project = c.start("Alpha")
	return w
}

// people returns a person of each role.
func (w world) people() []Grant {
	return []Grant{
		{Subject: "vi", Role: "viewer"}, {Subject: w.ann, Role: "agent"}, {Subject: "ray", Role: "reporter"},
		{Subject: "dora", Role: "department_admin", Departments: []string{"Design"}}, {Subject: "ed", Role: "editor"}, {Subject: "ada", Role: "admin"},
	}
}

// hires waits until the feed shows the events of the three hires, two each, and
// returns their ids. A replica may put them into streams a little later.
func (w world) hires() (ids []string) {
	w.t.Helper()
	for _, e := range w.soon("/activities", "data.5.event_type", "hired").items("data") {
		ids = append(ids, e.(obj)["id"].(string))
	}
	return ids
}

// nowhere is the URL of an endpoint where nobody listens.
const nowhere = "http://127.0.0.1:9/hook"

// hook makes a webhook that wants hardly anything, with one delivery, which has
// failed.
func (w *world) hook() {
	w.t.Helper()
	w.webhook, w.delivery = w.hooked(nowhere, obj{"event_types": list{"fired"}})
	w.soon("/webhooks/"+w.webhook+"/deliveries", "data.0.status", "failed")
}

// hooked makes a webhook with one delivery.
func (c *client) hooked(url string, fields obj) (webhook, delivery string) {
	c.t.Helper()
	webhook = c.post("/webhooks", with(fields, "url", url)).want(201).text("data.id")
	return webhook, c.post("/webhooks/"+webhook+"/test", nil).want(201).text("data.id")
}

// counts reports a list that has not n rows.
func (c *client) counts(path string, n int) {
	c.t.Helper()
	if got := len(c.get(path).want(200).items("data")); got != n {
		c.t.Errorf("%s has %d rows, want %d", path, got, n)
	}
}

// report stores events and returns the answer.
func (c *client) report(events ...obj) *reply {
	c.t.Helper()
	return c.post("/activities", obj{"events": events})
}

// task is a reported event of a finished task.
func task(agent string, n int, data obj) obj {
	all := obj{"task_id": "t" + strconv.Itoa(n), "success": true}
	for k, v := range data {
		all[k] = v
	}
	return obj{"event_type": "task_completed", "agent": agent, "data": all}
}

// numbered returns base with the numbers 1 to n behind it.
func numbered(base string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, base+strconv.Itoa(i+1))
	}
	return all
}

// anys is a slice as JSON arrays have it.
func anys[T any](values []T) []any {
	all := []any{}
	for _, v := range values {
		all = append(all, v)
	}
	return all
}
