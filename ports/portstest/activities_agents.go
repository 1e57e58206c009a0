package portstest

import (
	"fmt"
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

func eventCareer(w *world) {
	w.createDepartment("Sales")
	other := w.hire("Ann", "Sales").ID()
	s := w.hiring("Bob", "Sales")
	w.wantNil("Create", Hire(w.Context(), w.Agents, s))
	id, want := s.Agent.ID(), s.Events
	for _, do := range []change{
		w.changing(`{"level":"vp","status":"terminated"}`, nil), // three events at one time
		w.changing(`{"name":"Bobby","status":"active","level":"junior"}`, nil),
		w.changing(`{"description":"no event"}`, nil),
		w.firing(),
	} {
		want = append(want, must(do(w.agent(id))).Events...)
		w.update(id, do)
		w.report(w.reporting(id, w.now())) // not part of a career
	}
	w.want("Career", w.career(id), want)
	w.want("Career of an unknown agent", w.career(agent.ID(w.id())), nil)
	w.want("the length of another career", len(w.career(other)), 2)

	feed := slices.DeleteFunc(w.feed(activity.Query{AgentID: string(id)}, 3), func(e activity.Event) bool {
		return !e.Type.Lifecycle()
	})
	w.want("the lifecycle events in the feed", feed, newestFirst(want))
}

func eventLastActive(w *world) {
	w.createDepartment("Sales")
	s := w.hiring("Bob", "Sales")
	w.wantNil("Create", Hire(w.Context(), w.Agents, s))
	id := s.Agent.ID()
	want := func(at time.Time) {
		w.Helper()
		for _, ids := range [][]agent.ID{{id}, {agent.ID(w.id()), id, agent.ID(w.id()), id}} {
			got, err := w.Activities.LastActive(w.Context(), ids)
			w.wantNil("LastActive", err)
			w.want("LastActive", got, map[agent.ID]time.Time{id: at})
		}
	}
	want(s.Events[0].At)
	w.report(w.reporting(id, epoch.Add(time.Hour)), w.reporting(id, epoch.Add(time.Minute)))
	want(epoch.Add(time.Hour))
	w.report(w.reporting(id, epoch.Add(time.Hour-time.Millisecond)))
	want(epoch.Add(time.Hour))
	other := agent.ID(w.id())
	w.report(w.reporting(other, epoch.Add(2*time.Hour)))
	want(epoch.Add(time.Hour))
	w.report(w.reporting(other, epoch.Add(3*time.Hour), func(r *ports.Report) { r.Event.Type = activity.ToolUsed }))

	got, err := w.Activities.LastActive(w.Context(), []agent.ID{id, other})
	w.wantNil("LastActive of two", err)
	w.want("LastActive of two", got, map[agent.ID]time.Time{id: epoch.Add(time.Hour), other: epoch.Add(3 * time.Hour)})
	got, err = w.Activities.LastActive(w.Context(), nil)
	w.wantNil("LastActive of nobody", err)
	w.want("LastActive of nobody", len(got), 0)
}

// eventParallel lets everybody report overlapping parts of the same events.
func eventParallel(w *world) {
	const events, each = 60, 20
	id := agent.ID(w.id())
	var reports []ports.Report
	for i := range events {
		reports = append(reports, w.reporting(id, epoch.Add(time.Duration(i)*time.Millisecond)))
	}
	counts := make([]ports.Counted, crowd)
	errs := atOnce(crowd, func(i int) (err error) {
		var batch []ports.Report
		for j := range each {
			batch = append(batch, reports[(i*5+j)%events])
		}
		if i%2 == 0 {
			slices.Reverse(batch) // so that batches meet each other's events in another order
		}
		counts[i], err = w.Activities.Append(w.Context(), batch, w.sealed(nil))
		return err
	})
	w.wantEach("Append", errs)
	var sum ports.Counted
	for _, n := range counts {
		sum.Accepted += n.Accepted
		sum.Duplicates += n.Duplicates
	}
	w.want("the sum of all answers", sum, ports.Counted{Accepted: events, Duplicates: crowd*each - events})
	w.want("Events", w.feed(activity.Query{}, 100), eventsOf(reports))
	_, completed, err := w.Measures.AgentDays(w.Context(), id, 0)
	w.wantNil("AgentDays", err)
	w.want("the tasks completed", completed, int64(events))
}

func eventParallelSteps(w *world) {
	const each = 5
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	errs := atOnce(crowd, func(i int) error {
		for j := range each {
			if i%2 == 0 {
				got, err := w.Activities.Append(w.Context(), []ports.Report{w.reporting(id, w.now())}, w.sealed(nil))
				if err != nil || got.Accepted != 1 {
					return fmt.Errorf("Append = %+v, %w", got, err)
				}
				continue
			}
			patch := fmt.Sprintf(`{"metadata":{"%d.%d":1}}`, i, j)
			if _, err := w.Agents.Update(w.Context(), byID(id), w.changing(patch, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("reporting beside updates", errs)
	w.wantUnbroken(id, 1+crowd/2*each, false)
	w.want("the number of events", len(w.feed(activity.Query{AgentID: string(id)}, 100)), 2+crowd/2*each)
}
