package client_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
)

// ada is an agent with everything that an agent can have.
func ada() client.AgentInput {
	return client.AgentInput{
		Name: "Ada", Role: "Reviewer", Department: "Engineering", Description: "reads", Level: client.LevelSenior, Status: client.AgentOnboarding,
		Personality: client.Personality{
			Traits: []string{"calm"}, CommunicationStyle: "dry", Description: "dry", RiskTolerance: client.DegreeLow, Creativity: client.DegreeHigh,
			Openness: "0.123456789012345678", Conscientiousness: "1", Extraversion: "0", Agreeableness: "0.25", StressResponse: "0.75",
			DecisionMaking: client.DecisionAnalytical, Collaboration: client.CollaborationPair, Verbosity: client.VerbosityTerse, ConflictApproach: client.ConflictCompromise,
		},
		Skills: client.Skills{
			Primary:   []client.Skill{{ID: "go", Name: "Go", Description: "d", Tags: []string{"code"}, InputModes: []string{"text/x-go"}, OutputModes: []string{}, Proficiency: "0"}},
			Secondary: []client.Skill{{ID: "sql", Name: "SQL"}},
		},
		Model: &client.Model{Provider: "p", ModelID: "m", Temperature: "0", MaxTokens: 9007199254740991, FallbackModel: new("f"), ModelTier: new(client.TierSmall)},
		Memory: client.Memory{Type: client.MemoryProject, RetentionDays: new(int64(30)), RetentionOverrides: []client.RetentionOverride{
			{Category: client.MemorySocial, RetentionDays: 7},
		}},
		Tools: client.Tools{AccessLevel: client.ToolsCustom, Allowed: []string{"a"}, Denied: []string{"b"}, MCPCapabilities: []string{"c"}, SubConstraints: &client.ToolSubConstraints{
			FileSystem: client.FilesProjectDirectory, Network: client.NetworkAllowlistOnly, Git: client.GitReadAndBranch, CodeExecution: client.CodeProcess,
			Terminal: client.TerminalRestrictedCommands, RequiresApproval: []string{"rm"}, NetworkAllowlist: []string{"example.com"},
		}},
		Authority:     client.Authority{CanApprove: []string{"merges"}, BudgetLimit: "999999.999999999"},
		AutonomyLevel: client.AutonomyFull, StrategicOutputMode: client.StrategyAdvisor, Instructions: "Review <kindly> & well.", HiringDate: "2026-01-31",
		Metadata:          client.Object{"n": json.Number("123456789012345678901234567890"), "": "empty", "$ne": []any{json.Number("1.50")}},
		PersonalityPreset: "calm", Tier: client.TierLarge, ModelRequirement: client.Object{"vision": true},
		Owner: "https://idp.example.com|a & b", Tags: []string{"eu", "b"},
	}
}

