package sqlitestore

import (
	"errors"
	"fmt"
	"testing"

	"orgd/domain/activity"
)

// TestLogEndsWithTheLastEntry: here positions are numbers of events and of audit entries, so
// the end of the log is the last of them, and nothing else moves it.
func TestLogEndsWithTheLastEntry(t *testing.T) {
	o, ctx := openOrg(t, t.TempDir()), t.Context()
	s := o.db.Stores().Stream
	for n := range 3 {
		page, err := s.After(ctx, 0, 100)
		o.check(err)
		if len(page.Events) != 5*n {
			t.Fatalf("the log has %d events, want %d", len(page.Events), 5*n)
		}
		last := activity.Seq(0)
		if n > 0 {
			last = page.Events[5*n-1].Seq + 1 // the entry of the report
		}
		head, err := s.Head(ctx)
		o.check(err)
		if head != last || page.Next != last {
			t.Errorf("Head = %d, Next = %d, want %d", head, page.Next, last)
		}
		if _, err := s.After(ctx, head+1, 10); !errors.Is(err, activity.ErrTooOld) {
			t.Errorf("After(%d) = %v in a log that ends at %d, want ErrTooOld", head+1, err, head)
		}
		o.createDepartment(fmt.Sprint("Ops ", n)) // is no event, and has an entry
		o.report(5)
	}
}
