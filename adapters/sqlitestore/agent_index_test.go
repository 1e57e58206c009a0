package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/search"
	"orgd/ports"
	"orgd/ports/portstest"
	"orgd/test/seed"
)

// unread opens a directory whose index nobody reads.
func unread(t testing.TB, dir string) *org {
	t.Helper()
	own, err := engine.OwnSchema()
	if err != nil {
		t.Fatal(err)
	}
	db, closeDB, err := open(context.Background(), Config{Dir: dir, Readers: 4}, zap.NewNop(), own, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeDB)
	return &org{TB: t, db: db, agents: &Agents{db}, departments: &Departments{db}, activities: &Activities{db}}
}

// applying is what makes a change of an agent in a batch.
func (o *org) applying(id agent.ID, change func(agent.Agent) (ports.AgentChange, error)) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		before, w, err := o.db.again(tx, byID(id), change)
		if err != nil {
			return err
		}
		return w.update(tx, before)
	}
}

func (o *org) firing() func(agent.Agent) (ports.AgentChange, error) {
	on := o.cause()
	return func(a agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{Step: a.Fire(on), Trail: o.trail(audit.Agent(string(a.ID())), nil)}, nil
	}
}

// rearranged are members in the order that arrange makes of theirs.
func rearranged(members []agent.Member, arrange func([]identity.Ref)) ([]agent.Member, error) {
	refs := make([]identity.Ref, len(members))
	for i, m := range members {
		refs[i] = byID(m.ID)
	}
	arrange(refs)
	return agent.Reorder(members, refs)
}

func (o *org) reorder(key name.Key, arrange func([]identity.Ref)) error {
	at, trail := o.now(), o.trail(audit.Department(string(key)), nil)
	_, err := o.departments.Reorder(context.Background(), key, func(d department.Department, members []agent.Member) (c ports.DepartmentChange, err error) {
		c.State, c.From, c.Trail = d.Touch(at), d.Revision, trail
		c.Members, err = rearranged(members, arrange)
		return c, err
	})
	return err
}

// reordering is what reverses the order of a department in a batch.
func reordering(key name.Key) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		before := members(tx, key)
		after, err := rearranged(before, slices.Reverse)
		if err != nil {
			return err
		}
		return putOrderKeys(tx, before, after)
	}
}

// inTables reads what a query selects from the tables alone.
func (o *org) inTables(q agent.Query) (found []agent.Record) {
	o.Helper()
	var f sqlite.Filter
	f.Equals("department_key", string(q.Department))
	f.Equals("level", string(q.Level))
	f.Equals("a.status", string(q.Status))
	f.Equals("a.owner", q.Owner)
	f.Tagged("a.tags", q.Tags)
	order := "a.order_key, a.id"
	switch {
	case q.Prefix != "":
		order = "a.name_key"
		f.And("instr(a.name_key, ?) = 1", string(q.Prefix))
		if q.After != nil {
			f.And("a.name_key > ?", string(q.After.Name))
		}
	case q.After != nil:
		f.And("(a.order_key, a.id) > (?, ?)", sqlite.PackID(q.After.OrderKey), sqlite.PackID(q.After.ID))
	}
	query := "SELECT " + agentColumns + " FROM agents AS a" + joinIdentity + f.Where() + " ORDER BY " + order + " LIMIT (? + 0)"
	o.check(o.db.Read(context.Background(), func(v *sqlite.View) error {
		return v.Each(query, append(f.Args, q.Limit), func(r sqlite.Row) error {
			rec, err := o.db.scanAgent(r)
			if err == nil {
				found = append(found, rec.Record)
			}
			return err
		})
	}))
	return found
}

