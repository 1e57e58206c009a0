package app

import (
	"context"
	"time"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/performance"
	"orgd/ports"
)

// Measures are the use cases on the health of agents and departments.
type Measures struct {
	clock       ports.Clock
	agents      ports.AgentReader
	departments ports.DepartmentStore
	company     ports.CompanyStore
	log         ports.ActivityLog
	measures    ports.Measures
}

// NewMeasures returns the use cases on health and performance.
func NewMeasures(clock ports.Clock, agents ports.AgentReader, departments ports.DepartmentStore,
	company ports.CompanyStore, log ports.ActivityLog, measures ports.Measures,
) *Measures {
	return &Measures{
		clock: clock, agents: agents, departments: departments,
		company: company, log: log, measures: measures,
	}
}

// AgentHealth is the health of one agent.
type AgentHealth struct {
	Agent       agent.Agent
	LastActive  *time.Time          // its newest event of any type
	Performance *performance.Health // nil without data
}

// AgentHealth returns the health of an existing agent.
func (s *Measures) AgentHealth(ctx context.Context, ref identity.Ref) (AgentHealth, error) {
	a, summary, err := s.summarize(ctx, ref)
	if err != nil {
		return AgentHealth{}, err
	}
	h := AgentHealth{Agent: a, Performance: summary.Health()}
	active, err := s.log.LastActive(ctx, []agent.ID{a.ID()})
	h.LastActive = lastActive(active, a.ID())
	return h, err
}

func lastActive(found map[agent.ID]time.Time, id agent.ID) *time.Time {
	if at, ok := found[id]; ok {
		return &at
	}
	return nil
}

// AgentPerformance is how one agent performed, in the company's currency.
type AgentPerformance struct {
	Agent    agent.Agent
	Currency string
	performance.Summary
}

// AgentPerformance returns the performance of an existing agent.
func (s *Measures) AgentPerformance(ctx context.Context, ref identity.Ref) (AgentPerformance, error) {
	a, summary, err := s.summarize(ctx, ref)
	if err != nil {
		return AgentPerformance{}, err
	}
	co, err := s.company.Company(ctx)
	return AgentPerformance{Agent: a, Currency: co.Currency, Summary: summary}, err
}

func (s *Measures) summarize(ctx context.Context, ref identity.Ref) (agent.Agent, performance.Summary, error) {
	a, err := s.agents.Agent(ctx, ref)
	if err != nil {
		return agent.Agent{}, performance.Summary{}, err
	}
	today := performance.DateOf(s.clock.Now())
	days, completed, err := s.measures.AgentDays(ctx, a.ID(), performance.Quarter.First(today))
	if err != nil {
		return agent.Agent{}, performance.Summary{}, err
	}
	return a, performance.Summarize(days, completed, today), nil
}

// DepartmentHealth is the health of one department, in the company's currency.
type DepartmentHealth struct {
	Department department.Department
	Counts     agent.Counts
	Currency   string
	Figures    performance.Department
}

// DepartmentHealth returns the health of a department.
func (s *Measures) DepartmentHealth(ctx context.Context, key name.Key) (DepartmentHealth, error) {
	d, err := s.departments.Department(ctx, key)
	if err != nil {
		return DepartmentHealth{}, err
	}
	counts, err := s.agents.Counts(ctx, []name.Key{key})
	if err != nil {
		return DepartmentHealth{}, err
	}
	today := performance.DateOf(s.clock.Now())
	days, err := s.measures.DepartmentDays(ctx, d.ID, performance.Quarter.First(today))
	if err != nil {
		return DepartmentHealth{}, err
	}
	co, err := s.company.Company(ctx)
	return DepartmentHealth{
		Department: d,
		Counts:     counts[key],
		Currency:   co.Currency,
		Figures:    performance.SummarizeDepartment(days, counts[key].Active, counts[key].Total, today),
	}, err
}

// DepartmentFigures are the figures of one of many departments, in the company's
// currency.
type DepartmentFigures struct {
	Department   department.Department
	Counts       agent.Counts
	Currency     string
	Work, Before performance.Work // of the last 30 days, and of the 30 before them
	BeforeDays   int              // of how many of the 30 before them there are figures
}

// Size implements [page.Row]: the list of figures has the pages of departments.
func (f DepartmentFigures) Size() int { return f.Department.Size() }

// DepartmentFigures returns the figures of departments in the company's order,
// as [Departments.List] does. What it asks the stores is as much for many
// departments as for one.
func (s *Measures) DepartmentFigures(ctx context.Context, after company.OrderKey, limit int) ([]DepartmentFigures, error) {
	page, err := s.departments.Departments(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	keys, ids, owners := make([]name.Key, len(page)), make([]string, len(page)), make([]performance.Owner, len(page))
	for i, d := range page {
		keys[i], ids[i], owners[i] = d.Name.Key, d.ID, performance.Owner{Department: d.ID}
	}
	today := performance.DateOf(s.clock.Now())
	first := performance.Month.First(today)
	counts, err := s.agents.Counts(ctx, keys)
	if err != nil {
		return nil, err
	}
	work, err := s.measures.DepartmentWork(ctx, ids, first, today)
	if err != nil {
		return nil, err
	}
	before, err := s.measures.DepartmentWork(ctx, ids, performance.Month.First(first-1), first-1)
	if err != nil {
		return nil, err
	}
	days, err := s.daysBefore(ctx, owners, performance.Month, today)
	if err != nil {
		return nil, err
	}
	co, err := s.company.Company(ctx)
	figures := make([]DepartmentFigures, len(page))
	for i, d := range page {
		figures[i] = DepartmentFigures{d, counts[keys[i]], co.Currency, work[d.ID], before[d.ID], days[owners[i]]}
	}
	return figures, err
}
