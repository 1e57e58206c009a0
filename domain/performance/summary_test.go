package performance

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/domain/activity"
	"orgd/domain/decimal"
	"orgd/domain/money"
)

// task is a finished task of a quality in hundredths of a point and a cost in
// cents.
func task(success bool, quality, cost int64) activity.Measures {
	return activity.Measures{
		Finished: true, Success: success, Duration: new(90 * time.Second), Tokens: new(int64(1000)),
		Quality: new(activity.Score(quality) * activity.Point / 100), Cost: new(money.Amount(cost * 10_000_000)),
	}
}

func day(date Date, measures ...activity.Measures) Day {
	d := Day{Date: date}
	for _, m := range measures {
		d = d.Add(m)
	}
	return d
}

func dec(s decimal.Decimal) *decimal.Decimal { return &s }

func TestSummarize(t *testing.T) {
	delegation := activity.Measures{Collaboration: new(7 * activity.Point)}
	days := []Day{
		day(today+1, task(true, 1000, 0)),
		day(today, task(true, 900, 100), task(true, 900, 100), delegation),
		day(today-6, task(true, 800, 200)),
		day(today-7, task(false, 700, 300)),
		day(today-29, task(true, 600, 400), task(true, 600, 400)),
		day(today-30, task(false, 0, 900)),
		day(today-89, task(false, 0, 900)),
		day(today-90, task(true, 1000, 0)),
	}
	got := Summarize(days, 7, today)
	want := Summary{
		TasksCompletedTotal: 7,
		SuccessRatePercent:  dec("83.3333"), Direction: Stable,
		Windows: []Window{
			{Size: Week, DataPoints: 3, TasksCompleted: 3},
			{
				Size: Month, DataPoints: 6, TasksCompleted: 5, TasksFailed: 1, AvgQuality: dec("7.5"),
				AvgCostPerTask: dec("2.5"), AvgCompletionSeconds: dec("90"), AvgTokensPerTask: dec("1000"),
				SuccessRate: dec("0.833333"), Collaboration: dec("7"),
			},
			{
				Size: Quarter, DataPoints: 8, TasksCompleted: 5, TasksFailed: 3, AvgQuality: dec("5.625"),
				AvgCostPerTask: dec("4.125"), AvgCompletionSeconds: dec("90"), AvgTokensPerTask: dec("1000"),
				SuccessRate: dec("0.625"), Collaboration: dec("7"),
			},
		},
		Trends: []Trend{
			{Metric: Quality, Size: Week, Direction: InsufficientData, DataPoints: 3},
			{Metric: Quality, Size: Month, Direction: Improving, Slope: dec("0.135057471"), DataPoints: 6},
			{Metric: Quality, Size: Quarter, Direction: Improving, Slope: dec("0.103448276"), DataPoints: 8},
			{Metric: Cost, Size: Week, Direction: InsufficientData, DataPoints: 3},
			{Metric: Cost, Size: Month, Direction: Improving, Slope: dec("-0.135057471"), DataPoints: 6},
			{Metric: Cost, Size: Quarter, Direction: Improving, Slope: dec("-0.103448276"), DataPoints: 8},
			{Metric: SuccessRate, Size: Week, Direction: InsufficientData, DataPoints: 3},
			{Metric: SuccessRate, Size: Month, Direction: Stable, Slope: dec("0"), DataPoints: 6},
			{Metric: SuccessRate, Size: Quarter, Direction: Improving, Slope: dec("0.0112359551"), DataPoints: 8},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Summary{})); diff != "" {
		t.Errorf("Summarize (-want +got):\n%s", diff)
	}
}