// compare compares all that is looked up with what the tables have.
func (o *org) compare(what string, r *rand.Rand) {
	o.Helper()
	ctx := context.Background()
	all := o.inTables(agent.Query{Limit: -1})
	same := func(asked string, got, want any, err error) {
		o.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			o.Fatalf("after %s: %s, %v (-tables +index):\n%s", what, asked, err, diff)
		}
	}
	for range 8 {
		q := randomAgents(r, all)
		got, err := o.agents.Records(ctx, q)
		same(fmt.Sprintf("Records(%+v), after %+v", q, q.After), append([]agent.Record(nil), got...), o.inTables(q), err)
	}
	keys, err := o.agents.Keys(ctx, agent.Query{Level: identity.Senior})
	var wantKeys []agent.Key
	for _, rec := range o.inTables(agent.Query{Level: identity.Senior, Limit: -1}) {
		a, err := rec.Agent()
		o.check(err)
		wantKeys = append(wantKeys, agent.Key{ID: a.ID(), Name: a.Name()})
	}
	same("Keys", keys, wantKeys, err)
	text, err := search.Parse("renamed")
	o.check(err)
	q := agent.SearchQuery{Query: agent.Query{Limit: 1000}, Text: text}
	hits, err := o.agents.Search(ctx, q)
	want := agent.Search(q)
	for _, rec := range all {
		_, err := want.Look(rec, func() (agent.Record, error) { return rec, nil })
		o.check(err)
	}
	same("Search", hits, want.Found, err)
	latest, err := o.agents.Labeled(ctx, agent.LabelQuery{Label: "latest", Limit: 1000})
	var resolved, wantResolved []string
	for _, a := range latest {
		resolved = append(resolved, fmt.Sprint(a.ID, a.Version))
	}
	for _, rec := range all {
		wantResolved = append(wantResolved, fmt.Sprint(rec.ID, rec.Version))
	}
	same("Labeled", resolved, wantResolved, err)
	o.compareEach(what, all)
}

// compareEach compares what is looked up of each department and each agent.
func (o *org) compareEach(what string, all []agent.Record) {
	o.Helper()
	ctx := context.Background()
	departments := []name.Key{"sales", "ops", "lab"}
	got, err := o.agents.Counts(ctx, departments)
	o.check(err)
	for _, key := range departments {
		want := agent.Counts{Total: int64(len(o.inTables(agent.Query{Department: key, Limit: -1}))),
			Active: int64(len(o.inTables(agent.Query{Department: key, Status: identity.Active, Limit: -1})))}
		if got[key] != want {
			o.Fatalf("after %s: Counts(%s) = %+v, want %+v", what, key, got[key], want)
		}
	}
	for _, rec := range all {
		a, err := rec.Agent()
		o.check(err)
		for _, ref := range []identity.Ref{byID(a.ID()), {Name: a.Name().Key}} {
			if got, err := o.agents.Record(ctx, ref); err != nil || !cmp.Equal(got, rec) {
				o.Fatalf("after %s: Record(%v) = %+v, %v, want %+v", what, ref, got, err, rec)
			}
		}
	}
	o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
		for _, rec := range all {
			a, err := rec.Agent()
			o.check(err)
			now, err := isCurrent(tx, a)
			a.Revision++
			next, err2 := isCurrent(tx, a)
			if o.check(errors.Join(err, err2)); !now || next {
				o.Fatalf("after %s: agent %s is current: %t, at its next revision: %t", what, rec.ID, now, next)
			}
		}
		return nil
	}))
}

