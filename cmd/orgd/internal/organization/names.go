package organization

import (
	"context"
	"errors"

	"orgd/client"
)

// names knows the names of agents that are shown by id.
type names struct {
	service *client.Client
	known   map[string]string
}

// learn asks for the name of an agent. One that is gone keeps its id.
func (n *names) learn(ctx context.Context, id *string) error {
	if id == nil || n.known[*id] != "" {
		return nil
	}
	a, err := n.service.Agent(ctx, *id)
	if errors.Is(err, client.ErrNotFound) {
		a.Name, err = *id, nil
	}
	if n.known == nil {
		n.known = map[string]string{}
	}
	n.known[*id] = a.Name
	return err
}

// of is the name of an agent that was learned.
func (n *names) of(id *string) string {
	if id == nil {
		return ""
	}
	return n.known[*id]
}
