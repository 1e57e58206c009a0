package organization

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// agentArg names an agent.
type agentArg struct {
	Agent string `arg:"" help:"Name or id of the agent."`
}

type agentShowCmd struct {
	printFlags
	remote.WebFlag
	agentArg
	Version int64 `placeholder:"N" help:"Show the agent as this version has it."`
}

func (c *agentShowCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "agents", c.Agent)
	}
	if c.Version != 0 {
		return c.version(ctx, t, service)
	}
	a, err := service.Agent(ctx, c.Agent)
	if err != nil {
		return err
	}
	names, err := agentNames(ctx, service, c.Output == "table", terminal.Word(a.Authority.ReportsTo))
	if err != nil {
		return err
	}
	labels, err := labelsOf(ctx, service, c.Output, c.Agent)
	if err != nil {
		return err
	}
	return c.Print(t, a, func(table *terminal.Table) {
		identityFields(table, a.AgentIdentity, names)
		table.Field("Owner", terminal.Word(a.Owner))
		table.Field("Tags", strings.Join(a.Tags, ", "))
		table.Field("Version", fmt.Sprintf("%d (revision %d)", a.Version, a.Revision))
		table.Field("Labels", labels)
		table.Field("Created", terminal.Time(a.CreatedAt))
		table.Field("Updated", terminal.Time(a.UpdatedAt))
		table.Text(a.Instructions)
	})
}

// version prints the agent as it was.
func (c *agentShowCmd) version(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	v, err := service.Version(ctx, c.Agent, c.Version)
	if err != nil {
		return err
	}
	names, err := agentNames(ctx, service, c.Output == "table", terminal.Word(v.Identity.Authority.ReportsTo))
	if err != nil {
		return err
	}
	return c.Print(t, v, func(table *terminal.Table) {
		identityFields(table, v.Identity, names)
		table.Field("Version", strconv.FormatInt(v.Number, 10))
		table.Field("Saved", fmt.Sprintf("%s by %s", terminal.Time(v.SavedAt), v.SavedBy))
		if v.RestoredFrom != nil {
			table.Field("Restored", fmt.Sprintf("from version %d", *v.RestoredFrom))
		}
		table.Field("Reason", terminal.Word(v.Reason))
		table.Text(v.Identity.Instructions)
	})
}

// identityFields adds the fields of an agent. Those that have their defaults are
// left out.
func identityFields(table *terminal.Table, a client.AgentIdentity, names map[string]string) {
	table.Field("Name", a.Name)
	table.Field("Id", a.ID)
	table.Field("Role", a.Role)
	table.Field("Department", a.Department)
	table.Field("Description", a.Description)
	table.Field("Level", string(a.Level))
	table.Field("Status", string(a.Status))
	table.Field("Autonomy", orInherited(a.AutonomyLevel))
	table.Field("Strategy", terminal.Word(a.StrategicOutputMode))
	if m := a.Model; m != nil {
		table.Field("Model", fmt.Sprintf("%s/%s (temperature %s, %d tokens)", m.Provider, m.ModelID, m.Temperature, m.MaxTokens))
	}
	table.Field("Memory", string(a.Memory.Type))
	table.Field("Tools", tools(a.Tools))
	table.Field("Skills", skills(a.Skills))
	table.Field("Traits", strings.Join(a.Personality.Traits, ", "))
	table.Field("Reports to", names[terminal.Word(a.Authority.ReportsTo)])
	table.Field("May approve", strings.Join(a.Authority.CanApprove, ", "))
	table.Field("Hired", string(a.HiringDate))
	if len(a.Metadata) > 0 {
		table.Field("Metadata", terminal.JSON(a.Metadata))
	}
}

func tools(v client.Tools) string {
	parts := []string{string(v.AccessLevel)}
	if len(v.Allowed) > 0 {
		parts = append(parts, "allowed "+strings.Join(v.Allowed, ", "))
	}
	if len(v.Denied) > 0 {
		parts = append(parts, "denied "+strings.Join(v.Denied, ", "))
	}
	return strings.Join(parts, "; ")
}

func skills(v client.Skills) string {
	var all []string
	for _, s := range slices.Concat(v.Primary, v.Secondary) {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}

type agentVersionsCmd struct {
	allFlags
	agentArg
}

func (c *agentVersionsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	columns := []string{"VERSION", "SAVED", "BY", "FROM", "REASON"}
	return printAll(t, c.AllFlag, service.Versions(ctx, c.Agent, remote.Pages(c.Reads())), columns, func(v client.Version) []string {
		from := ""
		if v.RestoredFrom != nil {
			from = strconv.FormatInt(*v.RestoredFrom, 10)
		}
		return []string{strconv.FormatInt(v.Number, 10), terminal.Time(v.SavedAt), v.SavedBy, from, terminal.Word(v.Reason)}
	})
}

type agentHistoryCmd struct {
	listFlags
	agentArg
}

func (c *agentHistoryCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	steps, err := service.AgentHistory(ctx, c.Agent)
	if err != nil {
		return err
	}
	columns := []string{"TIME", "TYPE", "BY", "DESCRIPTION"}
	return c.Print(t, steps, terminal.Rows(columns, steps, func(s client.CareerEvent) []string {
		return []string{terminal.Time(s.Timestamp), string(s.EventType), s.InitiatedBy, s.Description}
	}))
}

type agentHealthCmd struct {
	printFlags
	agentArg
}

func (c *agentHealthCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	h, err := service.AgentHealth(ctx, c.Agent)
	if err != nil {
		return err
	}
	return c.Print(t, h, func(table *terminal.Table) {
		table.Field("Agent", h.AgentName)
		table.Field("Status", string(h.Status))
		if h.LastActiveAt != nil {
			table.Field("Last active", terminal.Time(*h.LastActiveAt))
		}
		table.Field("Tools", string(h.Trust.Level))
		if f := h.Performance; f != nil {
			table.Field("Quality", terminal.Score(f.QualityScore))
			table.Field("Collaboration", terminal.Score(f.CollaborationScore))
			table.Field("Trend", words(f.Trend))
		}
	})
}

// words is a word of the interface as people write it.
func words(trend client.TrendDirection) string { return strings.ReplaceAll(string(trend), "_", " ") }

type agentPerformanceCmd struct {
	printFlags
	agentArg
}

func (c *agentPerformanceCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	f, err := service.AgentPerformance(ctx, c.Agent)
	if err != nil {
		return err
	}
	return c.Print(t, f, func(table *terminal.Table) {
		table.Header("WINDOW", "COMPLETED", "FAILED", "SUCCESS", "TIME/TASK", "QUALITY", "COLLABORATION", "COST/TASK")
		for _, w := range f.Windows {
			table.Row(string(w.Size), strconv.FormatInt(w.TasksCompleted, 10), strconv.FormatInt(w.TasksFailed, 10), terminal.Rate(w.SuccessRate),
				terminal.Seconds(w.AvgCompletionTimeSeconds), terminal.Score(w.AvgQualityScore), terminal.Score(w.CollaborationScore), terminal.Money(terminal.Word(w.AvgCostPerTask), w.Currency))
		}
		table.Text(fmt.Sprintf("Tasks completed since the beginning: %d. Trend: %s.", f.TasksCompletedTotal, words(f.TrendDirection)))
	})
}
