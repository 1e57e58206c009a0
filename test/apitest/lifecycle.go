package apitest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every change emits its events, in their order and at one time.
func lifecycleEvents(t *testing.T, s *Service) {
	c := s.admin(t)
	c.found("D", "E")
	type step struct {
		change obj
		events []string
	}
	seen := eventIDs{}
	for status, want := range map[string][]string{
		"active": {"hired", "onboarded"}, "onboarding": {"hired"}, "on_leave": {"hired", "status_changed"}, "terminated": {"hired", "status_changed", "offboarded"},
	} {
		c.hire(status, "D", obj{"status": status})
		seen.emitted(c, status, want...)
	}
	for name, steps := range map[string][]step{
		"leave": {
			{obj{"status": "on_leave"}, []string{"status_changed"}},
			{obj{"status": "active"}, []string{"status_changed"}},
			{obj{"status": "terminated"}, []string{"status_changed", "offboarded"}},
			{obj{"status": "active"}, []string{"hired", "onboarded", "status_changed"}},
			{obj{"status": "terminated", "level": "junior"}, []string{"status_changed", "offboarded", "demoted"}},
			{obj{"status": "onboarding", "level": "vp"}, []string{"hired", "status_changed", "promoted"}},
			{obj{"status": "active", "name": "Left", "department": "E", "level": "lead"}, []string{"onboarded", "status_changed", "demoted"}},
		},
		"levels": {
			{obj{"level": "senior"}, []string{"promoted"}},
			{obj{"level": "senior"}, nil},
			{obj{"level": "c_suite"}, []string{"promoted"}},
			{obj{"level": "junior"}, []string{"demoted"}},
			{obj{"role": "Other"}, nil},
			{obj{"tier": "large"}, nil},
			{obj{"department": "E"}, nil},
			{obj{"name": "Levels 2"}, nil},
		},
	} {
		id := c.hire(name, "D")
		seen.emitted(c, id, "hired", "onboarded")
		for _, st := range steps {
			c.patch(agentPath(id), st.change).want(200)
			seen.emitted(c, id, st.events...)
		}
		c.delete(agentPath(id)).want(204)
		seen.emitted(c, id, "fired")
	}
}

// eventIDs remembers the events that a check has seen.
type eventIDs map[string]bool

// emitted reports an agent that has other new events. The events of one change
// have one time and ascending ids.
func (seen eventIDs) emitted(c *client, agent string, want ...string) {
	c.t.Helper()
	events := c.get(agentPath(agent) + "/activity").want(200).items("data")
	slices.Reverse(events) // the oldest first
	var types, ids, times []string
	for _, item := range events {
		e := item.(obj)
		id := e["id"].(string)
		if seen[id] {
			continue
		}
		seen[id] = true
		types = append(types, e["event_type"].(string))
		ids = append(ids, id)
		times = append(times, e["timestamp"].(string))
	}
	if !cmp.Equal(types, want) {
		c.t.Errorf("%s emitted %v, want %v", agent, types, want)
	}
	for i := range ids {
		if i > 0 && (ids[i] <= ids[i-1] || times[i] != times[0]) {
			c.t.Errorf("%s: events %v at %v, want ascending ids and one time", agent, ids, times)
		}
	}
}

// A status that does not lead to another one is said, and nothing is changed. All moves are
// in domain/agent.
func statusMoves(t *testing.T, s *Service) {
	w := newWorld(t, s)
	r := w.patch("/agents/Bob", obj{"status": "onboarding", "description": "moved"})
	r.refused(409, 4000, "status: an agent cannot go from active to onboarding")
	w.get("/agents/Bob").hasAll("data", obj{"status": "active", "description": "", "revision": 1})
}

// A deleted agent has a past, by its id, and nothing else.
func deletedAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.delete("/agents/Ann").want(204)
	for _, path := range []string{"", "/health", "/performance", "/days"} {
		w.get(agentPath(w.ann)+path).refused(404, 3000)
	}
	w.patch(agentPath(w.ann), obj{}).refused(404, 3000)
	w.delete(agentPath(w.ann)).refused(404, 3000)
	w.post(agentPath(w.ann)+"/versions/rollback", obj{"target_version": 1}).refused(404, 3000)
	w.get(agentPath(w.ann)+"/versions").want(200).has("data.0.version", 2)
	w.get(agentPath(w.ann)+"/versions/1").want(200).has("data.snapshot.name", "Ann")
	w.get(agentPath(w.ann)+"/versions/diff?from_version=1&to_version=2").want(200).has("data.summary", "1 field changed")
	w.get(agentPath(w.ann)+"/history").want(200).has("data.2.event_type", "fired")
	w.get(agentPath(w.ann)+"/activity").want(200).has("data.0.event_type", "fired")
	for _, path := range []string{"", "/versions", "/versions/1", "/history", "/activity", "/health", "/versions/diff?from_version=1&to_version=2"} {
		w.get("/agents/Ann"+path).refused(404, 3000)
	}
	again := w.hire("Ann", "Sales")
	if again == w.ann {
		t.Errorf("the id %s was given twice", again)
	}
	w.get("/agents/Ann/versions").has("data", list{w.get(agentPath(again) + "/versions/1").at("data")})
	w.get(agentPath(w.ann)+"/versions").has("data.0.version", 2)
	w.counts("/agents", 3)
}

// A career tells who did what, from where to where.
func careerEntries(t *testing.T, s *Service) {
	w := newWorld(t, s)
	editor := s.as(t, "editor")
	editor.patch(agentPath(w.ann), obj{"level": "lead", "status": "on_leave"}).want(200)
	w.delete(agentPath(w.ann)).want(204)
	r := w.get(agentPath(w.ann) + "/history").want(200)
	if got := r.column("data", "event_type"); !cmp.Equal(got, anys([]string{"hired", "onboarded", "status_changed", "promoted", "fired"})) {
		t.Fatalf("history = %v", got)
	}
	r.hasAll("data.0", obj{"initiated_by": "admin", "metadata": obj{"version": "1"}, "description": "hired as Worker in Design"})
	r.hasAll("data.1", obj{"initiated_by": "admin", "metadata": obj{"to": "active", "version": "1"}})
	r.hasAll("data.2", obj{"initiated_by": "editor", "metadata": obj{"from": "active", "to": "on_leave", "version": "3"}})
	r.hasAll("data.3", obj{"initiated_by": "editor", "metadata": obj{"from": "mid", "to": "lead", "version": "3"}, "timestamp": r.at("data.2.timestamp")})
	r.hasAll("data.4", obj{"initiated_by": "admin", "metadata": obj{"version": "3"}})
	w.report(task("Bob", 1, nil)).want(201)
	w.get("/agents/Bob/history").has("data.1.event_type", "onboarded")
	if n := len(w.get("/agents/Bob/history").items("data")); n != 2 {
		t.Errorf("Bob's history has %d entries, want 2: reports are no part of it", n)
	}
	w.get(agentPath(w.ann)+"/activity").hasAll("data.0", obj{"event_type": "fired", "related_ids": obj{"actor": "admin", "agent_id": w.ann}, "data": nil, "agent_id": w.ann, "agent_name": "Ann"})
}
