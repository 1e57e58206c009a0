package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/agenthistory"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/name"
)

// replay imports a history.
func (c *Agents) replay(ctx context.Context, t *terminal.Terminal, to remote.Connection) error {
	r := &historyReplay{
		t: t, provider: c.Provider, progress: &terminal.Progress{Out: t.Stderr, Terminal: t.StderrIsTerminal}, position: map[name.Key]int{}, metadata: map[name.Key]map[string]any{},
	}
	defer r.progress.Stop()
	var err error
	if r.service, err = to.Client(t, r.progress); err != nil {
		return err
	}
	if err := r.prepare(ctx, c, to.Server); err != nil || r.done() {
		return terminal.Interrupted(ctx, err, "nothing was changed")
	}
	return terminal.Interrupted(ctx, r.play(ctx), "what was done stays, and the same command does the rest")
}

// historyReplay plays the history of files through the service.
type historyReplay struct {
	t        *terminal.Terminal
	service  *client.Client
	provider string
	progress *terminal.Progress

	history agenthistory.History
	commits map[string]int // by id
	todo    []agenthistory.Step
	founded []string // departments that are missing, in order
	empty   []string // those that nobody stays in
	late    int      // agents that are here without their history
	// withoutPast are agents of whom nothing comes but the file as it is, because they were purged
	withoutPast []string
	ranks       int // how many agents the service has, or had since

	position map[name.Key]int            // in the organization
	metadata map[name.Key]map[string]any // that the agents have
}

// prepare finds out what there is to do, prints it, and asks.
func (r *historyReplay) prepare(ctx context.Context, c *Agents, server string) error {
	if err := r.read(ctx, c); err != nil {
		return err
	}
	if err := c.report(r.t, r.history.Head, r.history.Renamed); err != nil {
		return err
	}
	r.printHistory()
	if err := r.plan(ctx); err != nil {
		return err
	}
	if err := r.printPlan(c.Plan); err != nil || r.done() {
		return err
	}
	if c.DryRun {
		return document.ErrPlanned
	}
	show := r.printAgents
	if c.Plan {
		show = nil // it was shown
	}
	return r.t.ConfirmPlan(ctx, fmt.Sprintf("Change the organization at %s like this?", server), c.Yes, show)
}

// read reads the history.
func (r *historyReplay) read(ctx context.Context, c *Agents) (err error) {
	r.history, err = agenthistory.Read(ctx, c.Dir, c.scope(), func(done, total int) {
		if done == 1 {
			r.progress.Begin("reading", total)
		}
		r.progress.Add(1)
	})
	r.progress.Stop()
	r.commits = map[string]int{}
	for i, commit := range r.history.Commits {
		r.commits[commit.ID] = i
	}
	return err
}

// printHistory prints what there is to replay.
func (r *historyReplay) printHistory() {
	var notices []string
	for _, n := range r.history.Notices {
		notices = append(notices, "commit "+n)
	}
	r.t.SayList("Left out", notices)
	if r.history.Shallow {
		r.t.Say("The repository is a shallow clone: what was before its first commit is missing.")
	}
	first, last := r.history.Commits[0], r.history.Commits[len(r.history.Commits)-1]
	r.t.Say("History: %d commits, %s to %s.", len(r.history.Commits), first.Short(), last.Short())
}

// done reports whether there is nothing to do.
func (r *historyReplay) done() bool { return len(r.todo)+len(r.empty) == 0 }

// printPlan counts what is left to do, below the agents if they are wanted.
func (r *historyReplay) printPlan(agents bool) error {
	if r.late > 0 {
		r.t.Say("%d agents are here without their history: nothing can be put before the versions that they have. To import all of it, delete these agents and run the command again.", r.late)
	}
	if len(r.withoutPast) > 0 {
		r.t.Say("Left out of the history, because they were purged here: %s. Of those who have a file, it comes as it is now.", r.t.Few(slices.Sorted(slices.Values(r.withoutPast))))
	}
	if r.done() {
		r.t.Say("Nothing to change: the organization has what can be imported of this history.")
		return nil
	}
	if agents {
		if err := r.printAgents(); err != nil {
			return err
		}
	}
	count := map[agenthistory.Action]int{}
	for _, s := range r.todo {
		count[s.Action]++
	}
	r.t.Say("Plan: %d departments to create, %d agents to hire, %d to delete; %d versions.",
		len(r.founded), count[agenthistory.Hire], count[agenthistory.Fire], count[agenthistory.Hire]+count[agenthistory.Update])
	if len(r.empty) > 0 {
		r.t.Say("Departments in which nobody is at the end are deleted again: %s.", r.t.Few(r.empty))
	}
	return nil
}

// printAgents prints what is left to do, by agent.
func (r *historyReplay) printAgents() error {
	var text strings.Builder
	line := func(action client.OrganizationAction, what, name, more string) {
		text.WriteString(document.Heading(r.t, action, what+" "+terminal.Visible(terminal.JSON(name))) + more + "\n")
	}
	for _, d := range r.founded {
		line(client.ActionCreate, "department", d, "")
	}
	byKey := map[name.Key][]agenthistory.Step{}
	var order []name.Key
	for _, s := range r.todo {
		if byKey[s.Key] == nil {
			order = append(order, s.Key)
		}
		byKey[s.Key] = append(byKey[s.Key], s)
	}
	for _, key := range order {
		steps := byKey[key]
		action := client.ActionUpdate
		if steps[0].Action == agenthistory.Hire {
			action = client.ActionCreate
		} else if steps[0].Action == agenthistory.Fire {
			action = client.ActionDelete
		}
		line(action, "agent", steps[0].Agent.Name, summary(steps))
	}
	_, err := io.WriteString(r.t.Stdout, text.String())
	return err
}

