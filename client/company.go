package client

import "context"

// Company reads the company. It takes [IfNoneMatch].
func (c *Client) Company(ctx context.Context, opts ...Option) (Company, error) {
	return get[Company](ctx, c, path("company"), opts, ifNoneMatch)
}

// PatchCompany sends a merge patch, as [Client.PatchAgent] does. It takes
// [IfMatch].
func (c *Client) PatchCompany(ctx context.Context, patch Object, opts ...Option) (Company, error) {
	return mergePatch[Company](ctx, c, path("company"), patch, opts, changeReason)
}

// CompanyDepartments reads all departments at once, in the company's order.
func (c *Client) CompanyDepartments(ctx context.Context, opts ...Option) ([]Department, error) {
	return get[[]Department](ctx, c, path("company", "departments"), opts)
}

// ReorderDepartments puts the departments in order. The names must be those of
// all departments, each once. [IfMatch] takes the tag of the company; it also
// takes [IdempotencyKey].
func (c *Client) ReorderDepartments(ctx context.Context, names []string, opts ...Option) (Ordered[Department], error) {
	return reorder[Department](ctx, c, path("company", "reorder-departments"), "department_names", names, opts)
}
