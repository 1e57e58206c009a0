package performance

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/money"
)

func TestDays(t *testing.T) {
	const today = Date(20_000)
	tasks := func(n int64) Work {
		return Work{TasksCompleted: n, TasksFailed: 2 * n, Cost: money.Total{Units: 3 * n}}
	}
	work := map[Date]Work{today - 3: tasks(4), today - 2: tasks(1), today: tasks(2), today + 1: tasks(3)}
	for size, want := range map[Size][]DailyWork{
		1: {{today, tasks(2)}},
		3: {{today - 2, tasks(1)}, {Date: today - 1}, {today, tasks(2)}},
	} {
		if diff := cmp.Diff(want, size.Days(work, today)); diff != "" {
			t.Errorf("%d days (-want +got):\n%s", size, diff)
		}
	}
	if got := Quarter.Days(nil, today); len(got) != 90 || got[0].Date != today-89 || got[89].Date != today {
		t.Errorf("90 days without work = %v", got)
	}
}

func TestCovered(t *testing.T) {
	const last = Date(20_000)
	for first, want := range map[Date]int{0: 30, last - 30: 30, last - 29: 30, last - 28: 29, last - 1: 2, last: 1, last + 1: 0, last + 29: 0} {
		if got := Month.Covered(last, first); got != want {
			t.Errorf("Covered by figures from day %d on = %d, want %d", first-last, got, want)
		}
	}
}
