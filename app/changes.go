package app

import (
	"context"
	"errors"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/ports"
)

// Changes is the change log: what of the audit trail everybody may read.
type Changes struct {
	log    ports.AuditLog
	agents ports.AgentNames
}

// NewChanges returns the change log.
func NewChanges(log ports.AuditLog, agents ports.AgentNames) *Changes {
	return &Changes{log: log, agents: agents}
}

// ListChanges selects a page of the change log. Agent, where given, selects changes of one
// agent, existing, deleted or, by its id, purged. No Actions are all.
type ListChanges struct {
	audit.Query
	Agent *identity.Ref
}

// List returns a page of the change log, the newest first. An agent that never existed has
// no changes.
func (s *Changes) List(ctx context.Context, in ListChanges) ([]audit.Entry, error) {
	in.Part = audit.OnlyChanges
	if in.Agent != nil && in.Agent.ID != "" { // also of one that was purged
		in.Resource = audit.Agent(string(in.Agent.ID))
	} else if in.Agent != nil {
		id, _, err := s.agents.Resolve(ctx, *in.Agent)
		if errors.Is(err, agent.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		in.Resource = audit.Agent(string(id))
	}
	return s.log.Entries(ctx, in.Query)
}
