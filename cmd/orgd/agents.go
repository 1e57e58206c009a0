package main

import (
	"context"
	"strconv"

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
