package sqlitestore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// Whatever changes an agent, the next read shows it.
func TestRememberedAgentsChange(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	o.createDepartment("Ops")
	ids := o.hireMany(0, 20, "Sales", 100)
	wantSame := func(what string) {
		t.Helper()
		single := map[agent.ID]agent.Record{}
		for _, id := range ids {
			single[id], _ = o.agents.Record(ctx, byID(id)) // one is fired at last
		}
		remembered, err := o.agents.Records(ctx, agent.Query{Limit: 100})
		o.check(err)
		again, err := o.agents.Records(ctx, agent.Query{Limit: 100})
		o.check(err)
		o.db.Records = memory.NewRecords(memory.MaxRecords)
		fresh, err := o.agents.Records(ctx, agent.Query{Limit: 100})
		o.check(err)
		if diff := cmp.Diff(fresh, remembered) + cmp.Diff(fresh, again); diff != "" {
			t.Errorf("agents after %s (-fresh +remembered):\n%s", what, diff)
		}
		for _, want := range fresh {
			got, err := o.agents.Record(ctx, byID(want.ID))
			if diff := cmp.Diff(want, got) + cmp.Diff(want, single[want.ID]); diff != "" || err != nil {
				t.Errorf("agent after %s = %v (-fresh +remembered):\n%s", what, err, diff)
			}
		}
	}
	wantSame("hiring")
	for i, patch := range []string{
		`{"description":"x"}`, `{"name":"renamed"}`, `{"level":"vp"}`, `{"department":"Ops"}`, `{"tier":"large"}`,
		`{"owner":"ann","tags":["a"]}`, `{"level":"lead","owner":"bob"}`,
	} {
		_, err := o.agents.Update(ctx, byID(ids[i]), o.changing("%s", patch))
		o.check(err)
		wantSame(patch)
	}
	_, err := o.agents.Update(ctx, byID(ids[9]), func(a agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{Step: a.Fire(o.cause()), Trail: o.trail(audit.Agent(string(a.ID())), nil)}, nil
	})
	o.check(err)
	wantSame("firing")
	if _, err := o.agents.Record(ctx, byID(ids[9])); err == nil {
		t.Error("a fired agent is still read")
	}
	o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
		from := []agent.Member{{ID: ids[10], OrderKey: agent.OrderKey(ids[10])}, {ID: ids[11], OrderKey: agent.OrderKey(ids[11])}}
		to := []agent.Member{{ID: ids[11], OrderKey: agent.OrderKey(ids[10])}, {ID: ids[10], OrderKey: agent.OrderKey(ids[11])}}
		return putOrderKeys(tx, from, to)
	}))
	wantSame("a reorder")
}

// An agent that gets another order key between the two steps of its change keeps it.
func TestRememberedPlaces(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	ids := o.hireMany(0, 2, "Sales", 100)
	change, moved := o.changing(`{"description":"x"}`), false
	_, err := o.agents.Update(ctx, byID(ids[0]), func(a agent.Agent) (ports.AgentChange, error) {
		if moved {
			return change(a)
		}
		moved = true
		o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
			at := func(i, place int) agent.Member { return agent.Member{ID: ids[i], OrderKey: agent.OrderKey(ids[place])} }
			return putOrderKeys(tx, []agent.Member{at(0, 0), at(1, 1)}, []agent.Member{at(1, 0), at(0, 1)})
		}))
		return change(a)
	})
	o.check(err)
	if rec, err := o.agents.Record(ctx, byID(ids[0])); err != nil || rec.OrderKey != agent.OrderKey(ids[1]) {
		t.Errorf("Record after a reorder = place %s, %v, want %s", rec.OrderKey, err, ids[1])
	}
}

// A store that is closed answers nothing from memory.
func TestRememberedAgentsOfAClosedStore(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	id := o.hireMany(0, 1, "Sales", 100)[0]
	ask := func() []error {
		_, one := o.agents.Record(ctx, byID(id))
		_, list := o.agents.Records(ctx, agent.Query{Limit: 10})
		_, where := o.departments.Name(ctx, "sales")
		_, _, who := o.agents.Resolve(ctx, byID(id))
		_, feed := o.activities.Feed(ctx, activity.Query{Limit: 10})
		return []error{one, list, where, who, feed}
	}
	o.check(errors.Join(ask()...))
	o.check(errors.Join(ask()...))
	o.db.Close()
	for i, err := range ask() {
		if !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("question %d to a closed store = %v, want %v", i, err, ports.ErrUnavailable)
		}
	}
}

