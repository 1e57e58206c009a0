package mongostore

import (
	"context"
	"errors"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// removal is what the deletion of a department is decided by.
type removal = func(d department.Department, agents int64, c company.Company) (ports.DepartmentStep, error)

// Delete implements [ports.DepartmentStore]. The rule is asked once without
// disturbing anybody; if it accepts, nobody can come into the department any
// more, those under way are settled or fenced, and it is asked again.
func (s *Departments) Delete(ctx context.Context, key name.Key, remove removal) error {
	op := newToken()
	err := retry(ctx, func() (bool, error) { return s.dissolve(ctx, key, op, remove) })
	if err != nil && !isOutage(err) && !isStopped(err) {
		return errors.Join(err, s.db.reopen(ctx, op))
	}
	return err
}

// dissolve does the next part of a deletion. False means that it goes on from
// the company as it is now.
func (s *Departments) dissolve(ctx context.Context, key name.Key, op string, remove removal) (bool, error) {
	d, err := s.db.company(ctx)
	if err != nil {
		return false, err
	}
	at := d.seat(key)
	if at == nil {
		return false, noDepartment(key)
	}
	switch c := at.Closing; {
	case c == nil:
		if _, err := s.ask(ctx, d, *at, remove); err != nil {
			return false, err
		}
		if err := s.db.reach("dissolve.close"); err != nil {
			return false, err
		}
		return false, s.db.closeSeat(ctx, d, key, op)
	case c.Op != op && s.db.at()-c.At < closingAge:
		return false, nil // somebody else deletes it, or gives up soon
	case c.Op != op:
		return false, s.db.reopen(ctx, c.Op)
	}
	return s.dissolveClosed(ctx, d, *at, remove)
}

func (s *Departments) dissolveClosed(ctx context.Context, d companyDoc, at seat, remove removal) (bool, error) {
	if err := s.db.reach("dissolve.closed"); err != nil {
		return false, err
	}
	if err := s.db.resolveArrivals(ctx, name.Key(at.Key)); err != nil {
		return false, err
	}
	step, err := s.ask(ctx, d, at, remove)
	if err != nil {
		return false, err
	}
	a := s.db.attempt(companyHome, &d.Head, step.Note)
	a.set = append(companyFields(step.Company), is("seats", d.seatsOf(step.Company, nil)))
	a.debt.Dissolved = &dissolved{Key: at.Key, ID: at.ID}
	return s.db.try(ctx, a)
}

// ask puts the deletion to the rule.
func (s *Departments) ask(ctx context.Context, d companyDoc, at seat, remove removal) (ports.DepartmentStep, error) {
	c, err := d.company()
	if err != nil {
		return ports.DepartmentStep{}, err
	}
	before, err := s.db.departmentAt(ctx, at)
	if err != nil {
		return ports.DepartmentStep{}, err
	}
	var n agent.Counts
	if n, err = s.db.counts(ctx, s.db.strict(agentsColl), name.Key(at.Key)); err != nil {
		return ports.DepartmentStep{}, err
	}
	return remove(before, n.Total, c)
}
