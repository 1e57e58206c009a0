package portstest

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/money"
	"orgd/domain/performance"
	"orgd/ports"
)

// total merges days into one, in normal form.
func total(days []performance.Day) performance.Day {
	var sum performance.Day
	for _, d := range days {
		sum = sum.Merge(d)
	}
	return sum
}

// normal returns days in ascending order, one for each date, without empty ones.
func normal(days []performance.Day) []performance.Day {
	byDate := map[performance.Date]performance.Day{}
	for _, d := range days {
		sum := byDate[d.Date].Merge(d)
		sum.Date = d.Date
		byDate[d.Date] = sum
	}
	var merged []performance.Day
	for _, d := range byDate {
		if !d.IsEmpty() {
			merged = append(merged, d)
		}
	}
	slices.SortFunc(merged, func(a, b performance.Day) int { return int(a.Date - b.Date) })
	return merged
}

// rollup computes what the reports that ok selects amount to.
func rollup(reports []ports.Report, ok func(ports.Report) bool) (days []performance.Day, completed int64) {
	type agentDay struct {
		agent string
		date  performance.Date
	}
	before := map[agentDay]performance.Day{}
	for _, r := range reports {
		day := agentDay{r.Event.AgentID, performance.DateOf(r.Event.At)}
		one := performance.Day{Date: day.date}.Add(r.Measures).Counted(before[day])
		before[day] = before[day].Merge(one)
		if ok(r) {
			days = append(days, one)
		}
	}
	return normal(days), total(days).TasksCompleted
}

// disagree are the days to which reports of a batch add costs, and whose costs disagree with all reports.
func disagree(all, batch []ports.Report) (days []ports.AgentDay) {
	for _, r := range batch {
		day := ports.AgentDay{Agent: agent.ID(r.Event.AgentID), Date: performance.DateOf(r.Event.At)}
		if !(performance.Day{}).Add(r.Measures).SaysCost() || slices.Contains(days, day) {
			continue
		}
		sum, _ := rollup(all, func(o ports.Report) bool {
			return o.Event.AgentID == r.Event.AgentID && performance.DateOf(o.Event.At) == day.Date
		})
		if sum[0].Disagrees() {
			days = append(days, day)
		}
	}
	slices.SortFunc(days, ports.AgentDay.Compare)
	return days
}

// wantAgentDays checks an agent's figures from a day on against the reports.
func (w *world) wantAgentDays(id agent.ID, first performance.Date, reports []ports.Report) {
	w.Helper()
	want, completed := rollup(reports, func(r ports.Report) bool { return r.Event.AgentID == string(id) })
	want = slices.DeleteFunc(want, func(d performance.Day) bool { return d.Date < first })
	got, n, err := w.Measures.AgentDays(w.Context(), id, first)
	w.wantNil("AgentDays", err)
	w.want(fmt.Sprintf("AgentDays from %v", first), normal(got), want)
	w.want("the tasks ever completed", n, completed)
}

func (w *world) wantDepartmentDays(department string, first performance.Date, reports []ports.Report) {
	w.Helper()
	want, _ := rollup(reports, func(r ports.Report) bool { return r.DepartmentID == department })
	want = slices.DeleteFunc(want, func(d performance.Day) bool { return d.Date < first })
	got, err := w.Measures.DepartmentDays(w.Context(), department, first)
	w.wantNil("DepartmentDays", err)
	w.want(fmt.Sprintf("DepartmentDays(%s) from %v", department, first), normal(got), want)
}

// workOf sums up what days up to the last one have of a department's work.
func workOf(days []performance.Day, last performance.Date) performance.Work {
	sum := total(slices.DeleteFunc(slices.Clone(days), func(d performance.Day) bool { return d.Date > last }))
	return performance.Work{TasksCompleted: sum.TasksCompleted, TasksFailed: sum.TasksFailed, Cost: sum.Cost.Total()}
}

// wantDepartmentWork checks what departments did on some days against the
// reports. Those that did nothing may be left out.
func (w *world) wantDepartmentWork(departments []string, first, last performance.Date, reports []ports.Report) {
	w.Helper()
	got, err := w.Measures.DepartmentWork(w.Context(), departments, first, last)
	w.wantNil("DepartmentWork", err)
	for id, work := range got {
		if !slices.Contains(departments, id) {
			w.Errorf("DepartmentWork(%q) has %q: %+v", departments, id, work)
		}
	}
	for _, id := range departments {
		days, _ := rollup(reports, func(r ports.Report) bool { return r.DepartmentID == id })
		days = slices.DeleteFunc(days, func(d performance.Day) bool { return d.Date < first })
		w.want(fmt.Sprintf("the work of %s from %v to %v", id, first, last), got[id], workOf(days, last))
	}
}

