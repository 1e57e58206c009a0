package organization

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// departmentArg names a department.
type departmentArg struct {
	Department string `arg:"" help:"Name of the department."`
}

type departmentShowCmd struct {
	printFlags
	remote.WebFlag
	departmentArg
}

func (c *departmentShowCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Web {
		return c.Browse(t, "departments", c.Department)
	}
	d, err := service.Department(ctx, c.Department)
	if err != nil {
		return err
	}
	return c.Print(t, d, func(table *terminal.Table) {
		table.Field("Name", d.Name)
		table.Field("Description", d.Description)
		table.Field("Head", terminal.Word(d.Head))
		table.Field("Budget", terminal.Percent(d.BudgetPercent))
		table.Field("Autonomy", orInherited(d.AutonomyLevel))
		table.Field("Ceremonies", ceremonies(d))
		for _, team := range d.Teams {
			table.Field("Team", teamText(team))
		}
		for _, l := range d.ReportingLines {
			table.Field("Reports", l.Subordinate+" to "+l.Supervisor)
		}
		review := d.Policies.ReviewRequirements
		table.Field("Reviewers", strings.Join(append([]string{strconv.FormatInt(review.MinReviewers, 10)}, review.RequiredReviewerRoles...), ", "))
		for _, chain := range d.Policies.ApprovalChains {
			table.Field("Approval", chain.ActionType+" by "+strings.Join(chain.Approvers, ", "))
		}
		table.Field("Protected", strings.Join(d.Policies.ProtectedLabels, ", "))
		table.Field("Revision", strconv.FormatInt(d.Revision, 10))
		table.Field("Created", terminal.Time(d.CreatedAt))
		table.Field("Updated", terminal.Time(d.UpdatedAt))
	})
}

func ceremonies(d client.Department) string {
	if d.CeremonyPolicy == nil {
		return inherited
	}
	return "own"
}

func teamText(t client.Team) string {
	text := t.Name
	if t.Lead != nil {
		text += ", led by " + *t.Lead
	}
	if len(t.Members) > 0 {
		text += ": " + strings.Join(t.Members, ", ")
	}
	return text
}

type departmentHealthCmd struct {
	printFlags
	departmentArg
}

func (c *departmentHealthCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	h, err := service.DepartmentHealth(ctx, c.Department)
	if err != nil {
		return err
	}
	return c.Print(t, h, func(table *terminal.Table) {
		table.Field("Department", h.DepartmentName)
		table.Field("Agents", fmt.Sprintf("%d, %d of them active (%s)", h.AgentCount, h.ActiveAgentCount, terminal.Percent(h.UtilizationPercent)))
		table.Field("Performance", terminal.Score(h.AvgPerformanceScore))
		table.Field("Collaboration", terminal.Score(h.CollaborationScore))
		table.Field("Cost 7 days", terminal.Money(h.Cost7d, h.Currency))
		for _, day := range h.CostTrend {
			table.Field("  "+day.Timestamp.Format("2006-01-02"), terminal.Money(day.Value, h.Currency))
		}
	})
}

// departmentFields are the fields of a department that people change most.
type departmentFields struct {
	Description   *string `group:"Fields" placeholder:"TEXT" help:"What it does."`
	Head          *string `group:"Fields" placeholder:"AGENT" help:"The agent that leads it; \"\" for none."`
	BudgetPercent *number `group:"Fields" placeholder:"N" help:"Its share of the company's budget, 0 to 100."`
	Autonomy      string  `group:"Fields" enum:",inherited,locked,supervised,semi,full" default:"" placeholder:"LEVEL" help:"locked, supervised, semi, full, or inherited from the company."`
}

func (f departmentFields) into(o client.Object) error {
	put(o, "description", f.Description)
	putOrNull(o, "head", f.Head)
	put(o, "budget_percent", f.BudgetPercent)
	putAutonomy(o, f.Autonomy)
	return nil
}

type departmentCreateCmd struct {
	changeFlags
	departmentFields
	Name string `arg:"" optional:"" help:"Name of the department, unless the file has it."`
}

func (c *departmentCreateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	in, err := input[client.DepartmentInput](c.given(t, func(o client.Object) error {
		putWord(o, "name", c.Name)
		return c.into(o)
	}))
	if err != nil {
		return err
	}
	if in.Name == "" {
		return errNameless
	}
	d, err := service.CreateDepartment(ctx, in, c.Options()...)
	return printResult(t, c.ResultFlag, d, err, "Created department %s.", d.Name)
}

type departmentUpdateCmd struct {
	changeFlags
	departmentFields
	departmentArg
}

func (c *departmentUpdateCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	patch, err := c.patch(t, c.into)
	if err != nil {
		return err
	}
	d, err := service.PatchDepartment(ctx, c.Department, patch, c.Options()...)
	return printResult(t, c.ResultFlag, d, err, "Department %s has revision %d.", d.Name, d.Revision)
}

type departmentDeleteCmd struct {
	remote.ServerFlag
	yesFlag
	Departments []string `arg:"" name:"department" help:"Names of the departments."`
}

func (c *departmentDeleteCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	return c.remove(ctx, t, c.Departments, func(name string) (deletion, error) {
		d, err := service.Department(ctx, name)
		return deletion{"department " + d.Name, d.Name, d.ETag}, err
	}, service.DeleteDepartment)
}

// departmentsCmd lists departments.
type departmentsCmd struct {
	allFlags
	remote.WebFlag
	Department string `arg:"" optional:"" help:"Show this one instead."`
}

func (c *departmentsCmd) Run(ctx context.Context, t *terminal.Terminal, service *client.Client) error {
	if c.Department != "" {
		return (&departmentShowCmd{printFlags: c.one(), WebFlag: c.WebFlag, departmentArg: departmentArg{c.Department}}).Run(ctx, t, service)
	}
	if c.Web {
		return c.Browse(t, "")
	}
	columns := []string{"NAME", "HEAD", "BUDGET", "AUTONOMY", "TEAMS", "CEREMONIES", "UPDATED"}
	return printAll(t, c.AllFlag, service.Departments(ctx, remote.Pages(c.Reads())), columns, func(d client.Department) []string {
		return []string{d.Name, terminal.Word(d.Head), terminal.Percent(d.BudgetPercent), orInherited(d.AutonomyLevel), strconv.Itoa(len(d.Teams)), ceremonies(d), terminal.Time(d.UpdatedAt)}
	})
}
