package scenario

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

// farewellStage lets agents go who have worked until then.
func (o *Organization) farewellStage() Stage {
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
