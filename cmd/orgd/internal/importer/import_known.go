package importer

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"orgd/client"
	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/domain/name"
)

// organization is what the service has.
type organization struct {
	departments map[name.Key]bool
	agents      map[name.Key]client.Agent
	position    map[name.Key]int // of agents, from 1
}

// look reads the organization without the instructions of its agents.
func look(ctx context.Context, service *client.Client) (o organization, err error) {
	if o.departments, err = departmentKeys(ctx, service); err != nil {
		return o, err
	}
	o.agents, o.position = map[name.Key]client.Agent{}, map[name.Key]int{}
	for a, err := range service.Agents(ctx, client.AgentQuery{Summary: true, PageQuery: client.PageQuery{Limit: 200}}) {
		if err != nil {
			return o, err
		}
		key := agentfiles.Key(a.Name)
		o.agents[key], o.position[key] = a, len(o.position)+1
	}
	return o, nil
}

func departmentKeys(ctx context.Context, service *client.Client) (map[name.Key]bool, error) {
	keys := map[name.Key]bool{}
	for d, err := range service.Departments(ctx, client.PageQuery{Limit: 200}) {
		if err != nil {
			return nil, err
		}
		keys[agentfiles.Key(d.Name)] = true
	}
	return keys, nil
}

// inPlace reports whether an agent is in its department already.
func (o organization) inPlace(a agentfiles.Agent) bool {
	known, ok := o.agents[agentfiles.Key(a.Name)]
	return ok && agentfiles.Key(known.Department) == agentfiles.Key(a.Department)
}

// knows reports whether the service has any of these agents.
func (o organization) knows(agents []agentfiles.Agent) bool {
	return slices.ContainsFunc(agents, func(a agentfiles.Agent) bool { return o.position[agentfiles.Key(a.Name)] > 0 })
}

// metadata returns the metadata of an agent with what the service has beside the keys of
// the file, because a document replaces all of it.
func (o organization) metadata(a agentfiles.Agent) map[string]any {
	all := maps.Clone(a.Metadata)
	for key, value := range o.agents[agentfiles.Key(a.Name)].Metadata {
		if !a.Says(key) {
			all[key] = value
		}
	}
	return all
}

// missing returns the first agent of each department that the service does not have.
func (o organization) missing(agents []agentfiles.Agent) []agentfiles.Agent {
	known, missing := maps.Clone(o.departments), []agentfiles.Agent{}
	for _, a := range agents {
		if key := agentfiles.Key(a.Department); !known[key] {
			known[key] = true
			missing = append(missing, a)
		}
	}
	return missing
}

// inOrder returns the agents in the order of the service, new ones last: a document
// has an order, and files have none.
func (o organization) inOrder(agents []agentfiles.Agent) []agentfiles.Agent {
	of := func(a agentfiles.Agent) int { return cmp.Or(o.position[agentfiles.Key(a.Name)], len(o.position)+1) }
	return slices.SortedStableFunc(slices.Values(agents), func(a, b agentfiles.Agent) int { return cmp.Compare(of(a), of(b)) })
}