// summary returns in few words what becomes of an agent.
func summary(steps []agenthistory.Step) string {
	versions := 0
	for _, s := range steps {
		if s.Action != agenthistory.Fire {
			versions++
		}
	}
	var words []string
	switch {
	case versions == 1:
		words = append(words, "1 version")
	case versions > 1:
		words = append(words, fmt.Sprintf("%d versions", versions))
	}
	if steps[len(steps)-1].Action == agenthistory.Fire {
		words = append(words, "leaves")
	}
	return ": " + strings.Join(words, ", ")
}

// maxEntries bounds the agents in one document.
const maxEntries = 1000

// play sends the steps as documents: each has the next step of every agent. Those that leave
// are deleted in between, and at the end the departments in which nobody has stayed.
func (r *historyReplay) play(ctx context.Context) error {
	began := time.Now()
	r.progress.Begin("replaying", len(r.todo))
	for left := r.todo; len(left) > 0; {
		var round []agenthistory.Step
		round, left = firstOfEach(left)
		leaving := func(s agenthistory.Step) bool { return s.Action == agenthistory.Fire }
		for _, s := range round {
			if leaving(s) {
				if err := r.fire(ctx, s); err != nil {
					return fmt.Errorf("commit %s, agent %q: %w", r.history.Commits[s.Commit].Short(), s.Agent.Name, err)
				}
			}
		}
		for some := range slices.Chunk(slices.DeleteFunc(round, leaving), maxEntries) {
			if err := r.write(ctx, some); err != nil {
				return err
			}
		}
	}
	for _, d := range r.empty {
		err := r.retry(ctx, func() error { return r.service.DeleteDepartment(ctx, d, client.ChangeReason(defaultReason)) })
		if err != nil && !errors.Is(err, client.ErrConflict) && !errors.Is(err, client.ErrNotFound) {
			return err
		}
	}
	r.progress.End("%d changes in %s", len(r.todo), time.Since(began).Round(time.Second))
	return nil
}

// firstOfEach returns the first step of each agent, and the others.
func firstOfEach(steps []agenthistory.Step) (first, rest []agenthistory.Step) {
	seen := map[name.Key]bool{}
	for _, s := range steps {
		if seen[s.Key] {
			rest = append(rest, s)
		} else {
			seen[s.Key] = true
			first = append(first, s)
		}
	}
	return first, rest
}

func (r *historyReplay) retry(ctx context.Context, do func() error) error {
	return remote.Retry(ctx, r.progress, do)
}

// fire deletes an agent. It may be deleted already.
func (r *historyReplay) fire(ctx context.Context, s agenthistory.Step) error {
	err := r.retry(ctx, func() error {
		return r.service.DeleteAgent(ctx, s.Agent.Name, client.ChangeReason(r.history.Commits[s.Commit].Reason()))
	})
	if err != nil && !errors.Is(err, client.ErrNotFound) {
		return err
	}
	delete(r.metadata, s.Key)
	r.progress.Add(1)
	return nil
}

// write sends one step of each of some agents as a document, in the order that the agents have.
func (r *historyReplay) write(ctx context.Context, steps []agenthistory.Step) error {
	for _, s := range steps {
		if s.Action == agenthistory.Hire {
			r.position[s.Key] = r.ranks
			r.ranks++
		}
	}
	slices.SortStableFunc(steps, func(a, b agenthistory.Step) int { return r.position[a.Key] - r.position[b.Key] })
	now := time.Now().Add(-time.Minute) // the clock of the service may be behind
	entries := make([]client.Object, len(steps))
	for i, s := range steps {
		entries[i] = r.entry(s, now)
	}
	departments := make([]client.Object, len(r.founded))
	for i, d := range r.founded {
		departments[i] = client.Object{"name": d}
	}
	text, err := json.Marshal(client.Object{"format": 1, "departments": departments, "agents": entries})
	if err != nil {
		return err
	}
	err = r.retry(ctx, func() error {
		_, err := r.service.ApplyOrganization(ctx, client.OrganizationDocument{Text: text}, "", client.ChangeReason(defaultReason))
		return err
	})
	if err == nil {
		r.progress.Add(len(steps))
		r.founded = nil
	}
	return r.located(err, steps)
}

// entry is a step as an entry of a document, which replaces all metadata.
func (r *historyReplay) entry(s agenthistory.Step, now time.Time) client.Object {
	commit := r.history.Commits[s.Commit]
	e := client.Object(s.Agent.Since(s.Was, r.provider))
	if s.Action == agenthistory.Hire {
		e["hiring_date"] = commit.Date.UTC().Format(time.DateOnly)
	}
	metadata := maps.Clone(r.metadata[s.Key])
	maps.DeleteFunc(metadata, func(key string, _ any) bool { return s.Was.Says(key) })
	if metadata == nil {
		metadata = map[string]any{}
	}
	maps.Copy(metadata, s.Agent.Metadata)
	r.metadata[s.Key] = metadata
	e["metadata"], e["as_of"] = metadata, commit.AsOf(now)
	return e
}

// located returns err with the commit and the agent that it is about, if it names one.
func (r *historyReplay) located(err error, steps []agenthistory.Step) error {
	e, ok := errors.AsType[*client.Error](err)
	if !ok || len(e.Mistakes) == 0 {
		return err
	}
	list, _, rest := document.FirstStep(e.Mistakes[0].Path)
	if _, i, _ := document.FirstStep(rest); list == "agents" && i >= 0 && i < len(steps) {
		return fmt.Errorf("commit %s, agent %q: %w", r.history.Commits[steps[i].Commit].Short(), steps[i].Agent.Name, err)
	}
	return err
}
