package organization

import (
	"context"
	"errors"

	"orgd/client"
)

// agentNames returns the names of agents by id if the output is a table: the others
// have ids. The name of a deleted agent is its id. Empty ids are left out.
func agentNames(ctx context.Context, service *client.Client, output string, ids ...string) (map[string]string, error) {
	names := map[string]string{}
	if output != "table" {
		return names, nil
	}
	for _, id := range ids {
		if id == "" || names[id] != "" {
			continue
		}
		a, err := service.Agent(ctx, id)
		switch {
		case errors.Is(err, client.ErrNotFound):
			a.Name = id
		case err != nil:
			return nil, err
		}
		names[id] = a.Name
	}
	return names, nil
}
