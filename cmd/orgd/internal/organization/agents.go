package organization

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// agentsCmd lists agents.
type agentsCmd struct {
	remote.ServerFlag
	terminal.OutputFlag
	remote.AllFlag
	Department string             `placeholder:"NAME" help:"Only those of this department."`
	Status     client.AgentStatus `enum:",active,onboarding,on_leave,terminated" default:"" placeholder:"STATUS" help:"Only these: active, onboarding, on_leave or terminated."`
	Level      client.AgentLevel  `enum:",junior,mid,senior,lead,principal,director,vp,c_suite" default:"" placeholder:"LEVEL" help:"Only these: junior, mid, senior, lead, principal, director, vp or c_suite."`
	NamePrefix string             `placeholder:"TEXT" help:"Only those whose names begin like this."`
	Watch      bool               `short:"w" help:"Go on with a line for every agent that is hired, fired, promoted, demoted or changes its status, until Ctrl-C."`
}

// Help implements kong.HelpProvider.
func (agentsCmd) Help() string {
	return `Lists agents in the order of the organization, with --name-prefix by name.

With --watch and -o json there is one line for each agent, with the event that it is shown for. Changes that are no event, such as other instructions, are not among them.

Examples:

    orgd get agents --department Engineering --status active
    orgd get agents --level lead -o yaml
    orgd get agents --watch`
}

// Run prints the agents on standard output.
func (c *agentsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Watch {
		return c.watch(ctx, t, service)
	}
	all, err := c.read(ctx, service)
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header(agentColumns...)
		for _, a := range all {
			table.Row(agentCells(a)...)
		}
	})
}

// read reads the agents, as much of them as will be printed.
func (c *agentsCmd) read(ctx context.Context, service *client.Client) ([]client.Agent, error) {
	return remote.Collect(service.Agents(ctx, client.AgentQuery{
		PageQuery: c.Pages(), Department: c.Department, Status: c.Status, Level: c.Level, NamePrefix: c.NamePrefix,
		Summary: c.Output == "table",
	}), c.Limit)
}

var agentColumns = []string{"NAME", "ROLE", "DEPARTMENT", "LEVEL", "STATUS", "MODEL", "VERSION", "UPDATED"}

func agentCells(a client.Agent) []string {
	model := ""
	if a.Model != nil {
		model = a.Model.ModelID
	}
	return []string{a.Name, a.Role, a.Department, string(a.Level), string(a.Status), model, strconv.FormatInt(a.Version, 10), terminal.Time(a.UpdatedAt)}
}

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
