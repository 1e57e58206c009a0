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
	add(o.busiest(improving), "/performance", "an agent that improves")
	add(o.busiest(declining), "/performance", "one that declines")
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

// busiest returns the agent at work that has a trend and most tasks, which show the trend
// best; nil if there is none.
func (o *Organization) busiest(t trend) (found *worker) {
	for _, w := range o.workers {
		if w.trend == t && o.works(w, o.began) && (found == nil || w.pace > found.pace) {
			found = w
		}
	}
	return found
}
