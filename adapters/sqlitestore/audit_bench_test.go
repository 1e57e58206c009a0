package sqlitestore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/domain/audit"
	"orgd/domain/name"
)

// BenchmarkAuditFilters reads pages of a trail of a million entries, half of them changes of
// 10 000 agents and half of them reports.
func BenchmarkAuditFilters(b *testing.B) {
	const entries, agents, atOnce = 1_000_000, 10_000, 5000
	o := openOrg(b, b.TempDir())
	department := func(i int) name.Name {
		d, err := name.Parse(fmt.Sprintf("Department %d", i))
		o.check(err)
		return d
	}
	resource := func(i int) audit.Resource { return audit.Agent(fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", i)) }
	begin := o.now()
	entry := func(i int) audit.Entry {
		e := audit.Entry{
			ID: o.id(), At: begin.Add(time.Duration(i) * time.Millisecond), Actor: fmt.Sprintf("user-%d", i%50), Action: audit.Reported,
			Route: "POST /api/v1/activities", Resource: audit.Activities, RequestID: o.id(),
		}
		if i%2 == 0 {
			c := audit.New(audit.AgentUpdated, "Somebody").In(department(i % 20))
			e.Action, e.Resource, e.Change = c.Action, resource(i*7919%agents), &c
		}
		return e
	}
	for i := 0; i < entries; i += atOnce {
		o.check(o.db.Write(context.Background(), func(tx *Tx) error {
			for j := range atOnce {
				if err := putEntry(tx, nil, newAuditRow(entry(i+j))); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	changes := audit.Query{Part: audit.OnlyChanges}
	in := changes
	in.Department = department(2).Key
	nowhere := changes
	nowhere.Department = department(entries).Key
	deleted := changes
	deleted.Actions = []audit.Action{audit.AgentDeleted}
	for _, c := range []struct {
		what string
		q    audit.Query
	}{
		{"none", audit.Query{}},
		{"common-actor", audit.Query{Actor: "user-8"}},
		{"absent-actor", audit.Query{Actor: "nobody"}},
		{"rare-resource", audit.Query{Resource: resource(42)}},
		{"absent-resource", audit.Query{Resource: resource(agents)}},
		{"reports", audit.Query{Resource: audit.Activities}},
		{"actor-and-resource-never-together", audit.Query{Actor: "user-8", Resource: resource(42)}},
		{"common-department", in},
		{"absent-department", nowhere},
		{"absent-action", deleted},
		{"behind-half", audit.Query{Actor: "user-8", Until: begin.Add(entries / 2 * time.Millisecond)}},
	} {
		for _, limit := range []int{51, 201} {
			c.q.Limit = limit
			b.Run(fmt.Sprintf("%s/limit=%d", c.what, limit), func(b *testing.B) {
				used := cpu(b)
				for b.Loop() {
					_, err := o.db.Stores().Audit.Entries(context.Background(), c.q)
					o.check(err)
				}
				b.ReportMetric(float64((cpu(b)-used).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
