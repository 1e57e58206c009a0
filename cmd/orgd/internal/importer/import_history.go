package importer

import (
	"context"
	"errors"
	"fmt"
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
		t: t, provider: c.Provider, progress: &terminal.Progress{Out: t.Stderr, Terminal: t.StderrIsTerminal}, ids: map[name.Key]string{},
	}
	defer r.progress.Stop()
	var err error
	if r.service, err = to.Client(t, r.progress); err != nil {
		return err
	}
	if err := r.prepare(ctx, c, to.Server); err != nil || len(r.todo) == 0 {
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
	founded []string            // departments that are missing, in order
	ids     map[name.Key]string // of the agents that the steps are about
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
	if err := r.printPlan(); err != nil || len(r.todo) == 0 {
		return err
	}
	if c.DryRun {
		return document.ErrPlanned
	}
	return r.t.Confirm(ctx, fmt.Sprintf("Change the organization at %s like this?", server), c.Yes)
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
	for _, n := range r.history.Notices {
		r.t.Say("Left out: commit %s", terminal.Visible(n))
	}
	if r.history.Shallow {
		r.t.Say("The repository is a shallow clone: what was before its first commit is missing.")
	}
	first, last := r.history.Commits[0], r.history.Commits[len(r.history.Commits)-1]
	r.t.Say("History: %d commits, %s to %s.", len(r.history.Commits), first.Short(), last.Short())
}

// printPlan prints what is left to do, by agent.
func (r *historyReplay) printPlan() error {
	if len(r.todo) == 0 {
		r.t.Say("Nothing to change: the organization has all of this history.")
		return nil
	}
	for _, d := range r.founded {
		r.line(client.ActionCreate, "department", d, "")
	}
	count := map[agenthistory.Action]int{}
	byKey := map[name.Key][]agenthistory.Step{}
	var order []name.Key
	for _, s := range r.todo {
		count[s.Action]++
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
		r.line(action, "agent", steps[0].Agent.Name, summary(steps))
	}
	r.t.Say("Plan: %d departments to create, %d agents to hire, %d to delete; %d versions.",
		len(r.founded), count[agenthistory.Hire], count[agenthistory.Fire], count[agenthistory.Hire]+count[agenthistory.Update])
	return nil
}

func (r *historyReplay) line(action client.OrganizationAction, what, name, more string) {
	fmt.Fprintf(r.t.Stdout, "%s%s\n", document.Heading(r.t, action, what+" "+terminal.Visible(terminal.JSON(name))), terminal.Visible(more))
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

// play sends the steps one after the other, because their order is the history.
func (r *historyReplay) play(ctx context.Context) error {
	began := time.Now()
	for _, d := range r.founded {
		err := remote.Retry(ctx, r.progress, func() error {
			_, err := r.service.CreateDepartment(ctx, client.DepartmentInput{Name: d}, client.ChangeReason(defaultReason))
			return err
		})
		if err != nil && !errors.Is(err, client.ErrDuplicate) {
			return err
		}
	}
	r.progress.Begin("replaying", len(r.todo))
	for _, s := range r.todo {
		if err := remote.Retry(ctx, r.progress, func() error { return r.step(ctx, s) }); err != nil {
			return fmt.Errorf("commit %s, agent %q: %w", r.history.Commits[s.Commit].Short(), s.Agent.Name, err)
		}
		r.progress.Add(1)
	}
	r.progress.End("%d changes in %s", len(r.todo), time.Since(began).Round(time.Second))
	return nil
}

// step sends one step. An agent that is to leave may be deleted already.
func (r *historyReplay) step(ctx context.Context, s agenthistory.Step) error {
	because := client.ChangeReason(r.history.Commits[s.Commit].Reason())
	switch s.Action {
	case agenthistory.Hire:
		var in client.AgentInput
		if err := client.Object(s.Agent.Fields(r.provider)).Decode(&in); err != nil {
			return err
		}
		hired, err := r.service.CreateAgent(ctx, in, because)
		r.ids[s.Key] = hired.ID
		return err
	case agenthistory.Update:
		_, err := r.service.PatchAgent(ctx, r.ids[s.Key], s.Agent.Since(s.Was, r.provider), because)
		return err
	}
	err := r.service.DeleteAgent(ctx, r.ids[s.Key], because)
	if errors.Is(err, client.ErrNotFound) {
		return nil
	}
	return err
}
