package agentfiles

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
)

// Fields returns the agent with the fields of the service, as a merge patch. provider is
// that of the model.
func (a Agent) Fields(provider string) map[string]any {
	tools := map[string]any{"allowed": a.Tools, "denied": a.Denied}
	if a.Restricted {
		tools["access_level"] = "restricted"
	}
	fields := map[string]any{
		"name": a.Name, "role": cmp.Or(a.mark.Role, a.Name), "department": a.Department, "description": a.Description,
		"model": nil, "tools": tools, "instructions": a.Instructions, "metadata": a.Metadata,
	}
	if a.Model != "" {
		model := map[string]any{"provider": cmp.Or(a.mark.Provider, provider), "model_id": a.Model}
		if a.Temperature != "" {
			model["temperature"] = a.Temperature
		}
		if a.MaxTokens != "" {
			model["max_tokens"] = a.MaxTokens
		}
		fields["model"] = model
	}
	return fields
}

// What a model has that nobody has given another.
const defaultTemperature, defaultMaxTokens json.Number = "0.7", "4096"

// Since returns [Agent.Fields] as a merge patch of what before says: what a does not say
// any more is removed, or becomes what it is in an agent about which nothing is said.
func (a Agent) Since(before Agent, provider string) map[string]any {
	patch := a.Fields(provider)
	patch["metadata"] = mergePatch(before.Metadata, a.Metadata)
	if before.Restricted && !a.Restricted {
		patch["tools"].(map[string]any)["access_level"] = "standard"
	}
	if model, ok := patch["model"].(map[string]any); ok {
		if before.Temperature != "" && a.Temperature == "" {
			model["temperature"] = defaultTemperature
		}
		if before.MaxTokens != "" && a.MaxTokens == "" {
			model["max_tokens"] = defaultMaxTokens
		}
	}
	return patch
}

// mergePatch returns what makes one object another.
func mergePatch(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	maps.Copy(patch, to)
	for key, was := range from {
		is, stays := to[key]
		before, ok1 := was.(map[string]any)
		now, ok2 := is.(map[string]any)
		switch {
		case !stays:
			patch[key] = nil
		case ok1 && ok2:
			patch[key] = mergePatch(before, now)
		}
	}
	return patch
}

// Same reports whether two files define the same agent in the same way. Where
// they do is not part of it, nor how they write the department.
func (a Agent) Same(b Agent) bool {
	a.Department, b.Department = string(Key(a.Department)), string(Key(b.Department))
	return reflect.DeepEqual(a.Fields(""), b.Fields(""))
}
