package client

import (
	"context"
	"iter"
	"net/http"
)

// Departments lists departments in the company's order, page by page. An error
// is the last thing that comes.
func (c *Client) Departments(ctx context.Context, q PageQuery) iter.Seq2[Department, error] {
	return walk[Department](ctx, c, path("departments"), q.values())
}

// DepartmentPage reads one page of [Client.Departments].
func (c *Client) DepartmentPage(ctx context.Context, q PageQuery, opts ...Option) (Page[Department], error) {
	return getPage[Department](ctx, c, path("departments"), q.values(), opts)
}

// Department reads a department. It takes [IfNoneMatch].
func (c *Client) Department(ctx context.Context, name string, opts ...Option) (Department, error) {
	return get[Department](ctx, c, path("departments", name), opts, ifNoneMatch)
}

// CreateDepartment creates a department, the last one in the company's order. A
// name that is taken is [ErrDuplicate]. It takes [IdempotencyKey].
func (c *Client) CreateDepartment(ctx context.Context, in DepartmentInput, opts ...Option) (Department, error) {
	return post[Department](ctx, c, path("departments"), in, opts, changeReason)
}

// PatchDepartment sends a merge patch, as [Client.PatchAgent] does. It takes
// [IfMatch].
func (c *Client) PatchDepartment(ctx context.Context, name string, patch Object, opts ...Option) (Department, error) {
	if err := c.checkDepartment(ctx, name); err != nil {
		return Department{}, err
	}
	return mergePatch[Department](ctx, c, path("departments", name), patch, opts, changeReason)
}

// DeleteDepartment deletes a department without agents; one that has some is
// [ErrValidation]. It takes [IfMatch].
func (c *Client) DeleteDepartment(ctx context.Context, name string, opts ...Option) error {
	if err := c.checkDepartment(ctx, name); err != nil {
		return err
	}
	return c.remove(ctx, path("departments", name), opts, changeReason)
}

// DepartmentHealth reads the figures of a department.
func (c *Client) DepartmentHealth(ctx context.Context, name string, opts ...Option) (DepartmentHealth, error) {
	return get[DepartmentHealth](ctx, c, path("departments", name, "health"), opts)
}

// DepartmentFigures lists the figures of all departments in the company's order,
// page by page. An error is the last thing that comes.
func (c *Client) DepartmentFigures(ctx context.Context, q PageQuery) iter.Seq2[DepartmentFigures, error] {
	return walk[DepartmentFigures](ctx, c, path("company", "departments", "figures"), q.values())
}

// DepartmentFiguresPage reads one page of [Client.DepartmentFigures].
func (c *Client) DepartmentFiguresPage(ctx context.Context, q PageQuery, opts ...Option) (Page[DepartmentFigures], error) {
	return getPage[DepartmentFigures](ctx, c, path("company", "departments", "figures"), q.values(), opts)
}

// ReorderAgents puts the agents of a department in order. The names or ids must
// be those of all its agents, each once. [IfMatch] takes the tag of the
// department; it also takes [IdempotencyKey].
func (c *Client) ReorderAgents(ctx context.Context, department string, agents []string, opts ...Option) (Ordered[Agent], error) {
	if err := c.checkDepartment(ctx, department); err != nil {
		return Ordered[Agent]{}, err
	}
	return reorder[Agent](ctx, c, path("departments", department, "reorder-agents"), "agent_names", agents, opts)
}

// Ordered is a list after it was put in order.
type Ordered[T any] struct {
	Items []T
	// ETag is the new tag of what the order belongs to: the company or the
	// department.
	ETag string
}

// reorder sends the names as a field of the body.
func reorder[T any](ctx context.Context, c *Client, path, field string, names []string, opts []Option) (Ordered[T], error) {
	if names == nil {
		names = []string{} // null is not a list
	}
	r := request{method: http.MethodPost, path: path, body: map[string][]string{field: names}, takes: []string{ifMatch, changeReason}}
	a, err := c.do(ctx, r, opts)
	if err != nil {
		return Ordered[T]{}, err
	}
	o := Ordered[T]{ETag: a.header.Get("ETag")}
	return o, a.payload(&o.Items, r)
}
