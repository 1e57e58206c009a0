package organization

import (
	"context"
	"errors"

	"orgd/client"
)

// names caches the names of agents by id.
type names struct {
	service *client.Client
	byID    map[string]string
}

// load reads the name of an agent. The name of one that is deleted is its id.
func (n *names) load(ctx context.Context, id *string) error {
	if id == nil || n.byID[*id] != "" {
		return nil
	}
	a, err := n.service.Agent(ctx, *id)
	if errors.Is(err, client.ErrNotFound) {
		a.Name, err = *id, nil
	}
	if n.byID == nil {
		n.byID = map[string]string{}
	}
	n.byID[*id] = a.Name
	return err
}

// of returns the name of an agent that was loaded, "" for nil.
func (n *names) of(id *string) string {
	if id == nil {
		return ""
	}
	return n.byID[*id]
}
