package client_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

func checkOperational(t *testing.T, c *client.Client) {
	ctx := t.Context()
	live, err := c.Liveness(ctx)
	if err != nil || live.Status != "ok" || live.Version == "" || live.UptimeSeconds == "" {
		t.Errorf("Liveness = %+v, %v", live, err)
	}
	ready, err := c.Readiness(ctx)
	if err != nil || ready.Status != "ok" || !ready.Persistence || ready.SharedLimits != nil {
		t.Errorf("Readiness = %+v, %v", ready, err)
	}
	if can, err := c.Capabilities(ctx); err != nil || !can.ActivityIngest || can.SharedLimits {
		t.Errorf("Capabilities = %+v, %v", can, err)
	}
	if text, err := c.Metrics(ctx); err != nil || len(text) < 100 || text[0] != '#' {
		t.Errorf("Metrics = %.100q, %v", text, err)
	}
	if text, err := c.OpenAPIJSON(ctx); err != nil || !json.Valid(text) {
		t.Errorf("OpenAPIJSON = %.100q, %v", text, err)
	}
	if text, err := c.OpenAPIYAML(ctx); err != nil || string(text[:8]) != "openapi:" {
		t.Errorf("OpenAPIYAML = %.100q, %v", text, err)
	}
}

func checkDepartments(t *testing.T, c *client.Client) {
	ctx := t.Context()
	in := client.DepartmentInput{
		Name: "Engineering", Description: "builds", BudgetPercent: "40.0001", AutonomyLevel: client.AutonomySemi,
		Policies: client.DepartmentPoliciesInput{
			ReviewRequirements: client.ReviewRequirementsInput{MinReviewers: new(int64(0))},
			ApprovalChains:     []client.ApprovalChain{{ActionType: "deploy", Approvers: []string{"lead"}}},
		},
		CeremonyPolicy: &client.CeremonyPolicy{Strategy: client.CeremonyHybrid, Other: client.Object{"length_days": 14}},
	}
	made := must1(c.CreateDepartment(ctx, in, client.IdempotencyKey("engineering")))(t)
	read := must1(c.Department(ctx, "engineering"))(t)
	if diff := cmp.Diff(made, read); diff != "" || made.ETag == "" {
		t.Errorf("Department, with tag %q (-created +read):\n%s", read.ETag, diff)
	}
	policy := client.CeremonyPolicy{Strategy: client.CeremonyHybrid, Other: client.Object{"length_days": json.Number("14")}}
	if diff := cmp.Diff(&policy, read.CeremonyPolicy); diff != "" {
		t.Errorf("CeremonyPolicy (-want +got):\n%s", diff)
	}
	if read.BudgetPercent != "40.0001" || read.Policies.ReviewRequirements.MinReviewers != 0 || *read.AutonomyLevel != client.AutonomySemi {
		t.Errorf("Department = %+v", read)
	}
	if _, err := c.Department(ctx, "Engineering", client.IfNoneMatch(read.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Department with its own tag = %v, want ErrNotModified", err)
	}
	for _, name := range []string{"Design", "Research & more/less"} {
		must1(c.CreateDepartment(ctx, client.DepartmentInput{Name: name}, client.ChangeReason("a reason")))(t)
	}
	got := must1(c.Department(ctx, "research & MORE/less"))(t)
	if got.Name != "Research & more/less" || got.Policies.ReviewRequirements.MinReviewers != 1 {
		t.Errorf("Department = %+v", got)
	}
	var names []string
	for d, err := range c.Departments(ctx, client.PageQuery{Limit: 2}) {
		if err != nil {
			t.Fatalf("Departments = %v", err)
		}
		names = append(names, d.Name)
	}
	page := must1(c.DepartmentPage(ctx, client.PageQuery{Limit: 1}))(t)
	next := must1(c.DepartmentPage(ctx, client.PageQuery{Limit: 1, Cursor: page.Next}))(t)
	if page.Limit != 1 || len(page.Items) != 1 || len(page.DegradedSources) != 0 || next.Items[0].Name != names[1] {
		t.Errorf("DepartmentPage = %+v, then %+v", page, next)
	}
	all := must1(c.CompanyDepartments(ctx))(t)
	if len(names) != 3 || len(all) != 3 || all[2].Name != names[2] || all[0].ETag != "" {
		t.Errorf("Departments = %q, CompanyDepartments = %+v", names, all)
	}
	patched := must1(c.PatchDepartment(ctx, "design", client.Object{"description": "draws", "ceremony_policy": client.Object{}}, client.IfMatch("*"), client.ChangeReason("a reason")))(t)
	if patched.Description != "draws" || patched.CeremonyPolicy == nil {
		t.Errorf("PatchDepartment = %+v", patched)
	}
	health := must1(c.DepartmentHealth(ctx, "Design"))(t)
	if health.DepartmentName != "Design" || health.Cost7d != "0" || len(health.CostTrend) != 7 || health.AvgPerformanceScore != nil {
		t.Errorf("DepartmentHealth = %+v", health)
	}
}

func checkCeremonies(t *testing.T, c *client.Client) {
	ctx := t.Context()
	must1(c.PatchDepartment(ctx, "design", client.Object{"ceremony_policy": nil}))(t)
	if p, err := c.CeremonyPolicy(ctx, "Design"); p != nil || err != nil {
		t.Errorf("CeremonyPolicy of a department without = %+v, %v", p, err)
	}
	policy := client.CeremonyPolicy{
		Strategy: client.CeremonyBudgetDriven, StrategyConfig: client.Object{"big": json.Number("12345678901234567890")},
		AutoTransition: new(false), TransitionThreshold: "0.75", Other: client.Object{"$ne": "kept", "a.b": nil},
	}
	set := must1(c.SetCeremonyPolicy(ctx, "Design", policy, client.IfNoneMatch("*")))(t)
	read := must1(c.CeremonyPolicy(ctx, "Design"))(t)
	policy.ETag = set.ETag
	if diff := cmp.Diff(policy, *read); diff != "" || set.ETag == "" {
		t.Errorf("CeremonyPolicy (-want +got):\n%s", diff)
	}
	if _, err := c.CeremonyPolicy(ctx, "Design", client.IfNoneMatch(read.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("CeremonyPolicy with its own tag = %v, want ErrNotModified", err)
	}
	must1(c.SetCeremonyPolicy(ctx, "Design", policy, client.IfMatch(read.ETag), client.ChangeReason("a reason")))(t)
	in := must1(c.ResolvedCeremonyPolicy(ctx, "Design"))(t)
	want := client.ResolvedCeremonyPolicy{
		Strategy:            client.Resolved[client.CeremonyStrategy]{Value: client.CeremonyBudgetDriven, Origin: client.FromDepartment},
		StrategyConfig:      client.Resolved[client.Object]{Value: policy.StrategyConfig, Origin: client.FromDepartment},
		VelocityCalculator:  client.Resolved[client.VelocityCalculator]{Value: client.VelocityBudget, Origin: client.FromDefault},
		AutoTransition:      client.Resolved[bool]{Value: false, Origin: client.FromDepartment},
		TransitionThreshold: client.Resolved[client.Decimal]{Value: "0.75", Origin: client.FromDepartment},
		Other:               map[string]client.Resolved[any]{"$ne": {Value: "kept", Origin: client.FromDepartment}},
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("ResolvedCeremonyPolicy (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := c.DeleteCeremonyPolicy(ctx, "Design", client.IfMatch("*"), client.ChangeReason("a reason")); err != nil {
			t.Errorf("DeleteCeremonyPolicy = %v", err)
		}
	}
}

func checkCompany(t *testing.T, c *client.Client) {
	ctx := t.Context()
	before := must1(c.Company(ctx))(t)
	changed := must1(c.PatchCompany(ctx, client.Object{
		"company_name": "Works", "currency": "EUR", "budget_monthly": client.Decimal("123456789.123456789"),
		"settings": client.Object{"ceremony_policy": client.CeremonyPolicy{Strategy: client.CeremonyCalendar}, "n": json.Number("9007199254740993")},
	}))(t)
	if changed.BudgetMonthly != "123456789.123456789" || changed.Currency != "EUR" || changed.Revision != before.Revision+1 || len(changed.Departments) != 3 {
		t.Errorf("PatchCompany = %+v", changed)
	}
	want := client.Object{"ceremony_policy": map[string]any{"strategy": "calendar"}, "n": json.Number("9007199254740993")}
	if diff := cmp.Diff(want, changed.Settings); diff != "" {
		t.Errorf("Settings (-want +got):\n%s", diff)
	}
	if _, err := c.Company(ctx, client.IfNoneMatch(changed.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Company with its own tag = %v, want ErrNotModified", err)
	}
	cleared := must1(c.PatchCompany(ctx, client.Object{"settings": client.Object{"ceremony_policy": nil, "n": nil}}))(t)
	if len(cleared.Settings) != 0 || cleared.Settings == nil {
		t.Errorf("Settings = %v, want none", cleared.Settings)
	}
	patched := must1(c.PatchCompany(ctx, client.Object{"communication_pattern": "meetings"}, client.IfMatch(cleared.ETag), client.ChangeReason("a reason")))(t)
	if patched.CommunicationPattern != "meetings" {
		t.Errorf("PatchCompany = %+v", patched)
	}
}

func checkOrders(t *testing.T, c *client.Client) {
	ctx := t.Context()
	company := must1(c.Company(ctx))(t)
	order := []string{"Research & more/less", "Engineering", "Design"}
	departments := must1(c.ReorderDepartments(ctx, order, client.IfMatch(company.ETag), client.IdempotencyKey("departments"), client.ChangeReason("a reason")))(t)
	now := must1(c.Company(ctx))(t)
	if len(departments.Items) != 3 || departments.Items[0].Name != order[0] || now.Departments[0].Name != order[0] {
		t.Errorf("ReorderDepartments = %+v", departments)
	}
	// The tag of the answer guards the next change.
	must1(c.ReorderDepartments(ctx, order, client.IfMatch(departments.ETag)))(t)
	var names []string
	for a, err := range c.Agents(ctx, client.AgentQuery{Department: "Engineering"}) {
		if err != nil {
			t.Fatalf("Agents = %v", err)
		}
		names = append([]string{a.Name}, names...)
	}
	d := must1(c.Department(ctx, "Engineering"))(t)
	agents := must1(c.ReorderAgents(ctx, "Engineering", names, client.IfMatch(d.ETag), client.IdempotencyKey("agents"), client.ChangeReason("a reason")))(t)
	if len(names) < 2 || len(agents.Items) != len(names) || agents.Items[0].Name != names[0] || agents.ETag == d.ETag {
		t.Errorf("ReorderAgents(%q) = %+v", names, agents)
	}
	if _, err := c.ReorderAgents(ctx, "Design", nil); err != nil {
		t.Errorf("ReorderAgents of nobody = %v", err)
	}
}

func checkProjects(t *testing.T, c *client.Client) {
	ctx := t.Context()
	ada := must1(c.Agent(ctx, "Ada"))(t)
	deadline := time.Date(2030, 1, 2, 3, 4, 5, 6e6, time.UTC)
	p := must1(c.CreateProject(ctx, client.ProjectInput{
		Name: "Launch", Description: "the thing", Team: []string{"Ada"}, Lead: "Ada", Deadline: deadline, Budget: "0.000000001",
	}, client.IdempotencyKey("launch")))(t)
	read := must1(c.Project(ctx, p.ID))(t)
	if diff := cmp.Diff(p, read); diff != "" || p.ETag == "" || *p.Lead != ada.ID || !p.Deadline.Equal(deadline) || p.Budget != "0.000000001" {
		t.Errorf("Project %+v (-created +read):\n%s", read, diff)
	}
	if _, err := c.Project(ctx, p.ID, client.IfNoneMatch(p.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Project with its own tag = %v, want ErrNotModified", err)
	}
	updated := must1(c.PatchProject(ctx, p.ID, client.Object{
		"status": client.ProjectActive, "task_ids": []string{"t-1"}, "deadline": nil, "team": []string{},
	}))(t)
	if updated.Status != client.ProjectActive || len(updated.TaskIDs) != 1 || updated.Deadline != nil || len(updated.Team) != 0 || updated.Revision != p.Revision+1 {
		t.Errorf("PatchProject = %+v", updated)
	}
	must1(c.PatchProject(ctx, p.ID, client.Object{"lead": "Ada", "team": []string{ada.ID}}, client.IfMatch(updated.ETag), client.ChangeReason("a reason")))(t)
	must1(c.CreateProject(ctx, client.ProjectInput{Name: "Other"}, client.ChangeReason("a reason")))(t)
	var found []string
	for p, err := range c.Projects(ctx, client.ProjectQuery{Status: client.ProjectActive, Lead: "ada", PageQuery: client.PageQuery{Limit: 1}}) {
		if err != nil {
			t.Fatalf("Projects = %v", err)
		}
		found = append(found, p.Name)
	}
	if diff := cmp.Diff([]string{"Launch"}, found); diff != "" {
		t.Errorf("Projects (-want +got):\n%s", diff)
	}
	page := must1(c.ProjectPage(ctx, client.ProjectQuery{PageQuery: client.PageQuery{Limit: 1}}))(t)
	if rest := must1(c.ProjectPage(ctx, client.ProjectQuery{PageQuery: client.PageQuery{Cursor: page.Next}}))(t); len(rest.Items) != 1 {
		t.Errorf("the second page = %+v", rest)
	}
	if err := c.DeleteProject(ctx, p.ID, client.IfMatch("*"), client.ChangeReason("a reason")); err != nil {
		t.Errorf("DeleteProject = %v", err)
	}
}

// must1 returns the value of a call that must succeed.
func must1[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		return v
	}
}