func some[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func randomAgents(r *rand.Rand, all []agent.Record) agent.Query {
	q := agent.Query{
		Department: some[name.Key](r, "", "sales", "ops", "lab"), Level: some(r, "", "", identity.Senior), Status: some(r, "", "", identity.Active),
		Owner: some(r, "", "", "ann"), Tags: some(r, nil, nil, []string{"a"}, []string{"a", "b"}), Prefix: some[name.Key](r, "", "", "renamed", "agent-"),
		Limit: some(r, 3, 1000),
	}
	if len(all) > 0 && r.IntN(2) == 0 {
		at := some(r, all...)
		a, _ := at.Agent()
		q.After = &agent.Position{OrderKey: at.OrderKey, ID: at.ID, Name: a.Name().Key}
	}
	return q
}

// randomChange is a change that may be refused.
func (o *org) randomChange(r *rand.Rand) func() error {
	ctx := context.Background()
	all := o.inTables(agent.Query{Limit: -1})
	title := fmt.Sprintf("renamed %d", r.IntN(12)) // often somebody's
	into := some(r, "Sales", "Ops", "Lab")
	if len(all) == 0 {
		all = append(all, agent.Record{ID: "none"})
	}
	id := some(r, all...).ID
	update := func(patch string) func() error {
		change := o.changing("%s", patch)
		return func() error { _, err := o.agents.Update(ctx, byID(id), change); return err }
	}
	switch r.IntN(14) {
	case 0, 1, 2:
		s := o.hiring(some(r, title, "agent-"+o.id()[24:]), into, 10)
		return func() error { return portstest.Hire(ctx, o.agents, s) }
	case 3:
		return update(fmt.Sprintf(`{"name":%q}`, title))
	case 4:
		return update(fmt.Sprintf(`{"department":%q,"level":%q}`, into, some(r, "senior", "lead")))
	case 5:
		return update(fmt.Sprintf(`{"owner":%s,"tags":%s}`, some(r, `"ann"`, "null"), some(r, `["a"]`, `["b","a"]`, "[]")))
	case 6:
		return update(fmt.Sprintf(`{"description":"text %d"}`, r.IntN(1000)))
	case 7:
		return update(`{"status":"` + some(r, "active", "on_leave") + `"}`)
	case 8:
		fire := o.firing()
		return func() error { _, err := o.agents.Update(ctx, byID(id), fire); return err }
	case 9:
		gone, err := o.agents.Deleted(ctx, agent.Deletions{Limit: 20})
		o.check(err)
		if len(gone) == 0 {
			return func() error { return nil }
		}
		back, on, trail := some(r, gone...).ID, o.cause(), o.trail("agents/x", nil)
		return func() error {
			_, err := o.agents.Restore(ctx, back, func(f agent.Former) (ports.AgentChange, error) {
				s, err := f.Restore(agent.Restoring{}, on)
				return ports.AgentChange{Step: s, Trail: trail}, err
			})
			return err
		}
	case 10:
		by := r.Uint64()
		return func() error {
			return o.reorder(name.Key(strings.ToLower(into)), func(refs []identity.Ref) {
				rand.New(rand.NewPCG(by, 0)).Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
			})
		}
	case 11:
		return func() error { return o.place(id, "production", 1) }
	case 12: // fails behind its change
		change := o.applying(id, o.changing(`{"name":%q,"level":"vp"}`, title))
		return func() error {
			return o.db.Write(ctx, func(tx *engine.Tx) error { return errors.Join(change(tx), errRefused) })
		}
	default: // fails the commit, for all in it
		change := o.applying(id, o.firing())
		return func() error { return o.db.Write(ctx, failingCommit(change)) }
	}
}

// failingCommit is a change behind which there is a reference to nothing, which only the commit
// notices.
func failingCommit(change func(*engine.Tx) error) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		if _, err := tx.Exec("PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO labels (label, order_key, agent_id, department_key, status, version) VALUES ('x', x'00', x'00', '', '', 1)")
		return errors.Join(err, change(tx))
	}
}

