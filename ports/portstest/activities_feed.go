package portstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

// Events returns the whole events of a page of a feed, or an error if it does not
// show them as they are.
func Events(ctx context.Context, log ports.ActivityLog, q activity.Query) ([]activity.Event, error) {
	page, err := log.Feed(ctx, q)
	if err != nil {
		return nil, err
	}
	var ids []activity.ID
	for _, e := range page {
		ids = append(ids, e.ID)
	}
	found, err := log.Find(ctx, ids)
	if err != nil {
		return nil, err
	}
	var events []activity.Event
	for _, got := range page {
		e := found[got.ID]
		if want := e.Encoded(); got.Text != want.Text || !got.At.Equal(want.At) {
			return nil, fmt.Errorf("event %s is shown as %v, want %v", got.ID, got, want)
		}
		events = append(events, e)
	}
	return events, nil
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
		return Events(w.Context(), w.Activities, q)
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
	w.createDepartment("Sales")
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
	got, err := Events(w.Context(), w.Activities, activity.Query{After: &last, Limit: 5})
	w.wantNil("Events behind the last", err)
	w.want("Events behind the last", got, nil)
}

// eventBytes has small events between large ones: a store may remember them.
func eventBytes(w *world) {
	id := agent.ID(w.id())
	var reports []ports.Report
	for i := range 90 {
		reports = append(reports, w.reporting(id, epoch.Add(time.Duration(i)*time.Second), func(r *ports.Report) {
			if i%3 > 0 {
				r.Event.Description = strings.Repeat("x", 100_000)
			}
		}))
	}
	w.report(reports...)
	var want []activity.Encoded
	for _, e := range eventsOf(reports) {
		want = append(want, e.Encoded())
	}
	for range 2 {
		got := shortPages(w, len(want), func(ctx context.Context, last *activity.Encoded) ([]activity.Encoded, error) {
			q := activity.Query{Limit: len(want)}
			if last != nil {
				q.After = &last.Position
			}
			return w.Activities.Feed(ctx, q)
		})
		w.want("all of a feed", got, want)
	}
}

// eventCursor adds newer events, and older ones behind the reader's position.
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
		return Events(w.Context(), w.Activities, q)
	})
	w.want("Events while others come", got, eventsOf(append(there, late)))
}

func eventFind(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	career := w.career(id)
	r := w.reporting(id, epoch)
	w.report(r)
	find := func(ids ...activity.ID) map[activity.ID]activity.Event {
		w.Helper()
		found, err := w.Activities.Find(w.Context(), ids)
		w.wantNil("Find", err)
		return found
	}
	want := map[activity.ID]activity.Event{r.Event.ID: r.Event, career[0].ID: career[0]}
	w.want("Find", find(r.Event.ID, career[0].ID, activity.ID(w.id()), r.Event.ID), want)
	w.want("Find of nothing", find(), map[activity.ID]activity.Event{})
	w.deleteUntil(ports.Expiry{Events: epoch.Add(time.Millisecond)}, func() bool { return len(find(r.Event.ID)) == 0 })
	w.want("Find of what is forgotten", find(r.Event.ID), map[activity.ID]activity.Event{})
}
