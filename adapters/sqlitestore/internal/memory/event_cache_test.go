package memory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
)

func TestEventsAreBounded(t *testing.T) {
	const each = 1000
	c := NewEvents(100 * each)
	event := activity.Encoded{Text: strings.Repeat("x", each-eventOverhead)}
	for position := range int64(1000) {
		c.Remember(position, event)
		c.Remember(position, event)
		c.Remembered([]int64{0}) // asked for all the time
		if n := c.byPosition.Len(); n > 100 || n < min(int(position), 100) {
			t.Fatalf("%d events are remembered, want 100", n)
		}
	}
	found, missing := c.Remembered([]int64{0, 1, 890, 910, 999})
	if diff := cmp.Diff([]int64{1, 890}, missing); len(found) != 3 || diff != "" {
		t.Errorf("%d events are remembered, and not these (-want +got):\n%s", len(found), diff)
	}
}

// A page of events at their bounds leaves the others where they are.
func TestLargeEventsAreNotRemembered(t *testing.T) {
	c := NewEvents(MaxEvents)
	for position, length := range []int{1, maxEvent, maxEvent + 1} {
		c.Remember(int64(position), activity.Encoded{Text: strings.Repeat("x", length)})
	}
	if _, missing := c.Remembered([]int64{0, 1, 2}); len(missing) != 1 || missing[0] != 2 {
		t.Errorf("events %v are not remembered, want the one that is too large", missing)
	}
}
