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
	"orgd/domain/name"
)

// agentsCmd lists agents.
type agentsCmd struct {
	allFlags
	remote.WebFlag
	Department string             `placeholder:"NAME" help:"Only those of this department."`
	Status     client.AgentStatus `enum:",active,onboarding,on_leave,terminated" default:"" placeholder:"STATUS" help:"Only these: active, onboarding, on_leave or terminated."`
	Level      client.AgentLevel  `enum:",junior,mid,senior,lead,principal,director,vp,c_suite" default:"" placeholder:"LEVEL" help:"Only these: junior, mid, senior, lead, principal, director, vp or c_suite."`
	Owner      string             `placeholder:"SUBJECT" help:"Only those of this owner."`
	Tag        []string           `placeholder:"TAG" help:"Only those with this tag; with all of them if there are more."`
	NamePrefix string             `placeholder:"TEXT" help:"Only those whose names begin like this."`
	Window     client.WindowSize  `enum:",7d,30d,90d" default:"" aliases:"last" placeholder:"DAYS" help:"What they have done in 7d, 30d or 90d (default 30d); --last is the same."`
	Deleted    bool               `help:"The agents that were deleted, the last one first."`
	Agent      string             `arg:"" optional:"" help:"Show this one instead, whatever the other flags say."`
	Watch      bool               `short:"w" help:"Go on with a line for every agent that is hired, changed or fired, until Ctrl-C."`
}

func (c *agentsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Agent != "" {
		return (&agentShowCmd{printFlags: c.one(), WebFlag: c.WebFlag, agentArg: agentArg{c.Agent}}).Run(ctx, t, service)
	}
	if c.Web {
		return c.Browse(t, "agents")
	}
	if c.wantsFigures() {
		return c.figures(ctx, t, service)
	}
	if c.Deleted {
		return c.deleted(ctx, t, service)
	}
	if c.Watch {
		return c.watch(ctx, t, service)
	}
	all, err := c.read(ctx, service)
	if err != nil {
		return err
	}
	return c.Print(t, all, terminal.Rows(agentColumns, all, agentCells))
}

// read reads the agents, as much of them as will be printed.
func (c *agentsCmd) read(ctx context.Context, service *client.Client) ([]client.Agent, error) {
	all, err := remote.Collect(service.Agents(ctx, client.AgentQuery{
		PageQuery: remote.Pages(c.Reads()), Department: c.Department, Status: c.Status, Level: c.Level,
		Owner: c.Owner, Tags: c.Tag, NamePrefix: c.NamePrefix, Summary: !c.Full(),
	}), c.Reads())
	if err == nil && len(all) == 0 && c.Department != "" {
		_, err = service.Department(ctx, c.Department) // the list does not tell whether there is one
	}
	return all, err
}

var agentColumns = []string{"NAME", "ROLE", "DEPARTMENT", "LEVEL", "STATUS", "OWNER", "TAGS", "MODEL", "VERSION", "UPDATED"}

func agentCells(a client.Agent) []string {
	model := ""
	if a.Model != nil {
		model = a.Model.ModelID
	}
	return []string{
		a.Name, a.Role, a.Department, string(a.Level), string(a.Status), terminal.Word(a.Owner), strings.Join(a.Tags, ", "), model,
		strconv.FormatInt(a.Version, 10), terminal.Time(a.UpdatedAt),
	}
}

// watchedAgent is an agent and the change that it is printed for. Agents at the
// beginning have no change; an agent that was fired is null.
type watchedAgent struct {
	Change *client.ChangeEvent `json:"change"`
	Agent  *client.Agent       `json:"agent"`
}

// agentWatch prints agents as they change.
type agentWatch struct {
	*agentsCmd
	stream  terminal.OutputFlag
	t       *terminal.Terminal
	service *client.Client
	table   *terminal.Table
	printed map[string]int64 // revisions by id
}

// watch prints the agents, and then each agent that changes.
func (c *agentsCmd) watch(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	stream, err := c.Stream()
	if err != nil {
		return err
	}
	w := &agentWatch{c, stream, t, service, t.Table(), map[string]int64{}}
	return changes(service, client.ChangeStreamQuery{ChangeFilter: client.ChangeFilter{Action: "agent"}}).follow(ctx, t,
		func() error { return w.begin(ctx) },
		func(e client.StreamChange) (bool, error) { return true, w.change(ctx, e.ChangeEvent) })
}

// begin prints the agents at the beginning.
func (w *agentWatch) begin(ctx context.Context) error {
	all, err := w.read(ctx, w.service)
	if err != nil {
		return err
	}
	if w.Output == "table" {
		w.table.Header(agentColumns...)
	}
	for _, a := range all {
		if err := w.print(nil, &a); err != nil {
			return err
		}
	}
	return w.table.Flush()
}

// change prints the agent of a change as it is now, once for all changes up to there.
// Agents that were printed before are printed even if they no longer match.
func (w *agentWatch) change(ctx context.Context, e client.ChangeEvent) error {
	revision, known := w.printed[e.Resource.ID]
	if e.Action == client.ActionAgentDeleted {
		if !known {
			return nil
		}
		delete(w.printed, e.Resource.ID)
		return errors.Join(w.print(&e, nil), w.table.Flush())
	}
	a, err := w.agent(ctx, e.Resource.ID)
	switch {
	case errors.Is(err, client.ErrNotFound):
		return nil // its change follows
	case err != nil:
		return err
	case a.Revision == revision, !known && !w.matches(a):
		return nil
	}
	return errors.Join(w.print(&e, &a), w.table.Flush())
}

// agent reads an agent. It retries until the service answers.
func (w *agentWatch) agent(ctx context.Context, id string) (a client.Agent, err error) {
	err = retry(ctx, w.t, func() error {
		a, err = w.service.Agent(ctx, id)
		return err
	})
	return a, err
}

// matches reports whether the agent would be listed.
func (w *agentWatch) matches(a client.Agent) bool {
	prefix, err := name.ParsePrefix(w.NamePrefix)
	begins := w.NamePrefix == "" || err == nil && strings.HasPrefix(string(name.KeyOf(a.Name)), string(prefix))
	return begins && (w.Department == "" || name.KeyOf(a.Department) == name.KeyOf(w.Department)) &&
		(w.Status == "" || a.Status == w.Status) && (w.Level == "" || a.Level == w.Level) && (w.Owner == "" || terminal.Word(a.Owner) == w.Owner) &&
		!slices.ContainsFunc(w.Tag, func(tag string) bool { return !slices.Contains(a.Tags, tag) })
}

// print prints an agent, or its deletion if it is nil.
func (w *agentWatch) print(e *client.ChangeEvent, a *client.Agent) error {
	if a != nil {
		w.printed[a.ID] = a.Revision
	}
	switch {
	case w.Output != "table":
		return w.stream.PrintOne(w.t, watchedAgent{e, a})
	case a != nil:
		w.table.Row(agentCells(*a)...)
	default:
		w.table.Row(e.Resource.Name, "", "", "", "fired", "", "", "", "", terminal.Time(e.Timestamp))
	}
	return nil
}
