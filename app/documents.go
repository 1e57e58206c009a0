package app

import (
	"context"
	"errors"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/identity"
	"orgd/domain/page"
	"orgd/ports"
)

// Documents are the use cases on the organization as one document.
type Documents struct {
	clock       ports.Clock
	ids         ports.IDs
	agents      ports.AgentStore
	departments ports.DepartmentStore
	company     ports.CompanyStore
}

// NewDocuments returns the use cases on the organization as one document.
func NewDocuments(clock ports.Clock, ids ports.IDs, agents ports.AgentStore, departments ports.DepartmentStore, company ports.CompanyStore) *Documents {
	return &Documents{clock: clock, ids: ids, agents: agents, departments: departments, company: company}
}

// Export takes the parts of an organization, in this order. An error ends the
// export and is what it returns.
type Export struct {
	Company    func(company.Company) error
	Department func(Department) error                 // in the company's order
	Agent      func(agent.Agent, identity.Show) error // in the organization's order
}

// Export reads the organization part by part, so it needs memory for a page of
// it only. What changes meanwhile may be in it or not.
func (s *Documents) Export(ctx context.Context, to Export) error {
	co, err := s.company.Company(ctx)
	if err != nil {
		return err
	}
	if err := to.Company(co); err != nil {
		return err
	}
	if err := s.eachDepartment(ctx, to.Department); err != nil {
		return err
	}
	return s.eachPage(ctx, func(found []agent.Record) error {
		some := make([]agent.Agent, len(found))
		for i, r := range found {
			if some[i], err = r.Agent(); err != nil {
				return err
			}
		}
		names, err := s.namesIn(ctx, some)
		if err != nil {
			return err
		}
		for _, a := range some {
			if err := to.Agent(a, names.Show); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachDepartment calls f for every department in order.
func (s *Documents) eachDepartment(ctx context.Context, f func(Department) error) error {
	var after company.OrderKey
	for {
		found, err := listDepartments(ctx, s.departments, s.agents, after, RowsAtOnce)
		if err != nil {
			return err
		}
		for _, d := range found {
			if err := errors.Join(f(d), d.Names.Err()); err != nil {
				return err
			}
		}
		if page.IsLast(found, RowsAtOnce) {
			return nil
		}
		after = found[len(found)-1].OrderKey
	}
}

// eachPage calls f for all agents in order, page by page.
func (s *Documents) eachPage(ctx context.Context, f func([]agent.Record) error) error {
	q := agent.Query{Limit: RowsAtOnce}
	for {
		found, err := s.agents.Records(ctx, q)
		if err != nil {
			return err
		}
		if err := f(found); err != nil {
			return err
		}
		if page.IsLast(found, RowsAtOnce) {
			return nil
		}
		q.After = new(found[len(found)-1].Position())
	}
}

// namesIn looks up the names of the agents that some refer to.
func (s *Documents) namesIn(ctx context.Context, some []agent.Agent) (Names, error) {
	var ids []agent.ID
	for _, a := range some {
		ids = append(ids, a.Identity.Agents()...)
	}
	return s.agents.Names(ctx, ids)
}
