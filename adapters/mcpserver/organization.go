package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orgd/client"
)

// departmentPart is a department, and which part of a long answer about it is wanted.
type departmentPart struct {
	Department string `json:"department" jsonschema:"name"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next_cursor of the answer before"`
}

func addOrganizationTools(s *mcp.Server, open Open) {
	add(s, open, "company_overview",
		"Read the company and its departments in order: name, head, what for, share of the budget in percent; and tasks and cost of the last 7 days, today included. "+
			"A good first call. For other figures: compare_departments; for agents: find_agents.",
		companyOverview)
	add(s, open, "compare_departments",
		"Compare the departments by their last 30 days: agents, tasks, success rate (0 to 1), cost, and the cost of the 30 days before. Null means too little data. For the agents of one: agent_figures.",
		compareDepartments)
	add(s, open, "department_policies",
		"Read the rules of a department: reviews, approval chains, protected labels, autonomy, and the ceremony policy in force with the origin of each value. "+
			"A protected label, such as production, is set, moved and removed by a department_admin of the department or an admin; others may only move it back, with a reason. "+
			"An autonomy_level of null is the company's. Use it before you say who must approve what.",
		departmentPolicies)
}

func companyOverview(ctx context.Context, c *client.Client, in paging) (string, error) {
	head := object{}
	if in.Cursor == "" {
		company, err := c.Company(ctx)
		if err != nil {
			return "", err
		}
		head["company"] = object{
			"name": company.CompanyName, "autonomy_level": company.AutonomyLevel, "budget_monthly": company.BudgetMonthly, "currency": company.Currency,
			"communication_pattern": clip(company.CommunicationPattern), "departments": len(company.Departments),
		}
		week, err := c.CompanyDays(ctx, 7)
		if err != nil {
			return "", err
		}
		head["last_7_days"] = week.Days
	}
	return list(head, "departments", in, func(p client.PageQuery) (client.Page[client.Department], error) {
		return c.DepartmentPage(ctx, p)
	}, func(d client.Department) any {
		view := object{"name": d.Name, "budget_percent": d.BudgetPercent, "teams": len(d.Teams)}
		if d.Head != nil {
			view["head"] = *d.Head
		}
		if d.Description != "" {
			view["description"] = clip(d.Description)
		}
		return view
	})
}

func compareDepartments(ctx context.Context, c *client.Client, in paging) (string, error) {
	return list(nil, "departments", in, func(p client.PageQuery) (client.Page[client.DepartmentFigures], error) {
		return c.DepartmentFiguresPage(ctx, p)
	}, func(f client.DepartmentFigures) any { return f })
}

func departmentPolicies(ctx context.Context, c *client.Client, in departmentPart) (string, error) {
	d, err := c.Department(ctx, in.Department)
	if err != nil {
		return "", err
	}
	ceremonies, err := c.ResolvedCeremonyPolicy(ctx, in.Department)
	if err != nil {
		return "", err
	}
	inForce, err := members(ceremonies)
	if err != nil {
		return "", err
	}
	for name, other := range ceremonies.Other {
		text, err := encode(other)
		if err != nil {
			return "", err
		}
		inForce[name] = []byte(text)
	}
	return document(object{
		"department": d.Name, "autonomy_level": d.AutonomyLevel, "policies": d.Policies, "ceremony_policy": inForce,
	}, in.Cursor)
}
