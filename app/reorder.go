package app

import (
	"context"
	"errors"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// ReorderAgents asks for an order of a department's agents. Reply makes the
// answer that is kept for an idempotency key from the agents in their new order.
type ReorderAgents struct {
	Key   name.Key
	Order []identity.Ref
	Reply func(department.Department, []agent.Record) idempotency.Reply
}

// errRead says that what was read before a reorder is not what the commit
// found.
var errRead = errors.New("app: the members have changed since they were read")

// Reorder changes the order of a department's agents. An answer that is kept is
// made inside the commit, so the agents for it are read before; if somebody is
// hired meanwhile, they are read again. Then Reorder returns them in their order, else
// nil: [Departments.Members] has them.
func (s *Departments) Reorder(ctx context.Context, c Call, in ReorderAgents) (department.Department, []agent.Record, error) {
	ch := newChange(s.clock, s.ids, c).in(in.Key)
	for {
		members, short, err := readShort(c, idempotency.MaxReply, func(last *agent.Record) ([]agent.Record, error) {
			return s.Members(ctx, in.Key, last)
		})
		if err != nil {
			return department.Department{}, nil, err
		}
		var ordered []agent.Record
		d, err := s.departments.Reorder(ctx, in.Key, func(d department.Department, now []agent.Member) (ports.DepartmentChange, error) {
			step := ports.DepartmentChange{}
			if err := c.If.Check(d.Tag()); err != nil {
				return step, err
			}
			next, err := agent.Reorder(now, in.Order)
			if err != nil {
				return step, err
			}
			if short {
				if ordered, err = inOrder(members, next); err != nil {
					return step, err
				}
			}
			moved := d
			if !slices.EqualFunc(now, next, func(a, b agent.Member) bool { return a.ID == b.ID }) {
				moved = d.Touch(ch.at)
			}
			step = ch.departmentChange(audit.AgentsReordered, d, moved, func() idempotency.Reply { return kept(in.Reply(moved, ordered), short) })
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

// Members returns at most [RowsAtOnce] agents of a department in their order,
// beginning behind last; nil begins with the first.
func (s *Departments) Members(ctx context.Context, key name.Key, last *agent.Record) ([]agent.Record, error) {
	return agentsBehind(ctx, s.agents, key, last)
}

// readShort reads a list for an answer that is kept. It reports false without an
// idempotency key, and if the list has more than most bytes: then no answer is made
// of it.
func readShort[T page.Row](c Call, most int, read func(last *T) ([]T, error)) (rows []T, short bool, err error) {
	if c.Lock == nil {
		return nil, false, nil
	}
	for found, err := range pages(read) {
		if err != nil {
			return nil, false, err
		}
		for _, row := range found {
			most -= row.Size()
		}
		if most < 0 {
			return nil, false, nil
		}
		rows = append(rows, found...)
	}
	return rows, true, nil
}

func inOrder(agents []agent.Record, order []agent.Member) ([]agent.Record, error) {
	known := make(map[agent.ID]agent.Record, len(agents))
	for _, a := range agents {
		known[a.ID] = a
	}
	list := make([]agent.Record, len(order))
	for i, m := range order {
		a, ok := known[m.ID]
		if !ok {
			return nil, errRead
		}
		a.OrderKey = m.OrderKey
		list[i] = a
	}
	return list, nil
}
