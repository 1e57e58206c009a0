package mongostore

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

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

var made atomic.Int64

func newID() string { return fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", made.Add(1)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func value(text string) jsondoc.Value { return must(jsondoc.Parse([]byte(text))) }
func key(text string) name.Key        { return must(name.Parse(text)).Key }

func note(of audit.Resource) ports.Note {
	return ports.Note{
		Audit:   audit.Entry{ID: newID(), At: time.Now(), Actor: "ann", Route: "PATCH /x", Resource: of, RequestID: "r"},
		Receipt: &receipt.Receipt{Key: receipt.Key(newID()), Fingerprint: "f", At: time.Now(), Reply: &receipt.Reply{Status: 201, Body: make([]byte, 900)}},
	}
}

func occasion() activity.Occasion {
	on := activity.Occasion{At: time.Now().UTC().Truncate(time.Millisecond), By: "ann"}
	for range activity.MaxEvents {
		on.IDs = append(on.IDs, activity.ID(newID()))
	}
	return on
}

const instructions = "You answer questions of customers about their orders, politely and in their own language, and you hand over what you do not know. "

func hiring(in string) ports.AgentStep {
	id := agent.ID(newID())
	p := must(agent.ParseNew(value(fmt.Sprintf(`{"name":"agent %s","role":"worker","department":%q,"instructions":%q}`, id, in,
		instructions+instructions+instructions+instructions+instructions))))
	n := note(audit.Agent(string(id)))
	if os.Getenv("RECEIPTS") == "" {
		n.Receipt = nil
	}
	return ports.AgentStep{Step: must(agent.Hire(id, p, occasion())), Note: n}
}

func found(t testing.TB, s portstest.Stores, title string) {
	p := must(department.ParseNew(value(fmt.Sprintf(`{"name":%q,"budget_percent":1}`, title))))
	id := newID()
	_, err := s.Departments.Create(t.Context(), key(title), func(c company.Company, shares money.Percent) (ports.DepartmentStep, error) {
		d, err := department.New(id, p, shares, time.Now())
		return ports.DepartmentStep{Department: d, Note: ports.Note{Audit: note("d").Audit},
			Company: c.WithDepartment(company.Seat{Place: company.Place(id), Department: d.Name.Key}, time.Now())}, err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// load has n clients do something until the time is over.
func load(t testing.TB, what string, n int, do func(ctx context.Context, client, i int) error) {
	seconds, _ := strconv.Atoi(os.Getenv("SECONDS"))
	if seconds == 0 {
		seconds = 5
	}
	ctx := context.Background()
	var took [][]time.Duration = make([][]time.Duration, n)
	var failed atomic.Int64
	var last atomic.Value
	attempts.Store(0)
	start := time.Now()
	var all sync.WaitGroup
	for c := range n {
		all.Go(func() {
			for i := 0; time.Since(start) < time.Duration(seconds)*time.Second; i++ {
				one := time.Now()
				if err := do(ctx, c, i); err != nil {
					failed.Add(1)
					last.Store(fmt.Sprint(err))
					continue
				}
				took[c] = append(took[c], time.Since(one))
			}
		})
	}
	all.Wait()
	d := time.Since(start)
	times := slices.Concat(took...)
	slices.Sort(times)
	at := func(p float64) time.Duration {
		if len(times) == 0 {
			return 0
		}
		return times[int(p*float64(len(times)-1))].Round(100 * time.Microsecond)
	}
	fmt.Printf("%-44s %2d clients %7.0f/s  p50 %-8v p99 %-8v max %-8v attempts/change %.2f failed %d %v\n", what, n,
		float64(len(times))/d.Seconds(), at(.5), at(.99), at(1), float64(attempts.Load())/float64(max(1, len(times))), failed.Load(), last.Load())
}

func TestSpeed(t *testing.T) {
	if os.Getenv("SPEED") == "" {
		t.Skip()
	}
	db := openTest(t)
	s := storesOf(db)
	var titles []string
	for i := range 16 {
		titles = append(titles, fmt.Sprint("d", i))
		found(t, s, titles[i])
	}
	plain := db.data.Collection("plain")
	doc := func() bson.D {
		return bson.D{is("_id", newID()), is("text", instructions+instructions+instructions+instructions+instructions)}
	}
	for _, n := range []int{1, 32} {
		load(t, "plain insertOne majority", n, func(ctx context.Context, c, i int) error {
			_, err := plain.InsertOne(ctx, doc())
			return err
		})
		load(t, "hire, 16 departments", n, func(ctx context.Context, c, i int) error {
			return portstest.Hire(ctx, s.Agents, hiring(titles[(c+i)%16]))
		})
		load(t, "hire, one department", n, func(ctx context.Context, c, i int) error {
			return portstest.Hire(ctx, s.Agents, hiring(titles[0]))
		})
		ids := make([]agent.ID, n)
		for c := range ids {
			step := hiring(titles[c%16])
			ids[c] = step.Agent.ID()
			if err := portstest.Hire(t.Context(), s.Agents, step); err != nil {
				t.Fatal(err)
			}
		}
		update := func(ctx context.Context, id agent.ID) error {
			p, on, nt := must(agent.ParsePatch(value(fmt.Sprintf(`{"description":%q}`, newID())))), occasion(), note(audit.Agent(string(id)))
			nt.Receipt = nil
			_, err := s.Agents.Update(ctx, identity.Ref{ID: id}, func(a agent.Agent) (ports.AgentStep, error) {
				st, err := a.Change(p, on)
				return ports.AgentStep{Step: st, Note: nt}, err
			})
			return err
		}
		load(t, "update, an agent each", n, func(ctx context.Context, c, i int) error { return update(ctx, ids[c]) })
		load(t, "update, one agent", n, func(ctx context.Context, c, i int) error { return update(ctx, ids[0]) })
		for _, size := range []int{100, 1000} {
			load(t, fmt.Sprintf("report %d events", size), min(n, 8), func(ctx context.Context, c, i int) error {
				cost := money.Amount(1_500_000_000)
				reports := make([]ports.Report, size)
				for j := range reports {
					reports[j] = ports.Report{
						Event: activity.Event{
							ID: activity.ID(newID()), Type: activity.TaskCompleted, At: time.Now().UTC().Truncate(time.Millisecond), AgentID: string(ids[(c+j%10)%n]),
							AgentName: "Bob", Description: "done",
						},
						Department: "d0", DepartmentID: "0190a5c4-0000-7000-8000-5a1e00000000",
						Measures: activity.Measures{Finished: true, Success: true, Cost: &cost},
					}
				}
				_, err := s.Activities.Append(ctx, reports, func(ports.Counted) ports.Note { return ports.Note{Audit: note("a").Audit} })
				return err
			})
		}
		load(t, "read an agent", n, func(ctx context.Context, c, i int) error {
			_, err := s.Agents.Record(ctx, identity.Ref{ID: ids[c]})
			return err
		})
	}
}
