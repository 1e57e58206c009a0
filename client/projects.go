package client

import (
	"context"
	"iter"
)

// ProjectQuery selects projects. Conditions that are not empty must all hold.
type ProjectQuery struct {
	PageQuery
	Status ProjectStatus
	// Lead is the id or name of an agent.
	Lead string
}

func (q ProjectQuery) values() values {
	return q.PageQuery.values().text("status", string(q.Status)).text("lead", q.Lead)
}

// Projects lists projects by id, which is by the time of creation, page by page.
// An error is the last thing that comes.
func (c *Client) Projects(ctx context.Context, q ProjectQuery) iter.Seq2[Project, error] {
	return walk[Project](ctx, c, path("projects"), q.values())
}

// ProjectPage reads one page of [Client.Projects].
func (c *Client) ProjectPage(ctx context.Context, q ProjectQuery, opts ...Option) (Page[Project], error) {
	return getPage[Project](ctx, c, path("projects"), q.values(), opts)
}

// Project reads a project. It takes [IfNoneMatch].
func (c *Client) Project(ctx context.Context, id string, opts ...Option) (Project, error) {
	return get[Project](ctx, c, path("projects", id), opts, ifNoneMatch)
}

// CreateProject creates a project, which begins in planning. It takes
// [IdempotencyKey].
func (c *Client) CreateProject(ctx context.Context, in ProjectInput, opts ...Option) (Project, error) {
	return post[Project](ctx, c, path("projects"), in, opts, changeReason)
}

// PatchProject sends a merge patch, as [Client.PatchAgent] does. It takes
// [IfMatch].
func (c *Client) PatchProject(ctx context.Context, id string, patch Object, opts ...Option) (Project, error) {
	return mergePatch[Project](ctx, c, path("projects", id), patch, opts, changeReason)
}

// DeleteProject deletes a project. It takes [IfMatch].
func (c *Client) DeleteProject(ctx context.Context, id string, opts ...Option) error {
	return c.remove(ctx, path("projects", id), opts, changeReason)
}
