package app

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/session"
	"orgd/ports"
)

// Documents are the use cases on the organization as one document.
type Documents struct {
	clock       ports.Clock
	ids         ports.IDs
	agents      ports.AgentStore
	departments ports.DepartmentStore
	company     ports.CompanyStore
	identities  ports.IdentityLog
}

// NewDocuments returns the use cases on the organization as one document.
func NewDocuments(clock ports.Clock, ids ports.IDs, agents ports.AgentStore, departments ports.DepartmentStore, company ports.CompanyStore, identities ports.IdentityLog) *Documents {
	return &Documents{clock: clock, ids: ids, agents: agents, departments: departments, company: company, identities: identities}
}

// Export takes the parts of an organization, in this order. An error ends the
// export and is what it returns.
type Export struct {
	Company    func(company.Company) error
	Department func(Department) error                 // in the company's order
	Agent      func(agent.Agent, identity.Show) error // in the organization's order
}

// Export reads the organization part by part, so it needs memory for a page of
// it only. What changes meanwhile may be in it or not. It ends with the caller's session.
func (s *Documents) Export(ctx context.Context, c Call, to Export) error {
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
	for found, err := range s.agentPages(ctx, c.live) {
		if err != nil {
			return err
		}
		some := make([]agent.Agent, len(found))
		var ids []agent.ID // that they refer to
		for i, r := range found {
			if some[i], err = r.Agent(); err != nil {
				return err
			}
			ids = append(ids, some[i].Identity.Agents()...)
		}
		names, err := s.agents.Names(ctx, ids)
		if err != nil {
			return err
		}
		for _, a := range some {
			if err := to.Agent(a, Names(names).Show); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachDepartment calls f for every department in order.
func (s *Documents) eachDepartment(ctx context.Context, f func(Department) error) error {
	read := func(last *Department) ([]Department, error) {
		return departmentsBehind(ctx, s.departments, s.agents, last)
	}
	for found, err := range pages(read) {
		if err != nil {
			return err
		}
		for _, d := range found {
			if err := errors.Join(f(d), d.Names.Err()); err != nil {
				return err
			}
		}
	}
	return nil
}

// agentPages returns all agents in order, page by page, until live returns an error.
func (s *Documents) agentPages(ctx context.Context, live func() error) iter.Seq2[[]agent.Record, error] {
	return pages(func(last *agent.Record) ([]agent.Record, error) {
		if err := live(); err != nil {
			return nil, err
		}
		return agentsBehind(ctx, s.agents, "", last)
	})
}

// isEnded reports whether err is that of a session which has ended.
func isEnded(err error) bool {
	return errors.Is(err, session.ErrRevoked) || errors.Is(err, session.ErrUnauthorized)
}

// stopped adds to the error of a session that has ended how far the work came.
func stopped(err error, how string, args ...any) error {
	f := fault.Of(err)
	return f.With("%s; %s; sign in and run it again", f.Msg, fmt.Sprintf(how, args...))
}