// allDays is later than every day of a test.
const allDays = performance.Date(1 << 20)

func measuring(m activity.Measures) func(*ports.Report) {
	return func(r *ports.Report) { r.Measures = m }
}

// largest are the greatest measures of one event.
var largest = activity.Measures{
	Finished: true, Success: true,
	Duration: new(activity.MaxDuration), Quality: new(activity.MaxScore), Cost: new(money.MaxAmount),
	Tokens: new(int64(activity.MaxTokens)), Collaboration: new(activity.MaxScore), Incurred: new(money.MaxAmount),
}

// smallest are measures that floating point would lose beside the largest.
var smallest = activity.Measures{
	Finished: true,
	Duration: new(time.Nanosecond), Quality: new(activity.Score(1)), Cost: new(money.Amount(1)),
	Tokens: new(int64(1)), Collaboration: new(activity.Score(0)), Incurred: new(money.Amount(1)),
}

func measureExact(w *world) {
	id := agent.ID(w.id())
	var reports []ports.Report
	for i := range 300 {
		m := []activity.Measures{largest, smallest, {}, {Finished: true, Success: true}, {Quality: new(activity.Score(0))}}[i%5]
		reports = append(reports, w.reporting(id, epoch, measuring(m)))
	}
	w.report(reports...)
	w.wantAgentDays(id, 0, reports)
	w.wantDepartmentDays(salesID, 0, reports)
	more := w.reporting(id, epoch, measuring(smallest))
	w.report(more)
	w.wantAgentDays(id, 0, append(reports, more))
	w.wantDepartmentDays(salesID, 0, append(reports, more))
	w.wantDepartmentWork([]string{salesID}, 0, allDays, append(reports, more))
}

func measureDays(w *world) {
	id := agent.ID(w.id())
	midnight := performance.DateOf(epoch).Start()
	var reports []ports.Report
	for _, at := range []time.Duration{-25 * time.Hour, -time.Millisecond, 0, 24*time.Hour - time.Millisecond, 24 * time.Hour} {
		reports = append(reports, w.reporting(id, midnight.Add(at), measuring(largest)))
	}
	reports = append(reports, w.reporting(id, time.Unix(0, 0).UTC(), measuring(smallest)))
	w.report(reports...)
	today := performance.DateOf(epoch)
	for _, first := range []performance.Date{0, 1, today - 2, today - 1, today, today + 1, today + 2} {
		w.wantAgentDays(id, first, reports)
		w.wantDepartmentDays(salesID, first, reports)
		for _, last := range []performance.Date{first - 1, first, first + 1, today + 1} {
			w.wantDepartmentWork([]string{salesID}, first, last, reports)
		}
	}
}

// measureDepartments moves an agent: what it did before stays where it was.
// Departments of one name are not the same.
func measureDepartments(w *world) {
	a, b := agent.ID(w.id()), agent.ID(w.id())
	in := func(id string) func(*ports.Report) {
		return func(r *ports.Report) { r.DepartmentID, r.Measures = id, largest }
	}
	ids := []string{w.id(), w.id(), w.id()}
	reports := []ports.Report{
		w.reporting(a, epoch, in(ids[0])), w.reporting(a, epoch, in(ids[1])), w.reporting(b, epoch, in(ids[1])),
	}
	w.report(reports...)
	for _, id := range ids {
		w.wantDepartmentDays(id, 0, reports)
	}
	w.wantDepartmentWork([]string{ids[1], w.id(), ids[0], ids[1], "", ids[2]}, 0, allDays, reports)
	w.wantDepartmentWork(nil, 0, allDays, reports)
	w.wantAgentDays(a, 0, reports)
	w.wantAgentDays(b, 0, reports)
}

