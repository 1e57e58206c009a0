package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// atOnce calls do n times at the same time and returns the errors.
func atOnce(n int, do func(i int) error) []error {
	errs := make([]error, n)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-begin
			errs[i] = do(i)
		})
	}
	close(begin)
	all.Wait()
	return errs
}

// wantOnly checks that so many of errs are nil and the others want.
func wantOnly(t *testing.T, errs []error, n int, want error) {
	t.Helper()
	got := 0
	for _, err := range errs {
		if err == nil {
			got++
		} else if !errors.Is(err, want) {
			t.Errorf("a change = %v, want none or %v", err, want)
		}
	}
	if got != n {
		t.Errorf("%d changes of %d were made, want %d", got, len(errs), n)
	}
}

// Hires and moves into a department while it is deleted: either it is empty and
// goes, or it stays with everybody who came.
func TestDeleteMeetsArrivals(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	other := officeOf(t, o.db.replica(t))
	o.must(o.createDepartment(t.Context(), "Home", 1))
	var movers []agent.ID
	for range 32 {
		movers = append(movers, o.hire("Home"))
	}
	for range 4 {
		o.must(o.createDepartment(t.Context(), "Sales", 1))
		var deleted error
		errs := atOnce(65, func(i int) error {
			at := []*office{o, other}[i%2]
			switch {
			case i == 64:
				time.Sleep(5 * time.Millisecond)
				deleted = at.deleteDepartment(t.Context(), "Sales")
				return nil
			case i < 32:
				return at.patch(t.Context(), movers[i], `{"department":"Sales"}`)
			}
			return portstest.Hire(t.Context(), at.Agents, hiring("agent "+newID(), "Sales", nil))
		})
		in := int64(0)
		for _, err := range errs[:64] {
			if err == nil {
				in++
			} else if !errors.Is(err, agent.ErrDepartment) {
				t.Errorf("a hire or a move = %v, want none or ErrDepartment", err)
			}
		}
		members, err := o.Agents.Records(t.Context(), agent.Query{Department: "sales", Limit: 100})
		o.must(err)
		counted, err := o.Agents.Counts(t.Context(), []name.Key{"sales"})
		o.must(err)
		if int64(len(members)) != in || counted["sales"].Total != in {
			t.Errorf("%d agents came in, %d are there and %d are counted", in, len(members), counted["sales"].Total)
		}
		_, err = o.Departments.Department(t.Context(), "sales")
		switch {
		case deleted == nil && (in > 0 || !errors.Is(err, department.ErrNotFound)):
			t.Errorf("the department was deleted with %d agents; reading it = %v", in, err)
		case deleted != nil && (!errors.Is(deleted, department.ErrNotEmpty) || in == 0 || err != nil):
			t.Errorf("Delete = %v with %d agents; reading it = %v", deleted, in, err)
		}
		for _, m := range members {
			o.must(o.patch(t.Context(), m.ID, `{"department":"Home"}`))
		}
		if deleted != nil {
			o.must(o.deleteDepartment(t.Context(), "Sales"))
		}
	}
}

// Two changes of shares at once never exceed the whole budget together.
func TestSharesMeet(t *testing.T) {
	o := newOffice(t)
	other := officeOf(t, o.db.replica(t))
	o.must(o.createDepartment(t.Context(), "A", 10))
	o.must(o.createDepartment(t.Context(), "B", 10))
	for range 10 {
		errs := atOnce(2, func(i int) error {
			return []*office{o, other}[i].share(t.Context(), []string{"A", "B"}[i], 60)
		})
		wantOnly(t, errs, 1, department.ErrBudget)
		o.must(o.share(t.Context(), "A", 10))
		o.must(o.share(t.Context(), "B", 10))
	}
}

