package scenario

// sizePerDepartment is how many agents a department has at least before there
// is another one.
const sizePerDepartment = 4

// makeDepartments makes as many departments as there are enough agents for.
func (o *Organization) makeDepartments() {
	n := min(len(kinds), max(1, o.opts.Agents/sizePerDepartment))
	for i, k := range kinds[:n] {
		o.departments = append(o.departments, &department{kind: k, number: i})
	}
}

// staff distributes the agents to the departments by their shares of the budget.
func (o *Organization) staff() {
	names := o.names()
	var members []*worker
	for i, size := range o.sizes() {
		d := o.departments[i]
		d.head = &worker{department: d, team: -1, level: "director"}
		teams := min(len(d.teams), (size-1)/3)
		for t := range teams {
			d.leads = append(d.leads, &worker{department: d, team: t, level: "lead", boss: d.head})
		}
		for m := range size - 1 - teams {
			w := &worker{department: d, team: -1, boss: d.head}
			if teams > 0 {
				w.team, w.boss = m%teams, d.leads[m%teams]
			}
			members = append(members, w)
		}
	}
	for _, d := range o.departments {
		o.workers = append(o.workers, d.head)
	}
	for _, d := range o.departments {
		o.workers = append(o.workers, d.leads...)
	}
	o.workers = append(o.workers, members...)
	for i, w := range o.workers {
		w.number, w.name = i, names[i]
		w.department.workers = append(w.department.workers, w)
		o.characterize(w)
	}
}

// sizes returns how many agents each department has, at least one.
func (o *Organization) sizes() []int {
	shares := 0
	for _, d := range o.departments {
		shares += d.share
	}
	left := o.opts.Agents - len(o.departments)
	sizes, given := make([]int, len(o.departments)), 0
	for i, d := range o.departments {
		sizes[i] = 1 + left*d.share/shares
		given += left * d.share / shares
	}
	for i := range left - given { // what rounding has left
		sizes[i%len(sizes)]++
	}
	return sizes
}

// names returns a name for every agent.
func (o *Organization) names() []string {
	r := o.random("names")
	names := make([]string, 0, o.opts.Agents)
	for _, i := range r.Perm(len(firstNames) * len(lastNames))[:o.opts.Agents] {
		names = append(names, firstNames[i%len(firstNames)]+" "+lastNames[i/len(firstNames)])
	}
	return names
}

// characterize sets role, level, model, pace and quality of an agent.
func (o *Organization) characterize(w *worker) {
	r := o.random("character", w.number)
	w.role = pick(r, w.department.roles)
	if w.level == "" {
		w.level = pick(r, []string{"junior", "junior", "mid", "mid", "mid", "senior", "senior"})
	}
	w.model = models[1]
	switch w.level {
	case "junior":
		w.model = models[2]
	case "senior", "lead", "director":
		w.model = models[0]
	}
	// Every seventh improves and another one declines, so that there are both
	// in every organization of some size.
	switch (w.number + int(o.opts.Seed%7)) % 7 {
	case 2:
		w.trend = improving
	case 5:
		w.trend = declining
	}
	w.pace = 4 + 4*r.Float64()
	if o.opts.Tasks > 0 {
		w.pace *= o.opts.Tasks / usualTasks
	}
	w.quality = 6.8 + 1.7*r.Float64()
	w.hired = o.began - date(o.opts.Days) - date(20+r.IntN(700))
}
