package organization

import (
	"cmp"
	"context"
	"strconv"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// figures prints what the agents did in a window.
func (c *agentsCmd) figures(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Deleted || c.Watch || c.NamePrefix != "" {
		return terminal.Usagef("--sort and --window do not go with --deleted, --name-prefix or --watch")
	}
	q := client.FiguresQuery{
		PageQuery: remote.Pages(c.Limit), Window: c.Window, Sort: c.Sort,
		Department: c.Department, Status: c.Status, Level: c.Level, Owner: c.Owner, Tags: c.Tag,
	}
	all, err := remote.Collect(service.AgentFigures(ctx, q), c.Limit)
	if err == nil && len(all) == 0 && c.Department != "" {
		_, err = service.Department(ctx, c.Department) // the list does not tell whether there is one
	}
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		window := string(cmp.Or(c.Window, client.Window30Days))
		table.Header("NAME", "DEPARTMENT", "OWNER", "COMPLETED", "FAILED", "SUCCESS", "QUALITY", "COST "+window, "BEFORE", "LAST ACTIVE")
		for _, f := range all {
			active := ""
			if f.LastActiveAt != nil {
				active = terminal.Time(*f.LastActiveAt)
			}
			table.Row(f.Name, f.Department, terminal.Word(f.Owner), strconv.FormatInt(f.TasksCompleted, 10), strconv.FormatInt(f.TasksFailed, 10),
				terminal.Word(f.SuccessRate), terminal.Word(f.QualityScore), string(f.Cost), string(f.CostBefore), active)
		}
	})
}