// Whatever changes agents, together with others or in vain, all that is looked up is as the
// tables have it.
func TestIndexAgainstTheTables(t *testing.T) {
	o := openOrg(t, t.TempDir())
	r := seed.Rand(t)
	for _, title := range []string{"Sales", "Ops", "Lab"} {
		o.createDepartment(title)
	}
	o.hireMany(0, 30, "Sales", 10)
	end := time.Now().Add(most(0, 3*time.Minute))
	steps, stored := 0, 0
	for ; steps < 100 || time.Now().Before(end); steps++ {
		changes := make([]func() error, 1+r.IntN(12))
		for i := range changes {
			changes[i] = o.randomChange(r)
		}
		errs := make([]error, len(changes))
		var wg sync.WaitGroup
		for i, change := range changes {
			wg.Go(func() { errs[i] = change() })
		}
		wg.Wait()
		for _, err := range errs {
			if err == nil {
				stored++
			} else if !errors.As(err, new(*fault.Error)) {
				t.Fatal(err)
			}
		}
		if r.IntN(4) == 0 {
			o.db.Records = memory.NewRecords(8 << 10) // of which few are remembered
		}
		o.compare(fmt.Sprintf("step %d", steps), r)
	}
	t.Logf("%d steps, %d changes stored", steps, stored)
	if stored < 100 {
		t.Errorf("only %d changes were stored", stored)
	}
}

// batchOf runs the functions in one transaction, in their order, and returns their answers. It needs
// a synctest bubble.
func batchOf(db *DB, fns ...func(*engine.Tx) error) []error {
	release := make(chan struct{})
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	wg.Go(func() { // so long that the next batch has all of them
		db.Write(context.Background(), func(*engine.Tx) error { <-release; time.Sleep(time.Second); return nil })
	})
	synctest.Wait()
	for i, fn := range fns {
		wg.Go(func() { errs[i] = db.Write(context.Background(), fn) })
		synctest.Wait() // it waits behind those before it
	}
	close(release)
	wg.Wait()
	return errs
}

