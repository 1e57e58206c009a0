package portstest

import (
	"fmt"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

// countsFor selects the reports that count for an owner.
func countsFor(of performance.Owner) func(ports.Report) bool {
	return func(r ports.Report) bool {
		return (of.Agent == "" || r.Event.AgentID == of.Agent) && (of.Department == "" || r.DepartmentID == of.Department)
	}
}

// workDays is what reports amount to for an owner, by day.
func workDays(reports []ports.Report, of performance.Owner, first, last performance.Date) map[performance.Date]performance.Work {
	days, _ := rollup(reports, countsFor(of))
	work := map[performance.Date]performance.Work{}
	for _, d := range days {
		if d.Date >= first && d.Date <= last {
			work[d.Date] = workOf([]performance.Day{d}, last)
		}
	}
	return work
}

// wantWorkDays checks the days of owners, and the first of all, against the reports.
func (w *world) wantWorkDays(owners []performance.Owner, first, last performance.Date, reports []ports.Report) {
	w.Helper()
	firsts := map[performance.Owner]performance.Date{}
	for _, o := range owners {
		got, err := w.Measures.WorkDays(w.Context(), o, first, last)
		w.wantNil("WorkDays", err)
		for date, work := range got {
			if date < first || date > last {
				w.Errorf("WorkDays(%+v) from %v to %v has %v", o, first, last, date)
			}
			if work == (performance.Work{}) {
				delete(got, date) // may be left out
			}
		}
		want := workDays(reports, o, first, last)
		for date, work := range want {
			if work == (performance.Work{}) {
				delete(want, date)
			}
		}
		w.want(fmt.Sprintf("WorkDays(%+v) from %v to %v", o, first, last), got, want)
		if days, _ := rollup(reports, countsFor(o)); len(days) > 0 {
			firsts[o] = days[0].Date
		}
	}
	got, err := w.Measures.FirstDays(w.Context(), owners)
	w.wantNil("FirstDays", err)
	w.want("FirstDays", got, firsts)
}

// workOfDays reports around midnight, the turn of a month and that of a year, for an agent
// that moves, and deletes its department and the agent.
func workOfDays(w *world) {
	sales, ops := w.createDepartment("Sales"), w.createDepartment("Ops")
	a, b := w.hire("a", "Sales").ID(), w.hire("b", "Ops").ID()
	owners := []performance.Owner{
		{}, {Agent: string(a)}, {Agent: string(b)}, {Agent: w.id()}, {Department: sales.ID}, {Department: ops.ID}, {Department: w.id()},
	}
	w.wantWorkDays(owners, 0, allDays, nil)
	var reports []ports.Report
	report := func(id agent.ID, department string, at time.Time, m activity.Measures) {
		r := w.reporting(id, at, measuring(m))
		r.DepartmentID = department
		reports = append(reports, r)
	}
	year := time.Date(epoch.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{year.AddDate(0, 2, 0), year} { // the later ones first
		for i, m := range []activity.Measures{largest, smallest, {Collaboration: new(activity.Score(1))}, {}} {
			report(a, sales.ID, at.Add(-time.Millisecond), m)
			report(a, ops.ID, at, m) // it has moved
			report(b, ops.ID, at.AddDate(0, 0, -i), m)
		}
	}
	w.report(reports...)
	first := performance.DateOf(year)
	check := func() {
		w.Helper()
		for _, span := range [][2]performance.Date{{0, allDays}, {first - 1, first}, {first, first}, {first, first - 1}, {first + 1, first + 89}, {allDays, allDays}} {
			w.wantWorkDays(owners, span[0], span[1], reports)
		}
	}
	check()
	w.fire(a)
	w.fire(b)
	w.wantNil("Delete", w.deleteDepartment("Ops"))
	check()
	report(a, sales.ID, time.Unix(0, 0).UTC(), smallest)
	w.report(reports[len(reports)-1])
	check()
	w.wantWorkDays(nil, 0, allDays, reports)
}

// firstDaysOfMany asks for as many agents and departments as a page has, of which only some
// did anything, each from another day on.
func firstDaysOfMany(w *world) {
	var reports []ports.Report
	var owners []performance.Owner
	for i := range 201 {
		a, d := w.id(), w.id()
		owners = append(owners, performance.Owner{Agent: a}, performance.Owner{Department: d})
		for n := range i % 3 {
			r := w.reporting(agent.ID(a), epoch.AddDate(0, 0, n-i), measuring(largest))
			r.DepartmentID = d
			reports = append(reports, r)
		}
	}
	w.report(reports...)
	want := map[performance.Owner]performance.Date{}
	for _, o := range owners {
		if days, _ := rollup(reports, countsFor(o)); len(days) > 0 {
			want[o] = days[0].Date
		}
	}
	got, err := w.Measures.FirstDays(w.Context(), owners)
	w.wantNil("FirstDays", err)
	w.want("FirstDays of many", got, want)
}
