package main

import (
	"context"
	"strconv"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// inherited is shown for what a department or an agent does not say itself.
const inherited = "inherited"

// departmentsCmd lists departments.
type departmentsCmd struct {
	remote.ServerFlag
	terminal.OutputFlag
	remote.AllFlag
}

// Help implements kong.HelpProvider.
func (departmentsCmd) Help() string {
	return `Lists departments in the order of the company.

Example:

    orgd get departments -o json | jq -r '.[] | select(.head == null) | .name'`
}

// Run prints the departments on standard output.
func (c *departmentsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	all, err := remote.Collect(service.Departments(ctx, c.Pages()), c.Limit)
	if err != nil {
		return err
	}
	return c.Print(t, all, func(table *terminal.Table) {
		table.Header("NAME", "HEAD", "BUDGET", "AUTONOMY", "TEAMS", "CEREMONIES", "UPDATED")
		for _, d := range all {
			table.Row(d.Name, terminal.Word(d.Head), string(d.BudgetPercent)+" %", orInherited(d.AutonomyLevel), strconv.Itoa(len(d.Teams)), ceremonies(d), terminal.Time(d.UpdatedAt))
		}
	})
}

// orInherited is a level of autonomy or that there is none.
func orInherited(level *client.AutonomyLevel) string {
	if level == nil {
		return inherited
	}
	return string(*level)
}
