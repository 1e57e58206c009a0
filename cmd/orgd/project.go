package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orgd/client"
)

// projectCmd is everything about projects.
type projectCmd struct {
	List   projectsCmd      `cmd:"" help:"List projects, as orgd get projects does."`
	Show   projectShowCmd   `cmd:"" help:"Show a project."`
	Create projectCreateCmd `cmd:"" help:"Make a project."`
	Update projectUpdateCmd `cmd:"" help:"Change a project."`
	Delete projectDeleteCmd `cmd:"" help:"Delete projects."`
}

// projectArg names a project.
type projectArg struct {
	Project string `arg:"" help:"Id of the project, as orgd get projects shows it."`
}

type projectShowCmd struct {
	serverFlag
	outputFlag
	projectArg
}

// Help implements kong.HelpProvider.
func (projectShowCmd) Help() string {
	return `Shows a project. -o json and yaml show every field.

Example:

    orgd project show proj-6b020a3bccc2`
}

// Run prints the project on standard output.
func (c *projectShowCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	v, err := service.Project(ctx, c.Project)
	if err != nil {
		return err
	}
	agents := names{service: service}
	if c.Output == "table" {
		if err := agents.learn(ctx, v.Lead); err != nil {
			return err
		}
		for _, id := range v.Team {
			if err := agents.learn(ctx, &id); err != nil {
				return err
			}
		}
	}
	return c.print(p, v, func(t *table) {
		var team []string
		for _, id := range v.Team {
			team = append(team, agents.of(&id))
		}
		t.field("Id", v.ID)
		t.field("Name", v.Name)
		t.field("Description", v.Description)
		t.field("Status", string(v.Status))
		t.field("Lead", agents.of(v.Lead))
		t.field("Team", strings.Join(team, ", "))
		t.field("Budget", string(v.Budget))
		if v.Deadline != nil {
			t.field("Deadline", when(*v.Deadline))
		}
		t.field("Tasks", strings.Join(v.TaskIDs, ", "))
		t.field("Revision", strconv.FormatInt(v.Revision, 10))
		t.field("Created", when(v.CreatedAt))
		t.field("Updated", when(v.UpdatedAt))
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

func (f projectFields) into(o client.Object) {
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
}

type projectCreateCmd struct {
	serverFlag
	resultFlag
	recordFlag
	projectFields
	Name string `arg:"" optional:"" help:"Name of the project, unless the file has it."`
}

// Help implements kong.HelpProvider.
func (projectCreateCmd) Help() string {
	return `Makes a project, which begins in planning. Its id is printed on standard output.

Examples:

    orgd project create "Faster checkout" --lead Ada --team Ada,Hal --budget 2500
    orgd project update $(orgd project create Checkout) --status active`
}

// Run creates the project and prints its id.
func (c *projectCreateCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	fields, err := c.fields(p)
	if err != nil {
		return err
	}
	putWord(fields, "name", c.Name)
	c.into(fields)
	in, err := input[client.ProjectInput](fields)
	if err != nil {
		return err
	}
	if in.Name == "" {
		return errNameless
	}
	v, err := service.CreateProject(ctx, in)
	if err != nil {
		return err
	}
	p.say("Created project %s.", v.Name)
	if c.Output == "" {
		_, err = fmt.Fprintln(p.stdout, v.ID)
		return err
	}
	return c.print(p, v)
}

type projectUpdateCmd struct {
	serverFlag
	resultFlag
	recordFlag
	Name   *string              `group:"Fields" placeholder:"TEXT" help:"A new name."`
	Status client.ProjectStatus `group:"Fields" enum:",planning,active,on_hold,completed,cancelled" default:"" placeholder:"STATUS" help:"planning, active, on_hold, completed or cancelled."`
	projectFields
	projectArg
}

// Help implements kong.HelpProvider.
func (projectUpdateCmd) Help() string {
	return `Changes what is given and leaves the rest as it is. A file is a merge patch: null clears a field, lists are replaced.

Example:

    orgd project update proj-6b020a3bccc2 --status on_hold`
}

// Run changes the project.
func (c *projectUpdateCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	patch, err := c.fields(p)
	if err != nil {
		return err
	}
	put(patch, "name", c.Name)
	putWord(patch, "status", c.Status)
	c.into(patch)
	if len(patch) == 0 {
		return errNothing
	}
	v, err := service.PatchProject(ctx, c.Project, patch)
	if err != nil {
		return err
	}
	p.say("Project %s is %s (revision %d).", v.Name, v.Status, v.Revision)
	return c.print(p, v)
}

type projectDeleteCmd struct {
	serverFlag
	yesFlag
	Projects []string `arg:"" name:"project" help:"Ids of the projects."`
}

// Help implements kong.HelpProvider.
func (projectDeleteCmd) Help() string {
	return `Deletes projects.

Example:

    orgd project delete proj-6b020a3bccc2 --yes`
}

// Run deletes the projects.
func (c *projectDeleteCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	return c.remove(ctx, p, c.Projects, func(id string) (doomed, error) {
		v, err := service.Project(ctx, id)
		return doomed{fmt.Sprintf("project %s (%s)", v.Name, v.ID), v.ID, v.ETag}, err
	}, func(id string, guard client.Option) error { return service.DeleteProject(ctx, id, guard) })
}
