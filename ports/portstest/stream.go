package portstest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/ports"
)

// EventStream checks the promises of ports.EventStream.
func EventStream(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"EmptyLog":                  streamEmpty,
		"KeepsEverything":           streamKeeps,
		"TellsTheDepartmentThen":    streamDepartments,
		"OnlyWhatHappened":          streamRefused,
		"AnyPageReadsTheSame":       streamPages,
		"OldTimesEnterAtTheEnd":     streamOldTimes,
		"ChangedWakesReaders":       streamChanged,
		"BeyondTheHead":             streamBeyond,
		"ForgottenEventsAreLeftOut": streamForgotten,
		"BeginningIsCutOff":         streamCutOff,
		"ParallelWritersAndReaders": streamParallel,
		"ReadersGoOnWhereTheyWere":  streamCuts,
		"NextIsBehindWhatWasRead":   streamNext,
		"StoredReachesBehindTheLog": streamStored,
		"PagesLeadToTheEnd":         streamMore,
		"ProgressReachesTheEnd":     streamProgress,
		"ChangesAreAmongEvents":     streamChanges,
	})
}

// logTime is how long the tests wait for an event that was answered: a busy
// machine may take a while to read it.
const logTime = 20 * time.Second

// after reads the events of one page of the log.
func (w *world) after(position activity.Seq, limit int) []activity.Logged {
	w.Helper()
	page, err := w.page(position, limit)
	w.wantNil(fmt.Sprintf("After(%d)", position), err)
	return page.Events
}

// page reads one page of the log, for any goroutine.
func (w *world) page(position activity.Seq, limit int) (ports.LogPage, error) {
	page, err := w.Stream.After(w.Context(), position, limit)
	if err != nil {
		return page, err
	}
	if len(page.Events) > limit {
		return page, fmt.Errorf("After(%d, %d) returns %d events", position, limit, len(page.Events))
	}
	last := position
	for _, e := range page.Events {
		if e.Seq <= last {
			return page, fmt.Errorf("position %d follows %d", e.Seq, last)
		}
		last = e.Seq
	}
	if page.Next < last {
		return page, fmt.Errorf("After(%d, %d) was read up to %d, which is before %d", position, limit, page.Next, last)
	}
	if len(page.Events) == limit && !page.More {
		return page, fmt.Errorf("After(%d, %d) returns a full page and says that there is no more", position, limit)
	}
	return page, nil
}

// follow reads n events behind a position in pages of limit, waiting for them.
func (w *world) follow(position activity.Seq, n, limit int) []activity.Logged {
	w.Helper()
	events, err := w.follower(position, n, limit)
	w.wantNil("following the log", err)
	return events
}

// follower is follow for any goroutine.
func (w *world) follower(position activity.Seq, n, limit int) ([]activity.Logged, error) {
	var all []activity.Logged
	for until := time.Now().Add(logTime); len(all) < n; {
		changed := w.Stream.Changed()
		page, err := w.page(position, limit)
		if err != nil {
			return all, err
		}
		position = page.Next
		all = append(all, page.Events...)
		if len(page.Events) > 0 || page.More {
			continue
		}
		if time.Now().After(until) {
			return all, fmt.Errorf("the log has %d events after %v, want %d", len(all), logTime, n)
		}
		select {
		case <-changed:
		case <-time.After(time.Second / 4):
		case <-w.Context().Done():
			return all, w.Context().Err()
		}
	}
	return all, nil
}

// head is a position behind everything that was answered.
func (w *world) head() activity.Seq {
	w.Helper()
	head, err := w.Stream.Head(w.Context())
	w.wantNil("Head", err)
	return head
}

// wantHead checks that the head is not before the last event, and that nothing
// follows it.
func (w *world) wantHead(last activity.Seq) {
	w.Helper()
	head := w.head()
	if head < last {
		w.Errorf("Head = %d, before the event at %d", head, last)
	}
	w.want("After(Head)", w.after(head, 10), nil)
}

// logged are events of a department as the log shows them, without positions.
func logged(department name.Key, events ...activity.Event) []activity.Logged {
	var all []activity.Logged
	for _, e := range events {
		all = append(all, activity.Logged{Event: e, Department: department})
	}
	return all
}

func reported(reports ...ports.Report) []activity.Logged {
	var all []activity.Logged
	for _, r := range reports {
		all = append(all, activity.Logged{Event: r.Event, Department: r.Department})
	}
	return all
}

