package mongostore

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/ceremony"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/domain/project"
	"orgd/domain/receipt"
	"orgd/domain/session"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/ports/portstest"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)

// testClock stands still until it is moved.
type testClock struct{ ahead atomic.Int64 }

func (c *testClock) Now() time.Time          { return epoch.Add(time.Duration(c.ahead.Load())) }
func (c *testClock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// office makes steps with ids and times that are the same in every run. Changes
// are settled before they return, so that a failure there is their error.
type office struct {
	testing.TB
	portstest.Stores
	db     *DB
	made   int
	agents []agent.ID
	clock  *testClock
}

func newOffice(t testing.TB) *office {
	t.Helper()
	db := openTest(t)
	clock := &testClock{}
	// The company knows when it was made: always the same time.
	if _, err := db.update(t.Context(), companyColl, byKey(companyID), set(is("updated", millis(epoch)))); err != nil {
		t.Fatalf("update = %v", err)
	}
	db.clock, db.later = clock, later{}
	return &office{TB: t, Stores: storesOf(db), db: db, clock: clock}
}

// replica is another process on the same database.
func (o *office) replica() *DB {
	return &DB{client: o.db.client, data: o.db.data, clock: o.clock, timeout: o.db.timeout, gate: o.db.gate}
}

func (o *office) id() string {
	o.made++
	return fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", o.made)
}

func (o *office) now() time.Time {
	o.made++
	return epoch.Add(time.Duration(o.made) * time.Millisecond)
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func value(text string) jsondoc.Value { return must(jsondoc.Parse([]byte(text))) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func key(text string) name.Key { return must(name.Parse(text)).Key }

func (o *office) note(of audit.Resource, r *receipt.Receipt) ports.Note {
	return ports.Note{Receipt: r, Audit: audit.Entry{
		ID: o.id(), At: o.now(), Actor: "ann", Route: "PATCH /x", Resource: of, RequestID: "r",
	}}
}

func (o *office) receipt() *receipt.Receipt {
	return &receipt.Receipt{
		Key: receipt.Key("key " + o.id()), Fingerprint: "f", At: o.now(),
		Reply: &receipt.Reply{Status: 201, Body: []byte("{}")},
	}
}

func (o *office) occasion() activity.Occasion {
	on := activity.Occasion{At: o.now(), By: "ann"}
	for range activity.MaxEvents {
		on.IDs = append(on.IDs, activity.ID(o.id()))
	}
	return on
}

func (o *office) hiring(title, in string, r *receipt.Receipt) ports.AgentStep {
	id := agent.ID(o.id())
	o.agents = append(o.agents, id)
	p := must(agent.ParseNew(value(fmt.Sprintf(`{"name":%q,"role":"worker","department":%q}`, title, in))))
	return ports.AgentStep{Step: must(agent.Hire(id, p, o.occasion())), Note: o.note(audit.Agent(string(id)), r)}
}

func (o *office) hire(title, in string) agent.ID {
	o.Helper()
	s := o.hiring(title, in, nil)
	o.must(portstest.Hire(o.Context(), o.Agents, s))
	return s.Agent.ID()
}

type agentChange = func(agent.Agent) (ports.AgentStep, error)

func (o *office) changing(id agent.ID, patch string) agentChange {
	p, on, note := must(agent.ParsePatch(value(patch))), o.occasion(), o.note(audit.Agent(string(id)), nil)
	return func(a agent.Agent) (ports.AgentStep, error) {
		s, err := a.Change(p, on)
		return ports.AgentStep{Step: s, Note: note}, err
	}
}

func (o *office) firing(id agent.ID) agentChange {
	on, note := o.occasion(), o.note(audit.Agent(string(id)), nil)
	return func(a agent.Agent) (ports.AgentStep, error) {
		return ports.AgentStep{Step: a.Fire(on), Note: note}, nil
	}
}

type founding = func(company.Company, money.Percent) (ports.DepartmentStep, error)

func (o *office) founding(title string, r *receipt.Receipt) founding {
	p := must(department.ParseNew(value(fmt.Sprintf(`{"name":%q,"budget_percent":10}`, title))))
	id, at, note := o.id(), o.now(), o.note(audit.Department(title), r)
	return func(c company.Company, shares money.Percent) (ports.DepartmentStep, error) {
		d, err := department.New(id, p, shares, at)
		return ports.DepartmentStep{
			Department: d, Note: note,
			Company: c.WithDepartment(company.Seat{Place: company.Place(id), Department: d.Name.Key}, at),
		}, err
	}
}

func (o *office) found(title string) {
	o.Helper()
	_, err := o.Departments.Create(o.Context(), key(title), o.founding(title, nil))
	o.must(err)
}

func (o *office) dissolving(title string) removal {
	at, note := o.now(), o.note(audit.Department(title), nil)
	return func(d department.Department, agents int64, c company.Company) (ports.DepartmentStep, error) {
		return ports.DepartmentStep{
			Department: d, From: d.Revision, Deleted: true, Note: note, Company: c.WithoutDepartment(d.Name.Key, at),
		}, d.CheckEmpty(agents)
	}
}

func (o *office) reversing(title string, r *receipt.Receipt) func(department.Department, []agent.Member) (ports.DepartmentStep, error) {
	at, note := o.now(), o.note(audit.Department(title), r)
	return func(d department.Department, members []agent.Member) (ports.DepartmentStep, error) {
		var asked []identity.Ref
		for _, m := range slices.Backward(members) {
			asked = append(asked, identity.Ref{ID: m.ID})
		}
		next, err := agent.Reorder(members, asked)
		return ports.DepartmentStep{Department: d.Touch(at), From: d.Revision, Members: next, Note: note}, err
	}
}

func (o *office) session(sid string) session.Session {
	return session.Session{
		ID: sid, Issuer: "orgd", Subject: "ann", Role: access.Editor, IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour), Own: true,
	}
}

// salesID is the department that reports name; nobody needs to have founded it.
const salesID = "0190a5c4-0000-7000-8000-5a1e00000000"

func (o *office) reports(id agent.ID, n int) []ports.Report {
	cost := money.Amount(1_500_000_000)
	reports := make([]ports.Report, n)
	for i := range reports {
		reports[i] = ports.Report{
			Event: activity.Event{
				ID: activity.ID(o.id()), Type: activity.TaskCompleted, At: epoch.AddDate(0, 0, -i%3), AgentID: string(id),
				AgentName: "Bob", Description: "done",
			},
			Department: "sales", DepartmentID: salesID,
			Measures: activity.Measures{Finished: true, Success: true, Cost: &cost},
		}
	}
	return reports
}

// state is all that readers see.
type state struct {
	Company     company.Company
	Departments []department.Department
	Agents      []agent.Agent
	Versions    map[agent.ID][]identity.Version
	Career      map[agent.ID][]activity.Event
	Events      []activity.Event
	Days        map[agent.ID][]performance.Day
	Completed   map[agent.ID]int64
	Department  []performance.Day
	Projects    []project.Project
	Webhooks    []webhook.Webhook
	Deliveries  map[webhook.ID][]webhook.Delivery
	Sessions    []session.Record
	Revocations []session.Revocation
	Audit       []audit.Entry
}

// look reads everything through a replica. The audit trail comes last, because
// reading it settles everything.
func (o *office) look(db *DB) state {
	o.Helper()
	s, ctx := storesOf(db), o.Context()
	v := state{
		Versions: map[agent.ID][]identity.Version{}, Career: map[agent.ID][]activity.Event{},
		Days: map[agent.ID][]performance.Day{}, Completed: map[agent.ID]int64{},
		Deliveries: map[webhook.ID][]webhook.Delivery{},
	}
	var errs [10]error
	v.Company, errs[0] = s.Company.Company(ctx)
	v.Departments, errs[1] = s.Departments.Departments(ctx, "", 100)
	v.Agents, errs[2] = s.Agents.Agents(ctx, agent.Query{Limit: 100})
	for _, id := range o.agents {
		var err error
		v.Versions[id], err = s.Identities.Versions(ctx, id, 0, 100)
		o.must(err)
		v.Career[id], err = s.Activities.Career(ctx, id)
		o.must(err)
		v.Days[id], v.Completed[id], err = s.Measures.AgentDays(ctx, id, 0)
		o.must(err)
		slices.SortFunc(v.Days[id], func(a, b performance.Day) int { return int(a.Date - b.Date) })
	}
	v.Events, errs[3] = portstest.Events(ctx, s.Activities, activity.Query{Limit: 10_000})
	v.Department, errs[4] = s.Measures.DepartmentDays(ctx, salesID, 0)
	slices.SortFunc(v.Department, func(a, b performance.Day) int { return int(a.Date - b.Date) })
	v.Projects, errs[5] = s.Projects.Projects(ctx, project.Query{Limit: 100})
	v.Sessions, errs[6] = s.Sessions.Sessions(ctx, session.Query{At: epoch, Limit: 100})
	v.Revocations, errs[7] = s.Sessions.Revoked(ctx, time.Time{}, epoch)
	v.Webhooks, errs[9] = s.Webhooks.Webhooks(ctx, webhook.Query{Limit: 100})
	for _, h := range v.Webhooks {
		var err error
		v.Deliveries[h.ID], err = s.Outbox.Deliveries(ctx, webhook.DeliveryQuery{Webhook: h.ID, Limit: 100})
		o.must(err)
	}
	v.Audit, errs[8] = s.Audit.Entries(ctx, audit.Query{Limit: 1000})
	for _, err := range errs {
		o.must(err)
	}
	return v
}

func diff(want, got state) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty(),
		cmp.Comparer(func(a, b jsondoc.Object) bool { return a.String() == b.String() }),
		cmp.Comparer(func(a, b ceremony.Policy) bool { return a.String() == b.String() }))
}

func refOf(id agent.ID) identity.Ref { return identity.Ref{ID: id} }
