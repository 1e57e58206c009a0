package portstest

import (
	"fmt"
	"slices"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

// wantFigures checks the figures of agents in every window against the reports: of these
// alone, and among so many others that a store may remember them.
func (w *world) wantFigures(ids []agent.ID, today performance.Date, reports []ports.Report) {
	w.Helper()
	want := make(map[agent.ID]map[performance.Size]performance.Figures)
	for _, id := range ids {
		days, _ := rollup(reports, func(r ports.Report) bool { return r.Event.AgentID == string(id) })
		want[id] = map[performance.Size]performance.Figures{}
		for _, size := range performance.Sizes() {
			for _, d := range days {
				want[id][size] = want[id][size].Add(d, size, today)
			}
		}
	}
	many := slices.Clone(ids)
	for range 300 {
		many = append(many, agent.ID(w.id()))
	}
	for _, asked := range [][]agent.ID{ids, many} {
		for _, size := range performance.Sizes() {
			got, err := w.Measures.AgentFigures(w.Context(), asked, size, today)
			w.wantNil("AgentFigures", err)
			if len(got) != len(asked) {
				w.Fatalf("AgentFigures of %d = %d", len(asked), len(got))
			}
			for i, id := range asked {
				w.want(fmt.Sprintf("the figures of agent %d of %d in %v", i, len(asked), size), got[i], want[id][size])
			}
		}
	}
}

// figuresOfAgents asks again after each report, also of the past and after midnight. Agents
// are deleted and restored in between.
func figuresOfAgents(w *world) {
	w.createDepartment("Sales")
	var ids []agent.ID
	for i := range 3 {
		ids = append(ids, w.hire(fmt.Sprint("a", i), "Sales").ID())
	}
	today := performance.DateOf(epoch)
	var reports []ports.Report
	check := func() { w.Helper(); w.wantFigures(ids, today, reports) }
	check()
	for i, ago := range []int{0, 1, 2, 3, 6, 7, 13, 14, 29, 30, 59, 60, 89, 90, 179, 180, -1} {
		var batch []ports.Report
		for j := range 1 + i%3 {
			r := w.reporting(ids[(i+j)%3], epoch.AddDate(0, 0, -ago), measuring([]activity.Measures{largest, smallest}[j%2]))
			r.DepartmentID = []string{salesID, opsID}[i%2]
			batch = append(batch, r)
		}
		w.report(batch...)
		_, err := w.Activities.Append(w.Context(), batch, w.sealed(nil)) // counts once
		w.wantNil("Append", err)
		reports = append(reports, batch...)
		check()
	}
	w.fire(ids[1])
	check()
	today++
	check()
	more := w.reporting(ids[0], epoch.AddDate(0, 0, -5), measuring(largest))
	w.report(more)
	reports = append(reports, more)
	_, err := w.restore(ids[1], agent.Restoring{})
	w.wantNil("Restore", err)
	check()
	late := w.hire("late", "Sales").ID()
	before := w.reporting(late, epoch.AddDate(0, 0, -8), measuring(largest))
	w.report(before)
	ids, reports = append(ids, late), append(reports, before)
	check()
}

// figuresBeside reads figures while others report.
func figuresBeside(w *world) {
	w.createDepartment("Sales")
	ids := []agent.ID{w.hire("a", "Sales").ID(), w.hire("b", "Sales").ID()}
	many := slices.Clone(ids)
	for range 300 {
		many = append(many, agent.ID(w.id()))
	}
	today := performance.DateOf(epoch)
	batches := make([][]ports.Report, crowd)
	var all []ports.Report
	for i := range batches {
		for j := range 6 {
			batches[i] = append(batches[i], w.reporting(ids[(i+j)%2], epoch.AddDate(0, 0, -(i*j)%40), measuring(largest)))
		}
		all = append(all, batches[i]...)
	}
	errs := atOnce(2*crowd, func(i int) error {
		if i%2 == 0 {
			_, err := w.Activities.Append(w.Context(), batches[i/2], w.sealed(nil))
			return err
		}
		_, err := w.Measures.AgentFigures(w.Context(), many, performance.Sizes()[i/2%3], today)
		return err
	})
	w.wantEach("Append and AgentFigures", errs)
	w.wantFigures(ids, today, all)
}
