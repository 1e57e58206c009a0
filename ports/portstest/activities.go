package portstest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/jsondoc"
	"orgd/domain/receipt"
	"orgd/ports"
)

// ActivityLog checks the promises of ports.ActivityLog and of ports.Measures.
func ActivityLog(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"AppendKeepsEverything":         eventAppend,
		"DuplicatesChangeNothing":       eventDuplicates,
		"LifecycleIdsAreTaken":          eventLifecycleID,
		"SealIsStoredWithTheBatch":      eventSeal,
		"FeedIsNewestFirst":             eventOrder,
		"FeedFilters":                   eventFilters,
		"PagesWalkEveryEventOnce":       eventPages,
		"CursorSurvivesNewEvents":       eventCursor,
		"CareerTellsTheLifecycle":       eventCareer,
		"LastActiveIsTheNewestEvent":    eventLastActive,
		"ParallelBatchesCountOnce":      eventParallel,
		"ParallelStepsAndReports":       eventParallelSteps,
		"FiguresAreExact":               measureExact,
		"FiguresOfDays":                 measureDays,
		"FiguresOfTheDepartmentThen":    measureDepartments,
		"FiguresOfNobody":               measureNobody,
		"MeasuresOfDuplicatesAreNone":   measureDuplicates,
		"ParallelBatchesSumUpExactly":   measureParallel,
		"BatchesSumUpAsTheirEventsDo":   measureModel,
		"LifecycleEventsMeasureNothing": measureLifecycle,
	})
}

// reporting returns a report of a task that an agent has completed.
func (w *world) reporting(id agent.ID, at time.Time, change ...func(*ports.Report)) ports.Report {
	r := ports.Report{
		Event: activity.Event{
			ID: activity.ID(w.id()), Type: activity.TaskCompleted, At: at,
			AgentID: string(id), AgentName: "Bob", Description: "done",
			Data: new(must(jsondoc.ParseObject([]byte(`{"task_id":"t","success":true}`)))),
		},
		Department: "sales",
		Measures:   activity.Measures{Finished: true, Success: true},
	}
	for _, do := range change {
		do(&r)
	}
	return r
}

func noReceipt(ports.Counted) *receipt.Receipt { return nil }

// report stores a batch that has to be accepted as a whole.
func (w *world) report(reports ...ports.Report) {
	w.Helper()
	got, err := w.Activities.Append(w.Context(), reports, noReceipt)
	w.wantNil("Append", err)
	w.want("Append", got, ports.Counted{Accepted: len(reports)})
}

// feed reads a feed in pages of limit.
func (w *world) feed(q activity.Query, limit int) []activity.Event {
	w.Helper()
	q.Limit = limit
	return walk(w, limit, func(last *activity.Event) ([]activity.Event, error) {
		if last != nil {
			at := last.Position()
			q.After = &at
		}
		return w.Activities.Events(w.Context(), q)
	})
}

func eventsOf(reports []ports.Report) []activity.Event {
	var events []activity.Event
	for _, r := range reports {
		events = append(events, r.Event)
	}
	return newestFirst(events)
}

func newestFirst(events []activity.Event) []activity.Event {
	return slices.SortedFunc(slices.Values(events), func(a, b activity.Event) int {
		return a.Position().Compare(b.Position())
	})
}

func eventAppend(w *world) {
	id := agent.ID(w.id()) // of whom the log knows nothing else
	reports := []ports.Report{
		w.reporting(id, epoch.Add(time.Millisecond)),
		w.reporting(id, epoch, func(r *ports.Report) {
			r.Event.Type, r.Event.Description, r.Event.AgentName = activity.CostIncurred, "é\u0000 $ne\n", "ＢＯＢ"
			r.Event.Related = must(jsondoc.ParseObject([]byte(`{"":"a","$ne":"b","a.b":"c"}`)))
			r.Event.Data = new(must(jsondoc.ParseObject([]byte(free))))
		}),
		w.reporting(id, time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), func(r *ports.Report) {
			r.Event.Data = new(jsondoc.Object(""))
		}),
		w.reporting(id, time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), func(r *ports.Report) { r.Event.Data = nil }),
	}
	w.report(reports...)
	w.want("Events", w.feed(activity.Query{}, 10), eventsOf(reports))
}