// inOneBatch runs what prepare returns in one transaction, and compares what is looked up then.
func inOneBatch(t *testing.T, prepare func(o *org, ids []agent.ID) []func(*engine.Tx) error, wanted func(t *testing.T, o *org, ids []agent.ID, errs []error)) {
	t.Helper()
	dir := t.TempDir()
	r := seed.Rand(t)
	synctest.Test(t, func(t *testing.T) {
		db, closeDB, err := Open(context.Background(), Config{Dir: dir, Readers: 4}, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		defer closeDB()
		o := &org{TB: t, db: db, agents: &Agents{db}, departments: &Departments{db}, activities: &Activities{db}}
		for _, title := range []string{"Sales", "Ops", "Lab"} {
			o.createDepartment(title)
		}
		ids := o.hireMany(0, 20, "Sales", 10)
		_, err = db.agentIndex(context.Background())
		o.check(err)
		errs := batchOf(db, prepare(o, ids)...)
		wanted(t, o, ids, errs)
		o.compare("the batch", r)
	})
}

func TestIndexOfARenameToAFreedName(t *testing.T) {
	inOneBatch(t, func(o *org, ids []agent.ID) []func(*engine.Tx) error {
		return []func(*engine.Tx) error{
			o.applying(ids[0], o.firing()),
			o.applying(ids[1], o.changing(`{"name":"agent-000000"}`)),
			o.applying(ids[2], o.changing(`{"name":"agent-000000"}`)),
			o.applying(ids[3], o.changing(`{"name":"agent-000001"}`)),
		}
	}, func(t *testing.T, o *org, ids []agent.ID, errs []error) {
		if errs[0] != nil || errs[1] != nil || errs[2] == nil || errs[3] != nil {
			t.Errorf("the changes = %v, want only the third to be refused", errs)
		}
		found, err := o.agents.Records(context.Background(), agent.Query{Prefix: "agent-000000", Limit: 10})
		if err != nil || len(found) != 1 || found[0].ID != ids[1] {
			t.Errorf("the agents of the freed name = %v, %v, want %s", found, err, ids[1])
		}
	})
}

func TestIndexOfABatchWhoseLastFails(t *testing.T) {
	inOneBatch(t, func(o *org, ids []agent.ID) (changes []func(*engine.Tx) error) {
		for i := range 200 {
			id := ids[i%20]
			changes = append(changes, o.applying(id, o.changing(`{"description":"%d","level":%q}`, i, []string{"senior", "lead"}[i/20%2])))
		}
		last := o.applying(ids[3], o.changing(`{"name":"nobody","department":"Ops"}`))
		return append(changes, func(tx *engine.Tx) error { return errors.Join(last(tx), errRefused) })
	}, func(t *testing.T, o *org, ids []agent.ID, errs []error) {
		if err := errors.Join(errs[:200]...); err != nil || errs[200] == nil {
			t.Errorf("the changes = %v, then %v, want only the last to be refused", err, errs[200])
		}
	})
}

func TestIndexOfAMoveAReorderAndADeletion(t *testing.T) {
	inOneBatch(t, func(o *org, ids []agent.ID) (changes []func(*engine.Tx) error) {
		refused := reordering("sales")
		return []func(*engine.Tx) error{
			o.applying(ids[0], o.changing(`{"department":"Ops"}`)),
			reordering("sales"),
			func(tx *engine.Tx) error { return errors.Join(refused(tx), errRefused) },
			o.applying(ids[19], o.firing()),
			o.applying(ids[0], o.changing(`{"department":"Sales"}`)),
			reordering("sales"),
			o.applying(ids[0], o.firing()),
			o.applying(ids[1], o.changing(`{"department":"Lab"}`)),
		}
	}, func(t *testing.T, o *org, ids []agent.ID, errs []error) {
		if errs[2] != errRefused && !errors.Is(errs[2], errRefused) || errors.Join(slices.Delete(slices.Clone(errs), 2, 3)...) != nil {
			t.Errorf("the changes = %v, want only the third to be refused", errs)
		}
	})
}

// Nothing of a commit that fails is seen.
func TestIndexOfACommitThatFails(t *testing.T) {
	for what, last := range map[string]func(o *org) func(*engine.Tx) error{
		"a broken reference": func(*org) func(*engine.Tx) error { return failingCommit(func(*engine.Tx) error { return nil }) },
		"a transaction that the disk has undone": func(o *org) func(*engine.Tx) error {
			return func(tx *engine.Tx) error {
				_, err := tx.Exec("ROLLBACK") // as SQLite does
				return err
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			var before []agent.Record
			inOneBatch(t, func(o *org, ids []agent.ID) []func(*engine.Tx) error {
				before = o.inTables(agent.Query{Limit: -1})
				return []func(*engine.Tx) error{
					o.applying(ids[0], o.firing()), o.applying(ids[1], o.changing(`{"department":"Ops"}`)),
					o.applying(ids[2], o.changing(`{"description":"x"}`)), reordering("sales"), last(o),
				}
			}, func(t *testing.T, o *org, ids []agent.ID, errs []error) {
				if slices.Contains(errs, nil) {
					t.Errorf("the changes = %v, want all to fail", errs)
				}
				after, err := o.agents.Records(context.Background(), agent.Query{Limit: 1000})
				if diff := cmp.Diff(before, after); diff != "" || err != nil {
					t.Errorf("agents after a commit that has failed, %v (-before +after):\n%s", err, diff)
				}
			})
		})
	}
}

// A search that begins in a batch shows the state before it, also if the batch is lost.
func TestSearchBesideACommitThatFails(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := openOrg(t, dir)
		o.createDepartment("Sales")
		ids := o.hireMany(0, 3, "Sales", 10)
		text, err := search.Parse("agent")
		o.check(err)
		release := make(chan struct{})
		var callers sync.WaitGroup
		call := func(do func()) { callers.Go(do); synctest.Wait() }
		call(func() { o.db.Write(context.Background(), func(*engine.Tx) error { <-release; return nil }) })
		call(func() {
			found, err := o.agents.Search(context.Background(), agent.SearchQuery{Query: agent.Query{Limit: 10}, Text: text})
			if len(found.Hits) != len(ids) || err != nil {
				t.Errorf("%d agents are found, %v, want %d", len(found.Hits), err, len(ids))
			}
		})
		call(func() {
			if err := o.db.Write(context.Background(), failingCommit(o.applying(ids[0], o.firing()))); err == nil {
				t.Error("the commit succeeds")
			}
		})
		close(release)
		callers.Wait()
	})
}

