package portstest

import (
	"context"
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/ports"
)

// deed is something that an agent does. It is reported until there is an answer,
// and again by clients that do not trust it.
type deed struct {
	id       activity.ID
	agent    agent.ID
	at       time.Time
	measures activity.Measures
}

// unreliable are clients that report what a few agents do, while these move
// between departments and get other names.
type unreliable struct {
	*rapid.T
	w      *world
	agents []agent.ID
	places []department.Department
	sent   []deed // all that have been reported, each once
}

// measureRetries compares the figures of batches that were reported once or
// more, as a whole or in part, cut off or at once, with those computed from the
// events that the feed has in the end.
func measureRetries(w *world) {
	w.randomly(func(w *world, t *rapid.T) {
		u := &unreliable{T: t, w: w}
		for range 2 {
			u.places = append(u.places, w.createDepartment("department "+w.id()))
			u.agents = append(u.agents, w.hire("agent "+w.id(), u.places[0].Name.Text).ID())
		}
		for range rapid.IntRange(2, 8).Draw(t, "steps") {
			u.step()
		}
		u.wantNaive()
	})
}

func (u *unreliable) step() {
	switch rapid.SampledFrom([]string{"report", "repeat", "overlap", "at once", "cut off", "move", "rename"}).Draw(u.T, "step") {
	case "report":
		u.report(u.deeds())
	case "repeat":
		batch := u.deeds()
		u.report(batch)
		u.relocate()
		u.report(batch)
	case "overlap":
		u.report(u.mixed())
	case "at once":
		u.atOnce(u.mixed())
	case "cut off":
		u.cutOff(u.mixed())
	case "move":
		u.relocate()
	case "rename":
		u.w.change(u.anybody(), `{"name":`+quote("agent "+u.w.id())+`}`)
	}
}

func (u *unreliable) anybody() agent.ID { return rapid.SampledFrom(u.agents).Draw(u.T, "agent") }

func (u *unreliable) relocate() {
	to := rapid.SampledFrom(u.places).Draw(u.T, "to")
	u.w.change(u.anybody(), `{"department":`+quote(to.Name.Text)+`}`)
}

// deeds are some that have not been reported yet, new ones and such as come late.
func (u *unreliable) deeds() []deed {
	batch := make([]deed, rapid.IntRange(1, 4).Draw(u.T, "events"))
	for i := range batch {
		hours := rapid.OneOf(rapid.IntRange(-30, 30), rapid.IntRange(-9000, 0)).Draw(u.T, "hours")
		batch[i] = deed{activity.ID(u.w.id()), u.anybody(), epoch.Add(time.Duration(hours) * time.Hour), measures(u.T)}
	}
	return batch
}

// mixed are new deeds among such as have been reported, some of them twice.
func (u *unreliable) mixed() []deed {
	batch := u.deeds()
	if len(u.sent) > 0 {
		batch = append(batch, rapid.SliceOfN(rapid.SampledFrom(u.sent), 0, 4).Draw(u.T, "again")...)
	}
	return rapid.Permutation(batch).Draw(u.T, "order")
}

// news counts the deeds of a batch that have never been reported, and notes that
// they have been now.
func (u *unreliable) news(batch []deed) (n int) {
	for _, d := range batch {
		if !slices.ContainsFunc(u.sent, func(s deed) bool { return s.id == d.id }) {
			u.sent = append(u.sent, d)
			n++
		}
	}
	return n
}

// reports are what becomes of deeds where their agents are now. An event keeps
// that department as its description.
func (u *unreliable) reports(batch []deed) []ports.Report {
	u.Helper()
	var refs []identity.Ref
	for _, d := range batch {
		refs = append(refs, byID(d.agent))
	}
	found, err := u.w.Agents.Find(u.w.Context(), refs)
	u.w.wantNil("Find", err)
	reports := make([]ports.Report, len(batch))
	for i, d := range batch {
		p := found[byID(d.agent)]
		reports[i] = u.w.reporting(d.agent, d.at, func(r *ports.Report) {
			r.Event.ID, r.Event.AgentName, r.Event.Description = d.id, p.Name.Text, p.DepartmentID
			r.Department, r.DepartmentID, r.Measures = p.Department, p.DepartmentID, d.measures
		})
	}
	return reports
}

func (u *unreliable) report(batch []deed) {
	u.Helper()
	got, err := u.w.Activities.Append(u.w.Context(), u.reports(batch), u.w.sealed(nil))
	u.w.wantNil("Append", err)
	n := u.news(batch)
	u.w.want("Append", got, ports.Counted{Accepted: n, Duplicates: len(batch) - n, Disagree: got.Disagree})
}

// atOnce reports a batch several times at once.
func (u *unreliable) atOnce(batch []deed) {
	u.Helper()
	const times = 3
	reports := u.reports(batch)
	var counts [times]ports.Counted
	errs := atOnce(times, func(i int) (err error) {
		counts[i], err = u.w.Activities.Append(u.w.Context(), reports, u.w.sealed(nil))
		return err
	})
	u.w.wantEach("Append", errs)
	accepted := 0
	for _, n := range counts {
		accepted += n.Accepted
		u.w.want("the events of a batch", n.Accepted+n.Duplicates, len(batch))
	}
	u.w.want("the events accepted of a batch that is reported several times at once", accepted, u.news(batch))
}

// cutOff reports a batch without waiting for the answer for long, and again
// after an agent has moved.
func (u *unreliable) cutOff(batch []deed) {
	u.Helper()
	timeout := time.Duration(rapid.IntRange(0, 3000).Draw(u.T, "timeout")) * time.Microsecond
	ctx, cancel := context.WithTimeout(u.w.Context(), timeout)
	defer cancel()
	_, err := u.w.Activities.Append(ctx, u.reports(batch), u.w.sealed(nil))
	if err != nil && !errors.Is(err, ports.ErrUnavailable) {
		u.Errorf("Append that is cut off = %v, want ErrUnavailable", err)
	}
	u.relocate()
	got, err := u.w.Activities.Append(u.w.Context(), u.reports(batch), u.w.sealed(nil))
	u.w.wantNil("Append", err)
	u.w.want("the events of a batch", got.Accepted+got.Duplicates, len(batch))
	u.news(batch)
}

// wantNaive checks that the feed has each event once, and the figures against
// those computed from it.
func (u *unreliable) wantNaive() {
	u.Helper()
	measured := map[activity.ID]activity.Measures{}
	for _, d := range u.sent {
		measured[d.id] = d.measures
	}
	var raw []ports.Report
	for _, id := range u.agents {
		for _, e := range u.w.feed(activity.Query{AgentID: string(id), Type: activity.TaskCompleted}, 50) {
			m, known := measured[e.ID]
			if !known {
				u.Errorf("the feed has event %s twice, or nobody reported it", e.ID)
			}
			delete(measured, e.ID)
			raw = append(raw, ports.Report{Event: e, DepartmentID: e.Description, Measures: m})
		}
	}
	u.w.want("the number of events in the feed", len(raw), len(u.sent))
	taken := map[activity.ID]int{} // what a cost adds depends on those before
	for i, d := range u.sent {
		taken[d.id] = i
	}
	slices.SortFunc(raw, func(a, b ports.Report) int { return taken[a.Event.ID] - taken[b.Event.ID] })
	for _, id := range u.agents {
		u.w.wantAgentDays(id, 0, raw)
	}
	for _, place := range u.places {
		u.w.wantDepartmentDays(place.ID, 0, raw)
	}
}
