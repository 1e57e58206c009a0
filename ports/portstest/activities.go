package portstest

import (
	"fmt"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
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
		"FeedEndsByBytes":               eventBytes,
		"FindReturnsWhatIsStored":       eventFind,
		"CareerTellsTheLifecycle":       eventCareer,
		"LastActiveIsTheNewestEvent":    eventLastActive,
		"ParallelBatchesCountOnce":      eventParallel,
		"ParallelStepsAndReports":       eventParallelSteps,
		"FiguresAreExact":               measureExact,
		"FiguresOfDays":                 measureDays,
		"FiguresOfTheDepartmentThen":    measureDepartments,
		"FiguresOfManyDepartments":      measureMany,
		"WorkOfEachDay":                 workOfDays,
		"FirstDaysOfMany":               firstDaysOfMany,
		"FiguresOfAllAgents":            figuresOfAgents,
		"FiguresBesideReports":          figuresBeside,
		"FiguresOfNobody":               measureNobody,
		"MeasuresOfDuplicatesAreNone":   measureDuplicates,
		"FullBatchOfManyAgentsAndDays":  measureFull,
		"ParallelBatchesSumUpExactly":   measureParallel,
		"CostsCountOnceEitherWay":       measureCosts,
		"ParallelCostsCountOnce":        measureCostsParallel,
		"BatchesSumUpAsTheirEventsDo":   measureModel,
		"RetriedBatchesCountOnce":       measureRetries,
		"LifecycleEventsMeasureNothing": measureLifecycle,
	})
}

// Departments that nobody needs to have created for a report.
const (
	salesID = "0190a5c4-0000-7000-8000-5a1e00000000"
	opsID   = "0190a5c4-0000-7000-8000-095000000000"
)

// reporting returns a report of a task that an agent has completed.
func (w *world) reporting(id agent.ID, at time.Time, change ...func(*ports.Report)) ports.Report {
	r := ports.Report{
		Event: activity.Event{
			ID: activity.ID(w.id()), Type: activity.TaskCompleted, At: at,
			AgentID: string(id), AgentName: "Bob", Description: "done",
			Data: new(must(jsondoc.ParseObject([]byte(`{"task_id":"t","success":true}`)))),
		},
		Department: "sales", DepartmentID: salesID,
		Measures: activity.Measures{Finished: true, Success: true},
	}
	for _, do := range change {
		do(&r)
	}
	return r
}

// sealed returns the trail of every batch, with this idempotency record or nil.
func (w *world) sealed(r *idempotency.Record) func(ports.Counted) ports.Trail {
	trail := w.trailOf(r)(audit.Activities, 0, 0)
	return func(ports.Counted) ports.Trail { return trail }
}

// report stores a batch that has to be accepted as a whole, and returns the days whose costs disagree.
func (w *world) report(reports ...ports.Report) []ports.AgentDay {
	w.Helper()
	got, err := w.Activities.Append(w.Context(), reports, w.sealed(nil))
	w.wantNil("Append", err)
	w.want("Append", got, ports.Counted{Accepted: len(reports), Disagree: got.Disagree})
	return got.Disagree
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
		got, err := w.Activities.Append(w.Context(), reports, w.sealed(nil))
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
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	career := w.career(id)
	r := w.reporting(id, epoch, func(r *ports.Report) { r.Event.ID = career[0].ID })
	got, err := w.Activities.Append(w.Context(), []ports.Report{r}, w.sealed(nil))
	w.wantNil("Append", err)
	w.want("Append", got, ports.Counted{Duplicates: 1})
	w.want("Events", w.feed(activity.Query{}, 10), newestFirst(career))
}

func eventSeal(w *world) {
	id := agent.ID(w.id())
	var left []audit.Entry
	sealing := func(r *idempotency.Record) func(ports.Counted) ports.Trail {
		trail := w.trailOf(nil)(audit.Activities, 0, 0)
		left = append([]audit.Entry{trail.Audit}, left...)
		return func(n ports.Counted) ports.Trail {
			sealed := *r
			sealed.Reply = &idempotency.Reply{Status: 201, Body: fmt.Appendf(nil, "%d of %d", n.Accepted, n.Accepted+n.Duplicates)}
			trail.Idempotency = &sealed
			return trail
		}
	}
	a, b := w.reporting(id, epoch), w.reporting(id, epoch)
	r := w.newRecord("of a batch")
	_, err := w.Activities.Append(w.Context(), []ports.Report{a, b, a}, sealing(r))
	w.wantNil("Append", err)
	want := *r
	want.Reply = &idempotency.Reply{Status: 201, Body: []byte("2 of 3")}
	w.want("the record", w.kept(r), &want)

	_, err = w.Activities.Append(w.Context(), []ports.Report{w.reporting(id, epoch)}, sealing(r))
	w.wantErr("Append with a used key", err, idempotency.ErrRunning)
	w.want("Events", w.feed(activity.Query{}, 10), eventsOf([]ports.Report{a, b}))
	days, completed, err := w.Measures.AgentDays(w.Context(), id, 0)
	w.wantNil("AgentDays", err)
	if completed != 2 || total(days).TasksCompleted != 2 {
		w.Errorf("AgentDays after a used key = %+v, %d, want 2 tasks", days, completed)
	}

	all := w.newRecord("of a batch of duplicates")
	_, err = w.Activities.Append(w.Context(), []ports.Report{a, b}, sealing(all))
	w.wantNil("Append of duplicates", err)
	want = *all
	want.Reply = &idempotency.Reply{Status: 201, Body: []byte("0 of 2")}
	w.want("the record of duplicates", w.kept(all), &want)
	w.want("the trail of one batch taken in, one refused and one of duplicates", w.entries(audit.Activities), left[2:])
}
