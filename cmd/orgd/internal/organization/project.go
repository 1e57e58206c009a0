package organization

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// projectArg names a project.
type projectArg struct {
	Project string `arg:"" help:"Id of the project, as orgd get projects shows it."`
}

type projectShowCmd struct {
	printFlags
	remote.WebFlag
	projectArg
}

func (c *projectShowCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "projects")
	}
	v, err := service.Project(ctx, c.Project)
	if err != nil {
		return err
	}
	names, err := agentNames(ctx, service, c.Output == "table", append([]string{terminal.Word(v.Lead)}, v.Team...)...)
	if err != nil {
		return err
	}
	currency, err := currencyOf(ctx, service, c.Output == "table")
	if err != nil {
		return err
	}
	return c.Print(t, v, func(table *terminal.Table) {
		var team []string
		for _, id := range v.Team {
			team = append(team, names[id])
		}
		table.Field("Id", v.ID)
		table.Field("Name", v.Name)
		table.Field("Description", v.Description)
		table.Field("Status", string(v.Status))
		table.Field("Lead", names[terminal.Word(v.Lead)])
		table.Field("Team", strings.Join(team, ", "))
		table.Field("Budget", terminal.Money(v.Budget, currency))
		if v.Deadline != nil {
			table.Field("Deadline", terminal.Time(*v.Deadline))
		}
		table.Field("Tasks", strings.Join(v.TaskIDs, ", "))
		table.Field("Revision", strconv.FormatInt(v.Revision, 10))
		table.Field("Created", terminal.Time(v.CreatedAt))
		table.Field("Updated", terminal.Time(v.UpdatedAt))
	})
}

// projectFields are the fields of a project that people change most.
type projectFields struct {
	Description *string  `group:"Fields" placeholder:"TEXT" help:"What it is about."`
	Lead        *string  `group:"Fields" placeholder:"AGENT" help:"The agent that leads it; \"\" for none."`
	Team        []string `group:"Fields" placeholder:"AGENT" help:"The agents that work on it, separated by commas."`
	Budget      *number  `group:"Fields" placeholder:"N" help:"Its budget in the company's currency."`
	Deadline    *string  `group:"Fields" placeholder:"TIME" help:"A day or a time, such as 2027-01-31 or 2027-01-31T12:00:00Z; \"\" for none."`
}

func (f projectFields) into(o client.Object) error {
	put(o, "description", f.Description)
	putOrNull(o, "lead", f.Lead)
	if len(f.Team) > 0 {
		set(o, "team", f.Team)
	}
	put(o, "budget", f.Budget)
	if f.Deadline != nil {
		deadline := *f.Deadline
		if day, err := time.Parse(time.DateOnly, deadline); err == nil {
			deadline = day.Format(time.RFC3339)
		}
		putOrNull(o, "deadline", &deadline)
	}
	return nil
}

type projectCreateCmd struct {
	changeFlags
	projectFields
	Name string `arg:"" optional:"" help:"Name of the project, unless the file has it."`
}

func (c *projectCreateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	in, err := input[client.ProjectInput](c.given(t, func(o client.Object) error {
		putWord(o, "name", c.Name)
		return c.into(o)
	}))
	if err != nil {
		return err
	}
	if in.Name == "" {
		return errNameless
	}
	v, err := service.CreateProject(ctx, in, c.Options()...)
	err = printResult(t, c.ResultFlag, v, err, "Created project %s.", v.Name)
	if err == nil && c.Output == "" {
		_, err = fmt.Fprintln(t.Stdout, terminal.Visible(v.ID))
	}
	return err
}

type projectUpdateCmd struct {
	changeFlags
	Name   *string              `group:"Fields" placeholder:"TEXT" help:"A new name."`
	Status client.ProjectStatus `group:"Fields" enum:",planning,active,on_hold,completed,cancelled" default:"" placeholder:"STATUS" help:"planning, active, on_hold, completed or cancelled."`
	projectFields
	projectArg
}

func (c *projectUpdateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	patch, err := c.patch(t, func(o client.Object) error {
		put(o, "name", c.Name)
		putWord(o, "status", c.Status)
		return c.into(o)
	})
	if err != nil {
		return err
	}
	v, err := service.PatchProject(ctx, c.Project, patch, c.Options()...)
	return printResult(t, c.ResultFlag, v, err, "Project %s is %s (revision %d).", v.Name, v.Status, v.Revision)
}

type projectDeleteCmd struct {
	remote.ServerFlag
	yesFlag
	Projects []string `arg:"" name:"project" help:"Ids of the projects."`
}

func (c *projectDeleteCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	return c.remove(ctx, t, c.Projects, func(id string) (deletion, error) {
		v, err := service.Project(ctx, id)
		return deletion{fmt.Sprintf("project %s (%s)", v.Name, v.ID), v.ID, v.ETag}, err
	}, service.DeleteProject)
}

// projectsCmd lists projects.
type projectsCmd struct {
	allFlags
	remote.WebFlag
	Status  client.ProjectStatus `enum:",planning,active,on_hold,completed,cancelled" default:"" placeholder:"STATUS" help:"Only these: planning, active, on_hold, completed or cancelled."`
	Lead    string               `placeholder:"AGENT" help:"Only those that this agent leads."`
	Project string               `arg:"" optional:"" help:"Show this one instead."`
}

func (c *projectsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Project != "" {
		return (&projectShowCmd{printFlags: c.one(), WebFlag: c.WebFlag, projectArg: projectArg{c.Project}}).Run(ctx, t, service)
	}
	if c.Web {
		return c.Browse(t, "projects")
	}
	all, err := remote.Collect(service.Projects(ctx, client.ProjectQuery{PageQuery: remote.Pages(c.Reads()), Status: c.Status, Lead: c.Lead}), c.Reads())
	if err != nil {
		return err
	}
	var leads []string
	for _, v := range all {
		leads = append(leads, terminal.Word(v.Lead))
	}
	names, err := agentNames(ctx, service, c.HasRows(), leads...)
	if err != nil {
		return err
	}
	currency, err := currencyOf(ctx, service, c.HasRows())
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("ID", "NAME", "STATUS", "LEAD", "TEAM", "BUDGET", "DEADLINE", "UPDATED")
		for _, v := range all {
			deadline := ""
			if v.Deadline != nil {
				deadline = v.Deadline.Format(time.DateOnly)
			}
			table.Row(v.ID, v.Name, string(v.Status), names[terminal.Word(v.Lead)], strconv.Itoa(len(v.Team)), terminal.Money(v.Budget, currency), deadline, terminal.Time(v.UpdatedAt))
		}
	})
}
