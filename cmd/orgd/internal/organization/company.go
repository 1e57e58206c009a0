package organization

import (
	"context"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

type companyShowCmd struct {
	remote.ServerFlag
	terminal.OutputFlag
}

// Help implements kong.HelpProvider.
func (companyShowCmd) Help() string {
	return `Shows the company. -o json and yaml show every field, departments included.

Example:

    orgd company show`
}

// Run prints the company on standard output.
func (c *companyShowCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	v, err := service.Company(ctx)
	if err != nil {
		return err
	}
	return c.Print(t, v, func(table *terminal.Table) {
		var departments []string
		for _, d := range v.Departments {
			departments = append(departments, d.Name)
		}
		table.Field("Name", v.CompanyName)
		table.Field("Autonomy", string(v.AutonomyLevel))
		table.Field("Budget", string(v.BudgetMonthly)+" "+v.Currency+" a month")
		table.Field("Communication", v.CommunicationPattern)
		table.Field("Departments", strings.Join(departments, ", "))
		if len(v.Settings) > 0 {
			table.Field("Settings", terminal.JSON(v.Settings))
		}
		table.Field("Revision", strconv.FormatInt(v.Revision, 10))
		table.Field("Updated", terminal.Time(v.UpdatedAt))
	})
}

type companyUpdateCmd struct {
	remote.ServerFlag
	terminal.ResultFlag
	document.RecordFlag
	Name          *string              `group:"Fields" placeholder:"TEXT" help:"What it is called."`
	Autonomy      client.AutonomyLevel `group:"Fields" enum:",locked,supervised,semi,full" default:"" placeholder:"LEVEL" help:"locked, supervised, semi or full, for whoever does not say otherwise."`
	BudgetMonthly *number              `group:"Fields" placeholder:"N" help:"Its budget of a month; 0 for none."`
	Currency      *string              `group:"Fields" placeholder:"CODE" help:"Its currency, while no cost is recorded."`
}

// Help implements kong.HelpProvider.
func (companyUpdateCmd) Help() string {
	return `Changes what is given and leaves the rest as it is. A file is a merge patch: null clears a field and removes a key of the settings.

Examples:

    orgd company update --name "Meridian Works" --budget-monthly 250000
    echo 'settings: {ceremony_policy: {strategy: calendar}}' | orgd company update -f -`
}

// Run changes the company.
func (c *companyUpdateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	patch, err := c.Fields(t)
	if err != nil {
		return err
	}
	put(patch, "company_name", c.Name)
	putWord(patch, "autonomy_level", c.Autonomy)
	put(patch, "budget_monthly", c.BudgetMonthly)
	put(patch, "currency", c.Currency)
	if len(patch) == 0 {
		return errNothing
	}
	v, err := service.PatchCompany(ctx, patch)
	if err != nil {
		return err
	}
	t.Say("The company has revision %d.", v.Revision)
	return c.Print(t, v)
}