func TestSizes(t *testing.T) {
	want := []string{"7d from 19994", "30d from 19971", "90d from 19911"}
	var got []string
	for _, size := range Sizes() {
		got = append(got, fmt.Sprintf("%s from %d", size, size.First(today)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Sizes (-want +got):\n%s", diff)
	}
}

func TestSummarizeNothing(t *testing.T) {
	got := Summarize(nil, 0, today)
	if got.Direction != InsufficientData || len(got.Windows) != 3 || len(got.Trends) != 9 {
		t.Errorf("Summarize of nothing = %+v, want 3 windows, 9 trends, insufficient data", got)
	}
	if h := got.Health(); h != nil {
		t.Errorf("Health of nothing = %+v, want nil", h)
	}
}

func TestMinPoints(t *testing.T) {
	var measures []activity.Measures
	for n := int64(1); n <= 6; n++ {
		measures = append(measures, task(n%2 == 0, 500, 100))
		w := Summarize([]Day{day(today, measures...)}, 0, today).Windows[0]
		if w.DataPoints != n {
			t.Errorf("DataPoints of %d tasks = %d, want %d", n, w.DataPoints, n)
		}
		if shown := w.SuccessRate != nil && w.AvgQuality != nil; shown != (n >= 5) {
			t.Errorf("averages shown with %d tasks = %t, want %t", n, shown, n >= 5)
		}
		if w.Collaboration != nil {
			t.Errorf("Collaboration without scores = %v, want nil", *w.Collaboration)
		}
	}
}

func TestCollaborationHasPointsOfItsOwn(t *testing.T) {
	var measures []activity.Measures
	for n := 1; n <= 6; n++ {
		measures = append(measures, activity.Measures{Collaboration: new(6 * activity.Point)})
		s := Summarize([]Day{day(today, measures...)}, 0, today)
		if shown := s.Window(Month).Collaboration != nil; shown != (n >= 5) {
			t.Errorf("collaboration shown with %d scores = %t, want %t", n, shown, n >= 5)
		}
	}
}

func TestHealth(t *testing.T) {
	one := Summarize([]Day{day(today-29, task(true, 900, 1))}, 1, today).Health()
	if diff := cmp.Diff(&Health{Trend: InsufficientData}, one); diff != "" {
		t.Errorf("Health of one task (-want +got):\n%s", diff)
	}
	if old := Summarize([]Day{day(today-30, task(true, 900, 1))}, 1, today).Health(); old != nil {
		t.Errorf("Health of an old task = %+v, want nil", old)
	}
	spent := activity.Measures{Incurred: new(money.Amount(1))}
	if cost := Summarize([]Day{day(today, spent)}, 0, today).Health(); cost != nil {
		t.Errorf("Health of a cost = %+v, want nil", cost)
	}
	good := task(true, 800, 1)
	all := Summarize([]Day{day(today, good, good, good), day(today-1, good, good)}, 5, today).Health()
	if diff := cmp.Diff(&Health{Quality: dec("8"), Trend: Stable}, all); diff != "" {
		t.Errorf("Health (-want +got):\n%s", diff)
	}
}

// A slope exactly at the threshold is stable, whatever floating point makes of
// 7.05 - 7.00.
func TestTrendThresholds(t *testing.T) {
	success := func(n, of int) (measures []activity.Measures) {
		for i := range of {
			measures = append(measures, task(i < n, 500, 100))
		}
		return measures
	}
	three := func(m activity.Measures) []activity.Measures { return []activity.Measures{m, m, m} }
	for name, c := range map[string]struct {
		metric      Metric
		first, last []activity.Measures // of yesterday and today
		want        Direction
		slope       decimal.Decimal
	}{
		"quality at":         {Quality, three(task(true, 700, 0)), three(task(true, 705, 0)), Stable, "0.05"},
		"quality above":      {Quality, three(task(true, 700, 0)), three(task(true, 706, 0)), Improving, "0.06"},
		"quality at, down":   {Quality, three(task(true, 705, 0)), three(task(true, 700, 0)), Stable, "-0.05"},
		"quality below":      {Quality, three(task(true, 706, 0)), three(task(true, 700, 0)), Declining, "-0.06"},
		"success at":         {SuccessRate, success(100, 200), success(101, 200), Stable, "0.005"},
		"success above":      {SuccessRate, success(100, 200), success(102, 200), Improving, "0.01"},
		"success at, down":   {SuccessRate, success(101, 200), success(100, 200), Stable, "-0.005"},
		"success below":      {SuccessRate, success(102, 200), success(100, 200), Declining, "-0.01"},
		"cost rises":         {Cost, three(task(true, 0, 100)), three(task(true, 0, 102)), Declining, "0.02"},
		"cost falls":         {Cost, three(task(true, 0, 102)), three(task(true, 0, 100)), Improving, "-0.02"},
		"cost under 1 %":     {Cost, three(task(true, 0, 1000)), three(task(true, 0, 1010)), Stable, "0.1"},
		"cost over 1 %":      {Cost, three(task(true, 0, 1000)), three(task(true, 0, 1011)), Declining, "0.11"},
		"cost of nothing":    {Cost, three(task(true, 0, 0)), three(task(true, 0, 0)), Stable, "0"},
		"quality unmoved":    {Quality, three(task(true, 0, 0)), three(task(true, 0, 0)), Stable, "0"},
		"success all failed": {SuccessRate, success(0, 3), success(0, 3), Stable, "0"},
	} {
		days := []Day{day(today-1, c.first...), day(today, c.last...)}
		got := trend(c.metric, Week, days)
		if got.Direction != c.want || got.Slope == nil || *got.Slope != c.slope {
			t.Errorf("%s: trend = %s at %v, want %s at %s", name, got.Direction, got.Slope, c.want, c.slope)
		}
	}
}

func TestTrendNeedsTwoDays(t *testing.T) {
	five := day(today, task(true, 1, 1), task(true, 2, 1), task(true, 3, 1), task(true, 4, 1), task(true, 5, 1))
	for _, metric := range Metrics() {
		if got := trend(metric, Week, []Day{five}); got.Direction != InsufficientData || got.DataPoints != 5 {
			t.Errorf("trend(%s) of one day = %+v, want insufficient data, 5 points", metric, got)
		}
	}
}

func BenchmarkSummarize(b *testing.B) {
	var days []Day
	for i := range Date(90) {
		days = append(days, day(today-i, task(i%3 > 0, int64(i*7)%1000, int64(i))))
	}
	for b.Loop() {
		Summarize(days, 1, today)
	}
}

func TestSuccessRate(t *testing.T) {
	for _, c := range []struct {
		completed, failed int64
		want              *decimal.Decimal
	}{
		{0, 0, nil}, {4, 0, nil}, {0, 4, nil}, {5, 0, dec("1")}, {0, 5, dec("0")}, {2, 3, dec("0.4")},
		{4, 2, dec("0.6667")}, {1, 5, dec("0.1667")}, {99_999, 1, dec("1")}, {99_994, 6, dec("0.9999")},
	} {
		got := Work{TasksCompleted: c.completed, TasksFailed: c.failed}.SuccessRate()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("SuccessRate of %d and %d (-want +got):\n%s", c.completed, c.failed, diff)
		}
	}
}
