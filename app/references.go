package app

import (
	"context"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// Names are the current names of the existing agents among some that were
// asked for.
type Names map[agent.ID]string

// Show returns the name of an agent, or false if it is gone.
func (n Names) Show(id agent.ID) (string, bool) {
	text, ok := n[id]
	return text, ok
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
			names[p.ID] = p.Name.Text
		}
	}
	return known, names, nil
}

// namesAtOnce is how many names are looked up at once: a department may refer to
// sixteen thousand agents, and what is found has more than the name.
const namesAtOnce = 1000

// namesOf looks up the current names of agents, each once, in the order in which the
// stores have them.
func namesOf(ctx context.Context, agents ports.AgentStore, ids []agent.ID) (Names, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	names := make(Names, len(ids))
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), namesAtOnce) {
		refs := make([]identity.Ref, len(part))
		for i, id := range part {
			refs[i].ID = id
		}
		found, err := agents.Find(ctx, refs)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			names[p.ID] = p.Name.Text
		}
	}
	return names, nil
}
