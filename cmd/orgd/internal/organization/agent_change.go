package organization

import (
	"context"
	"fmt"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// agentFields are the fields of an agent that people change most.
type agentFields struct {
	Role             *string            `group:"Fields" placeholder:"TEXT" help:"What the agent is there for."`
	Department       *string            `group:"Fields" placeholder:"NAME" help:"Its department."`
	Description      *string            `group:"Fields" placeholder:"TEXT" help:"What it is, in some sentences."`
	Level            client.AgentLevel  `group:"Fields" enum:",junior,mid,senior,lead,principal,director,vp,c_suite" default:"" placeholder:"LEVEL" help:"junior, mid, senior, lead, principal, director, vp or c_suite."`
	Status           client.AgentStatus `group:"Fields" enum:",active,onboarding,on_leave,terminated" default:"" placeholder:"STATUS" help:"active, onboarding, on_leave or terminated."`
	Autonomy         string             `group:"Fields" enum:",inherited,locked,supervised,semi,full" default:"" placeholder:"LEVEL" help:"locked, supervised, semi, full, or inherited from the department."`
	Model            *string            `group:"Fields" placeholder:"PROVIDER/ID" help:"The language model; \"\" for none."`
	Tools            []string           `group:"Fields" placeholder:"NAME" help:"The tools that are allowed, separated by commas."`
	ReportsTo        *string            `group:"Fields" placeholder:"AGENT" help:"Whom it answers to; \"\" for nobody."`
	Owner            *string            `group:"Fields" placeholder:"SUBJECT" help:"Who answers for it; \"\" for nobody."`
	Tags             *string            `group:"Fields" placeholder:"TAG,..." help:"Its tags, separated by commas; \"\" for none."`
	InstructionsFile string             `group:"Fields" placeholder:"FILE" help:"A file with the instructions; - is standard input."`
}

// into adds what was given.
func (f agentFields) into(t *terminal.Terminal, o client.Object) error {
	put(o, "role", f.Role)
	put(o, "department", f.Department)
	put(o, "description", f.Description)
	putWord(o, "level", f.Level)
	putWord(o, "status", f.Status)
	putAutonomy(o, f.Autonomy)
	putOrNull(o, "authority.reports_to", f.ReportsTo)
	putOrNull(o, "owner", f.Owner)
	putTags(o, f.Tags)
	if len(f.Tools) > 0 {
		set(o, "tools.allowed", f.Tools)
	}
	if f.InstructionsFile != "" {
		text, err := document.Instructions(t, f.InstructionsFile)
		if err != nil {
			return err
		}
		set(o, "instructions", text)
	}
	return putModel(o, f.Model)
}

func putTags(o client.Object, given *string) {
	switch {
	case given == nil:
	case *given == "":
		set(o, "tags", []string{})
	default:
		set(o, "tags", strings.Split(*given, ","))
	}
}

func putModel(o client.Object, given *string) error {
	if given == nil || *given == "" {
		putOrNull(o, "model", given)
		return nil
	}
	provider, id, ok := strings.Cut(*given, "/")
	if !ok {
		return terminal.Usagef("--model: %q must be PROVIDER/ID", *given)
	}
	set(o, "model.provider", provider)
	set(o, "model.model_id", id)
	return nil
}

type agentCreateCmd struct {
	changeFlags
	agentFields
	HiringDate *string `group:"Fields" placeholder:"YYYY-MM-DD" help:"When it was hired (default today). It cannot be changed later."`
	Name       string  `arg:"" optional:"" help:"Name of the agent, unless the file has it."`
}

func (c *agentCreateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	in, err := input[client.AgentInput](c.given(t, func(o client.Object) error {
		putWord(o, "name", c.Name)
		put(o, "hiring_date", c.HiringDate)
		return c.into(t, o)
	}))
	if err != nil {
		return err
	}
	if in.Name == "" || in.Role == "" || in.Department == "" {
		return terminal.Usagef("an agent needs a name, --role and --department")
	}
	a, err := service.CreateAgent(ctx, in, c.Options()...)
	return printResult(t, c.ResultFlag, a, err, "Created agent %s, %s in %s.", a.Name, a.Role, a.Department)
}

type agentUpdateCmd struct {
	changeFlags
	DryRun bool    `help:"Show what would change, and change nothing; the exit code is 3 if there is something."`
	Name   *string `group:"Fields" placeholder:"NAME" help:"A new name."`
	agentFields
	agentArg
}

func (c *agentUpdateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	patch, err := c.patch(t, func(o client.Object) error {
		put(o, "name", c.Name)
		return c.into(t, o)
	})
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.preview(ctx, t, service, patch)
	}
	a, err := service.PatchAgent(ctx, c.Agent, patch, c.Options()...)
	return printResult(t, c.ResultFlag, a, err, "Agent %s has version %d (revision %d).", a.Name, a.Version, a.Revision)
}

// preview plans the patch as a document that has it alone.
func (c *agentUpdateCmd) preview(ctx context.Context, t *terminal.Terminal, service *client.Client, patch client.Object) error {
	a, err := service.Agent(ctx, c.Agent)
	if err != nil {
		return err
	}
	if _, renamed := patch["name"]; renamed {
		patch["previous_name"] = a.Name
	} else {
		patch["name"] = a.Name
	}
	const source = "this change"
	return document.Proposal{
		Service: service, Name: source, DryRun: true,
		Document: client.OrganizationDocument{Text: []byte(terminal.JSON(map[string]any{"format": 1, "agents": []any{patch}}))},
		Locate: func(path string, _ int) (string, int, string) {
			return source, 0, strings.TrimPrefix(path, "agents[0].")
		},
	}.ConfirmAndApply(ctx, t, false)
}

type agentDeleteCmd struct {
	remote.ServerFlag
	yesFlag
	Purge  bool     `help:"Remove what is left of agents that were deleted, for good. Needs the role admin."`
	Agents []string `arg:"" name:"agent" help:"Names or ids of the agents."`
}

func (c *agentDeleteCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Purge {
		return c.remove(ctx, t, c.Agents, func(name string) (deletion, error) {
			d, err := deletedAgent(ctx, service, name)
			title := fmt.Sprintf("what is left of agent %s (in %s, deleted %s by %s, id %s)", d.Name, d.Department, terminal.Time(d.DeletedAt), d.DeletedBy, d.ID)
			return deletion{title, d.ID, ""}, err
		}, service.PurgeAgent)
	}
	return c.remove(ctx, t, c.Agents, func(name string) (deletion, error) {
		a, err := service.Agent(ctx, name)
		return deletion{fmt.Sprintf("agent %s (%s in %s, id %s)", a.Name, a.Role, a.Department, a.ID), a.ID, a.ETag}, err
	}, service.DeleteAgent)
}