// measureMany asks for a page of departments at once, of which only some did
// anything.
func measureMany(w *world) {
	var ids []string
	var reports []ports.Report
	for i := range 201 {
		if ids = append(ids, w.id()); i%2 == 0 {
			continue
		}
		for day := range 3 {
			r := w.reporting(agent.ID(w.id()), epoch.AddDate(0, 0, -day), measuring([]activity.Measures{largest, smallest}[i%4/2]))
			r.DepartmentID = ids[i]
			reports = append(reports, r)
		}
	}
	w.report(reports...)
	w.wantDepartmentWork(ids, performance.DateOf(epoch)-1, performance.DateOf(epoch), reports)
}

// measureCosts reports costs in both ways, in one batch and one after the other: an agent's day
// costs the larger of the two sums, and departments what it grew while the agent was there.
func measureCosts(w *world) {
	w.createDepartment("Sales")
	id, other := w.hire("a", "Sales").ID(), w.hire("b", "Sales").ID()
	task := func(units int64) activity.Measures {
		return activity.Measures{Finished: true, Cost: new(money.Amount(units * 1_000_000_000))}
	}
	incurred := func(units int64) activity.Measures {
		return activity.Measures{Incurred: new(money.Amount(units * 1_000_000_000))}
	}
	var reports []ports.Report
	report := func(department string, of agent.ID, differ bool, all ...activity.Measures) {
		batch := make([]ports.Report, len(all))
		for i, m := range all {
			batch[i] = w.reporting(of, epoch, measuring(m))
			batch[i].DepartmentID = department
		}
		want := []ports.AgentDay{{Agent: of, Date: performance.DateOf(epoch)}}
		if !differ {
			want = nil
		}
		w.want("the days whose costs disagree", w.report(batch...), want)
		reports = append(reports, batch...)
	}
	report(salesID, id, true, task(2), incurred(1), task(3))
	report(salesID, other, false, task(7))
	report(opsID, id, true, incurred(3), incurred(2), task(4))
	report(salesID, id, true, incurred(1), incurred(4)) // 9 and 11
	report(salesID, id, false, task(1))
	w.wantAgentDays(id, 0, reports)
	w.wantDepartmentDays(salesID, 0, reports)
	w.wantDepartmentDays(opsID, 0, reports)
	day := performance.DateOf(epoch)
	for of, want := range map[performance.Owner]int64{{Agent: string(id)}: 11, {Agent: string(other)}: 7, {Department: salesID}: 14, {Department: opsID}: 4, {}: 18} {
		got, err := w.Measures.WorkDays(w.Context(), of, day, day)
		w.wantNil("WorkDays", err)
		w.want(fmt.Sprintf("the cost of %v", of), got[day].Cost, money.Total{Units: want})
	}
	figures, err := w.Measures.AgentFigures(w.Context(), []agent.ID{id, other}, performance.Week, day)
	w.wantNil("AgentFigures", err)
	w.want("the costs of both", []money.Total{figures[0].Cost, figures[1].Cost}, []money.Total{{Units: 11}, {Units: 7}})
}

