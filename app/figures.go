package app

import (
	"context"
	"slices"
	"time"

	"orgd/domain/agent"
	"orgd/domain/page"
	"orgd/domain/performance"
)

// FigureQuery selects a page of the figures of agents.
type FigureQuery struct {
	Agents agent.Query // Prefix, After and Limit do not count
	Window performance.Size
	Sort   performance.Sort
	After  *performance.Ranked // agents behind it; nil means from the first
	Limit  int
}

// AgentFigures are the figures of one of many agents.
type AgentFigures struct {
	agent.Agent
	performance.Figures
	BeforeDays int        // of how many days of the window before there are figures
	LastActive *time.Time // its newest event of any type
	Rank       performance.Ranked
}

// AgentFiguresPage is a page of the figures of agents.
type AgentFiguresPage struct {
	Rows []AgentFigures
	// Reached is the agent behind which the next page begins; nil if there is none.
	Reached *performance.Ranked
}

// rankBytes is about what an agent takes while agents are ranked.
const rankBytes = 512

// AgentFigures returns a page of the figures of all agents, in the order of what they are
// sorted by. What it asks the stores is as much for many agents as for one, but for the first
// page of a day.
func (s *Measures) AgentFigures(ctx context.Context, q FigureQuery) (p AgentFiguresPage, err error) {
	keys, err := s.agents.Keys(ctx, q.Agents)
	if err != nil {
		return p, err
	}
	if err := page.Allow(ctx, rankBytes*len(keys)); err != nil {
		return p, err
	}
	ids := make([]agent.ID, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	today := performance.DateOf(s.clock.Now())
	figures, err := s.measures.AgentFigures(ctx, ids, q.Window, today)
	if err != nil {
		return p, err
	}
	ranks := make([]performance.Ranked, 0, len(keys))
	for i, k := range keys {
		r := performance.Ranked{Value: q.Sort.Value(figures[i]), Name: k.Name, At: i}
		if q.After == nil || r.Compare(*q.After) > 0 {
			ranks = append(ranks, r)
		}
	}
	slices.SortFunc(ranks, performance.Ranked.Compare)
	if len(ranks) > q.Limit {
		ranks, p.Reached = ranks[:q.Limit], &ranks[q.Limit-1]
	}
	if p, err = s.describe(ctx, p, ranks, ids, figures); err != nil {
		return p, err
	}
	return p, s.setDaysBefore(ctx, p.Rows, q.Window, today)
}

func (s *Measures) setDaysBefore(ctx context.Context, rows []AgentFigures, size performance.Size, today performance.Date) error {
	owners := make([]performance.Owner, len(rows))
	for i, f := range rows {
		owners[i] = performance.Owner{Agent: string(f.ID())}
	}
	days, err := s.daysBefore(ctx, owners, size, today)
	for i, o := range owners {
		rows[i].BeforeDays = days[o]
	}
	return err
}

// describe reads the agents of a page, which ends earlier if they are large. One that was
// deleted meanwhile is left out.
func (s *Measures) describe(ctx context.Context, p AgentFiguresPage, ranks []performance.Ranked, all []agent.ID, figures []performance.Figures) (AgentFiguresPage, error) {
	ids, byID := make([]agent.ID, len(ranks)), make(map[agent.ID]performance.Ranked, len(ranks))
	for i, r := range ranks {
		ids[i] = all[r.At]
		byID[ids[i]] = r
	}
	records, err := s.agents.RecordsOf(ctx, ids)
	if err != nil {
		return p, err
	}
	if fits := page.Fits(records); fits < len(records) {
		records = records[:fits]
		p.Reached = new(byID[records[fits-1].ID])
	}
	active, err := s.log.LastActive(ctx, ids)
	if err != nil {
		return p, err
	}
	for _, rec := range records {
		a, err := rec.Agent()
		if err != nil {
			return p, err
		}
		rank := byID[rec.ID]
		p.Rows = append(p.Rows, AgentFigures{Agent: a, Figures: figures[rank.At], LastActive: lastActive(active, rec.ID), Rank: rank})
	}
	return p, nil
}
