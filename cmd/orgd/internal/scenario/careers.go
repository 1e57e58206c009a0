package scenario

// Newcomers have worked for newcomerDays. Agents that are away or gone stopped
// working awayDays ago.
const (
	newcomerDays = 5
	awayDays     = 7
)

// fates are the fates of thirty agents, with how many have each.
var fates = []struct {
	fate
	of30 int
}{
	{promoted, 4}, {tuned, 6}, {rolledBack, 2}, {onboarded, 1}, {newcomer, 1}, {away, 1}, {returned, 1},
	{moved, 1}, {demoted, 1}, {terminated, 1}, {rehired, 1}, {dismissed, 1}, {stays, 9},
}

// assignFates gives each agent a fate. Heads and leads get at most another prompt.
func (o *Organization) assignFates() {
	var deck []fate
	for _, f := range fates {
		for range f.of30 {
			deck = append(deck, f.fate)
		}
	}
	for i, w := range o.workers {
		hand := i % len(deck)
		if hand == 0 {
			r := o.random("fates", i)
			r.Shuffle(len(deck), func(a, b int) { deck[a], deck[b] = deck[b], deck[a] })
		}
		w.fate = o.fitting(w, deck[hand])
		if w.fate == newcomer || w.fate == onboarded {
			w.hired = o.began - newcomerDays + 1
		}
	}
}

// fitting replaces a fate that makes no sense for the agent. Agents that improve are
// promoted; agents that decline have got a worse prompt.
func (o *Organization) fitting(w *worker, f fate) fate {
	switch {
	case w.chief() && (f == stays || f == rolledBack):
		return f
	case w.chief():
		return tuned
	case w.trend == improving:
		return promoted
	case w.trend == declining && (f == stays || f == promoted || f == newcomer || f == onboarded):
		return rolledBack
	case f == demoted && w.level == "junior":
		return tuned
	case f == moved && len(o.departments) < 2:
		return tuned
	}
	return f
}

func (w *worker) chief() bool { return w.level == "director" || w.level == "lead" }

// works reports whether the agent works on a day.
func (o *Organization) works(w *worker, d date) bool {
	if d < w.hired {
		return false
	}
	switch w.fate {
	case away, terminated, dismissed:
		return d <= o.began-awayDays
	}
	return true
}

// careerStage lets happen to the agents what happens to them, step by step.
func (o *Organization) careerStage() Stage {
	s := Stage{Name: "careers"}
	for _, w := range o.workers {
		s.follow(o.career(w))
	}
	return s
}

// follow adds the steps of one agent: the first to the first wave, and so on.
func (s *Stage) follow(steps []Request) {
	for i, step := range steps {
		if i == len(s.Waves) {
			s.Waves = append(s.Waves, nil)
		}
		s.Waves[i] = append(s.Waves[i], step)
	}
}

// career is what happens to an agent before the history ends.
func (o *Organization) career(w *worker) []Request {
	change := func(reason string, body object) Request {
		r := request("PATCH", agentPath(w), body)
		r.Reason = reason
		return r
	}
	status := func(status, reason string) Request { return change(reason, object{"status": status}) }
	switch w.fate {
	case promoted:
		level := w.nextLevel(1)
		return []Request{change("two strong quarters", object{"level": level, "authority": object{"budget_limit": 200}})}
	case demoted:
		return []Request{change("too many corrections by others", object{"level": w.nextLevel(-1)})}
	case tuned:
		better := o.another(w)
		return []Request{change(better.reason, object{"instructions": o.prompt(w, better)})}
	case rolledBack:
		better := o.another(w)
		back := request("POST", agentPath(w)+"/versions/rollback", object{"target_version": 2, "reason": regret})
		return []Request{
			change(better.reason, object{"instructions": o.prompt(w, better)}),
			change(haste.reason, object{"instructions": o.prompt(w, better, haste)}),
			back,
		}
	case moved:
		to := o.departments[(w.department.number+1)%len(o.departments)]
		return []Request{change("helps out where work waits", object{"department": to.name})}
	case onboarded:
		return []Request{status("active", "onboarding is complete")}
	case away:
		return []Request{status("on_leave", "its tools are being replaced")}
	case returned:
		return []Request{status("on_leave", "its tools are being replaced"), status("active", "its tools are there")}
	}
	return nil
}

// After is the stage behind the history: those who leave have worked until then.
func (o *Organization) After() Stage {
	s := Stage{Name: "farewells"}
	for _, w := range o.workers {
		end := request("PATCH", agentPath(w), object{"status": "terminated"})
		end.Reason = "its work is done by others now"
		switch w.fate {
		case terminated:
			s.follow([]Request{end})
		case rehired:
			again := request("PATCH", agentPath(w), object{"status": "active"})
			again.Reason = "missed after a week"
			s.follow([]Request{end, again})
		case dismissed:
			s.follow([]Request{request("DELETE", agentPath(w), nil)})
		}
	}
	return s
}
