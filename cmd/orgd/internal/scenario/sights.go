package scenario

// Sight is something worth looking at when everything is there.
type Sight struct {
	Path string // below /api/v1
	Why  string
}

// Sights are a few places to begin with.
func (o *Organization) Sights() []Sight {
	sights := []Sight{
		{"/activities?limit=20", "what happened last"},
		{"/activities?type=promoted", "who was promoted"},
		{departmentPath(o.departments[0]) + "/health", "how the largest department does, and what it costs"},
		{departmentPath(o.departments[0]) + "/ceremony-policy/resolved", "its ceremonies, and where they come from"},
	}
	add := func(w *worker, path, why string) {
		if w != nil {
			sights = append(sights, Sight{agentPath(w) + path, why})
		}
	}
	add(o.steepest(improving, 1), "/performance", "an agent that improves")
	add(o.steepest(declining, -1), "/performance", "one that declines")
	add(o.one(rolledBack), "/versions/diff?from_version=2&to_version=3", "the prompt that made things worse")
	add(o.one(rehired, returned, promoted), "/history", "a career")
	return sights
}

// Regretted returns the name of an agent whose third version was a mistake that
// was taken back, or "".
func (o *Organization) Regretted() string {
	if w := o.one(rolledBack); w != nil {
		return w.name
	}
	return ""
}

// one returns an agent with the first of the fates that somebody has, or nil.
func (o *Organization) one(fates ...fate) *worker {
	for _, f := range fates {
		for _, w := range o.workers {
			if w.fate == f {
				return w
			}
		}
	}
	return nil
}

// candidates bounds the search for the steepest trend.
const candidates = 30

// steepest returns the agent at work whose success has changed most in a
// direction: 1 is up, -1 is down. It is nil if there is no agent of the trend.
func (o *Organization) steepest(t trend, direction float64) (found *worker) {
	most, looked := 0.0, 0
	for _, w := range o.workers {
		if w.trend != t || !o.works(w, o.began) || looked == candidates {
			continue
		}
		looked++
		if change := direction * o.change(w); found == nil || change > most {
			found, most = w, change
		}
	}
	return found
}

// change is by how much the second half of the history is more successful than
// the first.
func (o *Organization) change(w *worker) float64 {
	days := date(min(o.opts.Days, rampDays))
	var tasks, done [2]float64
	for d := o.began - days + 1; d <= o.began; d++ {
		half := 0
		if d > o.began-days/2 {
			half = 1
		}
		for _, t := range o.tasks(w, d) {
			tasks[half]++
			if t.success {
				done[half]++
			}
		}
	}
	return done[1]/max(tasks[1], 1) - done[0]/max(tasks[0], 1)
}
