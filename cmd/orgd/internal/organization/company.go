package organization

import (
	"context"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

type companyShowCmd struct {
	printFlags
}

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
		table.Field("Budget", terminal.Money(v.BudgetMonthly, v.Currency)+" a month")
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
	changeFlags
	Name          *string              `group:"Fields" placeholder:"TEXT" help:"What it is called."`
	Autonomy      client.AutonomyLevel `group:"Fields" enum:",locked,supervised,semi,full" default:"" placeholder:"LEVEL" help:"locked, supervised, semi or full, for whoever does not say otherwise."`
	BudgetMonthly *number              `group:"Fields" placeholder:"N" help:"Its budget of a month; 0 for none."`
	Currency      *string              `group:"Fields" placeholder:"CODE" help:"Its currency, while no cost is recorded."`
}

func (c *companyUpdateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	patch, err := c.patch(t, func(o client.Object) error {
		put(o, "company_name", c.Name)
		putWord(o, "autonomy_level", c.Autonomy)
		put(o, "budget_monthly", c.BudgetMonthly)
		put(o, "currency", c.Currency)
		return nil
	})
	if err != nil {
		return err
	}
	v, err := service.PatchCompany(ctx, patch, c.Options()...)
	return printResult(t, c.ResultFlag, v, err, "The company has revision %d.", v.Revision)
}
