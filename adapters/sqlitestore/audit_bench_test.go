package sqlitestore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/domain/audit"
	"orgd/domain/name"
)

const (
	benchEntries = 1_000_000
	benchAgents  = 10_000
)

func benchResource(i int) audit.Resource {
	return audit.Agent(fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", i))
}

func benchDepartment(b *testing.B, i int) name.Name {
	b.Helper()
	d, err := name.Parse(fmt.Sprintf("Department %d", i))
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// fillTrail writes a trail, half of it changes of agents and half of it reports, one a millisecond.
func (o *org) fillTrail(b *testing.B, begin time.Time) {
	b.Helper()
	const atOnce = 5000
	entry := func(i int) audit.Entry {
		e := audit.Entry{
			ID: o.id(), At: begin.Add(time.Duration(i) * time.Millisecond), Actor: fmt.Sprintf("user-%d", i%50), Action: audit.Reported,
			Route: "POST /api/v1/activities", Resource: audit.Activities, RequestID: o.id(),
		}
		if i%2 == 0 {
			c := audit.New(audit.AgentUpdated, "Somebody").In(benchDepartment(b, i%20))
			e.Action, e.Resource, e.Change = c.Action, benchResource(i*7919%benchAgents), &c
		}
		return e
	}
	for i := 0; i < benchEntries; i += atOnce {
		o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
			for j := range atOnce {
				if err := putEntry(tx, nil, newAuditRow(entry(i+j))); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// BenchmarkAuditFilters reads pages of a trail of a million entries.
func BenchmarkAuditFilters(b *testing.B) {
	o := openOrg(b, b.TempDir())
	begin := o.now()
	o.fillTrail(b, begin)
	for _, c := range []struct {
		what string
		q    audit.Query
	}{
		{"none", audit.Query{}},
		{"common-actor", audit.Query{Actor: "user-8"}},
		{"absent-actor", audit.Query{Actor: "nobody"}},
		{"rare-resource", audit.Query{Resource: benchResource(42)}},
		{"absent-resource", audit.Query{Resource: benchResource(benchAgents)}},
		{"reports", audit.Query{Resource: audit.Activities}},
		{"never-together", audit.Query{Actor: "user-7", Resource: benchResource(42)}},
		{"common-department", audit.Query{Part: audit.OnlyChanges, Department: benchDepartment(b, 2).Key}},
		{"absent-department", audit.Query{Part: audit.OnlyChanges, Department: benchDepartment(b, 20).Key}},
		{"absent-action", audit.Query{Part: audit.OnlyChanges, Actions: []audit.Action{audit.AgentDeleted}}},
		{"behind-half", audit.Query{Actor: "user-8", Until: begin.Add(benchEntries / 2 * time.Millisecond)}},
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
