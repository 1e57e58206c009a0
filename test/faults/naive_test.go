package faults

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"time"
)

// feedEvent is an event as the feed shows it.
type feedEvent struct {
	ID     string    `json:"id"`
	Type   string    `json:"event_type"`
	At     time.Time `json:"timestamp"`
	Office string    `json:"description"` // of the events that tellers report
	Data   struct {
		Success  *bool       `json:"success"`
		Quality  json.Number `json:"quality_score"`
		Cost     json.Number `json:"cost"`
		Duration json.Number `json:"duration_seconds"`
		Tokens   json.Number `json:"tokens"`
		Score    json.Number `json:"score"`
		Amount   json.Number `json:"amount"`
	} `json:"data"`
}

// The measures of an event, "" for none.
func success(e feedEvent) json.Number {
	switch {
	case e.Type != "task_completed":
		return ""
	case *e.Data.Success:
		return "1"
	}
	return "0"
}
func quality(e feedEvent) json.Number       { return e.Data.Quality }
func taskCost(e feedEvent) json.Number      { return e.Data.Cost }
func duration(e feedEvent) json.Number      { return e.Data.Duration }
func tokens(e feedEvent) json.Number        { return e.Data.Tokens }
func collaboration(e feedEvent) json.Number { return e.Data.Score }

// incurred is the cost of an event, of an agent whose costs are all said in one way.
func incurred(e feedEvent) json.Number { return cmp.Or(e.Data.Amount, e.Data.Cost) }

// sum adds up a measure of the events from a day on.
func sum(events []feedEvent, from time.Time, measure func(feedEvent) json.Number) (total *big.Rat, n int64) {
	total = new(big.Rat)
	for _, e := range events {
		if v, ok := new(big.Rat).SetString(string(measure(e))); ok && !e.At.Before(from) {
			total.Add(total, v)
			n++
		}
	}
	return total, n
}

// exact is a number as figures are compared.
func exact(text string) string {
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return text
	}
	return n.RatString()
}

// rounded is a mean times a factor to some decimals, or null if there is none.
func rounded(total *big.Rat, n, factor int64, decimals int) string {
	if n == 0 {
		return "null"
	}
	return exact(new(big.Rat).Mul(total, big.NewRat(factor, n)).FloatString(decimals))
}

// The first of so many days, the last of which is day.
func ago(day time.Time, days int) time.Time { return day.AddDate(0, 0, 1-days) }

// means are the figures of a window that are means of a measure.
var means = map[string]struct {
	measure  func(feedEvent) json.Number
	decimals int
}{
	"avg_quality_score":           {quality, 4},
	"avg_cost_per_task":           {taskCost, 9},
	"avg_completion_time_seconds": {duration, 6},
	"avg_tokens_per_task":         {tokens, 4},
	"success_rate":                {success, 6},
	"collaboration_score":         {collaboration, 4},
}

// naivePerformance computes the performance of an agent from all its events.
// Directions and slopes of trends are not among it.
func naivePerformance(events []feedEvent, day time.Time) map[string]string {
	want := map[string]string{}
	ever, _ := sum(events, time.Time{}, success)
	want["tasks_completed_total"] = ever.RatString()
	for i, days := range []int{7, 30, 90} {
		from, window := ago(day, days), fmt.Sprintf("windows.%d.", i)
		done, tasks := sum(events, from, success)
		want[window+"data_point_count"] = strconv.FormatInt(tasks, 10)
		want[window+"tasks_completed"] = done.RatString()
		for name, mean := range means {
			total, n := sum(events, from, mean.measure)
			if tasks < 5 && (name != "collaboration_score" || n < 5) {
				n = 0 // too few to say anything
			}
			want[window+name] = rounded(total, n, 1, mean.decimals)
		}
		for j, measure := range []func(feedEvent) json.Number{quality, taskCost, success} {
			_, points := sum(events, from, measure)
			want[fmt.Sprintf("trends.%d.data_point_count", 3*j+i)] = strconv.FormatInt(points, 10)
		}
		if days == 30 {
			want["quality_score"], want["collaboration_score"] = want[window+"avg_quality_score"], want[window+"collaboration_score"]
			if tasks >= 5 {
				want["success_rate_percent"] = rounded(done, tasks, 100, 4)
			}
		}
	}
	return want
}

// naiveHealth computes the health of an agent from all its events.
func naiveHealth(events []feedEvent, day time.Time) map[string]string {
	var last time.Time
	for _, e := range events {
		if e.At.After(last) {
			last = e.At
		}
	}
	want := map[string]string{"last_active_at": last.Format("2006-01-02T15:04:05.000Z")}
	_, tasks := sum(events, ago(day, 30), success)
	_, scores := sum(events, ago(day, 30), collaboration)
	if tasks+scores == 0 {
		want["performance"] = "null"
		return want
	}
	p := naivePerformance(events, day)
	for _, name := range []string{"quality_score", "collaboration_score"} {
		want["performance."+name] = p[name]
	}
	return want
}

// naiveDepartment computes the health of a department from the events that its
// agents did in it.
func naiveDepartment(events []feedEvent, day time.Time) map[string]string {
	month := ago(day, 30)
	total, n := sum(events, month, quality)
	want := map[string]string{"avg_performance_score": rounded(total, n, 1, 4)}
	total, n = sum(events, month, collaboration)
	want["collaboration_score"] = rounded(total, n, 1, 4)
	week, _ := sum(events, ago(day, 7), incurred)
	want["department_cost_7d"] = week.RatString()
	for i := range 7 {
		from := ago(day, 7-i)
		since, _ := sum(events, from, incurred)
		after, _ := sum(events, from.AddDate(0, 0, 1), incurred)
		want[fmt.Sprintf("cost_trend.%d.value", i)] = since.Sub(since, after).RatString()
	}
	return want
}

// figure finds a value in a document.
func figure(doc json.RawMessage, path []string) string {
	for ; len(path) > 0; path = path[1:] {
		var list []json.RawMessage
		object := map[string]json.RawMessage{}
		if i, err := strconv.Atoi(path[0]); err == nil && json.Unmarshal(doc, &list) == nil && i < len(list) {
			doc = list[i]
		} else if json.Unmarshal(doc, &object) == nil {
			doc = object[path[0]]
		}
	}
	return exact(string(bytes.Trim(doc, `"`)))
}
