package sqlitestore

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
	"orgd/ports/portstest"
)

var errRefused error = fault.New(fault.Conflict, "refused by a rule")

// org is an open data directory with the schema of this program, and ids and
// times for what is put into it.
type org struct {
	testing.TB
	db          *DB
	agents      *Agents
	departments *Departments
	activities  *Activities
	made        atomic.Int64
}

func openOrg(tb testing.TB, dir string) *org {
	tb.Helper()
	db, closeDB, err := Open(context.Background(), Config{Dir: dir, Readers: 8}, zap.NewNop())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(closeDB)
	if _, err := db.agentIndex(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return &org{TB: tb, db: db, agents: &Agents{db}, departments: &Departments{db}, activities: &Activities{db}}
}

func (o *org) check(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *org) id() string { return fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", o.made.Add(1)) }

func (o *org) now() time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC).Add(time.Duration(o.made.Load()) * time.Millisecond)
}

func (o *org) trail(of audit.Resource, r *idempotency.Record) ports.Trail {
	e := audit.Entry{
		ID: o.id(), At: o.now(), Actor: "ann", Route: "PATCH /api/v1/agents/{agent_name}",
		Resource: of, From: 1, To: 2, RequestID: o.id(),
	}
	if of.Type() == "agent" {
		e.Action, e.Change = audit.AgentUpdated, new(audit.New(audit.AgentUpdated, "Somebody"))
	}
	return ports.Trail{Idempotency: r, Audit: e}
}

func (o *org) cause() activity.Cause {
	return activity.Cause{At: o.now(), By: "ann", IDs: &activity.IDs{New: o.id}}
}

func (o *org) createDepartment(title string) {
	o.Helper()
	p, err := department.ParseNew(parse(o, `{"name":%q}`, title))
	o.check(err)
	id, at := o.id(), o.now()
	_, err = o.departments.Create(context.Background(), p.Name().Key, func(c company.Company, shares money.Percent) (ports.DepartmentChange, error) {
		d, err := department.New(id, p, shares, at)
		return ports.DepartmentChange{
			Change:  ports.Change[department.Department]{State: d, Trail: o.trail(audit.Department(title), nil)},
			Company: c.WithDepartment(company.Slot{OrderKey: company.OrderKey(id), Department: p.Name().Key}, at),
		}, err
	})
	o.check(err)
}

// hiring makes the step that hires an agent with a prompt of some bytes.
func (o *org) hiring(title, department string, prompt int) ports.AgentChange {
	o.Helper()
	p, err := agent.ParseNew(parse(o, `{"name":%q,"role":"Engineer","department":%q,"instructions":%q,
		"model_provider":"any","model_id":"large-1",
		"skills":{"primary":[{"id":"go","name":"Go"},{"id":"sql","name":"SQL"}]},
		"personality":{"traits":["calm","curious"],"description":"Asks before it acts."}}`,
		title, department, strings.Repeat("You are careful. ", prompt/17)))
	o.check(err)
	s, err := agent.Hire(agent.ID(o.id()), p, o.cause())
	o.check(err)
	return ports.AgentChange{Step: s, Trail: o.trail(audit.Agent(string(s.Agent.ID())), nil)}
}

func (o *org) hire(title, department string, prompt int) agent.Agent {
	o.Helper()
	s := o.hiring(title, department, prompt)
	o.check(portstest.Hire(context.Background(), o.agents, s))
	return s.Agent
}

// hireMany hires n agents, numbered from first on, in few transactions.
func (o *org) hireMany(first, n int, department string, prompt int) []agent.ID {
	o.Helper()
	ids := make([]agent.ID, 0, n)
	for len(ids) < n {
		o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
			for range min(1000, n-len(ids)) {
				s := o.hiring(fmt.Sprintf("agent-%06d", first+len(ids)), department, prompt)
				ids = append(ids, s.Agent.ID())
				if err := newAgentWrite(s, nil).create(tx); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return ids
}

// changing makes a change of an agent.
func (o *org) changing(patch string, args ...any) func(agent.Agent) (ports.AgentChange, error) {
	o.Helper()
	p, err := agent.ParsePatch(parse(o, patch, args...))
	o.check(err)
	on := o.cause()
	return func(a agent.Agent) (ports.AgentChange, error) {
		s, err := a.Change(p, on)
		return ports.AgentChange{Step: s, Trail: o.trail(audit.Agent(string(a.ID())), nil)}, err
	}
}

func byID(id agent.ID) identity.Ref { return identity.Ref{ID: id} }

func byName(tb testing.TB, text string) identity.Ref {
	tb.Helper()
	n, err := name.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return identity.Ref{Name: n.Key}
}

func parse(tb testing.TB, format string, args ...any) jsondoc.Value {
	tb.Helper()
	v, err := jsondoc.Parse(fmt.Appendf(nil, format, args...))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}