// A full disk fails a statement, for its caller alone.
func TestIndexOnAFullDisk(t *testing.T) {
	pages := func(n int) func(*engine.Tx) error {
		return func(tx *engine.Tx) error { return tx.Row(fmt.Sprintf("PRAGMA max_page_count = %d", n)).Scan(new(int)) }
	}
	inOneBatch(t, func(o *org, ids []agent.ID) []func(*engine.Tx) error {
		large := o.changing(`{"name":"large","instructions":%q}`, strings.Repeat("x", 100_000))
		return []func(*engine.Tx) error{
			pages(1), o.applying(ids[0], large), o.applying(ids[1], o.changing(`{"level":"lead"}`)), o.applying(ids[2], large), pages(1 << 30),
		}
	}, func(t *testing.T, o *org, ids []agent.ID, errs []error) {
		if errs[1] == nil || errs[3] == nil {
			t.Errorf("the changes = %v, want the large ones to fail", errs)
		}
	})
}

// A page that is read while a writer reorders all agents shows the order of before or after a
// reorder, whether its agents are remembered or not.
func TestPagesBesideReorders(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	o.hireMany(0, 100, "Sales", 10)
	orders := map[string]bool{}
	order := func(found []agent.Record) (text string) {
		for _, rec := range found {
			text += string(rec.ID[30:]) + string(rec.OrderKey[30:])
		}
		return text
	}
	reverse := func() { o.check(o.reorder("sales", slices.Reverse)) }
	for range 2 {
		orders[order(o.inTables(agent.Query{Limit: -1}))] = true
		reverse()
	}
	for _, remembered := range []int{memory.MaxRecords, 1} {
		o.db.Records = memory.NewRecords(remembered)
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for {
					found, err := o.agents.Records(context.Background(), agent.Query{Limit: 200})
					if err != nil || !orders[order(found)] {
						t.Errorf("a page of %d agents, %v, is in neither order", len(found), err)
						return
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		for range 30 {
			reverse()
		}
		close(stop)
		readers.Wait()
	}
}

// A reader comes to the end of many agents while a writer reorders them.
func TestWalkBesideReorders(t *testing.T) {
	n, departments := 2_000, []string{"Sales", "Ops"}
	if testing.Short() {
		n = 400
	}
	if most(0, 1) == 1 {
		n = 100_000
		for i := range 8 {
			departments = append(departments, fmt.Sprintf("Lab %d", i))
		}
	}
	o := openOrg(t, t.TempDir())
	for i, d := range departments {
		o.createDepartment(d)
		o.hireMany(i*n, n/len(departments), d, 10)
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			o.check(o.reorder(name.Key(strings.ToLower(departments[i%len(departments)])), slices.Reverse))
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	defer writer.Wait()
	defer close(stop)
	for range 3 {
		q, seen := agent.Query{Limit: 200}, 0
		for {
			found, err := o.agents.Records(context.Background(), q)
			o.check(err)
			if len(found) > 0 && q.After != nil && found[0].OrderKey == q.After.OrderKey {
				found = found[1:] // another agent has it now
			}
			for _, rec := range found {
				if q.After != nil && rec.OrderKey <= q.After.OrderKey {
					t.Fatalf("order key %s is behind %s", rec.OrderKey, q.After.OrderKey)
				}
				at := rec.Position()
				q.After = &at
			}
			if seen += len(found); len(found) == 0 {
				break
			}
		}
		if seen != n {
			t.Errorf("%d order keys were seen, want %d", seen, n)
		}
	}
}

// What is committed while the index is read is in it.
func TestIndexIsReadBesideChanges(t *testing.T) {
	r := seed.Rand(t)
	dir := t.TempDir()
	t.Run("Make", func(t *testing.T) {
		o := openOrg(t, dir)
		for _, title := range []string{"Sales", "Ops", "Lab"} {
			o.createDepartment(title)
		}
		o.hireMany(0, 200, "Sales", 10)
	})
	for round := range 3 {
		o := unread(t, dir)
		o.made.Store(int64(round+1) * 1_000_000)
		changes := make(chan func() error)
		var writers sync.WaitGroup
		for range 6 {
			writers.Go(func() {
				for change := range changes {
					if err := change(); err != nil && !errors.As(err, new(*fault.Error)) {
						t.Error(err)
					}
				}
			})
		}
		read := make(chan error, 1)
		for i := range 120 {
			if i == 30 {
				go func() { read <- o.db.tryIndex(context.Background()) }()
			}
			changes <- o.updateOrHire(r)
		}
		close(changes)
		writers.Wait()
		o.check(<-read)
		o.compare(fmt.Sprintf("round %d", round), r)
		o.db.Close()
	}
}

// updateOrHire is a change that needs no index.
func (o *org) updateOrHire(r *rand.Rand) func() error {
	ctx := context.Background()
	id := some(r, o.inTables(agent.Query{Limit: -1})...).ID
	switch r.IntN(5) {
	case 0:
		s := o.hiring(fmt.Sprintf("renamed %d", r.IntN(20)), "Ops", 10)
		return func() error { return portstest.Hire(ctx, o.agents, s) }
	case 1:
		fire := o.firing()
		return func() error { _, err := o.agents.Update(ctx, byID(id), fire); return err }
	case 2:
		return func() error { return o.place(id, "production", 1) }
	default:
		change := o.changing(`{"name":"renamed %d","department":%q}`, r.IntN(20), some(r, "Sales", "Ops", "Lab"))
		return func() error { _, err := o.agents.Update(ctx, byID(id), change); return err }
	}
}

// Until the index is read, agents are found, made and changed; lists and what needs them wait.
func TestRequestsBeforeTheIndex(t *testing.T) {
	o := unread(t, t.TempDir())
	o.createDepartment("Sales")
	ids := o.hireMany(0, 2, "Sales", 10)
	_, err := o.agents.Update(context.Background(), byID(ids[0]), o.changing(`{"level":"lead"}`))
	o.check(err)
	_, err = o.agents.Record(context.Background(), byName(t, "agent-000001"))
	o.check(err)
	o.check(o.db.Ping(context.Background()))
	for what, ask := range map[string]func(context.Context) error{
		"Records": func(ctx context.Context) error {
			_, err := o.agents.Records(ctx, agent.Query{Limit: 1})
			return err
		},
		"Search": func(ctx context.Context) error {
			_, err := o.agents.Search(ctx, agent.SearchQuery{Query: agent.Query{Limit: 1}})
			return err
		},
		"Counts": func(ctx context.Context) error { _, err := o.agents.Counts(ctx, nil); return err },
		"Reorder": func(ctx context.Context) error {
			_, err := o.departments.Reorder(ctx, "sales", nil)
			return err
		},
		"Delete": func(ctx context.Context) error { return o.departments.Delete(ctx, "sales", nil) },
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		err := ask(ctx)
		if f := fault.Of(err); !errors.Is(err, ports.ErrUnavailable) || f.RetryAfter == 0 || !strings.Contains(f.Msg, "still being read") {
			t.Errorf("%s before the index is read = %v, want an outage that says so", what, err)
		}
		cancel()
	}
	o.check(o.db.tryIndex(context.Background()))
	found, err := o.agents.Records(context.Background(), agent.Query{Level: identity.Lead, Limit: 5})
	if err != nil || len(found) != 1 || found[0].ID != ids[0] {
		t.Errorf("Records = %v, %v, want the agent that was changed before", found, err)
	}
}

// An index that cannot be read is tried again. Meanwhile the store is not ready, and no list waits.
func TestIndexThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	o := unread(t, dir)
	o.createDepartment("Sales")
	o.hire("Ann", "Sales", 10)
	for _, statement := range []string{"ALTER TABLE agents RENAME COLUMN level TO lost", "ALTER TABLE agents RENAME COLUMN lost TO level"} {
		o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error { _, err := tx.Exec(statement); return err }))
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		o.db.readIndex(ctx)
		if _, err := o.agents.Records(context.Background(), agent.Query{Limit: 1}); errors.Is(err, ports.ErrUnavailable) != strings.HasSuffix(statement, "lost") {
			t.Errorf("Records after %s = %v", statement, err)
		}
		if err := o.db.Ping(context.Background()); (err != nil) != strings.HasSuffix(statement, "lost") {
			t.Errorf("Ping after %s = %v", statement, err)
		}
	}
}