func eventDuplicates(w *world) {
	id := agent.ID(w.id())
	a, b, c := w.reporting(id, epoch), w.reporting(id, epoch), w.reporting(id, epoch)
	append3 := func(want ports.Counted, reports ...ports.Report) {
		w.Helper()
		got, err := w.Activities.Append(w.Context(), reports, noReceipt)
		w.wantNil("Append", err)
		w.want("Append", got, want)
	}
	other := a // same id, other content
	other.Event.Description, other.Event.At = "another", epoch.Add(time.Hour)
	append3(ports.Counted{Accepted: 2, Duplicates: 1}, a, b, other)
	append3(ports.Counted{Accepted: 1, Duplicates: 3}, other, c, b, c)
	append3(ports.Counted{Duplicates: 2}, a, c)
	w.want("Events", w.feed(activity.Query{}, 10), eventsOf([]ports.Report{a, b, c}))
}

func eventLifecycleID(w *world) {
	w.found("Sales")
	id := w.hire("Bob", "Sales").ID()
	career := w.career(id)
	r := w.reporting(id, epoch, func(r *ports.Report) { r.Event.ID = career[0].ID })
	got, err := w.Activities.Append(w.Context(), []ports.Report{r}, noReceipt)
	w.wantNil("Append", err)
	w.want("Append", got, ports.Counted{Duplicates: 1})
	w.want("Events", w.feed(activity.Query{}, 10), newestFirst(career))
}

func eventSeal(w *world) {
	id := agent.ID(w.id())
	sealing := func(r *receipt.Receipt) func(ports.Counted) *receipt.Receipt {
		return func(n ports.Counted) *receipt.Receipt {
			sealed := *r
			sealed.Reply = &receipt.Reply{Status: 201, Body: fmt.Appendf(nil, "%d of %d", n.Accepted, n.Accepted+n.Duplicates)}
			return &sealed
		}
	}
	a, b := w.reporting(id, epoch), w.reporting(id, epoch)
	r := w.receipt("of a batch")
	_, err := w.Activities.Append(w.Context(), []ports.Report{a, b, a}, sealing(r))
	w.wantNil("Append", err)
	want := *r
	want.Reply = &receipt.Reply{Status: 201, Body: []byte("2 of 3")}
	w.want("the receipt", w.kept(r), &want)

	_, err = w.Activities.Append(w.Context(), []ports.Report{w.reporting(id, epoch)}, sealing(r))
	w.wantErr("Append with a used receipt", err, receipt.ErrRunning)
	w.want("Events", w.feed(activity.Query{}, 10), eventsOf([]ports.Report{a, b}))
	days, completed, err := w.Measures.AgentDays(w.Context(), id, 0)
	w.wantNil("AgentDays", err)
	if completed != 2 || total(days).TasksCompleted != 2 {
		w.Errorf("AgentDays after a used receipt = %+v, %d, want 2 tasks", days, completed)
	}

	all := w.receipt("of a batch of duplicates")
	_, err = w.Activities.Append(w.Context(), []ports.Report{a, b}, sealing(all))
	w.wantNil("Append of duplicates", err)
	want = *all
	want.Reply = &receipt.Reply{Status: 201, Body: []byte("0 of 2")}
	w.want("the receipt of duplicates", w.kept(all), &want)
}

