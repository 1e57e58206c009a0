package mongostore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
	"orgd/ports/portstest"
)

// office makes changes in the stores of one process.
type office struct {
	testing.TB
	portstest.Stores
	db *DB
}

func newOffice(t testing.TB) *office { return officeOf(t, openTest(t)) }

func officeOf(t testing.TB, db *DB) *office { return &office{t, db.Stores(), db} }

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var made atomic.Int64

func newID() string { return fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", made.Add(1)) }

func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func value(text string) jsondoc.Value { return must(jsondoc.Parse([]byte(text))) }

func key(text string) name.Key { return must(name.Parse(text)).Key }

func refOf(id agent.ID) identity.Ref { return identity.Ref{ID: id} }

func trail(of audit.Resource, r *idempotency.Record) ports.Trail {
	return ports.Trail{Idempotency: r, Audit: audit.Entry{
		ID: newID(), At: now(), Actor: "ann", Route: "PATCH /x", Resource: of, RequestID: "r",
	}}
}

func newRecord(body int) *idempotency.Record {
	return &idempotency.Record{
		Key: idempotency.Key("key " + newID()), Fingerprint: "f", At: now(),
		Reply: &idempotency.Reply{Status: 201, Body: make([]byte, body)},
	}
}

func cause() activity.Cause {
	return activity.Cause{At: now(), By: "ann", IDs: &activity.IDs{New: newID}}
}

// instructions are as long as those of most agents.
var instructions = strings.Repeat("You answer questions of customers about their orders, politely and in their own language. ", 8)

func hiring(title, in string, r *idempotency.Record) ports.AgentChange {
	id := agent.ID(newID())
	p := must(agent.ParseNew(value(fmt.Sprintf(`{"name":%q,"role":"worker","department":%q,"instructions":%q}`, title, in, instructions))))
	return ports.AgentChange{Step: must(agent.Hire(id, p, cause())), Trail: trail(audit.Agent(string(id)), r)}
}

// hire hires somebody and returns the id.
func (o *office) hire(in string) agent.ID {
	o.Helper()
	step := hiring("agent "+newID(), in, nil)
	o.must(portstest.Hire(o.Context(), o.Agents, step))
	return step.Agent.ID()
}

func patching(patch string, r *idempotency.Record) func(agent.Agent) (ports.AgentChange, error) {
	p, on := must(agent.ParsePatch(value(patch))), cause()
	return func(a agent.Agent) (ports.AgentChange, error) {
		step, err := a.Change(p, on)
		return ports.AgentChange{Step: step, Trail: trail(audit.Agent(string(a.ID())), r)}, err
	}
}

func (o *office) patch(ctx context.Context, id agent.ID, patch string) error {
	_, err := o.Agents.Update(ctx, refOf(id), patching(patch, nil))
	return err
}

// createDepartment makes a department that has a share of the budget.
func (o *office) createDepartment(ctx context.Context, title string, share int) error {
	p := must(department.ParseNew(value(fmt.Sprintf(`{"name":%q,"budget_percent":%d}`, title, share))))
	id, at, n := newID(), now(), trail(audit.Department(title), nil)
	_, err := o.Departments.Create(ctx, key(title), func(c company.Company, shares money.Percent) (ports.DepartmentChange, error) {
		d, err := department.New(id, p, shares, at)
		return ports.DepartmentChange{Change: ports.Change[department.Department]{State: d, Trail: n},
			Company: c.WithDepartment(company.Slot{OrderKey: company.OrderKey(id), Department: d.Name.Key}, at)}, err
	})
	return err
}

func (o *office) share(ctx context.Context, title string, percent int) error {
	p := must(department.ParsePatch(value(fmt.Sprintf(`{"budget_percent":%d}`, percent))))
	at, n := now(), trail(audit.Department(title), nil)
	_, err := o.Departments.Update(ctx, key(title), func(d department.Department, others money.Percent) (ports.DepartmentChange, error) {
		next, err := d.Change(p, others, at)
		return ports.DepartmentChange{Change: ports.Change[department.Department]{State: next, From: d.Revision, Trail: n}}, err
	})
	return err
}

func (o *office) deleteDepartment(ctx context.Context, title string) error {
	at, n := now(), trail(audit.Department(title), nil)
	return o.Departments.Delete(ctx, key(title), func(d department.Department, agents int64, c company.Company) (ports.DepartmentChange, error) {
		return ports.DepartmentChange{
			Change:  ports.Change[department.Department]{State: d, From: d.Revision, Deleted: true, Trail: n},
			Company: c.WithoutDepartment(d.Name.Key, at),
		}, d.CheckEmpty(agents)
	})
}

// reverse reverses the order of a department's agents.
func (o *office) reverse(ctx context.Context, title string, r *idempotency.Record) error {
	at, n := now(), trail(audit.Department(title), r)
	_, err := o.Departments.Reorder(ctx, key(title), func(d department.Department, members []agent.Member) (ports.DepartmentChange, error) {
		var asked []identity.Ref
		for _, m := range slices.Backward(members) {
			asked = append(asked, identity.Ref{ID: m.ID})
		}
		next, err := agent.Reorder(members, asked)
		return ports.DepartmentChange{Change: ports.Change[department.Department]{State: d.Touch(at), From: d.Revision, Trail: n}, Members: next}, err
	})
	return err
}

// departmentID is a department that reports name; nobody needs to have made it.
const departmentID = "0190a5c4-0000-7000-8000-5a1e00000000"

// reports are n finished tasks of one agent and one day, each with a cost.
func reports(id agent.ID, n int) []ports.Report {
	cost, at := money.Amount(1_500_000_000), now()
	list := make([]ports.Report, n)
	for i := range list {
		list[i] = ports.Report{
			Event: activity.Event{
				ID: activity.ID(newID()), Type: activity.TaskCompleted, At: at, AgentID: string(id), AgentName: "Bob", Description: "done",
			},
			Department: "sales", DepartmentID: departmentID,
			Measures: activity.Measures{Finished: true, Success: true, Cost: &cost},
		}
	}
	return list
}

func (o *office) report(ctx context.Context, some []ports.Report) (ports.Counted, error) {
	n := trail(audit.Activities, nil)
	return o.Activities.Append(ctx, some, func(ports.Counted) ports.Trail { return n })
}