// What a change has read is what it writes upon: another one that is committed in between is seen.
func TestSharesBetweenReadAndWrite(t *testing.T) {
	o := newOffice(t)
	other := officeOf(t, o.db.replica(t))
	o.must(o.createDepartment(t.Context(), "A", 10))
	o.must(o.createDepartment(t.Context(), "B", 10))
	var between sync.Once
	p, n := must(department.ParsePatch(value(`{"budget_percent":60}`))), trail(audit.Department("A"), nil)
	_, err := o.Departments.Update(t.Context(), key("A"), func(d department.Department, others money.Percent) (ports.DepartmentChange, error) {
		between.Do(func() { o.must(other.share(t.Context(), "B", 60)) })
		next, err := d.Change(p, others, now())
		return ports.DepartmentChange{Change: ports.Change[department.Department]{State: next, From: d.Revision, Trail: n}}, err
	})
	if !errors.Is(err, department.ErrBudget) {
		t.Errorf("Update = %v, want ErrBudget", err)
	}
}

// Names that differ only in case are one name.
func TestNamesMeet(t *testing.T) {
	o := newOffice(t)
	other := officeOf(t, o.db.replica(t))
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	for i := range 10 {
		title := fmt.Sprint("bob ", i)
		errs := atOnce(2, func(j int) error {
			at := []*office{o, other}[j]
			return portstest.Hire(t.Context(), at.Agents, hiring([]string{title, strings.ToUpper(title)}[j], "Sales", nil))
		})
		wantOnly(t, errs, 1, agent.ErrExists)
		errs = atOnce(2, func(j int) error {
			return []*office{o, other}[j].createDepartment(t.Context(), []string{title, strings.ToUpper(title)}[j], 1)
		})
		wantOnly(t, errs, 1, department.ErrExists)
	}
}

// Of changes with one idempotency key only one is made.
func TestIdempotencyKeysMeet(t *testing.T) {
	o := newOffice(t)
	other := officeOf(t, o.db.replica(t))
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	for range 4 {
		r := newRecord(1)
		errs := atOnce(16, func(i int) error {
			at := []*office{o, other}[i%2]
			return portstest.Hire(t.Context(), at.Agents, hiring("agent "+newID(), "Sales", r))
		})
		wantOnly(t, errs, 1, idempotency.ErrRunning)
	}
	if n, err := o.Agents.Counts(t.Context(), []name.Key{"sales"}); n["sales"].Total != 4 || err != nil {
		t.Errorf("Counts = %+v, %v, want 4", n, err)
	}
}

// A process whose clock is a minute fast takes the lock of a running request for one
// that has expired. Still only one of the two requests is stored, and the log is in the
// order of the commits, not of the clocks.
func TestFastClock(t *testing.T) {
	o := newOffice(t)
	fast := officeOf(t, o.db.replica(t))
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	head, err := o.Stream.Head(t.Context())
	o.must(err)
	r := newRecord(1)
	for i, at := range []*office{o, fast} {
		c := idempotency.Lock{Key: r.Key, Fingerprint: r.Fingerprint, Owner: fmt.Sprint(i), At: r.At.Add(time.Duration(i) * time.Minute)}
		if kept, err := at.Idempotency.Lock(t.Context(), c); kept != nil || err != nil {
			t.Fatalf("Lock by process %d = %+v, %v, want the lock", i, kept, err)
		}
	}
	errs := atOnce(2, func(i int) error {
		return portstest.Hire(t.Context(), []*office{o, fast}[i].Agents, hiring("agent "+newID(), "Sales", r))
	})
	wantOnly(t, errs, 1, idempotency.ErrRunning)

	var hired []string
	for i := range 10 {
		step, at := hiring("agent "+newID(), "Sales", nil), o
		if i%2 == 0 {
			at = fast
			for j := range step.Events {
				step.Events[j].At = step.Events[j].At.Add(time.Minute)
			}
		}
		o.must(portstest.Hire(t.Context(), at.Agents, step))
		hired = append(hired, string(step.Agent.ID()))
	}
	var logged []string
	for _, e := range o.wantLogged(head, 2*(1+len(hired))) {
		if id := e.AgentID; len(logged) == 0 || logged[len(logged)-1] != id {
			logged = append(logged, id)
		}
	}
	if !slices.Equal(logged[1:], hired) {
		t.Errorf("the log has %v, want the order of the answers, %v", logged[1:], hired)
	}
}

