package portstest

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// marker is in every text of an agent that is purged, and in nothing else.
const marker = "zebrafinch"

// Traces checks that no text of an agent is in the storage any more when it was purged. raw returns
// everything that is stored, as it is stored.
func Traces(t *testing.T, open func(t *testing.T) (stores Stores, raw func() []byte)) {
	stores, raw := open(t)
	w := &world{tester: t, Stores: stores, made: new(atomic.Int64)}
	w.createDepartment("Sales")
	id, stays := w.hire("Bob", "Sales").ID(), w.hire("Ann", "Sales").ID()
	patch := func(i int) string {
		return fmt.Sprintf(`{"description":"%s %d","instructions":%q}`, marker, i, strings.Repeat(fmt.Sprintf("%d %s, line by line\n", i, marker), 400))
	}
	for i := range 12 {
		r := w.newRecord(fmt.Sprint("key", i))
		r.Reply = &idempotency.Reply{Status: 200, Body: fmt.Appendf(nil, `{"id":"%s","text":%q}`, id, strings.Repeat(marker, 1+500*(i%2)))}
		w.update(id, w.changing(patch(i), r))
		w.change(stays, fmt.Sprintf(`{"description":"%d"}`, i))
	}
	w.wantNil("Label", w.place(id, "production", 2))
	for i := range 30 {
		w.report(w.reporting(id, epoch.Add(time.Duration(i)*time.Hour), func(r *ports.Report) {
			r.Event.Description = marker
			r.Event.Metadata = must(jsondoc.ParseObject(fmt.Appendf(nil, `{"said":"%s %d"}`, marker, i)))
		}))
	}
	w.fire(id)
	if n := bytes.Count(raw(), []byte(marker)); n < 20 {
		t.Fatalf("%q is %d times in the storage, want to find it", marker, n)
	}

	w.wantNil("DeleteReplies", w.Idempotency.DeleteReplies(w.Context(), []string{string(id)}))
	w.wantNil("Purge", w.Agents.Purge(w.Context(), id, w.purging()))
	w.deleteExpired(ports.Expiry{Now: w.now().Add(agent.PurgeLasts)})
	w.change(stays, `{"description":"the last write"}`)
	w.want("whose events are left", len(w.feed(activity.Query{AgentID: string(stays)}, 100)), len(w.feed(activity.Query{}, 100)))
	all := raw()
	for at := bytes.Index(all, []byte(marker)); at >= 0; at = -1 {
		t.Errorf("%q is still %d times in the storage: %q", marker, bytes.Count(all, []byte(marker)), all[max(0, at-40):min(len(all), at+40)])
	}
}
