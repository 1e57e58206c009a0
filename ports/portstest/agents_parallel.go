package portstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/ports"
)

// crowd is how many goroutines change things at once.
const crowd = 10

func agentParallelUpdates(w *world) {
	const each = 8
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	levels := []string{"senior", "vp"}
	errs := atOnce(crowd, func(i int) error {
		for j := range each {
			patch := fmt.Sprintf(`{"metadata":{"%d.%d":%d},"level":%q}`, i, j, j, levels[(i+j)%2])
			if _, err := w.Agents.Update(w.Context(), byID(id), w.changing(patch, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Update", errs)
	const steps = crowd*each + 1
	a := w.agent(id)
	if a.Revision != steps || a.Version != steps || len(a.Identity.Metadata.Value().Members()) != crowd*each {
		w.Errorf("revision %d, version %d, %d members after %d steps", a.Revision, a.Version, len(a.Identity.Metadata.Value().Members()), steps)
	}
	if n := w.wantUnbroken(id, steps, false); n != steps {
		w.Errorf("%d versions after %d steps", n, steps)
	}
	w.wantLevels(id)
}

// wantLevels checks that the career of an agent tells every change of its level
// between its versions once.
func (w *world) wantLevels(id agent.ID) {
	w.Helper()
	var got, want []string
	for _, e := range w.career(id) {
		if e.Type == activity.Promoted || e.Type == activity.Demoted {
			version, _ := e.Metadata.Value().Get("version")
			to, _ := e.Metadata.Value().Get("to")
			got = append(got, version.Text()+" "+to.Text())
		}
	}
	versions := w.versions(id)
	for i := len(versions) - 2; i >= 0; i-- {
		if level := versions[i].Content.Level; level != versions[i+1].Content.Level {
			want = append(want, fmt.Sprint(versions[i].Number, " ", level))
		}
	}
	slices.Sort(got) // steps that wait for each other may have one time
	slices.Sort(want)
	w.want("the changes of level in the career", got, want)
}

func agentParallelNoEffects(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	errs := atOnce(crowd, func(int) error {
		_, err := w.Agents.Update(w.Context(), byID(id), w.changing(`{"level":"vp"}`, nil))
		return err
	})
	w.wantEach("Update", errs)
	w.wantUnbroken(id, 2, false)
	w.want("the revision", w.agent(id).Revision, int64(2))
	w.wantLevels(id)
}

func agentParallelHires(w *world) {
	w.createDepartment("Sales")
	for round := range 4 {
		steps := make([]ports.AgentChange, crowd)
		for i := range steps {
			steps[i] = w.hiring([]string{"bob", "BOB", "Bob"}[i%3], "Sales")
		}
		errs := atOnce(crowd, func(i int) error { return Hire(w.Context(), w.Agents, steps[i]) })
		if n := w.wantEach("Create", errs, agent.ErrExists); n != 1 {
			w.Errorf("%d agents were hired under one name, want 1", n)
		}
		for i, err := range errs {
			if id := steps[i].Agent.ID(); err == nil {
				w.want("the agent hired", w.agent(id), steps[i].Agent)
				w.change(id, fmt.Sprintf(`{"name":"Bob of round %d"}`, round))
			} else {
				w.wantNever(id)
			}
		}
	}
}

func agentParallelRenames(w *world) {
	w.createDepartment("Sales")
	var ids []agent.ID
	for i := range crowd {
		ids = append(ids, w.hire(fmt.Sprint("a", i), "Sales").ID())
	}
	errs := atOnce(crowd, func(i int) error {
		_, err := w.Agents.Update(w.Context(), byID(ids[i]), w.changing(`{"name":"Bob"}`, nil))
		return err
	})
	if n := w.wantEach("Update", errs, agent.ErrExists); n != 1 {
		w.Errorf("%d agents were renamed to one name, want 1", n)
	}
	for i, err := range errs {
		n, steps := "Bob", 2
		if err != nil {
			n, steps = fmt.Sprint("a", i), 1
		}
		got, err := w.Agents.Agent(w.Context(), byName(n))
		w.wantNil("Agent("+n+")", err)
		w.want("the id of "+n, got.ID(), ids[i])
		w.wantUnbroken(ids[i], steps, false)
	}
}

// agentParallelKey tries one request many times at once, as a client does
// that got no answer.
func agentParallelKey(w *world) {
	w.createDepartment("Sales")
	r := w.newRecord("once")
	steps := make([]ports.AgentChange, crowd)
	for i := range steps {
		steps[i] = w.hiring(fmt.Sprint("a", i), "Sales")
		steps[i].Idempotency = r
	}
	errs := atOnce(crowd, func(i int) error { return Hire(w.Context(), w.Agents, steps[i]) })
	if n := w.wantEach("Create", errs, idempotency.ErrRunning); n != 1 {
		w.Errorf("%d agents were hired with one idempotency key, want 1", n)
	}
	for i, err := range errs {
		if err != nil {
			w.wantNever(steps[i].Agent.ID())
		}
	}
	w.want("the number of agents", len(w.members("Sales")), 1)
	w.want("the record", w.kept(r), r)
}

func agentParallelDeletes(w *world) {
	w.createDepartment("Sales")
	for range 4 {
		id := w.hire("Bob", "Sales").ID()
		errs := atOnce(2*crowd, func(i int) error {
			do := w.firing()
			if i%2 == 0 {
				do = w.changing(fmt.Sprintf(`{"metadata":{"%d":1}}`, i), nil)
			}
			_, err := w.Agents.Update(w.Context(), byID(id), do)
			return err
		})
		done := w.wantEach("Update", errs, agent.ErrNotFound)
		deletes := 0
		for i, err := range errs {
			if i%2 == 1 && err == nil {
				deletes++
			}
		}
		if deletes != 1 {
			w.Errorf("an agent was deleted %d times, want once", deletes)
		}
		if n := w.wantUnbroken(id, done+1, true); n != done {
			w.Errorf("%d versions after %d steps and a deletion, want %d", n, done-1, done)
		}
	}
}

// agentParallelMoves hires, moves, deactivates and fires agents at once.
func agentParallelMoves(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	steps := make([]ports.AgentChange, crowd)
	for i := range steps {
		steps[i] = w.hiring(fmt.Sprint("a", i), "Sales")
	}
	errs := atOnce(crowd, func(i int) error {
		err := Hire(w.Context(), w.Agents, steps[i])
		dos := []change{
			w.changing(`{"department":"Ops"}`, nil), w.changing(`{"status":"on_leave"}`, nil),
			w.changing(`{"department":"Sales","status":"active"}`, nil), w.firing(),
		}
		for _, do := range dos[:i%(len(dos)+1)] {
			if err == nil {
				_, err = w.Agents.Update(w.Context(), byID(steps[i].Agent.ID()), do)
			}
		}
		return err
	})
	w.wantEach("Create and Update", errs)
	for department, want := range map[string]agent.Counts{"Sales": {Total: 4, Active: 4}, "Ops": {Total: 4, Active: 2}} {
		w.want("Counts("+department+")", w.counts(key(department)), want)
		w.want("the number of agents of "+department, len(w.members(department)), int(want.Total))
	}
}

// agentWholeSteps reads while others write: whoever sees an agent sees its
// version and the events of its changes.
func agentWholeSteps(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	ctx, stop := context.WithCancel(w.Context())
	errs := atOnce(crowd, func(i int) error {
		if i > 0 {
			return w.seesWholeSteps(ctx, id)
		}
		defer stop()
		for j := range 30 {
			patch := fmt.Sprintf(`{"level":%q}`, []string{"vp", "junior"}[j%2])
			if _, err := w.Agents.Update(w.Context(), byID(id), w.changing(patch, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("reading beside a writer", errs)
}

// seesWholeSteps reads an agent until ctx ends.
func (w *world) seesWholeSteps(ctx context.Context, id agent.ID) error {
	for ctx.Err() == nil {
		a, err := w.Agents.Agent(w.Context(), byID(id))
		if err != nil {
			return err
		}
		v, err := w.Identities.Version(w.Context(), id, a.Version)
		if err != nil {
			return err
		}
		if diff := compare(a.Identity, v.Content); diff != "" {
			return fmt.Errorf("version %d is not the agent's identity:\n%s", a.Version, diff)
		}
		events, err := w.Activities.Career(w.Context(), id)
		if err != nil {
			return err
		}
		// Hiring makes two events, every version after it one.
		if got, want := int64(len(events)), a.Version+1; got < want {
			return fmt.Errorf("%d lifecycle events after version %d, want at least %d", got, a.Version, want)
		}
	}
	return nil
}

// agentParallelRefusals lets some ask for names that are taken, again and again, beside
// others: the ones are refused, and the others are stored.
func agentParallelRefusals(w *world) {
	w.createDepartment("Sales")
	bob, ann := w.hire("Bob", "Sales").ID(), w.hire("Ann", "Sales").ID()
	var others []agent.ID
	for i := range crowd {
		others = append(others, w.hire(fmt.Sprint("other ", i), "Sales").ID())
	}
	refused, record := agent.ID(w.id()), w.newRecord("of a refusal")
	asks := []func() error{
		func() error {
			_, err := w.Agents.Create(w.Context(), must(name.Parse("Sales")), w.hiringAs(refused, "BOB", record))
			return err
		},
		func() error {
			_, err := w.Agents.Update(w.Context(), byID(ann), w.changing(`{"name":"bob"}`, record))
			return err
		},
		func() error {
			_, err := w.Departments.Create(w.Context(), key("SALES"), w.creating("SALES", record))
			return err
		},
	}
	errs := atOnce(2*crowd, func(i int) error {
		for round := range rounds {
			if i < crowd {
				ask := (i + round) % len(asks)
				w.wantErr("a change that takes a taken name", asks[ask](), []error{agent.ErrExists, agent.ErrExists, department.ErrExists}[ask])
			} else if err := w.rename(others[i-crowd], fmt.Sprintf("other %d of round %d", i, round)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Update beside refusals", errs)
	for _, id := range others {
		w.wantUnbroken(id, 1+rounds, false)
	}
	w.wantUnbroken(bob, 1, false)
	w.wantUnbroken(ann, 1, false)
	w.wantNever(refused)
	w.want("the record of a refusal", w.kept(record), nil)
}

func (w *world) rename(id agent.ID, to string) error {
	_, err := w.Agents.Update(w.Context(), byID(id), w.changing(`{"name":`+quote(to)+`}`, nil))
	return err
}

// agentParallelLeavers lets callers leave while their changes run, beside another. Of those
// who are told that nothing was applied nothing is stored, and the other's changes are.
func agentParallelLeavers(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	hires, answers := make([]ports.AgentChange, crowd*rounds), make([]error, crowd*rounds)
	errs := atOnce(crowd+1, func(i int) error {
		for round := range rounds {
			if i == crowd {
				if err := w.rename(id, fmt.Sprint("Bob of round ", round)); err != nil {
					return err
				}
				continue
			}
			n := i*rounds + round
			hires[n] = w.hiring(fmt.Sprint("leaver ", n), "Sales")
			ctx, leave := context.WithTimeout(w.Context(), time.Duration(n)*50*time.Microsecond)
			answers[n] = Hire(ctx, w.Agents, hires[n])
			leave()
		}
		return nil
	})
	w.wantEach("Update beside callers who leave", errs)
	w.wantUnbroken(id, 1+rounds, false)
	w.wantEach("Create whose caller leaves", answers, ports.ErrUnavailable)
	for n, err := range answers {
		switch made := hires[n].Agent; {
		case err == nil:
			w.want("the agent of who has not left in the end", w.agent(made.ID()), made)
		case strings.Contains(err.Error(), "was not applied"):
			w.wantNever(made.ID())
		}
	}
}
