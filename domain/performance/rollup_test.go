package performance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/activity"
	"orgd/domain/money"
)

func TestDate(t *testing.T) {
	for s, want := range map[string]Date{
		"1970-01-01T00:00:00Z":      0,
		"1969-12-31T23:59:59.999Z":  -1,
		"1969-12-31T00:00:00Z":      -1,
		"1969-12-30T23:59:59Z":      -2,
		"1970-01-01T23:59:59.999Z":  0,
		"2026-01-31T00:30:00+01:00": 20483,
		"2026-01-31T00:00:00Z":      20484,
	} {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		got := DateOf(at)
		if got != want {
			t.Errorf("DateOf(%s) = %d, want %d", s, got, want)
		}
		if text := at.UTC().Format(time.DateOnly); got.String() != text {
			t.Errorf("Date(%d).String() = %s, want %s", got, got, text)
		}
		if back := DateOf(got.Start()); back != got {
			t.Errorf("DateOf(Start) = %d, want %d", back, got)
		}
	}
}

func TestSampleMean(t *testing.T) {
	third := Sample{Count: 3, Units: 10}
	for _, c := range []struct {
		sample   Sample
		decimals int
		want     string
	}{
		{third, 4, "3.3333"},
		{third, 0, "3"},
		{Sample{Count: 2, Units: 1}, 0, "1"}, // a half goes up
		{Sample{Count: 8, Units: 1}, 2, "0.13"},
		{Sample{Count: 1, Nanos: 1}, 9, "0.000000001"},
		{Sample{Count: 2, Nanos: 1}, 9, "0.000000001"},
		{Sample{Count: 9e9, Units: 9e18, Nanos: 0}, 9, "1000000000"},
		{Sample{Count: 9e6, Units: 9e18, Nanos: 0}, 4, "1000000000000"},
		{Sample{Count: 5}, 4, "0"},
	} {
		if got := c.sample.mean(c.decimals); got == nil || got.String() != c.want {
			t.Errorf("%+v.mean(%d) = %v, want %s", c.sample, c.decimals, got, c.want)
		}
	}
	if got := (Sample{}).mean(4); got != nil {
		t.Errorf("Sample{}.mean = %v, want nil", got)
	}
}

func TestDayAdd(t *testing.T) {
	d := Day{Date: 7}
	for _, m := range []activity.Measures{
		{},
		{Finished: true, Success: true, Duration: new(1500 * time.Millisecond), Quality: new(8 * activity.Point),
			Cost: new(money.MaxAmount), Tokens: new(int64(activity.MaxTokens))},
		{Finished: true, Cost: new(money.Amount(2)), Tokens: new(int64(1))},
		{Collaboration: new(activity.Score(1))},
		{Incurred: new(money.Amount(12_500_000_000))},
	} {
		d = d.Add(m)
	}
	want := Day{
		Date:           7,
		TasksCompleted: 1,
		TasksFailed:    1,
		Duration:       Sample{Count: 1, Units: 1, Nanos: 500_000_000},
		Quality:        Sample{Count: 1, Units: 8},
		TaskCost:       Sample{Count: 2, Units: 1_000_000_000, Nanos: 1},
		Tokens:         Sample{Count: 2, Units: activity.MaxTokens + 1},
		Collaboration:  Sample{Count: 1, Nanos: 1},
		Cost:           Sample{Count: 1, Units: 12, Nanos: 500_000_000},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("Add (-want +got):\n%s", diff)
	}
}

func TestDayIsEmpty(t *testing.T) {
	if d := (Day{Date: 9}).Add(activity.Measures{}); !d.IsEmpty() {
		t.Errorf("IsEmpty of %+v = false, want true", d)
	}
	if d := (Day{}).Add(activity.Measures{Collaboration: new(activity.Score(0))}); d.IsEmpty() {
		t.Errorf("IsEmpty of %+v = true, want false", d)
	}
}

// Stores may add the numbers of samples separately; merging repairs the form.
func TestMergeNormalizes(t *testing.T) {
	raw := Sample{Count: 5, Units: 1, Nanos: 4_999_999_999}
	want := Sample{Count: 5, Units: 5, Nanos: 999_999_999}
	if got := (Sample{}).Merge(raw); got != want {
		t.Errorf("Merge(%+v) = %+v, want %+v", raw, got, want)
	}
}

func TestRollupsDoNotDependOnOrderOrGrouping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		measures := rapid.SliceOf(anyMeasures()).Draw(t, "measures")
		var one Day
		for _, m := range measures {
			one = one.Add(m)
		}
		shuffled := rapid.Permutation(measures).Draw(t, "shuffled")
		parts := make([]Day, 4)
		for _, m := range shuffled {
			i := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
			parts[i] = parts[i].Add(m)
		}
		if diff := cmp.Diff(one, sum(parts)); diff != "" {
			t.Fatalf("sum of parts (-whole +parts):\n%s", diff)
		}
	})
}

// anyMeasures makes the measures of one event of any type.
func anyMeasures() *rapid.Generator[activity.Measures] {
	return rapid.Custom(func(t *rapid.T) activity.Measures {
		switch rapid.IntRange(0, 4).Draw(t, "type") {
		case 0:
			return activity.Measures{Collaboration: maybe(t, "collaboration", score())}
		case 1:
			return activity.Measures{Incurred: new(amount().Draw(t, "incurred"))}
		}
		return activity.Measures{
			Finished: true,
			Success:  rapid.Bool().Draw(t, "success"),
			Duration: maybe(t, "duration", duration()),
			Quality:  maybe(t, "quality", score()),
			Cost:     maybe(t, "cost", amount()),
			Tokens:   maybe(t, "tokens", rapid.Int64Range(0, activity.MaxTokens)),
		}
	})
}

func maybe[T any](t *rapid.T, label string, g *rapid.Generator[T]) *T {
	return rapid.Ptr(g, true).Draw(t, label)
}

func score() *rapid.Generator[activity.Score] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 100), func(tenths int64) activity.Score {
			return activity.Score(tenths) * activity.Point / 10
		}),
		rapid.Map(rapid.Int64Range(0, int64(activity.MaxScore)), func(n int64) activity.Score {
			return activity.Score(n)
		}),
	)
}

func amount() *rapid.Generator[money.Amount] {
	return rapid.Map(rapid.Int64Range(0, int64(money.MaxAmount)), func(n int64) money.Amount {
		return money.Amount(n)
	})
}

func duration() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, int64(activity.MaxDuration)), func(n int64) time.Duration {
		return time.Duration(n)
	})
}
