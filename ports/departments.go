package ports

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
)

// DepartmentChange is one change of one department.
type DepartmentChange struct {
	Change[department.Department]
	// Company is the company after the change, for a creation and a deletion.
	Company company.Company
	// Members are the agents of the department in their new order, for a
	// reorder.
	Members []agent.Member
}

// DepartmentStore keeps departments. Every implementation passes
// portstest.DepartmentStore.
//
// A step is atomic, as those of an AgentStore are: what it says of the
// department, the company, the order keys of agents and the trail is stored together
// or not at all. A step without effect stores its idempotency record, if any, and
// nothing else. If the key has a record already, nothing is stored and the error
// is idempotency.ErrRunning. Functions that are passed in may run more than once,
// touch only their arguments, and their errors are returned as they are with
// nothing stored.
type DepartmentStore interface {
	// Create stores a new department and the company that has it. found gets
	// the company and the sum of all departments' shares of the budget. It
	// returns department.Taken of its name if a department has the name, whatever
	// found would say.
	Create(ctx context.Context, key name.Key, found func(c company.Company, shares money.Percent) (DepartmentChange, error)) (department.Department, error)

	// Update changes a department. change gets it and the sum of the other
	// departments' shares of the budget. It returns department.ErrNotFound if
	// there is no such department.
	Update(ctx context.Context, key name.Key, change func(d department.Department, others money.Percent) (DepartmentChange, error)) (department.Department, error)

	// Reorder changes the order of a department's agents. order gets the
	// department and its agents in their order. Every read that begins after
	// Reorder has returned sees the new order; one that runs beside it may see
	// some agents in their old and some in their new positions. It returns
	// department.ErrNotFound if there is no such department.
	Reorder(ctx context.Context, key name.Key, order func(d department.Department, members []agent.Member) (DepartmentChange, error)) (department.Department, error)

	// Delete removes a department. remove gets it, the number of its agents and
	// the company; that is still their number when the department is removed. It
	// returns department.ErrNotFound if there is no such department.
	Delete(ctx context.Context, key name.Key, remove func(d department.Department, agents int64, c company.Company) (DepartmentChange, error)) error

	// Department returns one department, or department.ErrNotFound.
	Department(ctx context.Context, key name.Key) (department.Department, error)

	// Name returns how a department writes its name, or department.ErrNotFound.
	Name(ctx context.Context, key name.Key) (name.Name, error)

	// Departments returns at most limit departments in the company's order,
	// beginning behind the order key after; "" begins with the first. It ends with the
	// first that is behind its page, see page.Fits and page.ErrLarge.
	Departments(ctx context.Context, after company.OrderKey, limit int) ([]department.Department, error)
}
