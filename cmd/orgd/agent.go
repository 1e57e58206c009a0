package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"orgd/client"
)

// agentCmd is everything about one agent.
type agentCmd struct {
	List        agentsCmd           `cmd:"" help:"List agents, as orgd get agents does."`
	Show        agentShowCmd        `cmd:"" help:"Show an agent, as it is or as it was."`
	Create      agentCreateCmd      `cmd:"" help:"Hire an agent."`
	Update      agentUpdateCmd      `cmd:"" help:"Change an agent."`
	Delete      agentDeleteCmd      `cmd:"" help:"Fire agents."`
	Versions    agentVersionsCmd    `cmd:"" help:"List the versions of an agent."`
	Diff        agentDiffCmd        `cmd:"" help:"Show what changed from one version of an agent to another."`
	Rollback    agentRollbackCmd    `cmd:"" help:"Bring back an earlier version of an agent."`
	Health      agentHealthCmd      `cmd:"" help:"Show how an agent is doing."`
	History     agentHistoryCmd     `cmd:"" help:"List the steps of an agent's career."`
	Performance agentPerformanceCmd `cmd:"" help:"Show the figures of an agent."`
}

// agentArg names an agent.
type agentArg struct {
	Agent string `arg:"" help:"Name or id of the agent."`
}

type agentShowCmd struct {
	serverFlag
	outputFlag
	agentArg
	Version int64 `placeholder:"N" help:"Show the agent as this version has it."`
}

// Help implements kong.HelpProvider.
func (agentShowCmd) Help() string {
	return `Shows an agent with its instructions. -o json and yaml show every field.

Examples:

    orgd agent show Ada
    orgd agent show Ada --version 1
    orgd agent show Ada -o json | jq -r .instructions > ada.md`
}

// Run prints the agent on standard output.
func (c *agentShowCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	if c.Version != 0 {
		return c.version(ctx, p, service)
	}
	a, err := service.Agent(ctx, c.Agent)
	if err != nil {
		return err
	}
	agents := names{service: service}
	if c.Output == "table" {
		if err := agents.learn(ctx, a.Authority.ReportsTo); err != nil {
			return err
		}
	}
	return c.print(p, a, func(t *table) {
		identityFields(t, a.AgentIdentity, &agents)
		t.field("Version", fmt.Sprintf("%d (revision %d)", a.Version, a.Revision))
		t.field("Created", when(a.CreatedAt))
		t.field("Updated", when(a.UpdatedAt))
		t.text(a.Instructions)
	})
}

// version prints the agent as it was.
func (c *agentShowCmd) version(ctx context.Context, p *process, service *client.Client) error {
	v, err := service.Version(ctx, c.Agent, c.Version)
	if err != nil {
		return err
	}
	agents := names{service: service}
	if c.Output == "table" {
		if err := agents.learn(ctx, v.Identity.Authority.ReportsTo); err != nil {
			return err
		}
	}
	return c.print(p, v, func(t *table) {
		identityFields(t, v.Identity, &agents)
		t.field("Version", strconv.FormatInt(v.Number, 10))
		t.field("Saved", fmt.Sprintf("%s by %s", when(v.SavedAt), v.SavedBy))
		if v.RestoredFrom != nil {
			t.field("Restored", fmt.Sprintf("from version %d", *v.RestoredFrom))
		}
		t.field("Reason", word(v.Reason))
		t.text(v.Identity.Instructions)
	})
}

// identityFields are what there is to say about an agent; what is as by default
// goes without saying.
func identityFields(t *table, a client.AgentIdentity, agents *names) {
	t.field("Name", a.Name)
	t.field("Id", a.ID)
	t.field("Role", a.Role)
	t.field("Department", a.Department)
	t.field("Description", a.Description)
	t.field("Level", string(a.Level))
	t.field("Status", string(a.Status))
	t.field("Autonomy", orInherited(a.AutonomyLevel))
	t.field("Strategy", word(a.StrategicOutputMode))
	if m := a.Model; m != nil {
		t.field("Model", fmt.Sprintf("%s/%s (temperature %s, %d tokens)", m.Provider, m.ModelID, m.Temperature, m.MaxTokens))
	}
	t.field("Memory", string(a.Memory.Type))
	t.field("Tools", tools(a.Tools))
	t.field("Skills", skills(a.Skills))
	t.field("Traits", strings.Join(a.Personality.Traits, ", "))
	t.field("Reports to", agents.of(a.Authority.ReportsTo))
	t.field("May approve", strings.Join(a.Authority.CanApprove, ", "))
	t.field("Hired", string(a.HiringDate))
	if len(a.Metadata) > 0 {
		t.field("Metadata", jsonText(a.Metadata))
	}
}

