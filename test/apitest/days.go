package apitest

import (
	"fmt"
	"testing"
	"time"
)

// dateAgo is the UTC day of daysAgo.
func dateAgo(n int) string { return daysAgo(n)[:len(time.DateOnly)] }

// daysOf checks the days that a path has, of which some are not empty, by how long they are
// ago.
func (w world) daysOf(path string, n int, first any, want map[int]obj) {
	w.t.Helper()
	r := w.get(path).want(200).hasAll("data", obj{"currency": "USD", "first_date": first})
	days := r.items("data.days")
	if len(days) != n {
		w.t.Fatalf("%s has %d days, want %d", path, len(days), n)
	}
	for i := range days {
		ago := n - 1 - i
		day := obj{"date": dateAgo(ago), "tasks_completed": 0, "tasks_failed": 0, "cost": 0}
		for k, v := range want[ago] {
			day[k] = v
		}
		r.has(fmt.Sprintf("data.days.%d", i), day)
	}
}

// Days are whole UTC days up to today, without gaps. They have what was reported for their
// owner, in the department that the agent was in then.
func daysOfOwners(t *testing.T, s *Service) {
	w := newWorld(t, s)
	paths := []string{"/company/days", "/departments/Design/days", "/agents/Ann/days", "/departments/Sales/days", "/agents/Carl/days"}
	for _, path := range paths {
		w.daysOf(path, 90, nil, nil)
	}
	at := func(e obj, ago int, clock string) obj { return with(e, "timestamp", dateAgo(ago)+"T"+clock+"Z") }
	w.report(
		at(spent("Ann", 0.1, ""), 3, "00:00:00.000"), at(spent("Ann", 0.2, ""), 3, "23:59:59.999"), at(spent("Ann", 5, ""), 4, "23:59:59.999"),
		at(task("Ann", 1, nil), 1, "12:00:00.000"), at(task("Ann", 2, obj{"success": false, "cost": 9}), 1, "12:00:00.000"), at(task("Ann", 3, nil), 89, "00:00:00.000"),
		at(spent("Ann", 7, ""), 90, "23:59:59.999"), with(spent("Carl", 1, ""), "timestamp", daysAgo(0)),
	).want(201)
	w.soon("/departments/Sales/health", "data.department_cost_7d", 1) // of the last event
	w.report(at(spent("Ann", 8, ""), 1, "13:00:00.000")).want(201)    // less than her tasks cost on the day, so it is among that
	ann := map[int]obj{1: {"tasks_completed": 1, "tasks_failed": 1, "cost": 9}, 3: {"cost": 0.3}, 4: {"cost": 5}, 89: {"tasks_completed": 1}}
	carl := map[int]obj{0: {"cost": 1}}
	both := map[int]obj{0: carl[0], 1: ann[1], 3: ann[3], 4: ann[4], 89: ann[89]}
	for i, want := range []map[int]obj{both, ann, ann, carl, carl} {
		first := dateAgo(90)
		if i > 2 {
			first = dateAgo(0)
		}
		w.daysOf(paths[i], 90, first, want)
		w.daysOf(paths[i]+"?days=90", 90, first, want)
		w.daysOf(paths[i]+"?days=4", 4, first, want)
		w.daysOf(paths[i]+"?days=1", 1, first, want)
	}
	// A move takes nothing along, and a department that is gone still counts for the company.
	w.patch("/agents/Carl", obj{"department": "Design"}).want(200)
	w.report(with(spent("Carl", 2, ""), "timestamp", daysAgo(0))).want(201)
	w.soon("/agents/Carl/days?days=1", "data.days.0.cost", 3)
	w.daysOf("/departments/Sales/days?days=2", 2, dateAgo(0), carl)
	w.daysOf("/departments/Design/days?days=1", 1, dateAgo(90), map[int]obj{0: {"cost": 2}})
	w.delete("/departments/Sales").want(204)
	w.get("/departments/Sales/days").refused(404, 3000)
	w.delete("/agents/Ann").want(204)
	w.get(agentPath(w.ann)+"/days").refused(404, 3000)
	w.daysOf("/company/days?days=2", 2, dateAgo(90), map[int]obj{0: {"cost": 3}, 1: ann[1]})
	w.post("/departments", obj{"name": "Sales"}).want(201)
	w.daysOf("/departments/Sales/days?days=1", 1, nil, nil)
}

// The number of days is from 1 to 90.
func daysParameter(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, path := range []string{"/company/days", "/departments/Design/days", "/agents/Ann/days", "/departments/nowhere/days", "/agents/nobody/days"} {
		for _, bad := range []string{"0", "91", "abc", "-1", "07", "7.0", "", "1&days=2", "99999999999999999999"} {
			w.get(path+"?days="+bad).refused(400, 2001, "days")
		}
	}
	w.get("/departments/nowhere/days?days=7").refused(404, 3000, "nowhere")
	w.get("/agents/nobody/days").refused(404, 3000, "nobody")
	w.get("/company/days?unknown=1").want(200)
}

// A comparison with what was before says of how many of its days there is anything.
func comparedDays(t *testing.T, s *Service) {
	w := newWorld(t, s)
	check := func(agents string, design, sales, ann, carl int) {
		t.Helper()
		w.get("/company/departments/figures").has("data.0.cost_before_days", design).has("data.1.cost_before_days", sales)
		w.get("/company/agents/figures"+agents).has("data.0.cost_before_days", ann).has("data.2.cost_before_days", carl)
	}
	check("", 0, 0, 0, 0)
	report := func(agent string, ago int) {
		t.Helper()
		w.report(with(spent(agent, 1, ""), "timestamp", daysAgo(ago))).want(201)
		w.soon("/agents/"+agent+"/days", "data.first_date", dateAgo(ago))
	}
	report("Ann", 29)
	report("Carl", 30)
	check("", 0, 1, 0, 1)
	check("?window=90d", 0, 1, 0, 0)
	check("?window=7d", 0, 1, 7, 7)
	report("Ann", 34)
	report("Carl", 59)
	check("", 5, 30, 5, 30)
	report("Ann", 60)
	report("Carl", 120)
	check("", 30, 30, 30, 30)
	check("?window=90d", 30, 30, 0, 31)
}
