package app

import (
	"context"
	"errors"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/ports"
)

// ReorderAgents asks for an order of a department's agents. Reply makes the
// answer from the agents in their new order.
type ReorderAgents struct {
	Key   name.Key
	Order []identity.Ref
	Reply func(department.Department, []agent.Agent) receipt.Reply
}

// errRead says that what was read before a reorder is not what the commit
// found.
var errRead = errors.New("app: the members have changed since they were read")

// Reorder changes the order of a department's agents and returns the agents in
// it. The answer is made inside the commit, so the agents are read before; if
// somebody is hired meanwhile, they are read again.
func (s *Departments) Reorder(ctx context.Context, c Call, in ReorderAgents) (department.Department, []agent.Agent, error) {
	o := s.kit.occasion(c).in(in.Key)
	for {
		members, err := s.members(ctx, in.Key)
		if err != nil {
			return department.Department{}, nil, err
		}
		var ordered []agent.Agent
		d, err := s.departments.Reorder(ctx, in.Key, func(d department.Department, now []agent.Member) (ports.DepartmentStep, error) {
			step := ports.DepartmentStep{}
			if err := c.If.Check(d.Tag()); err != nil {
				return step, err
			}
			next, err := agent.Reorder(now, in.Order)
			if err != nil {
				return step, err
			}
			if ordered, err = inOrder(members, next); err != nil {
				return step, err
			}
			moved := d
			if !sameOrder(now, next) {
				moved = d.Touch(o.at)
			}
			step = o.departmentStep(moved, d.Revision, func() receipt.Reply { return in.Reply(moved, ordered) })
			step.Members = next
			return step, nil
		})
		if err == nil {
			return d, ordered, nil
		}
		if !errors.Is(err, errRead) {
			// A store that gave up waiting may still be running the step.
			return department.Department{}, nil, err
		}
	}
}

// members reads all agents of a department.
func (s *Departments) members(ctx context.Context, key name.Key) (map[agent.ID]agent.Agent, error) {
	const page = 200
	all := map[agent.ID]agent.Agent{}
	q := agent.Query{Department: key, Limit: page}
	for {
		found, err := s.agents.Agents(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, a := range found {
			all[a.ID()] = a
		}
		if len(found) < page {
			return all, nil
		}
		last := found[len(found)-1].Position()
		q.After = &last
	}
}

func inOrder(agents map[agent.ID]agent.Agent, order []agent.Member) ([]agent.Agent, error) {
	list := make([]agent.Agent, len(order))
	for i, m := range order {
		a, ok := agents[m.ID]
		if !ok {
			return nil, errRead
		}
		a.Place = m.Place
		list[i] = a
	}
	return list, nil
}

func sameOrder(a, b []agent.Member) bool {
	for i := range a {
		if a[i].ID != b[i].ID {
			return false
		}
	}
	return true
}
