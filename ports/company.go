package ports

import (
	"context"

	"orgd/domain/company"
)

// CompanyStore keeps the one company, which exists from the beginning as
// company.Default. Every implementation passes portstest.CompanyStore.
type CompanyStore interface {
	// Company returns the company.
	Company(ctx context.Context) (company.Company, error)

	// Costs reports whether any cost was ever recorded in the currency of the company, that of a
	// task or another, also if its event is deleted.
	Costs(ctx context.Context) (bool, error)

	// Update changes the company and, with it, the order of the departments,
	// as one atomic step. change gets the company and what Costs reports. It may run more than once, touches only its arguments, and its
	// error is returned as it is with nothing stored. A step without effect
	// stores its idempotency record, if any, and nothing else. If the key has a
	// record already, nothing is stored and the error is idempotency.ErrRunning.
	Update(ctx context.Context, change func(c company.Company, costs bool) (Change[company.Company], error)) (company.Company, error)
}
