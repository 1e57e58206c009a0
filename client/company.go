package client

import (
	"context"
	"time"
)

// Company is the one company, with its departments, without its agents.
type Company struct {
	CompanyName string `json:"company_name"`
	// AutonomyLevel is for departments and agents that do not say otherwise.
	AutonomyLevel AutonomyLevel `json:"autonomy_level"`
	// BudgetMonthly is in units of Currency; 0 means no budget.
	BudgetMonthly Decimal `json:"budget_monthly"`
	// Currency is an ISO 4217 code. It can change only while no cost is recorded.
	Currency string `json:"currency"`
	// CommunicationPattern is how agents talk to each other.
	CommunicationPattern string `json:"communication_pattern"`
	// Settings are free-form and never null. The key ceremony_policy has the policy
	// that departments inherit.
	Settings Object `json:"settings"`
	// Departments are all of them, in order. They are changed by methods of their
	// own.
	Departments []Department `json:"departments"`
	// Revision grows by one with every effective change.
	Revision  int64     `json:"revision"`
	UpdatedAt time.Time `json:"updated_at"`

	// ETag is the tag of the company, for [IfMatch] and [IfNoneMatch].
	ETag string `json:"-"`
}

func (c *Company) setETag(tag string) { c.ETag = tag }

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
