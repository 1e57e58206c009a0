package performance

import (
	"math"
	"slices"

	"orgd/domain/decimal"
)

// Direction says where a metric is heading.
type Direction string

// The directions.
const (
	Improving        Direction = "improving"
	Stable           Direction = "stable"
	Declining        Direction = "declining"
	InsufficientData Direction = "insufficient_data"
)

// Metric is a figure that has a trend.
type Metric string

// The metrics.
const (
	Quality     Metric = "quality_score"
	Cost        Metric = "cost" // per task; falling is improving
	SuccessRate Metric = "success_rate"
)

// Metrics lists the metrics in the order in which they are shown.
func Metrics() []Metric { return []Metric{Quality, Cost, SuccessRate} }

// Slopes per day up to which a metric is stable.
const (
	qualityThreshold     = 0.05  // points
	successRateThreshold = 0.005 // of 0 to 1
	costThreshold        = 0.01  // of the mean cost per task in the window
)

// minTrendDays is the number of days with data below which there is no slope.
const minTrendDays = 2

// Trend says how a metric develops over a window.
type Trend struct {
	Metric    Metric
	Size      Size
	Direction Direction
	// Slope is the change per day in the metric's unit, 9 significant digits;
	// nil if the direction is InsufficientData.
	Slope *decimal.Decimal
	// DataPoints counts the values of the metric: scores, costs, or finished
	// tasks.
	DataPoints int64
}

// point is the mean of a metric on one day, × 10⁹.
type point struct {
	day  float64
	mean float64
}

// trend computes the Theil–Sen slope of the metric's daily means. It needs at
// least [MinPoints] values on at least two days. A slope above the threshold
// is a direction; one at the threshold is still stable. Slopes are rounded
// before they are compared, so that the slope shown explains the direction.
func trend(metric Metric, size Size, days []Day) Trend {
	t := Trend{Metric: metric, Size: size, Direction: InsufficientData}
	points := make([]point, 0, len(days))
	var all Sample
	for _, d := range days {
		s := metric.sample(d)
		if s.Count > 0 {
			points = append(points, point{day: float64(d.Date), mean: s.about()})
			all = all.Merge(s)
		}
	}
	t.DataPoints = all.Count
	if all.Count < MinPoints || len(points) < minTrendDays {
		return t
	}
	t.Slope = new(round(theilSen(points) / nanos))
	t.Direction = metric.direction(t.Slope.Float(), all.about()/nanos)
	return t
}

// sample is the metric's values on one day. A finished task counts 1 for the
// success rate if it succeeded, else 0.
func (m Metric) sample(d Day) Sample {
	switch m {
	case Quality:
		return d.Quality
	case Cost:
		return d.TaskCost
	default:
		return Sample{Count: d.finished(), Units: d.TasksCompleted}
	}
}

// direction judges a slope. mean is the metric's mean over the window.
func (m Metric) direction(slope, mean float64) Direction {
	threshold := successRateThreshold
	switch m {
	case Quality:
		threshold = qualityThreshold
	case Cost:
		threshold = costThreshold * mean
		slope = -slope
	}
	switch {
	case slope > threshold:
		return Improving
	case slope < -threshold:
		return Declining
	}
	return Stable
}

// theilSen is the median of the slopes between all pairs of points; of two
// middle slopes, their mean. Points are in ascending order of different days.
func theilSen(points []point) float64 {
	slopes := make([]float64, 0, len(points)*(len(points)-1)/2)
	for i, p := range points {
		for _, q := range points[i+1:] {
			slopes = append(slopes, (q.mean-p.mean)/(q.day-p.day))
		}
	}
	slices.Sort(slopes)
	middle := len(slopes) / 2
	if len(slopes)%2 == 1 {
		return slopes[middle]
	}
	return (slopes[middle-1] + slopes[middle]) / 2
}

// slopeDigits are the significant digits of a slope. Their number, not that of
// the decimals, is fixed because the cost of a task may be tiny.
const slopeDigits = 9

// round is the decimal of slopeDigits digits that is nearest to slope.
func round(slope float64) decimal.Decimal {
	if slope == 0 {
		return decimal.FromFixed(0, 0)
	}
	decimals := slopeDigits - 1 - int(math.Floor(math.Log10(math.Abs(slope))))
	return decimal.FromFixed(int64(math.Round(slope*math.Pow10(decimals))), decimals)
}
