package mongostore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/receipt"
	"orgd/ports"
	"orgd/ports/portstest"
)

// stall begins do and holds it at a point, the first time that it comes there,
// until the function returned is called: that lets it go on and returns its
// error.
func (o *office) stall(point string, do func(context.Context, portstest.Stores) error) func() error {
	o.Helper()
	held, goOn, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	o.db.hook = func(at string) error {
		if at == point {
			once.Do(func() {
				close(held)
				<-goOn
			})
		}
		return nil
	}
	go func() { result <- do(o.Context(), o.Stores) }()
	select {
	case <-held:
	case err := <-result:
		o.Fatalf("the change did not come to %s: %v", point, err)
	}
	return func() error {
		close(goOn)
		return <-result
	}
}

// halfSettled reports of a new agent three times and leaves the batch true and
// half settled, until resume is called. It is old enough for others to look after
// it.
func (o *office) halfSettled() (id agent.ID, resume func() error) {
	o.Helper()
	o.found("Sales")
	id = o.hire("Bob", "Sales")
	var counted ports.Counted
	resume = o.stall("settle.shares", o.appending(o.reports(id, 3), &counted))
	o.clock.advance(2 * time.Second)
	return id, resume
}

func (o *office) wantErr(what string, err, want error) {
	o.Helper()
	if !errors.Is(err, want) {
		o.Errorf("%s = %v, want %v", what, err, want)
	}
}

// TestStalledName: an attempt that stalls before its commit is fenced by
// another one for the same name.
func TestStalledName(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	first, second := o.hiring("Bob", "Sales", nil), o.hiring("BOB", "Sales", nil)
	resume := o.stall("commit.before", func(ctx context.Context, s portstest.Stores) error { return portstest.Hire(ctx, s.Agents, first) })
	o.clock.advance(4 * time.Second)
	o.must(portstest.Hire(t.Context(), NewAgents(o.replica()), second))
	o.wantErr("the stalled hire", resume(), agent.ErrExists)
	o.wantWhole()
}

// TestStalledRename is the same for an agent that exists.
func TestStalledRename(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Ann", "Sales")
	do := o.changing(id, `{"name":"Bob"}`)
	resume := o.stall("commit.before", func(ctx context.Context, s portstest.Stores) error {
		_, err := s.Agents.Update(ctx, refOf(id), do)
		return err
	})
	o.clock.advance(4 * time.Second)
	other := o.hiring("Bob", "Sales", nil)
	o.must(portstest.Hire(t.Context(), NewAgents(o.replica()), other))
	o.wantErr("the stalled rename", resume(), agent.ErrExists)
	o.wantWhole()
}

// TestStalledReceipt: of two attempts with one key only one commits.
func TestStalledReceipt(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	r := o.receipt()
	first, second := o.hiring("Bob", "Sales", r), o.hiring("Ann", "Sales", r)
	resume := o.stall("commit.before", func(ctx context.Context, s portstest.Stores) error { return portstest.Hire(ctx, s.Agents, first) })
	o.clock.advance(4 * time.Second)
	o.must(portstest.Hire(t.Context(), NewAgents(o.replica()), second))
	o.wantErr("the stalled hire", resume(), receipt.ErrRunning)
	o.wantWhole()
}

// TestDeleteMeetsHire: a hire that is under way when its department is deleted
// does not come into it.
func TestDeleteMeetsHire(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	s := o.hiring("Bob", "Sales", nil)
	resume := o.stall("commit.before", func(ctx context.Context, st portstest.Stores) error { return portstest.Hire(ctx, st.Agents, s) })
	o.must(NewDepartments(o.replica()).Delete(t.Context(), "sales", o.dissolving("Sales")))
	o.wantErr("the hire", resume(), agent.ErrDepartment)
	o.wantWhole()
}

// TestDeleteMeetsUnpaidHire: a hire that is true counts, even if all that
// follows from it is missing.
func TestDeleteMeetsUnpaidHire(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	s := o.hiring("Bob", "Sales", nil)
	resume := o.stall("commit.after", func(ctx context.Context, st portstest.Stores) error { return portstest.Hire(ctx, st.Agents, s) })
	err := NewDepartments(o.replica()).Delete(t.Context(), "sales", o.dissolving("Sales"))
	o.wantErr("Delete", err, department.ErrNotEmpty)
	o.must(resume())
	o.wantWhole()
}

// TestStalledDelete: a deletion that stalls with its department closed is
// fenced by a hire.
func TestStalledDelete(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	remove := o.dissolving("Sales")
	resume := o.stall("dissolve.closed", func(ctx context.Context, s portstest.Stores) error {
		return s.Departments.Delete(ctx, "sales", remove)
	})
	other := NewAgents(o.replica())
	o.wantErr("a hire beside the deletion", portstest.Hire(t.Context(), other, o.hiring("Ann", "Sales", nil)), agent.ErrDepartment)
	o.clock.advance(6 * time.Second)
	o.must(portstest.Hire(t.Context(), other, o.hiring("Bob", "Sales", nil)))
	o.wantErr("the stalled deletion", resume(), department.ErrNotEmpty)
	o.wantWhole()
}

