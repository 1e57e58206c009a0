package ports

import (
	"context"

	"orgd/domain/company"
)

// CompanyStep is one change of the company with the note that it leaves. From
// is the revision before; a step whose Company has that revision is without
// effect.
type CompanyStep struct {
	Company company.Company
	From    int64
	Note
}

// CompanyStore keeps the one company, which exists from the beginning as
// company.Default. Every implementation passes portstest.CompanyStore.
type CompanyStore interface {
	// Company returns the company.
	Company(ctx context.Context) (company.Company, error)

	// Update changes the company and, with it, the order of the departments,
	// as one atomic step. change gets the company and whether any cost was ever
	// recorded in its currency, that of a task or another, also if its event is
	// forgotten. It may run more than once, touches only its arguments, and its
	// error is returned as it is with nothing stored. A step without effect
	// stores its receipt, if it has one, and nothing else. If the receipt's key
	// has a receipt already, nothing is stored and the error is
	// receipt.ErrRunning.
	Update(ctx context.Context, change func(c company.Company, costs bool) (CompanyStep, error)) (company.Company, error)
}
