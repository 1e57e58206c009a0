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
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/receipt"
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

func note(of audit.Resource, r *receipt.Receipt) ports.Note {
	return ports.Note{Receipt: r, Audit: audit.Entry{
		ID: newID(), At: now(), Actor: "ann", Route: "PATCH /x", Resource: of, RequestID: "r",
	}}
}

func newReceipt(body int) *receipt.Receipt {
	return &receipt.Receipt{
		Key: receipt.Key("key " + newID()), Fingerprint: "f", At: now(),
		Reply: &receipt.Reply{Status: 201, Body: make([]byte, body)},
	}
}

func occasion() activity.Occasion {
	on := activity.Occasion{At: now(), By: "ann"}
	for range activity.MaxEvents {
		on.IDs = append(on.IDs, activity.ID(newID()))
	}
	return on
}

// instructions are as long as those of most agents.
var instructions = strings.Repeat("You answer questions of customers about their orders, politely and in their own language. ", 8)

func hiring(title, in string, r *receipt.Receipt) ports.AgentStep {
	id := agent.ID(newID())
	p := must(agent.ParseNew(value(fmt.Sprintf(`{"name":%q,"role":"worker","department":%q,"instructions":%q}`, title, in, instructions))))
	return ports.AgentStep{Step: must(agent.Hire(id, p, occasion())), Note: note(audit.Agent(string(id)), r)}
}

// hire hires somebody and returns the id.
func (o *office) hire(in string) agent.ID {
	o.Helper()
	step := hiring("agent "+newID(), in, nil)
	o.must(portstest.Hire(o.Context(), o.Agents, step))
	return step.Agent.ID()
}

func patching(patch string, r *receipt.Receipt) func(agent.Agent) (ports.AgentStep, error) {
	p, on := must(agent.ParsePatch(value(patch))), occasion()
	return func(a agent.Agent) (ports.AgentStep, error) {
		step, err := a.Change(p, on)
		return ports.AgentStep{Step: step, Note: note(audit.Agent(string(a.ID())), r)}, err
	}
}

func (o *office) patch(ctx context.Context, id agent.ID, patch string) error {
	_, err := o.Agents.Update(ctx, refOf(id), patching(patch, nil))
	return err
}

// found makes a department that has a share of the budget.
func (o *office) found(ctx context.Context, title string, share int) error {
	p := must(department.ParseNew(value(fmt.Sprintf(`{"name":%q,"budget_percent":%d}`, title, share))))
	id, at, n := newID(), now(), note(audit.Department(title), nil)
	_, err := o.Departments.Create(ctx, key(title), func(c company.Company, shares money.Percent) (ports.DepartmentStep, error) {
		d, err := department.New(id, p, shares, at)
		return ports.DepartmentStep{Department: d, Note: n,
			Company: c.WithDepartment(company.Seat{Place: company.Place(id), Department: d.Name.Key}, at)}, err
	})
	return err
}

func (o *office) share(ctx context.Context, title string, percent int) error {
	p := must(department.ParsePatch(value(fmt.Sprintf(`{"budget_percent":%d}`, percent))))
	at, n := now(), note(audit.Department(title), nil)
	_, err := o.Departments.Update(ctx, key(title), func(d department.Department, others money.Percent) (ports.DepartmentStep, error) {
		next, err := d.Change(p, others, at)
		return ports.DepartmentStep{Department: next, From: d.Revision, Note: n}, err
	})
	return err
}

func (o *office) dissolve(ctx context.Context, title string) error {
	at, n := now(), note(audit.Department(title), nil)
	return o.Departments.Delete(ctx, key(title), func(d department.Department, agents int64, c company.Company) (ports.DepartmentStep, error) {
		return ports.DepartmentStep{
			Department: d, From: d.Revision, Deleted: true, Note: n, Company: c.WithoutDepartment(d.Name.Key, at),
		}, d.CheckEmpty(agents)
	})
}

// reverse reverses the order of a department's agents.
func (o *office) reverse(ctx context.Context, title string, r *receipt.Receipt) error {
	at, n := now(), note(audit.Department(title), r)
	_, err := o.Departments.Reorder(ctx, key(title), func(d department.Department, members []agent.Member) (ports.DepartmentStep, error) {
		var asked []identity.Ref
		for _, m := range slices.Backward(members) {
			asked = append(asked, identity.Ref{ID: m.ID})
		}
		next, err := agent.Reorder(members, asked)
		return ports.DepartmentStep{Department: d.Touch(at), From: d.Revision, Members: next, Note: n}, err
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
	n := note(audit.Activities, nil)
	return o.Activities.Append(ctx, some, func(ports.Counted) ports.Note { return n })
}
