package mongostore

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/agent"
	"orgd/ports"
	"orgd/ports/portstest"
)

// traffic is what a process asks of the server, and is told.
type traffic struct{ commands, bytes atomic.Int64 }

// monitor counts what goes over the connections that have it.
func (w *traffic) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			w.commands.Add(1)
			w.bytes.Add(int64(len(e.Command)))
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) { w.bytes.Add(int64(len(e.Reply))) },
	}
}

// counted is another process, with what it asks of the server.
func (o *office) counted() (*DB, *traffic) {
	o.Helper()
	w := &traffic{}
	client, err := mongo.Connect(clientOptions(testConfig(o)).SetMonitor(w.monitor()))
	o.must(err)
	o.Cleanup(func() { o.must(client.Disconnect(context.WithoutCancel(o.Context()))) })
	db := o.replica()
	db.client, db.data = client, client.Database(o.db.data.Name())
	return db, w
}

// What a change costs does not grow with the department that it happens in.
func TestChangesInLargeDepartmentsCostNoMore(t *testing.T) {
	o := newOffice(t)
	for _, d := range []string{"Small", "Large", "Away"} {
		o.found(d)
	}
	id := o.hire("Stan", "Small")
	o.hire("Sue", "Small")
	for range 200 {
		o.hire("agent "+o.id(), "Large")
	}
	counted, w := o.counted()
	stores := storesOf(counted)

	update := func(patch string) func() error {
		return func() error {
			_, err := stores.Agents.Update(t.Context(), refOf(id), o.changing(id, patch))
			return err
		}
	}
	type cost struct{ commands, bytes int64 }
	costs := map[string]map[string]cost{}
	note := func(what, in string, change func() error) {
		t.Helper()
		before := cost{w.commands.Load(), w.bytes.Load()}
		if err := change(); err != nil {
			t.Fatalf("%s = %v", what, err)
		}
		if costs[what] == nil {
			costs[what] = map[string]cost{}
		}
		costs[what][in] = cost{w.commands.Load() - before.commands, w.bytes.Load() - before.bytes}
	}
	o.must(update(`{"department":"Away"}`)())
	for _, in := range []string{"Small", "Large"} {
		note("move into", in, update(`{"department":"`+in+`"}`))
		note("change", in, update(`{"metadata":{"in":"`+in+`"}}`))
		note("hire", in, func() error { return portstest.Hire(t.Context(), stores.Agents, o.hiring("hired in "+in, in, nil)) })
		fired := o.agents[len(o.agents)-1]
		note("fire", in, func() error {
			_, err := stores.Agents.Update(t.Context(), refOf(fired), o.firing(fired))
			return err
		})
		note("move away", in, update(`{"department":"Away"}`))
	}
	for what, c := range costs {
		small, large := c["Small"], c["Large"]
		t.Logf("%s: %d commands, %d bytes among 2, %d commands, %d bytes among 200", what, small.commands, small.bytes, large.commands, large.bytes)
		// The agent itself may grow by some bytes from one change to the next.
		if large.commands > small.commands || large.bytes > small.bytes+512 {
			t.Errorf("%s costs more in a large department", what)
		}
	}
}

// TestForgettingBatches reports of the same agents again and again, so that all
// documents of their figures remember too many batches at once. A process that
// has settled none of these asks about each of them once, and the one that has
// settled them about none.
func TestForgettingBatches(t *testing.T) {
	const agents = 10
	o := newOffice(t)
	o.found("Sales")
	var ids []agent.ID
	for i := range agents {
		ids = append(ids, o.hire(fmt.Sprint("Bob ", i), "Sales"))
	}
	times := 0
	report := func(db *DB) {
		t.Helper()
		times++
		var reports []ports.Report
		for _, id := range ids {
			reports = append(reports, o.reports(id, 1)...)
		}
		o.must(o.appending(reports, new(ports.Counted))(t.Context(), storesOf(db)))
	}
	remembered := func() (n int) {
		t.Helper()
		var days []dayDoc
		o.must(o.db.all(t.Context(), o.db.coll(daysColl), bson.D{}, &days))
		for _, d := range days {
			n = max(n, len(d.Applied))
		}
		return n
	}
	settler, settling := o.counted()
	fill := func() (usual int64) {
		for remembered() < maxApplied {
			before := settling.commands.Load()
			report(settler)
			usual = settling.commands.Load() - before
		}
		return usual
	}
	for name, c := range map[string]struct {
		by   func() (*DB, *traffic)
		most int64
	}{
		"the process that settled them": {func() (*DB, *traffic) { return settler, settling }, 10},
		"another process":               {o.counted, maxApplied + 10},
	} {
		usual := fill()
		db, w := c.by()
		before := w.commands.Load()
		report(db)
		if more := w.commands.Load() - before - usual; more > c.most {
			t.Errorf("%s asks %d times more often than for other batches, want %d at most", name, more, c.most)
		}
		if n := remembered(); n != 1 {
			t.Errorf("after %s documents remember up to %d batches, want the last one", name, n)
		}
	}
	for _, id := range ids {
		o.wantSums(id, int64(times))
	}
	o.wantWhole()
}
