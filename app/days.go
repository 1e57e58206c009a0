package app

import (
	"context"

	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/performance"
)

// Days are what somebody did on each of the last days, in the company's currency.
type Days struct {
	Currency string
	// First is the first day that has figures; nil without any.
	First *performance.Date
	Days  []performance.DailyWork // the oldest first, without gaps
}

// CompanyDays returns the days of a window of all departments together, also of those that
// are gone.
func (s *Measures) CompanyDays(ctx context.Context, size performance.Size) (Days, error) {
	return s.days(ctx, performance.Owner{}, size)
}

// DepartmentDays returns the days of a window of a department.
func (s *Measures) DepartmentDays(ctx context.Context, key name.Key, size performance.Size) (Days, error) {
	d, err := s.departments.Department(ctx, key)
	if err != nil {
		return Days{}, err
	}
	return s.days(ctx, performance.Owner{Department: d.ID}, size)
}

// AgentDays returns the days of a window of an existing agent, in whatever department.
func (s *Measures) AgentDays(ctx context.Context, ref identity.Ref, size performance.Size) (Days, error) {
	a, err := s.agents.Agent(ctx, ref)
	if err != nil {
		return Days{}, err
	}
	return s.days(ctx, performance.Owner{Agent: string(a.ID())}, size)
}

// daysBefore is of how many days of the window before the one that ends today there are
// figures, for each of these owners.
func (s *Measures) daysBefore(ctx context.Context, of []performance.Owner, size performance.Size, today performance.Date) (map[performance.Owner]int, error) {
	firsts, err := s.measures.FirstDays(ctx, of)
	days := make(map[performance.Owner]int, len(firsts))
	for o, first := range firsts {
		days[o] = size.Covered(size.First(today)-1, first)
	}
	return days, err
}

func (s *Measures) days(ctx context.Context, of performance.Owner, size performance.Size) (Days, error) {
	today := performance.DateOf(s.clock.Now())
	work, err := s.measures.WorkDays(ctx, of, size.First(today), today)
	if err != nil {
		return Days{}, err
	}
	first, err := s.measures.FirstDays(ctx, []performance.Owner{of}) // later, so it is not behind a day that has work
	if err != nil {
		return Days{}, err
	}
	co, err := s.company.Company(ctx)
	d := Days{Currency: co.Currency, Days: size.Days(work, today)}
	if date, ok := first[of]; ok && date <= today { // shortly before midnight, agents may report of tomorrow
		d.First = &date
	}
	return d, err
}