// withoutSeq are the same events without their positions.
func withoutSeq(events []activity.Logged) []activity.Logged {
	events = slices.Clone(events)
	for i := range events {
		events[i].Seq = 0
	}
	return events
}

// Changes are in the log, in the order of their commits among events, and not the rest of
// the audit trail.
func streamChanges(w *world) {
	sales := must(name.Parse("Sales"))
	w.createDepartment("Sales")
	bob := w.hire("Bob", "Sales").ID()
	head, err := w.Stream.Head(w.Context())
	w.wantNil("Head", err)
	var want []activity.Logged
	for i := range 4 {
		e := w.changeEntry(i, "ann", audit.Agent(string(bob)), audit.New(audit.AgentUpdated, "Bob").In(sales))
		w.putEntry(e)
		want = append(want, activity.LoggedChange(0, e))
		w.putEntry(audit.Entry{ID: w.id(), At: epoch, Action: audit.SessionIssued})
		r := w.reporting(bob, epoch)
		w.report(r)
		want = append(want, reported(r)...)
	}
	for limit := 1; limit <= 9; limit++ {
		w.want(fmt.Sprintf("After in pages of %d", limit), withoutSeq(w.follow(head, len(want), limit)), want)
	}
	stored, err := w.Stream.Stored(w.Context(), head, w.head(), 100)
	w.wantNil("Stored", err)
	changes := slices.DeleteFunc(stored.Events, func(e activity.Logged) bool { return e.Change == nil })
	w.want("the changes of Stored", len(changes), 4)
}

func streamEmpty(w *world) {
	w.wantHead(0)
	w.want("After(0) of an empty log", w.after(0, 10), nil)
	w.createDepartment("Sales") // has no event
	w.wantHead(0)
}

func streamKeeps(w *world) {
	w.createDepartment("Sales")
	hiring := w.hiring("Bob", "Sales")
	w.wantNil("Create", Hire(w.Context(), w.Agents, hiring))
	got := w.follow(0, 2, 10)
	w.want("the log of a hire", withoutSeq(got), logged("sales", hiring.Events...))
	// As feeds keep them, the odd ones too, in the order of the batch, whatever
	// their times and ids are.
	reports := []ports.Report{
		w.reporting(hiring.Agent.ID(), epoch.Add(time.Hour), func(r *ports.Report) { r.Event.ID = "ffffffff-0000-4000-8000-000000000000" }),
		w.reporting("0190a5c4-0000-7000-8000-ffffffffffff", epoch, func(r *ports.Report) {
			r.Event.Type, r.Event.Description, r.Department = activity.CostIncurred, "é\u0000 $ne\n", "ops"
		}),
		w.reporting(hiring.Agent.ID(), epoch, func(r *ports.Report) {
			r.Event.ID, r.Event.Data = "00000000-0000-4000-8000-000000000000", nil
		}),
	}
	w.report(reports...)
	more := w.follow(got[1].Seq, 3, 10)
	w.want("the log of a batch", withoutSeq(more), reported(reports...))
	w.wantHead(more[2].Seq)
}

func streamDepartments(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	id := w.hire("Bob", "Sales").ID()
	w.change(id, `{"department":"Ops","level":"vp"}`)
	w.report(w.reporting(id, epoch, func(r *ports.Report) { r.Department = "elsewhere" }))
	w.fire(id)
	w.wantNil("Delete(Ops)", w.deleteDepartment("Ops"))
	got := map[activity.Type]name.Key{}
	var order []activity.Type // of the agent's own changes
	for _, e := range w.follow(0, 5, 10) {
		if got[e.Type] = e.Department; e.Type.Lifecycle() {
			order = append(order, e.Type)
		}
	}
	w.want("the order of the changes", order, []activity.Type{activity.Hired, activity.Onboarded, activity.Promoted, activity.Fired})
	w.want("the departments", got, map[activity.Type]name.Key{
		activity.Hired: "sales", activity.Onboarded: "sales", activity.Promoted: "ops",
		activity.TaskCompleted: "elsewhere", activity.Fired: "ops",
	})
}

