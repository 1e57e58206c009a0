package app

import (
	"context"
	"errors"
	"slices"

	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// Deleted returns a page of deleted agents.
func (s *Agents) Deleted(ctx context.Context, q agent.Deletions) ([]agent.Deletion, error) {
	return s.agents.Deleted(ctx, q)
}

// RestoreAgent asks for a deleted agent to come back. Reply makes the answer from it.
type RestoreAgent struct {
	Ref identity.Ref
	agent.Restoring
	Reply func(agent.Record) idempotency.Reply
}

// Restore brings a deleted agent back.
func (s *Agents) Restore(ctx context.Context, c Call, in RestoreAgent) (restored agent.Record, err error) {
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	_, err = s.agents.Restore(ctx, in.Ref.ID, func(f agent.Former) (ports.AgentChange, error) {
		into := f.Into(in.Restoring)
		if err := access.CheckIn(c.Actor, access.AgentsRestore, into.Key); err != nil {
			return ports.AgentChange{}, err
		}
		if err := c.If.Check(f.Last.Tag()); err != nil {
			return ports.AgentChange{}, err
		}
		// A rule of the state: the agent's existence and its tag come first.
		into, err := s.written(ctx, into)
		if err != nil {
			return ports.AgentChange{}, err
		}
		step, err := f.Restore(agent.Restoring{Name: in.Name, Department: &into}, events)
		if err != nil {
			return ports.AgentChange{}, err
		}
		restored = step.Agent.Record()
		return ch.in(into.Key).agentChange(step, func() idempotency.Reply { return in.Reply(restored) }), nil
	})
	return restored, s.asRestore(ctx, in.Ref, err)
}

// asRestore gives what a store says of an agent that cannot come back the meaning that it has
// there: it is the state that is in the way.
func (s *Agents) asRestore(ctx context.Context, ref identity.Ref, err error) error {
	if errors.Is(err, agent.ErrDepartment) || errors.Is(err, agent.ErrExists) {
		return agent.ErrRestore.With("the agent cannot be restored: %s", fault.Of(err).Msg)
	}
	return s.asFormer(ctx, ref, err)
}

// asFormer tells an agent that is not deleted from one that never was.
func (s *Agents) asFormer(ctx context.Context, ref identity.Ref, err error) error {
	if !errors.Is(err, agent.ErrNotFound) {
		return err
	}
	a, failed := s.agents.Record(ctx, ref)
	switch {
	case errors.Is(failed, agent.ErrNotFound):
		return agent.ErrNotFound.With("there is no deleted agent %q", string(ref.ID)+string(ref.Name))
	case failed != nil:
		return failed
	}
	return agent.ErrNotDeleted.With("agent %q is not deleted", a.Name)
}

// Purge removes what is left of a deleted agent for good. Its texts and names are with the agent, which
// the store of agents removes with its versions, labels, events and figures; and in replies that are kept for requests
// that come again. They go first: who is interrupted asks again. The change log keeps that the agent was.
func (s *Agents) Purge(ctx context.Context, c Call, ref identity.Ref) error {
	if err := access.Check(c.Actor, access.AgentsPurge); err != nil {
		return err
	}
	if _, err := s.agents.Record(ctx, ref); err == nil {
		return s.asFormer(ctx, ref, agent.ErrNotFound)
	} else if !errors.Is(err, agent.ErrNotFound) {
		return err
	}
	if err := s.deleteReplies(ctx, ref.ID); err != nil {
		return err
	}
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	err := s.agents.Purge(ctx, ref.ID, func(f agent.Former) (ports.AgentChange, error) {
		if err := c.If.Check(f.Last.Tag()); err != nil {
			return ports.AgentChange{}, err
		}
		return ch.agentChange(f.Purge(events), noReply), nil
	})
	return s.asFormer(ctx, ref, err)
}

// deleteReplies removes what is kept of the replies that tell of an agent, under any of the names that it has had.
func (s *Agents) deleteReplies(ctx context.Context, id agent.ID) error {
	texts := []string{quoted(string(id))}
	for before := int64(0); ; {
		versions, err := s.identities.Versions(ctx, id, before, versionsAtOnce)
		if err != nil {
			return err
		}
		if len(versions) == 0 {
			return s.replies.DeleteReplies(ctx, texts)
		}
		for _, v := range versions {
			if name := quoted(v.Content.Name.Text); !slices.Contains(texts, name) {
				texts = append(texts, name)
			}
		}
		before = versions[len(versions)-1].Number
	}
}

const versionsAtOnce = 200

// quoted is a text as a reply has it.
func quoted(text string) string {
	w := jsondoc.NewWriter(nil)
	w.Text(text)
	return string(w.Bytes())
}
