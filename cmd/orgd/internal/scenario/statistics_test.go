package scenario

import (
	"testing"
	"time"

	"orgd/domain/performance"
)

// sample is an organization that is large enough for statistics.
func sample(seed uint64) *Organization {
	return New(Options{Seed: seed, Agents: 150, Days: 40, Began: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)})
}

// What the figures of the service say about agents is what was made up.
func TestAgentsDevelopAsMeant(t *testing.T) {
	for seed := range uint64(3) {
		o := sample(seed)
		got := map[trend]map[performance.Direction]int{steady: {}, improving: {}, declining: {}}
		for _, w := range o.workers {
			if o.began-w.hired < 30 {
				continue // too short to tell
			}
			days := map[date]performance.Day{}
			for d := o.began - 40; d <= o.began; d++ {
				for _, task := range o.tasks(w, d) {
					day := days[d]
					day.Date = performance.Date(d)
					if task.success {
						day.TasksCompleted++
					} else {
						day.TasksFailed++
					}
					day.Quality = day.Quality.Add(int64(task.quality * 1e9))
					days[d] = day
				}
			}
			var list []performance.Day
			for _, d := range days {
				list = append(list, d)
			}
			got[w.trend][performance.Summarize(list, 0, performance.Date(o.began)).Direction]++
		}
		for meant, right := range map[trend]performance.Direction{steady: performance.Stable, improving: performance.Improving, declining: performance.Declining} {
			all := 0
			for _, n := range got[meant] {
				all += n
			}
			if got[meant][right] < all*7/10 || all < 10 {
				t.Errorf("seed %d: of %d agents that are %s, the figures say %v", seed, all, right, got[meant])
			}
		}
		if got[improving][performance.Declining]+got[declining][performance.Improving] > 0 {
			t.Errorf("seed %d: the figures say the opposite of some agents: %v", seed, got)
		}
	}
}

// People who look at a day see when work is done.
func TestWorkHasARhythm(t *testing.T) {
	o := sample(1)
	var weekday, weekend, noon, night, all int
	types := map[string]int{}
	for _, e := range o.history(false) {
		all++
		types[e.Type]++
		if e.who.department.weekends {
			continue
		}
		switch day := e.At.Weekday(); {
		case day == time.Saturday || day == time.Sunday:
			weekend++
		default:
			weekday++
		}
		switch h := e.At.Hour(); {
		case h >= 9 && h < 17:
			noon++
		case h < 5:
			night++
		}
	}
	if weekend == 0 || weekend > weekday/5 {
		t.Errorf("%d events on weekends and %d on other days, want a few", weekend, weekday)
	}
	if night == 0 || night > noon/10 {
		t.Errorf("%d events at night and %d in working hours, want a few", night, noon)
	}
	for typ, share := range map[string][2]float64{
		"task_started": {0.15, 0.3}, "task_completed": {0.15, 0.3}, "cost_incurred": {0.15, 0.3}, "tool_used": {0.25, 0.45},
		"delegation_sent": {0.005, 0.05}, "delegation_received": {0.005, 0.05},
	} {
		if part := float64(types[typ]) / float64(all); part < share[0] || part > share[1] {
			t.Errorf("%s is %.3f of all events, want %v", typ, part, share)
		}
	}
	if types["task_started"] != types["task_completed"] || types["delegation_sent"] != types["delegation_received"] {
		t.Errorf("events %v, want as many begun as done", types)
	}
	if each := float64(all) / 150 / 40; each < 10 || each > 40 {
		t.Errorf("%.1f events of an agent on a day, want 10 to 40", each)
	}
}

// Everything that can happen to an agent happens to some.
func TestEveryFateComes(t *testing.T) {
	seen := map[fate]int{}
	for _, w := range sample(2).workers {
		seen[w.fate]++
	}
	for f := stays; f <= dismissed; f++ {
		if seen[f] == 0 {
			t.Errorf("nobody has fate %d: %v", f, seen)
		}
	}
}