// measureCostsParallel has an agent's costs reported in both ways at once, in as many batches.
func measureCostsParallel(w *world) {
	id := agent.ID(w.id())
	errs := atOnce(crowd, func(i int) error {
		for range 5 {
			m := activity.Measures{Incurred: new(money.Amount(1_500_000_000))}
			if i%2 == 0 {
				m = activity.Measures{Finished: true, Cost: new(money.Amount(1_500_000_000))}
			}
			if _, err := w.Activities.Append(w.Context(), []ports.Report{w.reporting(id, epoch, measuring(m))}, w.sealed(nil)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Append", errs)
	day := performance.DateOf(epoch)
	for _, of := range []performance.Owner{{Agent: string(id)}, {Department: salesID}, {}} {
		got, err := w.Measures.WorkDays(w.Context(), of, day, day)
		w.wantNil("WorkDays", err)
		w.want(fmt.Sprintf("the cost of %v", of), got[day].Cost, money.Total{}.Add(money.Amount(crowd/2*5*1_500_000_000)))
	}
}

func measureNobody(w *world) {
	w.wantAgentDays(agent.ID(w.id()), 0, nil)
	w.wantDepartmentDays(salesID, 0, nil)
}

func measureDuplicates(w *world) {
	id := agent.ID(w.id())
	a, b := w.reporting(id, epoch, measuring(largest)), w.reporting(id, epoch, measuring(smallest))
	again := a
	again.Measures, again.DepartmentID = smallest, opsID
	w.report(a)
	_, err := w.Activities.Append(w.Context(), []ports.Report{again, b, again, b}, w.sealed(nil))
	w.wantNil("Append", err)
	w.wantAgentDays(id, 0, []ports.Report{a, b})
	w.wantDepartmentDays(salesID, 0, []ports.Report{a, b})
	w.wantDepartmentDays(opsID, 0, nil)
}

func measureLifecycle(w *world) {
	sales := w.createDepartment("Sales")
	id := w.hire("Bob", "Sales", `"level":"junior"`).ID()
	w.change(id, `{"level":"vp"}`)
	w.fire(id)
	w.wantAgentDays(id, 0, nil)
	w.wantDepartmentDays(sales.ID, 0, nil)
}

// measureFull reports the largest batch there is, whose events share no figures.
func measureFull(w *world) {
	var reports []ports.Report
	for i := range activity.MaxBatch {
		reports = append(reports, w.reporting(agent.ID(w.id()), epoch.AddDate(0, 0, -i), measuring(largest)))
	}
	w.report(reports...)
	w.wantDepartmentDays("sales", 0, reports)
	for _, r := range []ports.Report{reports[0], reports[len(reports)/2], reports[len(reports)-1]} {
		w.wantAgentDays(agent.ID(r.Event.AgentID), 0, reports)
	}
}

// measureParallel lets many report on the same agents and departments, each
// batch in another order.
func measureParallel(w *world) {
	ids := []agent.ID{agent.ID(w.id()), agent.ID(w.id()), agent.ID(w.id())}
	batches := make([][]ports.Report, crowd)
	var all []ports.Report
	for i := range batches {
		for j := range 12 {
			m := []activity.Measures{largest, smallest}[j%2]
			at := epoch.Add(time.Duration((i+j)%3) * 24 * time.Hour)
			r := w.reporting(ids[(i+j)%3], at, measuring(m))
			r.DepartmentID = []string{salesID, opsID}[(i*j)%2]
			batches[i] = append(batches[i], r)
		}
		all = append(all, batches[i]...)
	}
	errs := atOnce(crowd, func(i int) error {
		_, err := w.Activities.Append(w.Context(), batches[i], w.sealed(nil))
		return err
	})
	w.wantEach("Append", errs)
	for _, id := range ids {
		w.wantAgentDays(id, 0, all)
	}
	w.wantDepartmentDays(salesID, 0, all)
	w.wantDepartmentDays(opsID, 0, all)
	w.wantDepartmentWork([]string{salesID, opsID}, 0, allDays, all)
}

// measureModel compares the figures of random batches with those computed from
// their events.
func measureModel(w *world) {
	w.randomly(func(w *world, t *rapid.T) {
		id, department := agent.ID(w.id()), w.id()
		var all []ports.Report
		for range rapid.IntRange(1, 3).Draw(t, "batches") {
			var batch []ports.Report
			for range rapid.IntRange(1, 5).Draw(t, "events") {
				r := w.reporting(id, epoch.Add(time.Duration(rapid.IntRange(-50, 50).Draw(t, "hours"))*time.Hour))
				r.DepartmentID, r.Measures = department, measures(t)
				batch = append(batch, r)
			}
			w.report(batch...)
			all = append(all, batch...)
		}
		first := performance.DateOf(epoch) + performance.Date(rapid.IntRange(-3, 3).Draw(t, "first"))
		w.wantAgentDays(id, first, all)
		w.wantDepartmentDays(department, first, all)
		w.wantDepartmentWork([]string{department, salesID}, first, first+performance.Date(rapid.IntRange(-1, 3).Draw(t, "days")), all)
	})
}

func measures(t *rapid.T) activity.Measures {
	amount := func(what string) *money.Amount {
		return rapid.Ptr(rapid.Custom(func(t *rapid.T) money.Amount {
			return money.Amount(rapid.Int64Range(0, int64(money.MaxAmount)).Draw(t, what))
		}), true).Draw(t, what)
	}
	return activity.Measures{
		Finished: rapid.Bool().Draw(t, "finished"), Success: rapid.Bool().Draw(t, "success"),
		Cost: amount("cost"), Incurred: amount("incurred"),
		Tokens: rapid.Ptr(rapid.Int64Range(0, activity.MaxTokens), true).Draw(t, "tokens"),
	}
}
