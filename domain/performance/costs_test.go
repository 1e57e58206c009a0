package performance

import (
	"testing"

	"orgd/domain/activity"
	"orgd/domain/money"
)

// The cost of an agent's day is the larger of what was incurred and what its tasks say, after
// each event; and what the events add to that of a department is what it grew.
func TestCounted(t *testing.T) {
	const cent = money.Amount(10_000_000)
	task := func(n money.Amount) activity.Measures { return activity.Measures{Finished: true, Cost: new(n * cent)} }
	incurred := func(n money.Amount) activity.Measures { return activity.Measures{Incurred: new(n * cent)} }
	for what, tt := range map[string]struct {
		in   []activity.Measures
		want []money.Amount // in cents, after each
	}{
		"incurred alone":           {[]activity.Measures{incurred(150), incurred(75)}, []money.Amount{150, 225}},
		"tasks alone":              {[]activity.Measures{task(150), task(75)}, []money.Amount{150, 225}},
		"the same, task first":     {[]activity.Measures{task(150), incurred(150), task(75), incurred(75)}, []money.Amount{150, 150, 225, 225}},
		"the same, incurred first": {[]activity.Measures{incurred(150), task(150), incurred(75), task(75)}, []money.Amount{150, 150, 225, 225}},
		"more incurred":            {[]activity.Measures{task(99), incurred(150), incurred(75), task(10)}, []money.Amount{99, 150, 225, 225}},
		"tasks catch up":           {[]activity.Measures{incurred(150), task(99), task(99), incurred(30), incurred(30)}, []money.Amount{150, 150, 198, 198, 210}},
		"in one event":             {[]activity.Measures{{Finished: true, Cost: new(3 * cent), Incurred: new(5 * cent)}}, []money.Amount{5}},
		"nothing":                  {[]activity.Measures{{Finished: true}, task(0), incurred(0)}, []money.Amount{0, 0, 0}},
	} {
		var day, department Day
		for i, m := range tt.in {
			one := Day{}.Add(m).Counted(day)
			day, department = day.Merge(one), department.Merge(Day{Cost: one.Cost})
			want := money.Total{}.Add(tt.want[i] * cent)
			if day.Cost.Total() != want || department.Cost.Total() != want {
				t.Errorf("%s: after event %d the cost is %v, of the department %v, want %v", what, i, day.Cost.Total(), department.Cost.Total(), want)
			}
			if one.Cost.Units < 0 || one.Cost.Nanos < 0 {
				t.Errorf("%s: event %d makes the cost fall by %v", what, i, one.Cost)
			}
		}
	}
}

// A cost stays that was counted by another rule.
func TestCountedBefore(t *testing.T) {
	before := Day{TaskCost: Sample{Count: 3, Units: 9}, Cost: Sample{Count: 1, Units: 10}}
	one := Day{}.Add(activity.Measures{Finished: true, Cost: new(money.Amount(500_000_000))}).Counted(before)
	if got := before.Merge(one); got.Cost.Total() != (money.Total{Units: 10}) {
		t.Errorf("the cost is %v, want 10", got.Cost.Total())
	}
}

func TestDisagrees(t *testing.T) {
	cost := func(units, nanos int64) Sample { return Sample{Count: 1, Units: units, Nanos: nanos} }
	for what, tt := range map[string]struct {
		tasks, cost, excess Sample
		want                bool
	}{
		"nothing":                  {},
		"tasks alone":              {tasks: cost(5, 0), cost: cost(5, 0), excess: cost(5, 0)},
		"incurred alone":           {cost: cost(5, 0)},
		"the same":                 {tasks: cost(5, 1), cost: cost(5, 1)},
		"a tenth less incurred":    {tasks: cost(10, 0), cost: cost(10, 0), excess: cost(1, 0)},
		"a tenth more incurred":    {tasks: cost(9, 0), cost: cost(10, 0)},
		"more than a tenth less":   {tasks: cost(10, 0), cost: cost(10, 0), excess: cost(1, 1), want: true},
		"more than a tenth more":   {tasks: cost(8, 999_999_999), cost: cost(10, 0), want: true},
		"hardly anything incurred": {tasks: cost(10, 0), cost: cost(10, 0), excess: cost(9, 999_999_999), want: true},
	} {
		if got := (Day{TaskCost: tt.tasks, Cost: tt.cost, Excess: tt.excess}).Disagrees(); got != tt.want {
			t.Errorf("%s: Disagrees = %v, want %v", what, got, tt.want)
		}
	}
}
