package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// watchedAgent is an agent and the event that it is shown for. What was there
// from the beginning has no event; who was fired is no agent any more.
type watchedAgent struct {
	Event *client.ActivityEvent `json:"event"`
	Agent *client.Agent         `json:"agent"`
}

// agentWatch shows agents as they change.
type agentWatch struct {
	*agentsCmd
	t       *terminal.Terminal
	service *client.Client
	table   *terminal.Table
	shown   map[string]int64 // revisions by id
}

// watch prints the agents, and then those to whom something happens.
func (c *agentsCmd) watch(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	w := &agentWatch{c, t, service, t.Table(), map[string]int64{}}
	return follow(ctx, t, service, client.StreamQuery{},
		func() error { return w.begin(ctx) },
		func(e client.StreamEvent) (bool, error) { return true, w.event(ctx, e.ActivityEvent) })
}

// begin shows those that are there.
func (w *agentWatch) begin(ctx context.Context) error {
	all, err := w.read(ctx, w.service)
	if err != nil {
		return err
	}
	if w.Output == "table" {
		w.table.Header(agentColumns...)
	}
	for _, a := range all {
		if err := w.show(nil, &a); err != nil {
			return err
		}
	}
	return w.table.Flush()
}

// lifecycle are the events after which an agent looks otherwise.
var lifecycle = []client.EventType{
	client.EventHired, client.EventOnboarded, client.EventOffboarded, client.EventStatusChanged,
	client.EventPromoted, client.EventDemoted, client.EventFired,
}

// event shows the agent of an event as it is now, once for all events of one
// change. Those that are shown stay so when the conditions no longer hold.
func (w *agentWatch) event(ctx context.Context, e client.ActivityEvent) error {
	revision, known := w.shown[e.AgentID]
	switch {
	case !slices.Contains(lifecycle, e.EventType), e.EventType == client.EventFired && !known:
		return nil
	case e.EventType == client.EventFired:
		delete(w.shown, e.AgentID)
		return errors.Join(w.show(&e, nil), w.table.Flush())
	}
	a, err := w.agent(ctx, e.AgentID)
	switch {
	case errors.Is(err, client.ErrNotFound):
		return nil // the event of that is on its way
	case err != nil:
		return err
	case a.Revision == revision, !known && !w.matches(a):
		return nil
	}
	return errors.Join(w.show(&e, &a), w.table.Flush())
}

// agent reads an agent, for as long as it takes.
func (w *agentWatch) agent(ctx context.Context, id string) (client.Agent, error) {
	for {
		a, err := w.service.Agent(ctx, id)
		if err == nil || refused(err) || ctx.Err() != nil {
			return a, err
		}
		w.t.Say("orgd: %s; trying again", terminal.Visible(w.t.Sentence(err)))
		remote.Sleep(ctx, remote.MinPause) // the next attempt sees if ctx has ended
	}
}

// matches reports whether the agent would be listed.
func (w *agentWatch) matches(a client.Agent) bool {
	begins := len(a.Name) >= len(w.NamePrefix) && strings.EqualFold(a.Name[:len(w.NamePrefix)], w.NamePrefix)
	return begins && (w.Department == "" || strings.EqualFold(a.Department, w.Department)) &&
		(w.Status == "" || a.Status == w.Status) && (w.Level == "" || a.Level == w.Level)
}

// show prints an agent, or that it is gone.
func (w *agentWatch) show(e *client.ActivityEvent, a *client.Agent) error {
	if a != nil {
		w.shown[a.ID] = a.Revision
	}
	switch {
	case w.Output != "table":
		return w.PrintOne(w.t, watchedAgent{e, a})
	case a != nil:
		w.table.Row(agentCells(*a)...)
	default:
		w.table.Row(e.AgentName, "", "", "", string(e.EventType), "", "", terminal.Time(e.Timestamp))
	}
	return nil
}
