package stored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"orgd/test/api"
)

// Whole returns the body of a new agent that has every field.
func Whole(name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name": %q, "role": "Reviewer", "department": "Platform", "description": "Reads \"everything\" twice.",
"level": "senior", "status": "active", "hiring_date": "2026-01-05", "autonomy_level": "semi", "strategic_output_mode": "advisor",
"instructions": "Prefer small steps.\nSay why. Ünïcode ☂ too.",
"personality": {"traits": ["calm", "curious"], "communication_style": "dry", "description": "Asks first.", "risk_tolerance": "low",
 "creativity": "high", "openness": 0.25, "conscientiousness": 1, "extraversion": 0, "agreeableness": 0.125, "stress_response": 0.75,
 "decision_making": "analytical", "collaboration": "pair", "verbosity": "terse", "conflict_approach": "compromise"},
"skills": {"primary": [{"id": "go", "name": "Go", "description": "Reads and writes it.", "tags": ["code"], "input_modes": ["text/plain"],
 "output_modes": ["text/markdown"], "proficiency": 0.9}], "secondary": [{"id": "sql", "name": "SQL"}]},
"model": {"provider": "any", "model_id": "large-1", "temperature": 0.2, "max_tokens": 9007199254740991, "fallback_model": "small-1", "model_tier": "large"},
"memory": {"type": "persistent", "retention_days": 30, "retention_overrides": [{"category": "episodic", "retention_days": 7}]},
"tools": {"access_level": "custom", "allowed": ["read"], "denied": ["write"], "mcp_capabilities": ["search"], "sub_constraints": {"file_system": "full",
 "network": "allowlist_only", "git": "full", "code_execution": "process", "terminal": "full", "requires_approval": ["deploy"], "network_allowlist": ["example.com"]}},
"authority": {"can_approve": ["merges"], "reports_to": "Bob", "can_delegate_to": ["Bob"], "budget_limit": 20000001.99},
"metadata": {"cost_center": "CC-104", "nested": {"list": [1, null, 1e3], "null": null}},
"personality_preset": "careful", "tier": "medium", "model_requirement": {"context": 200000},
"owner": "https://idp.example.com|Zoë", "tags": ["eu", "9.a_b-c"]}`, name))
}

// step is a request by which the organization is made.
type step struct {
	method, path string
	body         string
	reason       string
}

// steps make an organization. Agents exist before others refer to them.
func steps() []step {
	return []step{
		{method: http.MethodPatch, path: "/company", body: `{"company_name": "Acme", "autonomy_level": "semi", "budget_monthly": 20000001.99, "currency": "EUR",
			"communication_pattern": "written", "settings": {"theme": {"dark": true}, "ceremony_policy": {"strategy": "calendar"}}}`},
		{method: http.MethodPost, path: "/departments", body: `{"name": "Platform", "budget_percent": 33.5}`},
		{method: http.MethodPost, path: "/departments", body: `{"name": "Über Ops"}`},
		{method: http.MethodPost, path: "/agents", body: `{"name": "Bob", "role": "Engineer", "department": "Platform"}`},
		{method: http.MethodPost, path: "/agents", body: string(Whole("Ada"))},
		{method: http.MethodPost, path: "/agents", body: `{"name": "Cleo", "role": "Operator", "department": "Über Ops", "status": "onboarding", "level": "junior"}`},
		{method: http.MethodPost, path: "/agents", body: `{"name": "Dan", "role": "Operator", "department": "Über Ops"}`},
		{method: http.MethodPatch, path: "/agents/Bob", body: `{"level": "lead", "instructions": "Lead."}`, reason: "promoted"},
		{method: http.MethodPatch, path: "/agents/Bob", body: `{"department": "Über Ops", "personality_preset": "calm"}`},
		{method: http.MethodPost, path: "/agents/Bob/versions/rollback", body: `{"target_version": 1, "reason": "a mistake"}`},
		{method: http.MethodPatch, path: "/agents/Cleo", body: `{"status": "active"}`},
		{method: http.MethodDelete, path: "/agents/Dan"},
		{method: http.MethodPatch, path: "/departments/Platform", body: `{"description": "Builds.", "head": "Ada", "autonomy_level": "supervised",
			"teams": [{"name": "Core", "lead": "Bob", "members": ["Ada", "Cleo"]}], "reporting_lines": [{"subordinate": "Bob", "supervisor": "Ada"}],
			"policies": {"review_requirements": {"min_reviewers": 2, "required_reviewer_roles": ["Reviewer"], "self_review_allowed": true},
			"approval_chains": [{"action_type": "deploy", "approvers": ["CTO", "COO"], "min_approvals": 1}]},
			"ceremony_policy": {"strategy": "hybrid", "auto_transition": false}}`},
		{method: http.MethodPost, path: "/projects", body: `{"name": "Apollo", "description": "To the moon.", "team": ["Ada", "Bob"], "lead": "Ada",
			"deadline": "2026-12-31T12:00:00.5Z", "budget": 0.125}`},
		{method: http.MethodPost, path: "/webhooks", body: `{"url": "https://hooks.example.com/orgd?x=%20", "event_types": ["hired", "fired"],
			"departments": ["Platform"], "enabled": false}`},
		{method: http.MethodPost, path: "/activities", body: `{"events": [
			{"event_type": "task_completed", "agent": "Ada", "description": "Done.", "data": {"task_id": "t-1", "success": true, "cost": 0.1}},
			{"event_type": "tool_used", "agent": "Bob", "description": "Read a file.", "related_ids": {"task": "t-1"},
			 "data": {"tool": "read", "success": true, "anything": [1e2, null]}}]}`},
	}
}

// Make makes an organization with some of everything.
func (s *Service) Make(ctx context.Context) error {
	for _, step := range steps() {
		r := api.Request{Method: step.method, Path: step.path, ChangeReason: step.reason}
		if step.body != "" {
			r.Body = json.RawMessage(step.body)
		}
		a, err := s.Do(ctx, r)
		if err == nil && !a.OK() {
			err = a.Err()
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", step.method, step.path, err)
		}
	}
	return nil
}

// Answers asks for all that does not depend on the time, and returns the data of the
// answers by path.
func (s *Service) Answers(ctx context.Context) (map[string]any, error) {
	answers := map[string]any{}
	var errs []error
	ask := func(path string) any {
		data, err := s.Data(ctx, path)
		errs = append(errs, err)
		answers[path] = data
		return data
	}
	ask("/company")
	ask("/company/departments")
	ask("/agents?limit=100&view=summary")
	ask("/agents?limit=100")
	for _, name := range members(ask("/departments?limit=100"), "name") {
		path := "/departments/" + url.PathEscape(name)
		ask(path)
		ask(path + "/ceremony-policy")
		ask(path + "/ceremony-policy/resolved")
	}
	for _, list := range []string{"/projects", "/webhooks"} {
		for _, id := range members(ask(list+"?limit=100"), "id") {
			ask(list + "/" + id)
		}
	}
	for _, id := range members(ask("/activities?limit=200"), "agent_id") { // also of those who left
		path := "/agents/" + id
		if latest := len(ask(path + "/versions?limit=100").([]any)); latest > 1 {
			ask(fmt.Sprintf("%s/versions/diff?from_version=1&to_version=%d", path, latest))
		}
		ask(path + "/versions/1")
		ask(path + "/history?limit=100")
	}
	return answers, errors.Join(errs...)
}

// members returns what the items of a list have under a name, each once.
func members(list any, name string) []string {
	found := map[string]bool{}
	items, _ := list.([]any)
	for _, item := range items {
		found[item.(map[string]any)[name].(string)] = true
	}
	return slices.Sorted(maps.Keys(found))
}
