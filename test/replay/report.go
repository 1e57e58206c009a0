package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"orgd/test/history"
)

// maxProblems bounds how many problems are shown.
const maxProblems = 50

// describe writes what the history is.
func describe(w io.Writer, entries []history.Entry, lives []*Life) {
	ops := map[string]int{}
	for _, e := range entries {
		ops[e.Op]++
	}
	fmt.Fprintf(w, "history   %d entries", len(entries))
	if len(entries) > 0 {
		fmt.Fprintf(w, " from %s to %s", entries[0].Date.Format(time.DateOnly), entries[len(entries)-1].Date.Format(time.DateOnly))
	}
	fmt.Fprintf(w, "\n          %d hires, %d updates, %d departures, %d departments\n",
		ops[history.Hire], ops[history.Update], ops[history.Fire], len(departments(lives)))
	changes := -len(lives)
	for _, l := range lives {
		changes += len(l.Versions)
	}
	if same := ops[history.Update] - changes; same > 0 {
		fmt.Fprintf(w, "          %d of the updates change nothing: they say the same in other words\n", same)
	}
}

// describe writes how long playing took.
func (p *player) describe(w io.Writer, took time.Duration) {
	requests := 0
	for _, t := range p.took {
		requests += len(t)
	}
	fmt.Fprintf(w, "played    %d requests one after the other in %s, %.0f a second", requests, short(took), float64(requests)/took.Seconds())
	if p.waits > 0 {
		fmt.Fprintf(w, ", %d waits for a limit", p.waits)
	}
	fmt.Fprintf(w, "\n          %-12s%8s%10s%10s%10s\n", "", "count", "median", "99 %", "slowest")
	for _, op := range []string{"department", history.Hire, history.Update, history.Fire} {
		t := slices.Sorted(slices.Values(p.took[op]))
		if len(t) == 0 {
			continue
		}
		fmt.Fprintf(w, "          %-12s%8d%10s%10s%10s\n", op, len(t), short(t[len(t)/2]), short(t[len(t)*99/100]), short(t[len(t)-1]))
	}
}

// describe writes what was compared and what was found.
func (c *checker) describe(w io.Writer, took time.Duration, said []string) {
	n := c.counted
	fmt.Fprintf(w, "checked   in %s\n", short(took))
	fmt.Fprintf(w, "          %d agents in %d departments, %d departed\n", n.agents, n.departments, n.departed)
	fmt.Fprintf(w, "          %d versions with %d bytes of instructions\n", n.versions, n.instructionBytes)
	fmt.Fprintf(w, "          %d hires and departures in the feed\n", n.events)
	for _, line := range said {
		fmt.Fprintf(w, "          %s\n", line)
	}
	if len(c.problems) == 0 {
		fmt.Fprintln(w, "result    everything is as the history tells")
		return
	}
	fmt.Fprintf(w, "result    %d MISMATCHES\n", len(c.problems))
	for _, p := range c.problems[:min(maxProblems, len(c.problems))] {
		fmt.Fprintf(w, "          %s\n", p)
	}
	if more := len(c.problems) - maxProblems; more > 0 {
		fmt.Fprintf(w, "          and %d more\n", more)
	}
}

// short shows a time with as many digits as people want.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	default:
		return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
	}
}