func tools(v client.Tools) string {
	parts := []string{string(v.AccessLevel)}
	for _, list := range []struct {
		what  string
		tools []string
	}{{"allowed", v.Allowed}, {"denied", v.Denied}} {
		if len(list.tools) > 0 {
			parts = append(parts, list.what+" "+strings.Join(list.tools, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func skills(v client.Skills) string {
	var all []string
	for _, s := range append(v.Primary[:len(v.Primary):len(v.Primary)], v.Secondary...) {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}

type agentVersionsCmd struct {
	serverFlag
	outputFlag
	allFlag
	agentArg
}

// Help implements kong.HelpProvider.
func (agentVersionsCmd) Help() string {
	return `Lists the versions of an agent's identity, latest first, with who saved them and why. The versions of an agent that was deleted are listed by its id.

Example:

    orgd agent versions Ada --limit 5`
}

// Run prints the versions on standard output.
func (c *agentVersionsCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	all, err := collect(service.Versions(ctx, c.Agent, c.pages()), c.Limit)
	if err != nil {
		return err
	}
	return c.print(p, all, func(t *table) {
		t.header("VERSION", "SAVED", "BY", "FROM", "REASON")
		for _, v := range all {
			from := ""
			if v.RestoredFrom != nil {
				from = strconv.FormatInt(*v.RestoredFrom, 10)
			}
			t.row(strconv.FormatInt(v.Number, 10), when(v.SavedAt), v.SavedBy, from, word(v.Reason))
		}
	})
}

type agentHistoryCmd struct {
	serverFlag
	outputFlag
	agentArg
}

// Help implements kong.HelpProvider.
func (agentHistoryCmd) Help() string {
	return `Lists when an agent was hired, promoted and so on, oldest first.

Example:

    orgd agent history Ada`
}

// Run prints the career on standard output.
func (c *agentHistoryCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	steps, err := service.AgentHistory(ctx, c.Agent)
	if err != nil {
		return err
	}
	return c.print(p, steps, func(t *table) {
		t.header("TIME", "TYPE", "BY", "DESCRIPTION")
		for _, s := range steps {
			t.row(when(s.Timestamp), string(s.EventType), s.InitiatedBy, s.Description)
		}
	})
}

type agentHealthCmd struct {
	serverFlag
	outputFlag
	agentArg
}

// Help implements kong.HelpProvider.
func (agentHealthCmd) Help() string {
	return `Shows whether an agent is at work, when it was last active, and how well it did in the last 30 days.

Example:

    orgd agent health Ada`
}

// Run prints the health on standard output.
func (c *agentHealthCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	h, err := service.AgentHealth(ctx, c.Agent)
	if err != nil {
		return err
	}
	return c.print(p, h, func(t *table) {
		t.field("Agent", h.AgentName)
		t.field("Status", string(h.Status))
		if h.LastActiveAt != nil {
			t.field("Last active", when(*h.LastActiveAt))
		}
		t.field("Tools", string(h.Trust.Level))
		if f := h.Performance; f != nil {
			t.field("Quality", word(f.QualityScore))
			t.field("Collaboration", word(f.CollaborationScore))
			t.field("Trend", words(f.Trend))
		}
	})
}

// words is a word of the interface as people write it.
func words(trend client.TrendDirection) string { return strings.ReplaceAll(string(trend), "_", " ") }

type agentPerformanceCmd struct {
	serverFlag
	outputFlag
	agentArg
}

// Help implements kong.HelpProvider.
func (agentPerformanceCmd) Help() string {
	return `Shows what an agent has achieved in the last 7, 30 and 90 days. Averages need five finished tasks.

Example:

    orgd agent performance Ada`
}

// Run prints the figures on standard output.
func (c *agentPerformanceCmd) Run(ctx context.Context, p *process) error {
	service, err := c.connect(p)
	if err != nil {
		return err
	}
	f, err := service.AgentPerformance(ctx, c.Agent)
	if err != nil {
		return err
	}
	return c.print(p, f, func(t *table) {
		t.header("WINDOW", "COMPLETED", "FAILED", "SUCCESS", "SECONDS", "QUALITY", "COLLABORATION", "COST/TASK", "CURRENCY")
		for _, w := range f.Windows {
			t.row(string(w.Size), strconv.FormatInt(w.TasksCompleted, 10), strconv.FormatInt(w.TasksFailed, 10), word(w.SuccessRate),
				word(w.AvgCompletionTimeSeconds), word(w.AvgQualityScore), word(w.CollaborationScore), word(w.AvgCostPerTask), w.Currency)
		}
		t.text(fmt.Sprintf("Tasks completed since the beginning: %d. Trend: %s.", f.TasksCompletedTotal, words(f.TrendDirection)))
	})
}
