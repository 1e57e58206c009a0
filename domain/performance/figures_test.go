package performance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/domain/money"
	"orgd/domain/name"
)

func TestFigures(t *testing.T) {
	cost := func(units money.Amount) activity.Measures {
		return activity.Measures{Incurred: new(units * 1_000_000_000)}
	}
	days := []Day{
		day(today+1, task(true, 1000, 1), cost(1)),
		day(today, task(true, 900, 1), task(false, 100, 1), cost(10)),
		day(today-6, task(true, 800, 1), task(true, 0, 1), task(true, 200, 1), cost(100)),
		day(today-7, task(true, 1000, 1), cost(1000)),
		day(today-13, cost(10_000)),
		day(today-14, cost(100_000)),
	}
	var f Figures
	for _, d := range days {
		f = f.Add(d, Week, today)
	}
	want := Figures{
		TasksCompleted: 4, TasksFailed: 1, Quality: Sample{Count: 5, Units: 20},
		Cost: money.Total{Units: 110}, CostBefore: money.Total{Units: 11_000},
	}
	if f != want {
		t.Errorf("the figures are %+v, want %+v", f, want)
	}
	w := Summarize(days, 0, today).Window(Week)
	if diff := cmp.Diff([]any{w.TasksCompleted, w.TasksFailed, w.SuccessRate, w.AvgQuality}, []any{f.TasksCompleted, f.TasksFailed, f.SuccessRate(), f.AvgQuality()}); diff != "" {
		t.Errorf("the figures are not those of the agent's window (-window +figures):\n%s", diff)
	}
	few := Figures{TasksCompleted: MinPoints - 1, Quality: Sample{Count: MinPoints - 1, Units: 1}}
	if few.SuccessRate() != nil || few.AvgQuality() != nil {
		t.Errorf("%d tasks have the rate %v and the quality %v, want none", MinPoints-1, few.SuccessRate(), few.AvgQuality())
	}
}

func TestRanks(t *testing.T) {
	one := func(completed, failed, quality, units, nanos int64) Figures {
		return Figures{
			TasksCompleted: completed, TasksFailed: failed, Quality: Sample{Count: completed + failed, Units: quality},
			Cost: money.Total{Units: units, Nanos: nanos},
		}
	}
	agents := map[string]Figures{
		"a": {},
		"b": one(1, 3, 0, 0, 0), // too few for a rate
		"c": one(3, 3, 60, 5, 1),
		"d": one(9, 1, 90, 5, 2),
		"e": one(6, 6, 60, 4, 999_999_999),
		"f": one(0, 5, 25, 0, 0),
		"g": {},
	}
	for sort, want := range map[Sort]string{
		ByName:    "abcdefg",
		BySuccess: "fced abg", // c and e have the same rate
		ByQuality: "efdc abg", // e and f have the same quality
		ByCost:    "dce abfg",
		ByTasks:   "decbf ag",
	} {
		var ranks []Ranked
		for n, f := range agents {
			ranks = append(ranks, Ranked{Value: sort.Value(f), Name: name.Name{Key: name.Key(n)}})
		}
		slices.SortFunc(ranks, Ranked.Compare)
		var got strings.Builder
		for _, r := range ranks {
			got.WriteString(string(r.Name.Key))
		}
		if want = strings.ReplaceAll(want, " ", ""); got.String() != want {
			t.Errorf("by %s the agents are %s, want %s", sort, got.String(), want)
		}
	}
	if a, b := (Ranked{Name: name.Name{Key: "B"}}), (Ranked{Name: name.Name{Key: "a"}}); a.Compare(b) >= 0 || a.Compare(a) != 0 {
		t.Error("names are not compared by bytes")
	}
}

func TestParseOrder(t *testing.T) {
	for _, s := range []Sort{ByName, BySuccess, ByQuality, ByCost, ByTasks} {
		if got, err := ParseSort(string(s)); err != nil || got != s {
			t.Errorf("ParseSort(%q) = %q, %v", s, got, err)
		}
	}
	for _, size := range Sizes() {
		if got, err := ParseSize(size.String()); err != nil || got != size {
			t.Errorf("ParseSize(%q) = %d, %v", size, got, err)
		}
	}
	for _, wrong := range []string{"", "Name", "7", "7D", "07d", "1d", " 7d", "-7d", "costs"} {
		_, noSort := ParseSort(wrong)
		_, noSize := ParseSize(wrong)
		for parameter, err := range map[string]error{"sort": noSort, "window": noSize} {
			if err == nil || !strings.HasPrefix(fault.Of(err).Msg, parameter+": must be one of ") {
				t.Errorf("%q as a %s = %v, want an error that names the parameter", wrong, parameter, fmt.Sprint(err))
			}
		}
	}
}