// TestStalledBatch: a batch that stalls before its commit loses its events to
// another one, and comes out as duplicates.
func TestStalledBatch(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	reports := o.reports(id, 7)
	var first ports.Counted
	resume := o.stall("commit.before", o.appending(reports, &first))
	o.clock.advance(5 * time.Second)
	var second ports.Counted
	o.must(o.appending(reports[2:], &second)(t.Context(), storesOf(o.replica())))
	o.must(resume())
	if first.Accepted != 2 || second.Accepted != 5 {
		t.Errorf("accepted %+v and %+v, want 2 and 5", first, second)
	}
	o.wantSums(id, 7)
	o.wantWhole()
}

// TestStalledPayment: who slept while others added a batch, and while its token
// was forgotten, does not add it again.
func TestStalledPayment(t *testing.T) {
	o := newOffice(t)
	id, resume := o.halfSettled()
	other := o.replica()
	o.must(other.Sweep(t.Context()))
	o.wantSums(id, 3)
	var days []dayDoc
	o.must(other.all(t.Context(), other.coll(daysColl), bson.D{}, &days))
	if pruned, err := other.prune(t.Context(), days); !pruned || err != nil {
		t.Fatalf("prune = %t, %v", pruned, err)
	}
	o.must(resume())
	o.wantSums(id, 3)
	o.wantWhole()
}

// TestCurrencyMeetsCost: a batch with the first cost that is under way when the
// currency changes starts over; one that is true forbids it.
func TestCurrencyMeetsCost(t *testing.T) {
	for point, want := range map[string]error{"commit.before": nil, "commit.after": company.ErrCurrency} {
		t.Run(point, func(t *testing.T) {
			o := newOffice(t)
			o.found("Sales")
			id := o.hire("Bob", "Sales")
			var counted ports.Counted
			resume := o.stall(point, o.appending(o.reports(id, 3), &counted))
			o.wantErr("the change of currency", o.currency("EUR", o.replica()), want)
			o.must(resume())
			o.wantErr("a later change of currency", o.currency("CHF", o.replica()), company.ErrCurrency)
			o.wantSums(id, 3)
			o.wantWhole()
		})
	}
}

func (o *office) currency(code string, db *DB) error {
	p, at, note := must(company.ParsePatch(value(`{"currency":"`+code+`"}`))), o.now(), o.note(audit.Company, nil)
	_, err := NewCompany(db).Update(o.Context(), func(c company.Company, costs bool) (ports.CompanyStep, error) {
		next, err := c.Change(p, costs, at)
		return ports.CompanyStep{Company: next, From: c.Revision, Note: note}, err
	})
	return err
}

func (o *office) appending(reports []ports.Report, counted *ports.Counted) func(context.Context, portstest.Stores) error {
	note := o.note("activities", nil)
	return func(ctx context.Context, s portstest.Stores) (err error) {
		*counted, err = s.Activities.Append(ctx, reports, func(ports.Counted) ports.Note { return note })
		return err
	}
}

// wantSums checks that the figures have n finished tasks, each once.
func (o *office) wantSums(id agent.ID, n int64) {
	o.Helper()
	days, completed, err := NewMeasures(o.replica()).AgentDays(o.Context(), id, 0)
	o.must(err)
	sum := int64(0)
	for _, d := range days {
		sum += d.TasksCompleted
	}
	if sum != n || completed != n {
		o.Errorf("figures of %d tasks, %d in total, want %d", sum, completed, n)
	}
}

// TestReplicasIngest: many replicas report overlapping batches at once.
func TestReplicasIngest(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	reports := o.reports(id, 60)
	var all sync.WaitGroup
	accepted := make([]ports.Counted, 6)
	for i := range accepted {
		stores := storesOf(o.replica())
		some := append(append([]ports.Report{}, reports[i*10:]...), reports[:i*10]...)
		do := o.appending(some[:30], &accepted[i])
		all.Go(func() {
			if err := do(t.Context(), stores); err != nil {
				t.Errorf("Append = %v", err)
			}
		})
	}
	all.Wait()
	sum := 0
	for _, c := range accepted {
		sum += c.Accepted
	}
	if sum != len(reports) {
		t.Errorf("accepted %d events in total, want %d", sum, len(reports))
	}
	o.wantSums(id, int64(len(reports)))
	o.wantWhole()
}

// TestManyWriters: many writers on three replicas change one agent without a
// condition; nobody is turned away and nothing is lost.
func TestManyWriters(t *testing.T) {
	const writers, each = 24, 4
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	replicas := []*Agents{NewAgents(o.replica()), NewAgents(o.replica()), NewAgents(o.replica())}
	changes := make([][]agentChange, writers)
	for i := range changes {
		for j := range each {
			changes[i] = append(changes[i], o.changing(id, fmt.Sprintf(`{"metadata":{"%d.%d":1}}`, i, j)))
		}
	}
	var all sync.WaitGroup
	for i, mine := range changes {
		all.Go(func() {
			for _, change := range mine {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				if _, err := replicas[i%len(replicas)].Update(ctx, refOf(id), change); err != nil {
					t.Errorf("Update = %v", err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	a, err := NewAgents(o.db).Agent(t.Context(), refOf(id))
	o.must(err)
	if got := len(a.Identity.Metadata.Value().Members()); got != writers*each || a.Revision != writers*each+1 {
		t.Errorf("%d members in revision %d, want %d in %d", got, a.Revision, writers*each, writers*each+1)
	}
	o.wantWhole()
}
