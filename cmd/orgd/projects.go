package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// projectsCmd lists projects.
type projectsCmd struct {
	remote.ServerFlag
	terminal.OutputFlag
	remote.AllFlag
	Status client.ProjectStatus `enum:",planning,active,on_hold,completed,cancelled" default:"" placeholder:"STATUS" help:"Only these: planning, active, on_hold, completed or cancelled."`
	Lead   string               `placeholder:"AGENT" help:"Only those that this agent leads."`
}

// Help implements kong.HelpProvider.
func (projectsCmd) Help() string {
	return `Lists projects, oldest first.

Example:

    orgd get projects --status active`
}

// Run prints the projects on standard output.
func (c *projectsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	all, err := remote.Collect(service.Projects(ctx, client.ProjectQuery{PageQuery: c.Pages(), Status: c.Status, Lead: c.Lead}), c.Limit)
	if err != nil {
		return err
	}
	agents := names{service: service}
	if c.Output == "table" {
		for _, project := range all {
			if err := agents.learn(ctx, project.Lead); err != nil {
				return err
			}
		}
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("ID", "NAME", "STATUS", "LEAD", "TEAM", "BUDGET", "DEADLINE", "UPDATED")
		for _, v := range all {
			deadline := ""
			if v.Deadline != nil {
				deadline = v.Deadline.Format(time.DateOnly)
			}
			table.Row(v.ID, v.Name, string(v.Status), agents.of(v.Lead), strconv.Itoa(len(v.Team)), string(v.Budget), deadline, terminal.Time(v.UpdatedAt))
		}
	})
}

// names knows the names of agents that are shown by id.
type names struct {
	service *client.Client
	known   map[string]string
}

// learn asks for the name of an agent. One that is gone keeps its id.
func (n *names) learn(ctx context.Context, id *string) error {
	if id == nil || n.known[*id] != "" {
		return nil
	}
	a, err := n.service.Agent(ctx, *id)
	if errors.Is(err, client.ErrNotFound) {
		a.Name, err = *id, nil
	}
	if n.known == nil {
		n.known = map[string]string{}
	}
	n.known[*id] = a.Name
	return err
}

// of is the name of an agent that was learned.
func (n *names) of(id *string) string {
	if id == nil {
		return ""
	}
	return n.known[*id]
}
