package performance

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"orgd/domain/activity"
	"orgd/domain/decimal"
)

// happened is one event as the naive computation sees it.
type happened struct {
	date Date
	m    activity.Measures
}

const today = Date(20_000)

func anyEvents() *rapid.Generator[[]happened] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) happened {
		return happened{
			date: today + 1 - Date(rapid.OneOf(rapid.IntRange(0, 8), rapid.IntRange(0, 100)).Draw(t, "age")),
			m:    anyMeasures().Draw(t, "measures"),
		}
	}), 0, 60)
}

// rollups adds the events to days in any order, and splits some days.
func rollups(t *rapid.T, events []happened) []Day {
	var days []Day
	for _, e := range rapid.Permutation(events).Draw(t, "arrival") {
		i := slices.IndexFunc(days, func(d Day) bool { return d.Date == e.date })
		if i < 0 || rapid.IntRange(0, 9).Draw(t, "split") == 0 {
			days = append(days, Day{Date: e.date})
			i = len(days) - 1
		}
		days[i] = days[i].Add(e.m)
	}
	return days
}

// pick returns the values that f finds in the events of the last size days.
func pick(events []happened, size Size, f func(activity.Measures) *big.Rat) []*big.Rat {
	var values []*big.Rat
	for _, e := range events {
		if e.date <= today && e.date > today-Date(size) {
			if v := f(e.m); v != nil {
				values = append(values, v)
			}
		}
	}
	return values
}

func nano(n int64) *big.Rat { return big.NewRat(n, 1_000_000_000) }

func nanoOf[T ~int64](n *T) *big.Rat {
	if n == nil {
		return nil
	}
	return nano(int64(*n))
}

func quality(m activity.Measures) *big.Rat       { return nanoOf(m.Quality) }
func taskCost(m activity.Measures) *big.Rat      { return nanoOf(m.Cost) }
func seconds(m activity.Measures) *big.Rat       { return nanoOf(m.Duration) }
func collaboration(m activity.Measures) *big.Rat { return nanoOf(m.Collaboration) }
func incurred(m activity.Measures) *big.Rat      { return nanoOf(m.Incurred) }

func tokens(m activity.Measures) *big.Rat {
	if m.Tokens == nil {
		return nil
	}
	return big.NewRat(*m.Tokens, 1)
}

func success(m activity.Measures) *big.Rat {
	switch {
	case !m.Finished:
		return nil
	case m.Success:
		return big.NewRat(1, 1)
	}
	return new(big.Rat)
}

func mean(values []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, v := range values {
		total.Add(total, v)
	}
	return total.Quo(total, big.NewRat(int64(len(values)), 1))
}

// rounded is the mean of values, or nil if there is none.
func rounded(values []*big.Rat, decimals int) *decimal.Decimal {
	if len(values) == 0 {
		return nil
	}
	return new(text(mean(values), decimals))
}

func text(v *big.Rat, decimals int) decimal.Decimal {
	d, err := decimal.Parse(v.FloatString(decimals)) // halves away from zero
	if err != nil {
		panic(err)
	}
	return d
}

func naiveWindow(events []happened, size Size) Window {
	tasks := pick(events, size, success)
	w := Window{Size: size, DataPoints: int64(len(tasks))}
	for _, v := range tasks {
		w.TasksCompleted += v.Num().Int64()
	}
	w.TasksFailed = w.DataPoints - w.TasksCompleted
	if len(tasks) >= 5 {
		w.AvgQuality = rounded(pick(events, size, quality), 4)
		w.AvgCostPerTask = rounded(pick(events, size, taskCost), 9)
		w.AvgCompletionSeconds = rounded(pick(events, size, seconds), 6)
		w.AvgTokensPerTask = rounded(pick(events, size, tokens), 4)
		w.SuccessRate = rounded(tasks, 6)
	}
	if scores := pick(events, size, collaboration); len(tasks) >= 5 || len(scores) >= 5 {
		w.Collaboration = rounded(scores, 4)
	}
	return w
}

// on returns the events of one day.
func on(date Date, events []happened) []happened {
	return slices.DeleteFunc(slices.Clone(events), func(e happened) bool { return e.date != date })
}

// naiveSlope is the exact Theil–Sen slope over daily means, or nil.
func naiveSlope(events []happened, size Size, f func(activity.Measures) *big.Rat) (slope *big.Rat, points int64) {
	var days []*big.Rat
	var dates []int64
	for date := today - Date(size) + 1; date <= today; date++ {
		if values := pick(on(date, events), size, f); len(values) > 0 {
			points += int64(len(values))
			days, dates = append(days, mean(values)), append(dates, int64(date))
		}
	}
	if points < 5 || len(days) < 2 {
		return nil, points
	}
	var slopes []*big.Rat
	for i := range days {
		for j := range i {
			rise := new(big.Rat).Sub(days[i], days[j])
			slopes = append(slopes, rise.Quo(rise, big.NewRat(dates[i]-dates[j], 1)))
		}
	}
	slices.SortFunc(slopes, (*big.Rat).Cmp)
	n := len(slopes)
	return mean([]*big.Rat{slopes[(n-1)/2], slopes[n/2]}), points
}

func naiveDirection(slope, threshold *big.Rat) Direction {
	switch {
	case slope.Cmp(threshold) > 0:
		return Improving
	case slope.Cmp(new(big.Rat).Neg(threshold)) < 0:
		return Declining
	}
	return Stable
}

func TestWindowsMatchEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anyEvents().Draw(t, "events")
		s := Summarize(rollups(t, events), 123, today)
		var want []Window
		for _, size := range []Size{7, 30, 90} {
			want = append(want, naiveWindow(events, size))
		}
		if diff := cmp.Diff(want, s.Windows); diff != "" {
			t.Fatalf("Windows (-want +got):\n%s", diff)
		}
		month := want[1]
		headline := Summary{TasksCompletedTotal: 123, Direction: s.Trends[7].Direction}
		if month.SuccessRate != nil {
			rate := mean(pick(events, 30, success))
			headline.SuccessRatePercent = new(text(rate.Mul(rate, big.NewRat(100, 1)), 4))
		}
		rest := cmpopts.IgnoreFields(Summary{}, "Windows", "Trends", "hasData")
		if diff := cmp.Diff(headline, s, rest); diff != "" {
			t.Fatalf("headline (-want +got):\n%s", diff)
		}
	})
}

func TestTrendsMatchEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anyEvents().Draw(t, "events")
		trends := Summarize(rollups(t, events), 0, today).Trends
		if len(trends) != 9 {
			t.Fatalf("len(Trends) = %d, want 9", len(trends))
		}
		for i, metric := range []struct {
			name      Metric
			values    func(activity.Measures) *big.Rat
			threshold *big.Rat // nil: 1 % of the mean, falling is improving
		}{
			{"quality_score", quality, big.NewRat(5, 100)},
			{"cost", taskCost, nil},
			{"success_rate", success, big.NewRat(5, 1000)},
		} {
			for j, size := range []Size{7, 30, 90} {
				got := trends[3*i+j]
				if got.Metric != metric.name || got.Size != size {
					t.Fatalf("trend %d is %s %s, want %s %s", 3*i+j, got.Metric, got.Size, metric.name, size)
				}
				slope, points := naiveSlope(events, size, metric.values)
				threshold, sign := metric.threshold, int64(1)
				if threshold == nil && points > 0 {
					threshold, sign = mean(pick(events, size, metric.values)), -1
					threshold.Mul(threshold, big.NewRat(1, 100))
				}
				checkTrend(t, got, slope, points, threshold, sign)
			}
		}
	})
}

// checkTrend allows for floating point: slopes may differ in the last digits,
// and so may directions within that distance of the threshold.
func checkTrend(t *rapid.T, got Trend, slope *big.Rat, points int64, threshold *big.Rat, sign int64) {
	if got.DataPoints != points {
		t.Fatalf("%s %s: DataPoints = %d, want %d", got.Metric, got.Size, got.DataPoints, points)
	}
	if slope == nil {
		if got.Slope != nil || got.Direction != InsufficientData {
			t.Fatalf("%s %s: %v %s, want no slope", got.Metric, got.Size, got.Slope, got.Direction)
		}
		return
	}
	exact, _ := slope.Float64()
	scale := 10.0
	if got.Metric == Cost {
		scale, _ = threshold.Float64()
		scale *= 100
	}
	tolerance := math.Abs(exact)*1e-8 + scale*1e-13
	if diff := got.Slope.Float() - exact; diff > tolerance || diff < -tolerance {
		t.Fatalf("%s %s: Slope = %v, want %v", got.Metric, got.Size, got.Slope, exact)
	}
	rise := new(big.Rat).Mul(slope, big.NewRat(sign, 1))
	margin := new(big.Rat).SetFloat64(tolerance)
	low := naiveDirection(new(big.Rat).Sub(rise, margin), threshold)
	high := naiveDirection(new(big.Rat).Add(rise, margin), threshold)
	if low == high && got.Direction != low {
		t.Fatalf("%s %s: Direction = %s at slope %v, want %s", got.Metric, got.Size, got.Direction, exact, low)
	}
}

func TestDepartmentMatchesEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := anyEvents().Draw(t, "events")
		total := rapid.Int64Range(0, 10_000).Draw(t, "total")
		active := rapid.Int64Range(0, total).Draw(t, "active")
		got := SummarizeDepartment(rollups(t, events), active, total, today)

		want := Department{
			AvgPerformance:     rounded(pick(events, 30, quality), 4),
			Collaboration:      rounded(pick(events, 30, collaboration), 4),
			UtilizationPercent: "0",
		}
		if total > 0 {
			want.UtilizationPercent = text(big.NewRat(100*active, total), 2)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Department{}, "Cost7d", "CostTrend")); diff != "" {
			t.Fatalf("SummarizeDepartment (-want +got):\n%s", diff)
		}
		checkCosts(t, events, got)
	})
}

func checkCosts(t *rapid.T, events []happened, got Department) {
	if len(got.CostTrend) != 7 {
		t.Fatalf("len(CostTrend) = %d, want 7", len(got.CostTrend))
	}
	week := new(big.Rat)
	for i, day := range got.CostTrend {
		if want := today - 6 + Date(i); day.Date != want {
			t.Fatalf("CostTrend[%d].Date = %s, want %s", i, day.Date, want)
		}
		cost := new(big.Rat)
		for _, v := range pick(on(day.Date, events), 7, incurred) {
			cost.Add(cost, v)
		}
		if want := text(cost, 9); day.Cost.Decimal() != want {
			t.Fatalf("CostTrend[%d].Cost = %s, want %s", i, day.Cost, want)
		}
		week.Add(week, cost)
	}
	if want := text(week, 9); got.Cost7d.Decimal() != want {
		t.Fatalf("Cost7d = %s, want %s", got.Cost7d, want)
	}
}