func streamRefused(w *world) {
	w.createDepartment("Sales")
	bob := w.hire("Bob", "Sales")
	w.wantErr("Create", Hire(w.Context(), w.Agents, w.hiring("Bob", "Sales")), agent.ErrExists)
	w.wantErr("Create", Hire(w.Context(), w.Agents, w.hiring("Eve", "Nowhere")), agent.ErrDepartment)
	w.change(bob.ID(), `{}`)
	w.change(bob.ID(), `{"description":"x"}`) // is no event
	a, b := w.reporting(bob.ID(), epoch), w.reporting(bob.ID(), epoch)
	w.report(a)
	for range 2 {
		_, err := w.Activities.Append(w.Context(), []ports.Report{a, b, a}, w.sealed(nil))
		w.wantNil("Append", err)
	}
	last := w.reporting(bob.ID(), epoch)
	w.report(last)
	got := w.follow(0, 5, 10)
	var ids []activity.ID
	for _, e := range got {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	want := []activity.ID{a.Event.ID, b.Event.ID, last.Event.ID}
	for _, e := range w.career(bob.ID()) {
		want = append(want, e.ID)
	}
	slices.Sort(want)
	w.want("the ids in the log", ids, want)
	w.want("the rest of the log", w.after(got[4].Seq, 10), nil)
}

func streamPages(w *world) {
	id := agent.ID(w.id())
	total := 0
	for _, n := range []int{1, 7, 250, 1, 40} {
		var reports []ports.Report
		for range n {
			reports = append(reports, w.reporting(id, epoch))
		}
		w.report(reports...)
		total += n
	}
	all := w.follow(0, total, 1000)
	for _, limit := range []int{1, 2, 49, total - 1, total, total + 1} {
		w.want(fmt.Sprintf("the log in pages of %d", limit), w.follow(0, total, limit), all)
	}
	for _, i := range []int{0, 1, 7, 8, 150, total - 1} {
		w.want(fmt.Sprintf("the log behind event %d", i), w.after(all[i].Seq, total), all[i+1:])
	}
}

// streamOldTimes reports what happened long ago: a log is not a feed.
func streamOldTimes(w *world) {
	id := agent.ID(w.id())
	now := w.reporting(id, epoch)
	w.report(now)
	position := w.follow(0, 1, 10)[0].Seq
	old := w.reporting(id, epoch.AddDate(-1, 0, 0), func(r *ports.Report) { r.Event.ID = "00000000-0000-4000-8000-000000000000" })
	w.report(old)
	w.want("the log behind a newer event", withoutSeq(w.follow(position, 1, 10)), reported(old))
}

func streamChanged(w *world) {
	id := agent.ID(w.id())
	for range 3 {
		changed := w.Stream.Changed()
		position := w.head()
		w.report(w.reporting(id, epoch))
		select {
		case <-changed:
		case <-time.After(logTime):
			w.Fatalf("Changed is not closed after an event")
		}
		w.follow(position, 1, 10)
	}
}

func streamBeyond(w *world) {
	w.report(w.reporting(agent.ID(w.id()), epoch))
	last := w.follow(0, 1, 10)[0].Seq
	for _, position := range []activity.Seq{last + 1<<40, last + 1<<50, -1} {
		_, err := w.Stream.After(w.Context(), position, 10)
		w.wantErr(fmt.Sprintf("After(%d) in a log that ends at %d", position, last), err, activity.ErrTooOld)
	}
}

func streamForgotten(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	at := epoch.Add(time.Hour)
	old, now := w.reporting(id, at.Add(-time.Millisecond)), w.reporting(id, at)
	w.report(old, now, w.reporting(id, epoch))
	all := w.follow(0, 5, 10)
	w.deleteExpired(ports.Expiry{Events: at})
	kept := slices.DeleteFunc(slices.Clone(all), func(e activity.Logged) bool {
		return !e.Type.Lifecycle() && e.At.Before(at)
	})
	for _, limit := range []int{1, 2, 10} {
		w.want(fmt.Sprintf("the log in pages of %d", limit), w.follow(0, 3, limit), kept)
	}
	w.wantHead(all[4].Seq)
	w.want("After(Head)", w.after(all[4].Seq, 10), nil)
	next := w.reporting(id, at)
	w.report(next)
	w.want("the log afterwards", withoutSeq(w.follow(all[4].Seq, 1, 10)), reported(next))
}

// streamCutOff goes by the clock of the machine, because stores do.
func streamCutOff(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	old := w.follow(0, 2, 10)
	first := time.Now()
	w.deleteExpired(ports.Expiry{Events: epoch, Now: first})
	w.want("the log before its time", w.after(0, 10), old)
	time.Sleep(1100 * time.Millisecond)
	kept := time.Now().UTC().Truncate(time.Millisecond)
	time.Sleep(10 * time.Millisecond)
	w.report(w.reporting(id, kept.Add(time.Minute)))
	more := w.follow(old[1].Seq, 1, 10)
	w.deleteExpired(ports.Expiry{Events: kept, Now: first.Add(2 * time.Hour)})
	for _, position := range []activity.Seq{0, old[0].Seq} {
		_, err := w.Stream.After(w.Context(), position, 10)
		w.wantErr(fmt.Sprintf("After(%d) of a log that begins behind %d", position, old[1].Seq), err, activity.ErrTooOld)
	}
	w.wantHead(more[0].Seq)
	w.want("After(Head)", w.after(more[0].Seq, 10), nil)
	next := w.reporting(id, kept.Add(time.Minute))
	w.report(next)
	w.want("the log afterwards", withoutSeq(w.follow(more[0].Seq, 1, 10)), reported(next))
	w.want("the career", len(w.career(id)), 2)
}

// streamParallel has readers that follow beside writers: each sees the order
// that everybody sees later.
func streamParallel(w *world) {
	const readers, each, size = 3, 6, 7
	w.createDepartment("Sales")
	total := crowd * (2 + each*size)
	seen := make([][]activity.Logged, readers)
	errs := make([]error, readers)
	var all sync.WaitGroup
	for i := range readers {
		all.Go(func() { seen[i], errs[i] = w.follower(0, total, 5+i*20) })
	}
	written := atOnce(crowd, func(i int) error {
		s := w.hiring(fmt.Sprint("agent ", i), "Sales")
		if err := Hire(w.Context(), w.Agents, s); err != nil {
			return err
		}
		for range each {
			var reports []ports.Report
			for range size {
				reports = append(reports, w.reporting(s.Agent.ID(), epoch))
			}
			if _, err := w.Activities.Append(w.Context(), reports, w.sealed(nil)); err != nil {
				return err
			}
		}
		return nil
	})
	all.Wait()
	w.wantEach("writing", written)
	w.wantEach("following", errs)
	want := w.follow(0, total, 1000)
	w.want("what follows the last event", w.after(want[total-1].Seq, 10), nil)
	for i := range readers {
		w.want(fmt.Sprintf("what reader %d saw", i), seen[i], want)
	}
	w.wantTogether(want)
	ids := map[activity.ID]bool{}
	for _, e := range want {
		ids[e.ID] = true
	}
	w.want("the number of different events", len(ids), total)
}

// wantTogether checks that the events of one change and those of one batch,
// whose ids ascend, stand together. Here an agent has several batches of seven.
func (w *world) wantTogether(events []activity.Logged) {
	w.Helper()
	for i := 0; i < len(events); {
		size := 7
		if events[i].Type.Lifecycle() {
			size = 2
		}
		for j := i + 1; j < i+size; j++ {
			if a, b := events[j-1], events[j]; a.AgentID != b.AgentID || a.ID >= b.ID || a.Type.Lifecycle() != b.Type.Lifecycle() {
				w.Fatalf("event %d, %s of agent %s, does not follow %s of agent %s in its batch", j, b.ID, b.AgentID, a.ID, a.AgentID)
			}
		}
		i += size
	}
}

// streamCuts lets readers stop and go on from where they were, beside a writer.
func streamCuts(w *world) {
	const total = 120
	id := agent.ID(w.id())
	ctx, stop := context.WithCancel(w.Context())
	defer stop()
	errs := atOnce(4, func(i int) error {
		if i == 0 {
			for range total {
				if _, err := w.Activities.Append(ctx, []ports.Report{w.reporting(id, epoch)}, w.sealed(nil)); err != nil {
					return err
				}
			}
			return nil
		}
		seen := map[activity.ID]bool{}
		for position := activity.Seq(0); len(seen) < total; {
			events, err := w.follower(position, 1, 1+(len(seen)*i)%7)
			if err != nil {
				return err
			}
			for _, e := range events {
				if seen[e.ID] {
					return fmt.Errorf("event %s comes twice", e.ID)
				}
				seen[e.ID], position = true, e.Seq
			}
		}
		return nil
	})
	w.wantEach("writing and following", errs)
}

// streamNext goes on from pages without events.
func streamNext(w *world) {
	id := agent.ID(w.id())
	position := w.head()
	for i := range 20 {
		page, err := w.page(position, 1+i%3)
		w.wantNil("After", err)
		w.want("the events of a quiet log", page.Events, nil)
		if i%2 == 0 {
			w.createDepartment(fmt.Sprint("Department ", i)) // is no event
		}
		a, b := w.reporting(id, epoch), w.reporting(id, epoch)
		w.report(a, b)
		both := w.follow(page.Next, 2, 1+i%3)
		w.want("the log behind a page without events", withoutSeq(both), reported(a, b))
		page, err = w.page(both[0].Seq, 10)
		w.wantNil("After", err)
		w.want("the rest of the batch", page.Events, both[1:])
		position = page.Next
	}
}

// streamMore reads page after page, as they come, with and without events.
func streamMore(w *world) {
	id := agent.ID(w.id())
	from := w.head()
	const total = 450
	for range total / 50 {
		var reports []ports.Report
		for range 50 {
			reports = append(reports, w.reporting(id, epoch))
		}
		w.report(reports...)
		w.createDepartment("Department " + w.id()) // is no event
	}
	end := w.head()
	for _, limit := range []int{1, 7, 50, total, 2 * total} {
		read := 0
		for position, more, until := from, true, time.Now().Add(logTime); read < total || more; {
			page, err := w.page(position, limit)
			w.wantNil("After", err)
			read += len(page.Events)
			position, more = page.Next, page.More
			if time.Now().After(until) {
				w.Fatalf("pages of %d have led to %d events and the position %d after %v, want %d and %d", limit, read, position, logTime, total, end)
			}
		}
		w.want(fmt.Sprintf("the events in pages of %d", limit), read, total)
	}
}

// streamProgress waits until the process has read what was answered.
func streamProgress(w *world) {
	id := agent.ID(w.id())
	for range 3 {
		w.report(w.reporting(id, epoch))
		answered := w.head()
		_, end, err := w.Stream.Progress(w.Context())
		w.wantNil("Progress", err)
		if end < answered {
			w.Errorf("Progress says that the log ends at %d, before %d", end, answered)
		}
		var read activity.Seq
		for until := time.Now().Add(logTime); read < answered && time.Now().Before(until); time.Sleep(time.Millisecond) {
			if read, end, err = w.Stream.Progress(w.Context()); err != nil || read > end {
				w.Fatalf("Progress = %d, %d, %v", read, end, err)
			}
		}
		if read < answered {
			w.Errorf("the process has read up to %d after %v, want %d", read, logTime, answered)
		}
	}
}

// streamStored reads what the log does not reach back to any more.
func streamStored(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	at := epoch.Add(time.Hour)
	first := w.follow(0, 2, 10)
	w.wantStored(0, 0, nil, first)
	w.report(w.reporting(id, at.Add(-time.Millisecond)), w.reporting(id, at), w.reporting(id, at))
	all := w.follow(0, 5, 10)
	end := w.head()
	w.report(w.reporting(id, at))
	last := w.follow(end, 1, 10)
	w.wantStored(0, end, all, last)
	w.wantStored(all[2].Seq, end, all[3:], last)
	w.wantStored(end, w.head(), last, nil)
	// The log may be cut off, events not.
	w.deleteExpired(ports.Expiry{Events: at, Now: time.Now().Add(time.Hour)})
	w.deleteExpired(ports.Expiry{Events: at, Now: time.Now().Add(3 * time.Hour)})
	w.wantStored(0, end, append(first, all[3:]...), append(last, all[2]))
}

// wantStored checks that some events are stored between two positions, and others
// are not. There may be more, from before.
func (w *world) wantStored(after, upTo activity.Seq, want, not []activity.Logged) {
	w.Helper()
	for _, limit := range []int{1, 2, 100} {
		found := map[activity.ID]activity.Logged{}
		for position := after; ; {
			page, err := w.Stream.Stored(w.Context(), position, upTo, limit)
			w.wantNil("Stored", err)
			if len(page.Events) > limit {
				w.Fatalf("Stored(%d, %d, %d) returns %d events", position, upTo, limit, len(page.Events))
			}
			if len(page.Events) == 0 {
				break
			}
			for _, e := range page.Events {
				if _, twice := found[e.ID]; twice {
					w.Errorf("event %s comes twice in pages of %d", e.ID, limit)
				}
				found[e.ID] = e
			}
			position = page.Next
		}
		for _, e := range want {
			got := found[e.ID]
			if got.Seq > e.Seq {
				w.Errorf("event %s is stored at %d, behind its position %d", e.ID, got.Seq, e.Seq)
			}
			got.Seq = e.Seq
			w.want(fmt.Sprintf("event %s, in pages of %d", e.ID, limit), got, e)
		}
		for _, e := range not {
			if _, there := found[e.ID]; there {
				w.Errorf("Stored(%d, %d) returns event %s at %d", after, upTo, e.ID, e.Seq)
			}
		}
	}
}