func checkAgents(t *testing.T, c *client.Client) {
	ctx := t.Context()
	in := ada()
	made := must1(c.CreateAgent(ctx, in, client.IdempotencyKey("ada"), client.ChangeReason("größer: 100 %"), client.RequestID("req-ada")))(t)
	checkAda(t, in, made)
	read := must1(c.Agent(ctx, made.ID))(t)
	if diff := cmp.Diff(made, read); diff != "" || read.ETag == "" {
		t.Errorf("Agent, with tag %q (-created +read):\n%s", read.ETag, diff)
	}
	if _, err := c.Agent(ctx, "ADA", client.IfNoneMatch(read.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Agent with its own tag = %v, want ErrNotModified", err)
	}
	for _, name := range []string{"Bob", "Cleo/2"} {
		must1(c.CreateAgent(ctx, client.AgentInput{Name: name, Role: "Writer", Department: "engineering", ModelProvider: "p", ModelID: "m"}))(t)
	}
	checkAgentLists(t, c)
	patched := must1(c.PatchAgent(ctx, "Bob", client.Object{"authority": client.Object{"reports_to": "Ada"}}, client.IfMatch("*"), client.ChangeReason("why not")))(t)
	if patched.Authority.ReportsTo == nil || *patched.Authority.ReportsTo != made.ID {
		t.Errorf("PatchAgent = %+v", patched.Authority)
	}
	updated := must1(c.PatchAgent(ctx, "ada", client.Object{
		"status": client.AgentActive, "instructions": "Review strictly.\n", "owner": nil, "tags": []string{},
	}, client.ChangeReason("spring"), client.IfMatch(read.ETag)))(t)
	if updated.Version != 2 || updated.Revision != 2 || updated.ETag == read.ETag || updated.Owner != nil || len(updated.Tags) > 0 {
		t.Errorf("PatchAgent with the tag = %+v", updated)
	}
	history := must1(c.AgentHistory(ctx, "Ada"))(t)
	var types []client.EventType
	for _, e := range history {
		types = append(types, e.EventType)
	}
	if diff := cmp.Diff([]client.EventType{client.EventHired, client.EventOnboarded, client.EventStatusChanged}, types); diff != "" || history[0].InitiatedBy != "admin" {
		t.Errorf("AgentHistory %+v (-want +got):\n%s", history, diff)
	}
}

// checkAda compares what was created with what was asked for.
func checkAda(t *testing.T, in client.AgentInput, a client.Agent) {
	t.Helper()
	want := client.Agent{
		AgentIdentity: client.AgentIdentity{
			ID: a.ID, Name: in.Name, Role: in.Role, Department: in.Department, Description: in.Description, Level: in.Level, Status: in.Status,
			Personality: in.Personality, Skills: in.Skills, Model: in.Model, Memory: in.Memory, Tools: in.Tools, Authority: in.Authority,
			AutonomyLevel: &in.AutonomyLevel, StrategicOutputMode: &in.StrategicOutputMode, Instructions: in.Instructions, HiringDate: in.HiringDate,
			Metadata: in.Metadata, ETag: a.ETag,
		},
		PersonalityPreset: &in.PersonalityPreset, Tier: &in.Tier, ModelRequirement: in.ModelRequirement,
		Owner: &in.Owner, Tags: in.Tags, Version: 1, Revision: 1, CreatedAt: a.CreatedAt, UpdatedAt: a.CreatedAt,
	}
	// The service writes numbers in one form, and every field.
	want.Metadata = client.Object{"n": in.Metadata["n"], "": "empty", "$ne": []any{json.Number("1.5")}}
	want.Skills.Secondary = []client.Skill{{
		ID: "sql", Name: "SQL", Tags: []string{}, InputModes: []string{"text/plain"}, OutputModes: []string{"text/plain"}, Proficiency: "1",
	}}
	want.Authority.CanDelegateTo = []string{}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("CreateAgent (-want +got):\n%s", diff)
	}
	if time.Since(a.CreatedAt) > time.Hour || a.ID == "" || a.ETag == "" {
		t.Errorf("CreateAgent = %+v", a)
	}
}