// What a change leaves that fails behind it is not remembered.
func TestFailedChangesAreForgotten(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	id := o.hireMany(0, 1, "Sales", 100)[0]
	before, err := o.agents.Record(ctx, byID(id))
	o.check(err)
	_, err = o.agents.Update(ctx, byID(id), func(a agent.Agent) (ports.AgentChange, error) {
		s, err := o.changing(`{"level":"vp"}`)(a)
		s.Events = append(s.Events, s.Events...) // of which there is one of each id
		return s, err
	})
	if err == nil {
		t.Fatal("events of the same id were stored")
	}
	if after, err := o.agents.Record(ctx, byID(id)); err != nil || !cmp.Equal(after, before) {
		t.Errorf("Record after a change that failed = %+v, %v, want %+v", after, err, before)
	}
}

// What is remembered of an agent keeps nothing else in memory, such as the request
// that has named it.
func TestRememberedAgentsAreSmall(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	ids := o.hireMany(0, 20, "Sales", 100)
	before := heapInUse()
	for i, id := range ids {
		_, err := o.agents.Update(ctx, byID(id), o.changing(`{"name":"renamed %d","owner":"its new owner %[1]d","tags":["a.tag"]%[2]s}`, i, strings.Repeat(" ", 1<<20-100)))
		o.check(err)
	}
	if n := heapInUse() - before; n > 4<<20 {
		t.Errorf("20 agents that were renamed by requests of 1 MiB keep %d KiB in memory, want at most 4096", n>>10)
	}
	if !slices.ContainsFunc(ids, func(id agent.ID) bool { _, ok := o.db.Records.Get(byID(id)); return ok }) {
		t.Error("none of them is remembered")
	}
}

// heapInUse returns the bytes that are in use after garbage is collected.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A department that follows another one may write the same name otherwise.
func TestRememberedDepartmentsChange(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	for _, title := range []string{"Sales", "SALES"} {
		o.createDepartment(title)
		for range 2 {
			if n, err := o.departments.Name(ctx, "sales"); err != nil || n != (name.Name{Text: title, Key: "sales"}) {
				t.Errorf("Name(sales) = %+v, %v, want %s", n, err, title)
			}
		}
		o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
			d, err := findDepartment(&tx.View, "sales")
			o.check(err)
			c, _, err := readCompany(&tx.View)
			o.check(err)
			return deleteDepartment(tx, ports.DepartmentChange{Change: ports.Change[department.Department]{State: d}, Company: c})
		}))
		if n, err := o.departments.Name(ctx, "sales"); !errors.Is(err, department.ErrNotFound) {
			t.Errorf("Name(sales) of a department that is gone = %+v, %v", n, err)
		}
	}
}

// A reader never sees an agent go back to what it was.
func TestRememberedAgentsOnlyGoForward(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	id := o.hireMany(0, 1, "Sales", 100)[0]
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := int64(0); ; {
				one, err := o.agents.Record(ctx, byID(id))
				list, err2 := o.agents.Records(ctx, agent.Query{Limit: 5})
				if err != nil || err2 != nil || len(list) != 1 || one.Revision < last || list[0].Revision < one.Revision {
					t.Errorf("revisions %d, then %d, then %v in a list, %v, %v", last, one.Revision, list, err, err2)
					return
				}
				last = list[0].Revision
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 300 {
		a, err := o.agents.Update(ctx, byID(id), o.changing(`{"description":"%d"}`, i))
		o.check(err)
		if rec, err := o.agents.Record(ctx, byID(id)); err != nil || rec.Revision != a.Revision {
			t.Fatalf("Record after revision %d was stored = %d, %v", a.Revision, rec.Revision, err)
		}
	}
	close(stop)
	readers.Wait()
}

// Every statement that adds, changes or deletes an agent is one that Tx.Exec does not take.
func TestStatementsOnAgents(t *testing.T) {
	changes := regexp.MustCompile(`(?m)^.*["` + "`" + `\n](?:INSERT INTO agents |UPDATE agents SET|DELETE FROM agents).*$`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, line := range changes.FindAllString(string(text), -1) {
			found++
			if !strings.Contains(line, "OnAgent") && !strings.HasPrefix(line, "\tsetAmended ") {
				t.Errorf("%s: %s is no OnAgent", file, line)
			}
		}
	}
	if found != 5 {
		t.Errorf("%d statements change agents, want the five that are known", found)
	}
}
