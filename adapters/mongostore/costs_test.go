package mongostore

import (
	"context"
	"sync/atomic"
	"testing"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

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
	var w traffic
	client, err := mongo.Connect(clientOptions(testConfig(t)).SetMonitor(w.monitor()))
	o.must(err)
	t.Cleanup(func() { o.must(client.Disconnect(context.WithoutCancel(t.Context()))) })
	counted := o.replica()
	counted.client, counted.data = client, client.Database(o.db.data.Name())
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