func checkAgentLists(t *testing.T, c *client.Client) {
	ctx := t.Context()
	names := func(q client.AgentQuery) (all []string) {
		for a, err := range c.Agents(ctx, q) {
			if err != nil {
				t.Fatalf("Agents(%+v) = %v", q, err)
			}
			all = append(all, a.Name)
		}
		return all
	}
	for _, tt := range []struct {
		query client.AgentQuery
		want  []string
	}{
		{client.AgentQuery{PageQuery: client.PageQuery{Limit: 1}}, []string{"Ada", "Bob", "Cleo/2"}},
		{client.AgentQuery{Department: "design"}, nil},
		{client.AgentQuery{Department: "Engineering", Status: client.AgentOnboarding, Level: client.LevelSenior}, []string{"Ada"}},
		{client.AgentQuery{NamePrefix: "cl"}, []string{"Cleo/2"}},
		{client.AgentQuery{Owner: "https://idp.example.com|a & b", Tags: []string{"b", "eu"}}, []string{"Ada"}},
		{client.AgentQuery{Tags: []string{"b", "us"}}, nil},
	} {
		if diff := cmp.Diff(tt.want, names(tt.query)); diff != "" {
			t.Errorf("Agents(%+v) (-want +got):\n%s", tt.query, diff)
		}
	}
	for a, err := range c.Agents(ctx, client.AgentQuery{Summary: true}) {
		if err != nil || a.Instructions != "" || a.Role == "" || a.ETag != "" {
			t.Errorf("Agents in summary = %+v, %v", a, err)
		}
		break // what comes is enough
	}
	owned := must1(c.SearchPage(ctx, client.SearchQuery{Text: "ada", Owner: "https://idp.example.com|a & b", Tags: []string{"eu"}}))(t)
	if len(owned.Items) != 1 || owned.Items[0].Name != "Ada" {
		t.Errorf("SearchPage of an owner, with a tag = %+v", owned.Items)
	}
	var found []client.FoundAgent
	for a, err := range c.Search(ctx, client.SearchQuery{PageQuery: client.PageQuery{Limit: 1}, Text: "BOB", Status: client.AgentActive, Summary: true}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, a)
	}
	if len(found) != 1 || found[0].Name != "Bob" || len(found[0].Matches) == 0 || found[0].Matches[0] != (client.SearchMatch{Field: "name", Line: 1, Text: "Bob"}) {
		t.Errorf("Search = %+v", found)
	}
	if page := must1(c.SearchPage(ctx, client.SearchQuery{Text: "nowhere", Department: "Engineering", Level: client.LevelMid}))(t); len(page.Items) != 0 || page.Next != "" {
		t.Errorf("a search for what is nowhere = %+v", page)
	}

	page := must1(c.AgentPage(ctx, client.AgentQuery{PageQuery: client.PageQuery{Limit: 2}}))(t)
	rest := slices.Collect(func(yield func(string) bool) {
		for a, err := range c.Agents(ctx, client.AgentQuery{PageQuery: client.PageQuery{Cursor: page.Next}}) {
			if err != nil || !yield(a.Name) {
				return
			}
		}
	})
	if diff := cmp.Diff([]string{"Cleo/2"}, rest); diff != "" {
		t.Errorf("Agents from a cursor on (-want +got):\n%s", diff)
	}
	for a, err := range c.Agents(ctx, client.AgentQuery{PageQuery: client.PageQuery{Cursor: "forged"}}) {
		if !errors.Is(err, client.ErrRequestValidation) || a.Name != "" {
			t.Errorf("Agents with a forged cursor = %+v, %v", a, err)
		}
	}
}

