package apitest

import (
	"strings"
	"testing"
)

func ceremonyChecks() map[string]check {
	return map[string]check{
		"Policy":     ceremonyPolicy,
		"KnownKeys":  ceremonyKeys,
		"Resolution": ceremonyResolution,
	}
}

const policyPath = "/departments/Design/ceremony-policy"

// A policy is replaced whole, removed twice as well as once, and the same from
// both sides.
func ceremonyPolicy(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.get(policyPath).want(200).has("data", nil)
	w.delete(policyPath).want(204)
	w.get("/departments/Design").has("data.revision", 1)
	w.put(policyPath, obj{"strategy": "hybrid", "own": obj{"x": list{1}}}).want(200).has("data", obj{"strategy": "hybrid", "own": obj{"x": list{1}}})
	w.get("/departments/Design").has("data.ceremony_policy", obj{"strategy": "hybrid", "own": obj{"x": list{1}}})
	w.put(policyPath, obj{"auto_transition": false}).want(200).has("data", obj{"auto_transition": false})
	w.patch("/departments/Design", obj{"ceremony_policy": obj{"strategy": "calendar"}}).want(200).
		has("data.ceremony_policy", obj{"strategy": "calendar", "auto_transition": false})
	w.get(policyPath).has("data", obj{"strategy": "calendar", "auto_transition": false})
	w.put(policyPath, obj{}).want(200).has("data", obj{})
	w.get(policyPath).has("data", obj{})
	w.delete(policyPath).want(204)
	w.delete(policyPath).want(204)
	w.get(policyPath).want(200).has("data", nil)
	w.get("/departments/Sales").hasAll("data", obj{"ceremony_policy": nil, "revision": 1})
}

// Known keys are checked, null means not there, all others are kept.
func ceremonyKeys(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for key, bad := range map[string]any{"strategy": "Hybrid", "transition_threshold": 0} {
		w.put(policyPath, obj{key: bad}).refused(400, 2001, key)
		w.patch("/departments/Design", obj{"ceremony_policy": obj{key: bad}}).refused(400, 2001, "ceremony_policy."+key)
		w.patch("/company", obj{"settings": obj{"ceremony_policy": obj{key: bad}}}).refused(400, 2001, "settings.ceremony_policy."+key)
	}
	w.patch("/company", obj{"settings": obj{"ceremony_policy": "x"}}).refused(400, 2001, "settings.ceremony_policy")
	w.put(policyPath, obj{
		"strategy": nil, "strategy_config": nil, "velocity_calculator": nil, "auto_transition": nil, "transition_threshold": nil,
		"Strategy": "Hybrid", "other": nil, "": obj{"x": nil},
	}).want(200).has("data", obj{"Strategy": "Hybrid", "other": nil, "": obj{"x": nil}})
	w.put(policyPath, obj{"transition_threshold": 1, "strategy_config": obj{"deep": obj{"er": list{}}}}).want(200)
	w.put(policyPath, obj{"transition_threshold": 0.0001}).want(200)
	w.put(policyPath, obj{"x": strings.Repeat("x", 64<<10)}).refused(400, 2001)
}

// Every key of the policy in force says which level it comes from.
func ceremonyResolution(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const resolved = policyPath + "/resolved"
	from := func(origin string, v any) obj { return obj{"value": v, "origin": origin} }
	w.get(resolved).want(200).has("data", obj{
		"strategy": from("default", "task_driven"), "strategy_config": from("default", obj{}), "velocity_calculator": from("default", "task_driven"),
		"auto_transition": from("default", true), "transition_threshold": from("default", 1),
	})
	w.patch("/company", obj{"settings": obj{"ceremony_policy": obj{"strategy": "calendar", "transition_threshold": 0.5, "team": "all", "extra": nil}}}).want(200)
	w.put(policyPath, obj{"strategy_config": obj{"days": 7}, "team": nil, "own": 1, "auto_transition": false}).want(200)
	w.get(resolved).want(200).has("data", obj{
		"strategy": from("company", "calendar"), "strategy_config": from("department", obj{"days": 7}), "velocity_calculator": from("default", "calendar"),
		"auto_transition": from("department", false), "transition_threshold": from("company", 0.5), "team": from("company", "all"), "own": from("department", 1),
	})
	w.put(policyPath, obj{"strategy": "budget_driven", "strategy_config": obj{}}).want(200)
	w.get(resolved).want(200).hasAll("data", obj{"strategy": from("department", "budget_driven"), "strategy_config": from("department", obj{}), "velocity_calculator": from("default", "budget")})
	w.patch("/company", obj{"settings": obj{"ceremony_policy": nil}}).want(200)
	w.delete(policyPath).want(204)
	w.get(resolved).has("data.strategy", from("default", "task_driven"))
}