// wantLogged waits for the events behind a position and returns them.
func (o *office) wantLogged(position activity.Seq, n int) []activity.Logged {
	o.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		page, err := o.Stream.After(o.Context(), position, 100)
		o.must(err)
		if len(page.Events) == n {
			return page.Events
		}
		if len(page.Events) > n || time.Now().After(end) {
			o.Fatalf("After = %d events, want %d", len(page.Events), n)
		}
	}
}

// An agent of three quarters of a megabyte is changed by many at once.
func TestLongAgentMeets(t *testing.T) {
	t.Parallel()
	const writers = 32
	o := newOffice(t)
	other := officeOf(t, o.db.replica(t))
	o.db.timeout, other.db.timeout = time.Minute, time.Minute
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	id := o.hire("Sales")
	o.must(o.patch(t.Context(), id, `{"instructions":"`+strings.Repeat(`\u0001`, 128<<10)+`"}`))
	errs := atOnce(writers, func(i int) error {
		return []*office{o, other}[i%2].patch(t.Context(), id, fmt.Sprintf(`{"metadata":{"%d":1}}`, i))
	})
	wantOnly(t, errs, writers, nil)
	a, err := o.Agents.Agent(t.Context(), refOf(id))
	o.must(err)
	if got := len(a.Identity.Metadata.Value().Members()); got != writers || a.Revision != writers+2 {
		t.Errorf("%d members in revision %d, want %d in %d", got, a.Revision, writers, writers+2)
	}
}

// Events of one agent and day from three processes are all counted, each once.
func TestReportsMeet(t *testing.T) {
	const each, distinct = 1000, 1000 * 3 * 3 / 4
	o := newOffice(t)
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	id := o.hire("Sales")
	all := reports(id, distinct)
	offices := []*office{o, officeOf(t, o.db.replica(t)), officeOf(t, o.db.replica(t))}
	var accepted, duplicates atomic.Int64
	errs := atOnce(3, func(i int) error {
		offices[i].db.timeout = time.Minute
		for part := range 4 { // the next process reports some of them too
			from := (i*each*3/4 + part*each/4) % distinct
			n, err := offices[i].report(t.Context(), all[from:from+each/4])
			if err != nil {
				return err
			}
			accepted.Add(int64(n.Accepted))
			duplicates.Add(int64(n.Duplicates))
		}
		return nil
	})
	wantOnly(t, errs, 3, nil)
	if accepted.Load() != distinct || duplicates.Load() != 3*each-distinct {
		t.Errorf("%d events accepted and %d duplicates, want %d and %d", accepted.Load(), duplicates.Load(), distinct, 3*each-distinct)
	}
	days, completed, err := o.Measures.AgentDays(t.Context(), id, 0)
	o.must(err)
	sum := int64(0)
	for _, d := range days {
		sum += d.TasksCompleted
	}
	if sum != distinct || completed != distinct {
		t.Errorf("%d tasks by day and %d in total, want %d", sum, completed, distinct)
	}
}

// A currency and the first cost at once: never both.
func TestCurrencyMeetsCost(t *testing.T) {
	for range 5 {
		o := newOffice(t)
		other := officeOf(t, o.db.replica(t))
		o.must(o.createDepartment(t.Context(), "Sales", 1))
		some := reports(o.hire("Sales"), 3)
		errs := atOnce(2, func(i int) error {
			if i == 0 {
				_, err := o.report(t.Context(), some)
				return err
			}
			return other.currency(t.Context(), "EUR")
		})
		o.must(errs[0])
		if errs[1] != nil && !errors.Is(errs[1], company.ErrCurrency) {
			t.Errorf("Update = %v, want none or ErrCurrency", errs[1])
		}
		if err := other.currency(t.Context(), "CHF"); !errors.Is(err, company.ErrCurrency) {
			t.Errorf("a later Update = %v, want ErrCurrency", err)
		}
	}
}

