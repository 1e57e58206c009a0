package apitest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// R22: however hires, moves, deletions and reorders meet, each order holds
// exactly what it orders, and each agent is in a department that exists.
func parallelOrders(t *testing.T, s *Service) {
	c := s.admin(t)
	departments := numbered("D", 5)
	c.found(departments...)
	for i, name := range numbered("First ", 15) {
		c.hire(name, departments[i%len(departments)])
	}
	const round = 50
	total := size(250, 5000)
	seed := random(t).Uint64()
	done := map[string]int{}
	for n := 0; n < total && !t.Failed(); n += round {
		moves := make([][]string, workers)
		inParallel(func(worker int) {
			r := reorganizer{client: c, mutator: mutator{rand.New(rand.NewPCG(seed, uint64(n+worker)))}, departments: departments}
			for i := worker; i < round; i += workers {
				moves[worker] = append(moves[worker], r.move(fmt.Sprint("Agent ", n+i)))
			}
		})
		for _, m := range slices.Concat(moves...) {
			done[m]++
		}
		c.inOrder()
	}
	t.Logf("R22: %d changes at once, from %d clients: %v", total, workers, done)
}

// reorganizer changes an organization that others change too.
type reorganizer struct {
	*client
	mutator
	departments []string
}

// move makes one change, and says which and what was answered. What another has
// changed meanwhile may forbid it.
func (r reorganizer) move(name string) string {
	d, path := pick(r.mutator, r.departments), ""
	switch kind := r.IntN(20); {
	case kind < 4 && !r.crowded():
		return r.allowed("hire", r.post("/agents", agentBody(name, d)), 201, 400)
	case kind < 7:
		if path = r.someone(); path != "" {
			return r.allowed("delete", r.delete(path), 204, 404)
		}
	case kind < 11:
		if path = r.someone(); path != "" {
			return r.allowed("move", r.patch(path, obj{"department": d}), 200, 400, 404)
		}
	case kind < 16:
		return r.allowed("order", r.post(departmentPath(d)+"/reorder-agents", obj{"agent_names": r.shuffled("/agents?limit=200&department="+d, "id")}), 201, 400, 404)
	case kind < 18:
		return r.allowed("order departments", r.post("/company/reorder-departments", obj{"department_names": r.shuffled("/company/departments", "name")}), 200, 400)
	case kind < 19:
		return r.allowed("dissolve", r.delete(departmentPath(d)), 204, 400, 404)
	}
	return r.allowed("found", r.post("/departments", obj{"name": d}), 201, 409)
}

func (r reorganizer) allowed(what string, got *reply, statuses ...int) string {
	if status, code := got.codes(); !slices.Contains(statuses, status) || status == 400 && code != 2000 {
		r.t.Errorf("%s = %d %s, want one of %v", got.what, got.status, clip(got.body), statuses)
	}
	return fmt.Sprint(what, " ", got.status)
}

// shuffled is what a list has, in an order of chance.
func (r reorganizer) shuffled(path, field string) list {
	all := r.get(path).column("data", field)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// crowded reports whether there are so many agents that nobody more is hired: all
// of them are to be on one page.
func (r reorganizer) crowded() bool {
	return len(r.get("/agents?limit=200").column("data", "id")) >= 100
}

// someone is the path of an agent of chance, "" if there is none.
func (r reorganizer) someone() string {
	ids := r.get("/agents?limit=200").column("data", "id")
	if len(ids) == 0 {
		return ""
	}
	return agentPath(pick(r.mutator, ids).(string))
}

// inOrder checks all orders while nothing changes them.
func (c *client) inOrder() {
	c.t.Helper()
	company := c.get("/company/departments").want(200).column("data", "name")
	unique := map[any]bool{}
	for _, d := range company {
		unique[d] = true
	}
	if len(unique) != len(company) || !cmp.Equal(c.get("/departments?limit=200").column("data", "name"), company) {
		c.t.Errorf("the departments are %v, as a list %v", company, c.get("/departments?limit=200").column("data", "name"))
	}
	byDepartment := map[any]list{}
	seen := map[any]bool{}
	for _, a := range c.get("/agents?limit=200").want(200).has("pagination.has_more", false).items("data") {
		id, d := a.(obj)["id"], a.(obj)["department"]
		if seen[id] || !unique[d] {
			c.t.Errorf("agent %v of department %v comes twice, or the department does not exist: %v", id, d, company)
		}
		seen[id] = true
		byDepartment[d] = append(byDepartment[d], id)
	}
	for _, d := range company {
		path := departmentPath(d.(string)) + "/reorder-agents"
		members := c.get("/agents?limit=200&department="+d.(string)).column("data", "id")
		if !cmp.Equal(members, append(list{}, byDepartment[d]...)) {
			c.t.Errorf("%v has %v, and among all agents %v", d, members, byDepartment[d])
		}
		slices.Reverse(members)
		if r := c.post(path, obj{"agent_names": members}); !r.is(201, 0) || !cmp.Equal(r.column("data", "id"), members) {
			c.t.Errorf("%s with %v = %d %s, want this order", r.what, members, r.status, clip(r.body))
		}
	}
}
