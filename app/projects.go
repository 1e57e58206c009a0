package app

import (
	"context"
	"errors"
	"strconv"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/project"
	"orgd/ports"
)

// Project is a project with the names of those of its agents that exist.
type Project struct {
	project.Project
	Names Names
}

// Projects are the use cases on projects.
type Projects struct {
	clock    ports.Clock
	ids      ports.IDs
	projects ports.ProjectStore
	agents   ports.AgentNames
}

// NewProjects returns the use cases on projects.
func NewProjects(clock ports.Clock, ids ports.IDs, projects ports.ProjectStore, agents ports.AgentNames) *Projects {
	return &Projects{clock: clock, ids: ids, projects: projects, agents: agents}
}

// Project returns one project.
func (s *Projects) Project(ctx context.Context, id project.ID) (Project, error) {
	p, err := s.projects.Project(ctx, id)
	if err != nil {
		return Project{}, err
	}
	return s.named(ctx, p)
}

// ListProjects selects a page of projects. Lead, where given, selects those
// that this agent leads; nobody leads a project by a name that no agent has.
type ListProjects struct {
	project.Query
	Lead *identity.Ref
}

// List returns a page of projects by id.
func (s *Projects) List(ctx context.Context, in ListProjects) ([]Project, error) {
	if in.Lead != nil {
		found, err := s.agents.Find(ctx, []identity.Ref{*in.Lead})
		if err != nil {
			return nil, err
		}
		lead, ok := found[*in.Lead]
		if !ok {
			return nil, nil
		}
		in.Query.Lead = &lead.ID
	}
	page, err := s.projects.Projects(ctx, in.Query)
	if err != nil {
		return nil, err
	}
	var ids []agent.ID
	for _, p := range page {
		ids = append(ids, p.Agents()...)
	}
	names, err := s.agents.Names(ctx, ids)
	if err != nil {
		return nil, err
	}
	view := make([]Project, len(page))
	for i, p := range page {
		view[i] = Project{p, names}
	}
	return view, nil
}

// StartProject is what a new project is made from. Reply makes the answer from
// it.
type StartProject struct {
	Patch project.Patch
	Reply func(Project) idempotency.Reply
}

// Start creates a project.
func (s *Projects) Start(ctx context.Context, c Call, in StartProject) (Project, error) {
	refs, names, err := resolve(ctx, s.agents, in.Patch.References())
	if err != nil {
		return Project{}, err
	}
	patch, ch := in.Patch.Resolve(refs), newChange(s.clock, s.ids, c)
	for {
		p, err := project.New(project.NewID(ch.at, s.random()), patch, ch.at)
		if err != nil {
			return Project{}, err
		}
		made := Project{p, names}
		err = s.projects.Create(ctx, ch.projectChange(audit.ProjectCreated, project.Project{}, p, func() idempotency.Reply { return in.Reply(made) }))
		if !errors.Is(err, project.ErrExists) { // ids are short: another one
			return made, err
		}
	}
}

// random returns 16 random bits: the end of a fresh UUID.
func (s *Projects) random() uint16 {
	id := s.ids.NewID()
	n, err := strconv.ParseUint(id[len(id)-4:], 16, 16)
	if err != nil {
		panic("app: an id does not end in hex digits: " + id)
	}
	return uint16(n)
}

// Change merges a patch into a project.
func (s *Projects) Change(ctx context.Context, c Call, id project.ID, patch project.Patch) (Project, error) {
	refs, _, err := resolve(ctx, s.agents, patch.References())
	if err != nil {
		return Project{}, err
	}
	patch = patch.Resolve(refs)
	ch := newChange(s.clock, s.ids, c)
	p, err := s.projects.Update(ctx, id, func(p project.Project) (ports.Change[project.Project], error) {
		if err := c.If.Check(p.Tag()); err != nil {
			return ports.Change[project.Project]{}, err
		}
		next, err := p.Change(patch, ch.at)
		return ch.projectChange(audit.ProjectUpdated, p, next, noReply), err
	})
	if err != nil {
		return Project{}, err
	}
	return s.named(ctx, p)
}

// Delete removes a project.
func (s *Projects) Delete(ctx context.Context, c Call, id project.ID) error {
	ch := newChange(s.clock, s.ids, c)
	_, err := s.projects.Update(ctx, id, func(p project.Project) (ports.Change[project.Project], error) {
		if err := c.If.Check(p.Tag()); err != nil {
			return ports.Change[project.Project]{}, err
		}
		return deletionOf(ch, audit.Project(string(p.ID)), audit.New(audit.ProjectDeleted, p.Name), p), nil
	})
	return err
}

func (s *Projects) named(ctx context.Context, p project.Project) (Project, error) {
	names, err := s.agents.Names(ctx, p.Agents())
	return Project{p, names}, err
}

func (ch change) projectChange(action audit.Action, before, after project.Project, reply func() idempotency.Reply) ports.Change[project.Project] {
	return changeOf(ch, audit.Project(string(after.ID)), audit.New(action, after.Name), before, after, reply)
}