func checkVersions(t *testing.T, c *client.Client) {
	ctx := t.Context()
	first := must1(c.Version(ctx, "Ada", 1))(t)
	if first.Number != 1 || first.SavedBy != "admin" || first.Reason == nil || *first.Reason != "größer: 100 %" || first.Identity.Name != "Ada" || first.RestoredFrom != nil {
		t.Errorf("Version = %+v", first)
	}
	if _, err := c.Version(ctx, "Ada", 1, client.IfNoneMatch(first.ETag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("Version with its own tag = %v, want ErrNotModified", err)
	}
	diff := must1(c.VersionDiff(ctx, "Ada", 1, 2))(t)
	want := []client.FieldChange{
		{Path: "instructions", Type: client.FieldModified, OldValue: new(`"Review <kindly> & well."`), NewValue: new(`"Review strictly.\n"`)},
		{Path: "status", Type: client.FieldModified, OldValue: new(`"onboarding"`), NewValue: new(`"active"`)},
	}
	if d := cmp.Diff(want, diff.Changes, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".TextDiff" }, cmp.Ignore())); d != "" || diff.Summary != "2 fields changed" {
		t.Errorf("VersionDiff %+v (-want +got):\n%s", diff, d)
	}
	patch := must1(c.VersionPatch(ctx, "Ada", 1, 2))(t)
	wantPatch := []client.PatchOperation{
		{Op: client.PatchReplace, Path: "/instructions", Value: "Review strictly.\n"}, {Op: client.PatchReplace, Path: "/status", Value: "active"},
	}
	if d := cmp.Diff(wantPatch, patch); d != "" {
		t.Errorf("VersionPatch (-want +got):\n%s", d)
	}
	must1(c.PatchAgent(ctx, "Ada", client.Object{"level": client.LevelLead}))(t)
	now := must1(c.Agent(ctx, "Ada"))(t)
	preview := must1(c.PreviewRollback(ctx, "Ada", client.RollbackInput{TargetVersion: 2}, client.IfMatch(now.ETag), client.ChangeReason("a reason")))(t)
	if preview.Level != client.LevelSenior || preview.ETag != "" {
		t.Errorf("PreviewRollback = %+v", preview)
	}
	back := must1(c.RollbackAgent(ctx, "Ada", client.RollbackInput{TargetVersion: 2, Reason: "too soon"}, client.IfMatch(now.ETag), client.IdempotencyKey("back")))(t)
	if back.Level != client.LevelSenior || back.ETag == "" || back.ETag == now.ETag {
		t.Errorf("RollbackAgent = %+v", back)
	}
	var numbers []int64
	for v, err := range c.Versions(ctx, now.ID, client.PageQuery{Limit: 3}) {
		if err != nil {
			t.Fatalf("Versions = %v", err)
		}
		if numbers = append(numbers, v.Number); v.Number == 4 && (v.RestoredFrom == nil || *v.RestoredFrom != 2 || *v.Reason != "too soon") {
			t.Errorf("version 4 = %+v", v)
		}
	}
	if d := cmp.Diff([]int64{4, 3, 2, 1}, numbers); d != "" {
		t.Errorf("Versions (-want +got):\n%s", d)
	}
	page := must1(c.VersionPage(ctx, "Ada", client.PageQuery{Limit: 1}))(t)
	if next := must1(c.VersionPage(ctx, "Ada", client.PageQuery{Limit: 1, Cursor: page.Next}))(t); next.Items[0].Number != 3 {
		t.Errorf("the second page = %+v", next)
	}
}

func checkDeletions(t *testing.T, c *client.Client) {
	ctx := t.Context()
	bob := must1(c.Agent(ctx, "Bob"))(t)
	if err := c.DeleteAgent(ctx, "Bob", client.IfMatch(bob.ETag), client.ChangeReason("a reason")); err != nil {
		t.Errorf("DeleteAgent = %v", err)
	}
	checkRestore(t, c, bob)
	if err := c.DeleteDepartment(ctx, "research & more/less", client.IfMatch("*"), client.ChangeReason("a reason")); err != nil {
		t.Errorf("DeleteDepartment = %v", err)
	}
}

// checkRestore restores an agent that was deleted, and purges it in the end.
func checkRestore(t *testing.T, c *client.Client, bob client.Agent) {
	ctx := t.Context()
	find := func() (d client.DeletedAgent) {
		for one, err := range c.DeletedAgents(ctx, client.PageQuery{Limit: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			if one.ID == bob.ID {
				d = one
			}
		}
		return d
	}
	if d := find(); d.Name != "Bob" || d.Department != bob.Department || d.DeletedBy == "" || d.DeletedAt.IsZero() {
		t.Errorf("the deleted agent = %+v, want Bob", d)
	}
	if p := must1(c.DeletedAgentPage(ctx, client.PageQuery{Limit: 1}))(t); len(p.Items) != 1 || p.Items[0].ID != bob.ID {
		t.Errorf("the agent deleted last = %+v, want Bob", p.Items)
	}
	a, err := c.RestoreAgent(ctx, bob.ID, client.RestoreInput{Name: "Bobby", Department: bob.Department},
		client.IfMatch("*"), client.IdempotencyKey("restore-bob"), client.ChangeReason("a reason"))
	if err != nil || a.ID != bob.ID || a.Name != "Bobby" || a.Version != bob.Version+1 || a.ETag == "" {
		t.Errorf("RestoreAgent = %+v, %v", a, err)
	}
	if err := c.DeleteAgent(ctx, bob.ID); err != nil {
		t.Errorf("DeleteAgent = %v", err)
	}
	if err := c.PurgeAgent(ctx, bob.ID, client.IfMatch(a.ETag), client.ChangeReason("a reason")); err != nil {
		t.Errorf("PurgeAgent = %v", err)
	}
}
