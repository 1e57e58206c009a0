package app

import (
	"context"
	"maps"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

// Names are the current names of the existing agents among some that were
// asked for.
type Names map[agent.ID]name.Name

// Show returns the name of an agent, or false if it is gone.
func (n Names) Show(id agent.ID) (string, bool) {
	found, ok := n[id]
	return found.Text, ok
}

// Exists reports whether the agent exists.
func (n Names) Exists(id agent.ID) bool {
	_, ok := n[id]
	return ok
}

// resolve looks up the agents that a patch names, as its caller wrote them.
func resolve(ctx context.Context, agents ports.AgentStore, texts []string) (identity.References, Names, error) {
	if len(texts) == 0 {
		return nil, nil, nil
	}
	byText := make(map[string]identity.Ref, len(texts))
	refs := make([]identity.Ref, 0, len(texts))
	for _, text := range texts {
		ref, err := identity.ParseRef(text)
		if err != nil {
			return nil, nil, err
		}
		byText[text] = ref
		refs = append(refs, ref)
	}
	found, err := agents.Find(ctx, refs)
	if err != nil {
		return nil, nil, err
	}
	known, names := identity.References{}, Names{}
	for text, ref := range byText {
		if p, ok := found[ref]; ok {
			known[text] = p.ID
			names[p.ID] = p.Name
		}
	}
	return known, names, nil
}

// namesOf looks up the current names of agents.
func namesOf(ctx context.Context, agents ports.AgentStore, ids []agent.ID) (Names, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	asked := make(map[identity.Ref]bool, len(ids))
	for _, id := range ids {
		asked[identity.Ref{ID: id}] = true
	}
	refs := slices.AppendSeq(make([]identity.Ref, 0, len(asked)), maps.Keys(asked)) // once each
	found, err := agents.Find(ctx, refs)
	if err != nil {
		return nil, err
	}
	names := make(Names, len(found))
	for _, p := range found {
		names[p.ID] = p.Name
	}
	return names, nil
}
