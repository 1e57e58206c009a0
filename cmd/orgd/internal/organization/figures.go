package organization

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// figureSorts are what the service orders figures by.
var figureSorts = []client.FigureSort{client.SortBySuccess, client.SortByCost, client.SortByTasks, client.SortByQuality, client.SortByName}

// wantsFigures reports whether the flags ask for what the agents did.
func (c *agentsCmd) wantsFigures() bool {
	return slices.Contains(figureSorts, client.FigureSort(c.Sort)) || c.Window != ""
}

// figures prints what the agents did in a window.
func (c *agentsCmd) figures(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Deleted || c.Watch || c.NamePrefix != "" {
		return terminal.Usagef("--sort and --window do not go with --deleted, --name-prefix or --watch")
	}
	q := client.FiguresQuery{
		Window: c.Window, Department: c.Department, Status: c.Status, Level: c.Level, Owner: c.Owner, Tags: c.Tag,
	}
	if by := client.FigureSort(c.Sort); slices.Contains(figureSorts, by) {
		q.Sort, c.Sort = by, "" // as the service has ordered them
	}
	q.PageQuery = remote.Pages(c.Reads())
	all, err := remote.Collect(service.AgentFigures(ctx, q), c.Reads())
	if err == nil && len(all) == 0 && c.Department != "" {
		_, err = service.Department(ctx, c.Department) // the list does not tell whether there is one
	}
	if err != nil {
		return err
	}
	currency, err := currencyOf(ctx, service, c.HasRows())
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		window := string(cmp.Or(c.Window, client.Window30d))
		table.Header("NAME", "DEPARTMENT", "OWNER", "COMPLETED", "FAILED", "SUCCESS", "QUALITY", "COST "+window, "BEFORE", "LAST ACTIVE")
		for _, f := range all {
			table.Row(f.Name, f.Department, terminal.Word(f.Owner), strconv.FormatInt(f.TasksCompleted, 10), strconv.FormatInt(f.TasksFailed, 10),
				terminal.Rate(f.SuccessRate), terminal.Score(f.QualityScore), terminal.Money(f.Cost, currency), terminal.Money(f.CostBefore, currency), terminal.TimeOrNone(f.LastActiveAt))
		}
	})
}

// currencyOf returns the currency of all amounts, if it is wanted.
func currencyOf(ctx context.Context, service *client.Client, wanted bool) (string, error) {
	if !wanted {
		return "", nil
	}
	company, err := service.Company(ctx)
	return company.Currency, err
}
