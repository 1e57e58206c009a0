package scenario

// Newcomers have worked for newcomerDays. Agents that are away or gone stopped
// working awayDays ago.
const (
	newcomerDays = 5
	awayDays     = 7
)

// fates are the fates of thirty agents, with how many have each. The rest stay.
var fates = []struct {
	fate
	of30 int
}{
	{promoted, 4}, {tuned, 6}, {rolledBack, 2}, {onboarded, 1}, {newcomer, 1}, {away, 1}, {returned, 1},
	{moved, 1}, {demoted, 1}, {terminated, 1}, {rehired, 1}, {dismissed, 1},
}

// assignFates gives each agent a fate. Heads and leads get at most another prompt.
func (o *Organization) assignFates() {
	var deck []fate
	for _, f := range fates {
		for range f.of30 {
			deck = append(deck, f.fate)
		}
	}
	for len(deck) < 30 {
		deck = append(deck, stays)
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
