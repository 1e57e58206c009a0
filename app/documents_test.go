package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/organization"
	"orgd/ports"
)

// What a restless organization has: the department in its list is deleted before it is read.
type (
	defaultCompany      struct{ ports.CompanyStore }
	restlessDepartments struct{ ports.DepartmentStore }
	noAgents            struct{ ports.AgentStore }
	noTime              struct{ ports.IDs }
)

func (noTime) Now() time.Time { return time.Time{} }

func (defaultCompany) Company(context.Context) (company.Company, error) {
	return company.Default(time.Time{}), nil
}

func (restlessDepartments) Departments(context.Context, company.OrderKey, int) ([]department.Department, error) {
	return []department.Department{{ID: "ops", Name: domaintest.Name("Ops"), Revision: 1}}, nil
}

func (restlessDepartments) Department(context.Context, name.Key) (department.Department, error) {
	return department.Department{}, department.ErrNotFound
}

func (noAgents) Records(context.Context, agent.Query) ([]agent.Record, error) { return nil, nil }

func (noAgents) Counts(context.Context, []name.Key) (map[name.Key]agent.Counts, error) {
	return nil, nil
}

type noEntries struct{}

func (noEntries) Agent(int) (jsondoc.Value, error) { return jsondoc.Value{}, nil }

// A plan that others overtake again and again is refused as one, not as an error that nobody
// has planned for.
func TestOvertakenPlan(t *testing.T) {
	b := organization.NewBuilder()
	b.Field(organization.FieldFormat, 0)
	b.Format(domaintest.JSON(t, "1"), 0)
	b.Field(organization.FieldDepartments, 0)
	b.Department(domaintest.JSON(t, `{"name":"Ops"}`), organization.Where{})
	doc, err := b.Document(false)
	if err != nil {
		t.Fatal(err)
	}
	documents := NewDocuments(noTime{}, noTime{}, noAgents{}, restlessDepartments{}, defaultCompany{}, nil)
	_, planned := documents.Plan(t.Context(), Call{}, PlanDocument{Document: doc, Entries: noEntries{}})
	_, applied := documents.Apply(t.Context(), Call{}, ApplyDocument{Document: doc, Entries: noEntries{}})
	_, strict := documents.Apply(t.Context(), Call{}, ApplyDocument{Document: doc, Entries: noEntries{}, Hash: "x"})
	for what, err := range map[string]error{"Plan": planned, "Apply": applied, "Apply of a plan": strict} {
		if f := fault.Of(err); f.Code != fault.VersionConflict || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s = %v (%v), want the code 4002", what, err, f.Code)
		}
	}
}

// Operations of a phase run at the same time, within bounds of their number and size.
// After an error no more are started.
func TestEach(t *testing.T) {
	failed := errors.New("failed")
	for what, tc := range map[string]struct {
		sizes      []int // in bytes
		fails      int   // the one that fails, none if negative
		most, runs int   // at the same time, and in all
	}{
		"small":      {make([]int, 100), -1, writesAtOnce, 100},
		"few":        {make([]int, 3), -1, 3, 3},
		"none":       {nil, -1, 0, 0},
		"large":      {[]int{bytesAtOnce / 2, bytesAtOnce / 2, bytesAtOnce / 2, bytesAtOnce / 2}, -1, 2, 4},
		"very large": {[]int{bytesAtOnce * 2, bytesAtOnce * 3, 1}, -1, 1, 3},
		"error":      {make([]int, 100), 0, writesAtOnce, writesAtOnce},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ops := make([]organization.Operation, len(tc.sizes))
				for i, size := range tc.sizes {
					ops[i] = organization.Operation{Entry: i, Size: size}
				}
				var mu sync.Mutex
				running, most, runs, bytes := 0, 0, 0, 0
				count := func(op organization.Operation, n int) {
					mu.Lock()
					defer mu.Unlock()
					running, bytes = running+n, bytes+n*op.Size
					if most, runs = max(most, running), runs+max(n, 0); bytes > bytesAtOnce && running > 1 {
						t.Errorf("%d operations of %d bytes run at the same time", running, bytes)
					}
				}
				done, err := each(ops, func(organization.Operation) error { return nil }, func(op organization.Operation) error {
					count(op, 1)
					defer count(op, -1)
					if op.Entry == tc.fails {
						return failed
					}
					time.Sleep(time.Second)
					return nil
				})
				if want := tc.fails >= 0; errors.Is(err, failed) != want || !want && err != nil {
					t.Errorf("each = %v, want an error %t", err, want)
				}
				if failures := runs - done; err == nil && failures != 0 || err != nil && failures != 1 {
					t.Errorf("each has done %d of %d", done, runs)
				}
				if most > tc.most || tc.fails < 0 && most != tc.most || runs != tc.runs {
					t.Errorf("%d ran, %d at the same time; want %d, %d", runs, most, tc.runs, tc.most)
				}
			})
		})
	}
}