// Agents that are gone take no memory.
func TestMemoryOfAgentsThatAreGone(t *testing.T) {
	n := 3_000
	if most(0, 1) == 1 {
		n = 1_000_000
	}
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	o.hireMany(0, 100, "Sales", 10)
	before := heapInUse()
	ids := o.hireMany(100, n, "Sales", 10)
	for part := range slices.Chunk(ids, 1000) {
		o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
			for _, id := range part {
				if err := o.applying(id, o.firing())(tx); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	clear(ids)
	if left := heapInUse() - before; left > 1<<20 {
		t.Errorf("%d agents that are gone keep %d KiB, want at most 1024", n, left>>10)
	}
	var entries []*agentindex.Entry
	for e := range o.db.Agents.Published().Select(agentindex.Query{}) {
		entries = append(entries, e)
	}
	if len(entries) != 100 {
		t.Errorf("the index has %d agents, want 100", len(entries))
	}
}

// Nothing shows a change that is not stored because its caller has left when the batch begins
// anew: neither what is remembered, nor the index, also if it is being read.
func TestIndexOfAChangeWhoseCallerLeft(t *testing.T) {
	for _, open := range []func(testing.TB, string) *org{openOrg, unread} {
		dir := t.TempDir()
		r := seed.Rand(t)
		synctest.Test(t, func(t *testing.T) {
			o := open(t, dir)
			o.createDepartment("Sales")
			id := o.hire("Ann", "Sales", 10).ID()
			ctx, leave := context.WithCancel(context.Background())
			release, left := make(chan struct{}), make(chan error, 1)
			var read *agentindex.Index
			o.check(o.db.Read(ctx, func(v *sqlite.View) (err error) {
				o.check(o.db.Pin(ctx, v, o.db.Agents.Collect))
				read, err = indexOf(v)
				return err
			}))
			var wg sync.WaitGroup
			wg.Go(func() { o.check(o.db.Write(context.Background(), func(*engine.Tx) error { <-release; return nil })) })
			synctest.Wait()
			wg.Go(func() {
				left <- o.db.Write(ctx, o.applying(id, o.changing(`{"name":"Nobody","level":"lead"}`)))
			})
			synctest.Wait()
			wg.Go(func() {
				o.db.Write(context.Background(), func(tx *engine.Tx) error {
					leave()
					if err := <-left; !errors.Is(err, ports.ErrUnavailable) {
						t.Errorf("the change of a caller who leaves = %v, want an outage", err)
					}
					_, err := tx.Exec("UPDATE agents SET level = level WHERE false")
					return errors.Join(err, errRefused)
				})
			})
			synctest.Wait()
			close(release)
			wg.Wait()
			o.check(o.db.Write(context.Background(), func(*engine.Tx) error { o.db.Agents.Publish(read); return nil }))
			o.check(o.db.Ping(context.Background()))
			o.compare("the batch", r)
		})
	}
}
