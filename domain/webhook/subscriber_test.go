package webhook

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/name"
)

func TestWants(t *testing.T) {
	event := func(typ activity.Type, department name.Key, seq activity.Seq) activity.Logged {
		return activity.Logged{Event: activity.Event{Type: typ}, Department: department, Seq: seq}
	}
	hired := event(activity.Hired, "ops", 8)
	for _, tc := range []struct {
		filter string
		event  activity.Logged
		want   bool
	}{
		{``, hired, true},
		{``, event(activity.Hired, "ops", 7), false},
		{``, event(activity.Hired, "ops", 6), false},
		{`"enabled":false`, hired, false},
		{`"event_types":["fired","hired"]`, hired, true},
		{`"event_types":["fired"]`, hired, false},
		{`"departments":["Lab","OPS"]`, hired, true},
		{`"departments":["Lab"]`, hired, false},
		{`"departments":["Lab"]`, event(activity.Hired, "", 8), false},
		{`"event_types":["fired"],"departments":["Ops"]`, hired, false},
		{`"event_types":["hired"],"departments":["Lab"]`, hired, false},
		{`"event_types":["hired"],"departments":["Ops"]`, hired, true},
	} {
		if got := start(t, tc.filter).Subscriber().Wants(tc.event); got != tc.want {
			t.Errorf("{%s}.Wants(%s in %q at %d) = %t, want %t", tc.filter, tc.event.Type, tc.event.Department, tc.event.Seq, got, tc.want)
		}
	}
}

func TestSubscriber(t *testing.T) {
	w := start(t, `"event_types":["fired","hired"],"departments":["Ops"]`).Disable(Gone, after(1))
	want := w
	want.Departments = nil
	if diff := cmp.Diff(want, w.Subscriber().Webhook); diff != "" {
		t.Errorf("Subscriber (-want +got):\n%s", diff)
	}
}

// What is kept of the largest webhook is small, and keeps nothing else in memory.
func TestSubscriberIsSmall(t *testing.T) {
	departments := make([]string, maxDepartments)
	for i := range departments {
		departments[i] = fmt.Sprintf(`"%03d%s"`, i, strings.Repeat("😀", name.MaxLength-3))
	}
	w := start(t, `"event_types":["hired"],"departments":[`+strings.Join(departments, ",")+`],"enabled":false`)
	w.URL = "https://x.example/" + strings.Repeat("a", maxURL-18)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	kept := make([]*Subscriber, 32)
	before, stored := heap(), w.Canonical()
	for i := range kept {
		read, err := Parse(stored)
		if err != nil {
			t.Fatal(err)
		}
		kept[i] = read.Subscriber()
	}
	if each := (int64(heap()) - int64(before) - int64(len(stored))) / int64(len(kept)); each > 12<<10 {
		t.Errorf("a subscriber takes %d bytes, want at most 12 KiB", each)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(stored)
}
