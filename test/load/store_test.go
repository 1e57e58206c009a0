package load

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/domain/revision"
	"orgd/ports"
	"orgd/ports/portstest"
)

// BenchmarkThroughputStore compares hires through the whole program with the
// embedded store alone, whose port as many callers ask at once: what lies between
// is HTTP, the token, limits, rules, metrics and the log.
func BenchmarkThroughputStore(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	token, hired := settle(b, dir, 0)
	p := serve(b, dir, token)
	creates := p.creates(0)
	r, _ := p.sample(b, p.request("POST", "/agents", newAgent("Sample", 0)))

	alone := filepath.Join(b.TempDir(), "alone")
	settle(b, alone, 0)
	cfg := sqlitestore.Default()
	cfg.Dir = alone
	db, closeDB, err := sqlitestore.Open(context.Background(), cfg, zap.NewNop())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(closeDB)
	agents := db.Stores().Agents

	var whole rounds
	var rates []float64
	for n := 0; b.Loop(); n++ {
		whole.add(b, side{p.addr, p.PID()}, r.Status, creates)
		rates = append(rates, hireAlone(b, agents, n, 2*len(hired)))
	}
	b.ReportMetric(0, "ns/op") // that of a round
	b.ReportMetric(median(whole.rate), "req/s")
	b.ReportMetric(median(rates), "store-hires/s")
	b.ReportMetric(median(whole.rate)/median(rates), "×store")
}

// hireAlone stores so many new agents and returns how many were stored in a
// second. What is stored is made before.
func hireAlone(b *testing.B, agents ports.AgentStore, round, n int) float64 {
	b.Helper()
	steps := make([]ports.AgentChange, n)
	for i := range steps {
		steps[i] = hiring(b, fmt.Sprintf("Alone %d %d", round, i))
	}
	began := time.Now()
	var all sync.WaitGroup
	errs := [connections]error{}
	for c := range connections {
		all.Go(func() {
			for i := c; i < n && errs[c] == nil; i += connections {
				errs[c] = portstest.Hire(context.Background(), agents, steps[i])
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}

// hiring is the step that hires an agent as clients create them.
func hiring(b *testing.B, name string) ports.AgentChange {
	b.Helper()
	value, err := jsondoc.Parse(newAgent(name, 0))
	if err != nil {
		b.Fatal(err)
	}
	patch, err := agent.ParseNew(value)
	if err != nil {
		b.Fatal(err)
	}
	ids, at := system.IDs{}, revision.Time(time.Now(), time.Time{})
	on := activity.Cause{At: at, By: "admin", IDs: &activity.IDs{New: ids.NewID}}
	step, err := agent.Hire(agent.ID(ids.NewID()), patch, on)
	if err != nil {
		b.Fatal(err)
	}
	return ports.AgentChange{Step: step, Trail: ports.Trail{Audit: audit.Entry{
		ID: ids.NewID(), At: at, Actor: on.By, Route: "POST /api/v1/agents", Resource: audit.Agent(string(step.Agent.ID())),
		To: step.Agent.Revision, RequestID: ids.NewID(),
	}}}
}
