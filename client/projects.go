package client

import (
	"context"
	"iter"
	"time"
)

// Project is work that agents do together. Agents are shown by id and taken by
// name or id.
type Project struct {
	// ID is "proj-" and 12 hexadecimal digits.
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Team are the agents that work on it.
	Team []string `json:"team"`
	// Lead is the agent that leads it.
	Lead *string `json:"lead"`
	// TaskIDs are ids in other systems.
	TaskIDs  []string   `json:"task_ids"`
	Deadline *time.Time `json:"deadline"`
	// Budget is in units of the company's currency.
	Budget Decimal       `json:"budget"`
	Status ProjectStatus `json:"status"`
	// Revision grows by one with every effective change.
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	// ETag is the tag of the project, for [IfMatch] and [IfNoneMatch]; it is empty
	// in lists.
	ETag string `json:"-"`
}

func (p *Project) setETag(tag string) { p.ETag = tag }

// ProjectInput is a new project. Name is required.
type ProjectInput struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitzero"`
	Team        []string  `json:"team,omitzero"`
	Lead        string    `json:"lead,omitzero"`
	Deadline    time.Time `json:"deadline,omitzero"`
	Budget      Decimal   `json:"budget,omitzero"`
}

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