func (o *office) currency(ctx context.Context, code string) error {
	p, at, n := must(company.ParsePatch(value(`{"currency":"`+code+`"}`))), now(), trail(audit.Company, nil)
	_, err := o.Company.Update(ctx, func(c company.Company, costs bool) (ports.Change[company.Company], error) {
		next, err := c.Change(p, costs, at)
		return ports.Change[company.Company]{State: next, From: c.Revision, Trail: n}, err
	})
	return err
}

// What a process has locked that was killed is free after its lease.
func TestDeadProcess(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.must(o.createDepartment(t.Context(), "Sales", 1))
	o.wantFreeAfterDeath(o.hire("Sales"))
}

// wantFreeAfterDeath changes an agent that the transaction of a dead process has
// locked.
func (o *office) wantFreeAfterDeath(id agent.ID) {
	o.Helper()
	dead, err := o.db.client.StartSession()
	o.must(err)
	defer dead.EndSession(context.Background())
	var session bson.D
	o.must(bson.Unmarshal(dead.ID(), &session))
	_, err = o.db.coll(replicasColl).InsertOne(o.Context(), bson.D{
		mongodb.Is("_id", "dead"), mongodb.Is("sessions", bson.A{session}), mongodb.Is("renewed", time.Now()),
	})
	o.must(err)
	o.must(dead.StartTransaction(transaction))
	_, err = o.db.coll(agentsColl).UpdateOne(mongo.NewSessionContext(o.Context(), dead), mongodb.ByID(string(id)), mongodb.Set(mongodb.Is("level", "x")))
	o.must(err)
	start := time.Now()
	o.must(o.patch(o.Context(), id, `{"description":"free"}`))
	wantWithin(o, "a change of what was locked", start, 6*time.Second)
}

// wantWithin checks how long something took, on a machine that does nothing else.
func wantWithin(t testing.TB, what string, start time.Time, most time.Duration) {
	t.Helper()
	took := time.Since(start)
	fmt.Fprintln(t.Output(), what+":", took)
	if !long {
		most = max(10*time.Second, 2*most)
	}
	if took > most {
		t.Errorf("%s took %v, want at most %v", what, took, most)
	}
}

// Somebody makes links on three replicas at once, and many ask each for every one: each
// link is given out once. His next one leaves as many as he may have.
func TestLinksOfReplicas(t *testing.T) {
	o := newOffice(t)
	offices := []*office{o, officeOf(t, o.db.replica(t)), officeOf(t, o.db.replica(t))}
	made := now()
	l := session.Link{By: "s", Maker: "ann", ExpiresAt: made.Add(time.Hour)}
	code := func(i int) [32]byte { return session.Code(fmt.Sprint(i)).Hash() }
	keep := func(i int) error {
		return offices[i%3].Sessions.KeepLink(t.Context(), code(i), l, trail(audit.Session("s"), nil))
	}
	const links = session.MaxLinks + 8
	wantOnly(t, atOnce(links, keep), links, nil)
	o.must(keep(links))
	if n, err := o.db.coll(linksColl).CountDocuments(t.Context(), bson.D{}); err != nil || n != session.MaxLinks {
		t.Errorf("%d links are kept, %v, want %d", n, err, session.MaxLinks)
	}
	taken := 0
	for i := links; i >= 0 && taken < 8; i-- {
		errs := atOnce(20, func(n int) error {
			_, err := offices[n%3].Sessions.TakeLink(t.Context(), code(i), made)
			return err
		})
		if slices.Contains(errs, nil) { // it is not one of those that were too many
			taken++
			wantOnly(t, errs, 1, session.ErrLink)
		}
	}
	if taken < 8 {
		t.Errorf("%d links were given out, want more", taken)
	}
}