func eventOrder(w *world) {
	id := agent.ID(w.id())
	var reports []ports.Report
	for i, at := range []time.Duration{5, 3, 5, 4, 5, 3} { // milliseconds
		reports = append(reports, w.reporting(id, epoch.Add(at*time.Millisecond), func(r *ports.Report) {
			// Clients bring ids of any kind; they do not ascend with time.
			r.Event.ID = activity.ID(fmt.Sprintf("%x0000000-0000-4000-8000-000000000000", (i*7+9)%16))
		}))
	}
	w.report(reports...)
	for limit := 1; limit <= len(reports)+1; limit++ {
		w.want(fmt.Sprintf("Events in pages of %d", limit), w.feed(activity.Query{}, limit), eventsOf(reports))
	}
}

func eventFilters(w *world) {
	w.found("Sales")
	a, b := w.hire("a", "Sales").ID(), w.hire("b", "Sales").ID()
	w.report(
		w.reporting(a, epoch.Add(time.Hour)),
		w.reporting(b, epoch.Add(2*time.Hour), func(r *ports.Report) { r.Event.Type = activity.ToolUsed }),
		w.reporting(a, epoch.Add(2*time.Hour), func(r *ports.Report) { r.Event.Type = activity.ToolUsed }),
		w.reporting(a, epoch.Add(3*time.Hour)),
	)
	all := w.feed(activity.Query{}, 100)
	w.want("the number of events", len(all), 8)
	for _, q := range []activity.Query{
		{AgentID: string(a)},
		{Type: activity.ToolUsed},
		{Type: activity.Hired},
		{Type: activity.Fired},
		{Since: epoch.Add(2 * time.Hour)}, // inclusive
		{Since: epoch.Add(2*time.Hour + time.Millisecond)},
		{AgentID: string(a), Type: activity.TaskCompleted, Since: epoch.Add(2 * time.Hour)},
		{AgentID: string(b), Type: activity.ToolUsed, Since: epoch},
		{AgentID: w.id()},
		{AgentID: "%"},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(e activity.Event) bool {
			return q.AgentID != "" && q.AgentID != e.AgentID || q.Type != "" && q.Type != e.Type || e.At.Before(q.Since)
		})
		for _, limit := range []int{1, 2, 100} {
			w.want(fmt.Sprintf("Events(%+v) in pages of %d", q, limit), w.feed(q, limit), want)
		}
	}
}

func eventPages(w *world) {
	w.want("Events of an empty storage", w.feed(activity.Query{}, 1), nil)
	id := agent.ID(w.id())
	var reports []ports.Report
	for i := range 250 {
		reports = append(reports, w.reporting(id, epoch.Add(time.Duration(i/7)*time.Millisecond)))
	}
	w.report(reports...)
	want := eventsOf(reports)
	for _, limit := range []int{49, 50, 249, 250, 251} {
		w.want(fmt.Sprintf("Events in pages of %d", limit), w.feed(activity.Query{AgentID: string(id)}, limit), want)
	}
	last := want[len(want)-1].Position()
	got, err := w.Activities.Events(w.Context(), activity.Query{After: &last, Limit: 5})
	w.wantNil("Events behind the last", err)
	w.want("Events behind the last", got, nil)
}

// eventCursor adds newer events, and older ones behind the reader's place.
func eventCursor(w *world) {
	id := agent.ID(w.id())
	var there []ports.Report
	for i := range 9 {
		there = append(there, w.reporting(id, epoch.Add(time.Duration(i)*time.Second)))
	}
	w.report(there...)
	late := w.reporting(id, epoch.Add(-time.Second))
	n := 0
	got := walk(w, 2, func(last *activity.Event) ([]activity.Event, error) {
		q := activity.Query{Limit: 2}
		if last != nil {
			at := last.Position()
			q.After = &at
			w.report(w.reporting(id, epoch.Add(time.Hour)))
			if n++; n == 1 {
				w.report(late)
			}
		}
		return w.Activities.Events(w.Context(), q)
	})
	w.want("Events while others come", got, eventsOf(append(there, late)))
}
