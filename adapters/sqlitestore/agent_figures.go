package sqlitestore

import (
	"context"
	"database/sql"
	"maps"
	"sync"

	"orgd/adapters/groupcommit"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// agentFigures remembers the figures of all agents, one window of each size: adding up
// 180 days of ten thousand agents takes half a second of processor time.
//
// Nothing here is ever out of date. This process is the only one that changes the database,
// and the writer says what a commit has added before anybody is answered.
type agentFigures struct {
	turn    chan struct{} // has an element while somebody reads
	mu      sync.Mutex
	windows map[performance.Size]*figuresWindow
	next    *figuresWindow // is being read; nil if none is
}

// figuresWindow are the figures of all agents that did anything.
type figuresWindow struct {
	size   performance.Size
	today  performance.Date
	head   activity.Seq                   // of the state that was read
	agents map[string]performance.Figures // by packed id; nil until they are read
	// meanwhile are the reports that were committed while the window was read: some are in
	// the state, some are not.
	meanwhile []reported
}

// reported is what a commit has added to the figures of agents.
type reported struct {
	seq  activity.Seq // of its last event that was new
	days map[ownDay]performance.Day
}

func newAgentFigures() *agentFigures {
	return &agentFigures{turn: make(chan struct{}, 1), windows: map[performance.Size]*figuresWindow{}}
}

// AgentFigures implements [ports.Measures].
func (s *Measures) AgentFigures(ctx context.Context, ids []agent.ID, size performance.Size, today performance.Date) (_ []performance.Figures, err error) {
	defer s.db.observer.Begin(&ctx, "measures.agents").End(&err)
	w := s.db.figures.window(size, today)
	if w == nil {
		if w, err = s.db.readFigures(ctx, size, today); err != nil {
			return nil, wrap(err, "read figures of agents", "")
		}
	}
	s.db.figures.mu.Lock()
	defer s.db.figures.mu.Unlock()
	found := make([]performance.Figures, len(ids))
	for i, id := range ids {
		found[i] = w.agents[string(packID(id))]
	}
	return found, nil
}

// window returns a window that is remembered, or nil.
func (c *agentFigures) window(size performance.Size, today performance.Date) *figuresWindow {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.windows[size]; w != nil && w.today == today {
		return w
	}
	return nil
}

// committed adds what a commit has stored. If that is not certain, all windows are read anew.
func (c *agentFigures) committed(all []reported, err error) {
	if len(all) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		clear(c.windows)
		c.next = nil
		return
	}
	for _, r := range all {
		for _, w := range c.windows {
			w.add(r)
		}
		if c.next != nil {
			c.next.meanwhile = append(c.next.meanwhile, r)
		}
	}
}

func (w *figuresWindow) add(r reported) {
	if r.seq <= w.head {
		return
	}
	for k, d := range r.days {
		id := string(packID(k.owner))
		d.Date = k.date
		if f := w.agents[id].Add(d, w.size, w.today); f != (performance.Figures{}) {
			w.agents[id] = f
		}
	}
}

// readFigures reads a window, which is remembered. Who comes meanwhile waits.
func (db *DB) readFigures(ctx context.Context, size performance.Size, today performance.Date) (*figuresWindow, error) {
	c := db.figures
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, groupcommit.Unavailable(ctx.Err())
	}
	if w := c.window(size, today); w != nil {
		return w, nil
	}
	w := &figuresWindow{size: size, today: today}
	c.mu.Lock()
	c.next = w
	c.mu.Unlock()
	head, agents, err := db.sumFigures(ctx, size, today)
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.next == w
	c.next = nil
	if err != nil {
		return nil, err
	}
	w.head, w.agents = head, agents
	for _, r := range w.meanwhile {
		w.add(r)
	}
	if w.meanwhile = nil; known {
		c.windows[size] = w
	}
	return w, nil
}

// sumAgentDays adds up days of the agents that exist or may be restored, each along the
// primary key.
func sumAgentDays(table string) string {
	return `
SELECT a.id, SUM(tasks_completed), SUM(tasks_failed), SUM(quality_count), SUM(quality_units), SUM(quality_nanos), SUM(cost_units), SUM(cost_nanos)
FROM ` + table + ` AS a CROSS JOIN agent_days AS d ON d.owner = a.id AND day BETWEEN ? AND ? GROUP BY a.id`
}

// sumFigures reads the figures of all agents, of one state.
func (db *DB) sumFigures(ctx context.Context, size performance.Size, today performance.Date) (head activity.Seq, _ map[string]performance.Figures, err error) {
	now, before := map[string]performance.Figures{}, map[string]performance.Figures{}
	first := size.First(today)
	err = db.Read(ctx, func(v *View) error {
		if head, err = headOf(v); err != nil {
			return err
		}
		for _, table := range []string{"agents", "former_agents"} {
			if err := v.Each(sumAgentDays(table), []any{int64(first), int64(today)}, scanFigures(now)); err != nil {
				return err
			}
			if err := v.Each(sumAgentDays(table), []any{int64(size.First(first - 1)), int64(first - 1)}, scanFigures(before)); err != nil {
				return err
			}
		}
		return nil
	})
	for id, f := range before {
		now[id] = now[id].Merge(performance.Figures{CostBefore: f.Cost})
	}
	maps.DeleteFunc(now, func(_ string, f performance.Figures) bool { return f == performance.Figures{} })
	return head, now, err
}

// scanFigures returns what reads the figures of an agent into a map.
func scanFigures(into map[string]performance.Figures) func(Row) error {
	var id sql.RawBytes
	return func(r Row) error {
		var f performance.Figures
		err := r.Scan(&id, &f.TasksCompleted, &f.TasksFailed, &f.Quality.Count, &f.Quality.Units, &f.Quality.Nanos, &f.Cost.Units, &f.Cost.Nanos)
		into[string(id)] = performance.Figures{}.Merge(f) // sums were added column by column
		return err
	}
}
