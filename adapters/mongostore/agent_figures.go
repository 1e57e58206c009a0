package mongostore

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// AgentFigures implements [ports.Measures].
func (s *Measures) AgentFigures(ctx context.Context, ids []agent.ID, size performance.Size, today performance.Date) (_ []performance.Figures, err error) {
	defer s.db.observer.Begin(&ctx, "measures.agents").End(&err)
	var sums map[agent.ID]performance.Figures
	found := make([]performance.Figures, len(ids))
	if len(ids) <= fewAgents {
		sums, err = s.db.sumFew(ctx, ids, size, today, today)
	} else if sums, err = s.db.sumOpen(ctx, today); err == nil {
		err = s.db.sumUpTo(ctx, ids, size, today, found)
	}
	for i, id := range ids {
		found[i] = found[i].Merge(sums[id])
	}
	return found, err
}

// sumUpTo reads the figures of agents up to the open days.
func (db *DB) sumUpTo(ctx context.Context, ids []agent.ID, size performance.Size, today performance.Date, found []performance.Figures) error {
	c := db.figures
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return groupcommit.Unavailable(ctx.Err())
	}
	now, err := db.now(ctx)
	if err != nil {
		return err
	}
	w := c.windows[size]
	anew := w == nil || w.today != today
	if !anew {
		anew, err = db.readLate(ctx, w)
	}
	if err == nil && anew {
		w = &figuresWindow{size: size, today: today}
		w.agents, err = db.sumClosed(ctx, size, today)
	}
	if err != nil {
		return err
	}
	w.seen, c.windows[size] = now, w
	for i, id := range ids {
		found[i] = w.agents[id]
	}
	return nil
}

// readLate reads the figures again that late reports have changed. It reports whether those
// are so many that the window should be read anew.
func (db *DB) readLate(ctx context.Context, w *figuresWindow) (anew bool, err error) {
	from := eventlog.TimeOf(w.seen)
	from.T -= min(from.T, eventlog.LongestChange)
	late, err := sumRollups(db.ask(ctx), db, bson.D{mongodb.Compare("late", "$gt", from)}, mongodb.By("late", "_id"))
	if err != nil || len(late) > manyLate {
		return true, err
	}
	ids := make([]agent.ID, 0, len(late))
	for id := range late {
		ids = append(ids, id)
	}
	for some := range slices.Chunk(ids, fewAgents) {
		sums, err := db.sumFew(ctx, some, w.size, w.today, w.today-openDays)
		if err != nil {
			return false, err
		}
		for _, id := range some {
			w.agents[id] = sums[id]
		}
	}
	return false, nil
}

// sumFew reads the figures of a few agents in the window that ends today, of its days up to
// the last one.
func (db *DB) sumFew(ctx context.Context, ids []agent.ID, size performance.Size, today, last performance.Date) (map[agent.ID]performance.Figures, error) {
	if len(ids) == 0 {
		return nil, nil // an "$or" of nothing is an error
	}
	between := func(first, last performance.Date) bson.D {
		days := make(bson.A, len(ids))
		for i, id := range ids {
			days[i] = daysOf(ownerOfAgent(id), first, last)
		}
		return bson.D{mongodb.Is("$or", days)}
	}
	return view(ctx, db.engine, func(r reader) (map[agent.ID]performance.Figures, error) {
		first := size.First(today)
		now, err := sumRollups(r, db, between(first, last), mongodb.By("_id"))
		if err != nil {
			return nil, err
		}
		before, err := sumRollups(r, db, between(size.First(first-1), first-1), mongodb.By("_id"))
		addBefore(now, before)
		return now, err
	})
}

// sumOpen adds up the open days of all agents.
func (db *DB) sumOpen(ctx context.Context, today performance.Date) (map[agent.ID]performance.Figures, error) {
	return sumRollups(db.ask(ctx), db, daysOfAgents(today-openDays+1, today), mongodb.By("date", "_id"))
}

// sumClosed adds up what all agents did before the open days of a window, and in the window
// before.
func (db *DB) sumClosed(ctx context.Context, size performance.Size, today performance.Date) (map[agent.ID]performance.Figures, error) {
	sum := func(first, last performance.Date) (map[agent.ID]performance.Figures, error) {
		all := map[agent.ID]performance.Figures{}
		for ; first <= last; first += daysAtOnce {
			some, err := sumRollups(longReader{plain{ctx, db.engine}}, db, daysOfAgents(first, min(last, first+daysAtOnce-1)), mongodb.By("date", "_id"))
			if err != nil {
				return nil, err
			}
			for id, f := range some {
				all[id] = all[id].Merge(f)
			}
		}
		return all, nil
	}
	first := size.First(today)
	now, err := sum(first, today-openDays)
	if err != nil {
		return nil, err
	}
	before, err := sum(size.First(first-1), first-1)
	addBefore(now, before)
	return now, err
}

func addBefore(now, before map[agent.ID]performance.Figures) {
	for id, f := range before {
		now[id] = now[id].Merge(performance.Figures{CostBefore: f.Cost})
	}
}

// longReader reads what the server has much work with.
type longReader struct{ plain }

func (p longReader) bounded() (context.Context, context.CancelFunc, error) {
	release, err := p.db.connection(p)
	if err != nil {
		return nil, nil, groupcommit.Unavailable(err)
	}
	ctx, cancel := context.WithTimeout(p, longOperation*p.db.timeout)
	return ctx, func() { cancel(); release() }, nil
}

// sumRollups has the server add up parts of days, by agent, along an index.
func sumRollups(r reader, db *DB, filter, index bson.D) (map[agent.ID]performance.Figures, error) {
	sum := func(field string) bson.E {
		return mongodb.Is(strings.ReplaceAll(field, ".", "_"), bson.D{mongodb.Is("$sum", "$figures."+field)})
	}
	pipeline := bson.A{bson.D{mongodb.Is("$match", filter)}, bson.D{mongodb.Is("$group", bson.D{
		ownerIn("$_id"), sum("completed"), sum("failed"),
		sum("quality.count"), sum("quality.units"), sum("quality.nanos"), sum("cost.units"), sum("cost.nanos"),
	})}}
	found := map[agent.ID]performance.Figures{}
	err := walk(r, func(ctx context.Context) (*mongo.Cursor, error) {
		return db.coll(rollupsColl).Aggregate(ctx, pipeline, options.Aggregate().SetHint(index).SetBatchSize(walkedAtOnce))
	}, func(raw bson.Raw) (done bool, err error) {
		id, f := figuresIn(raw)
		found[id] = f
		return false, nil
	})
	return found, err
}

// figuresIn reads what [sumRollups] asks for.
func figuresIn(raw bson.Raw) (id agent.ID, _ performance.Figures) {
	var f performance.Figures
	var cost performance.Sample
	eachField(raw, func(field []byte, v bsoncore.Value) {
		n, _ := v.AsInt64OK()
		switch string(field) {
		case "_id":
			text, _ := v.StringValueOK()
			id = agent.ID(text)
		case "completed":
			f.TasksCompleted = n
		case "failed":
			f.TasksFailed = n
		case "quality_count":
			f.Quality.Count = n
		case "quality_units":
			f.Quality.Units = n
		case "quality_nanos":
			f.Quality.Nanos = n
		case "cost_units":
			cost.Units = n
		case "cost_nanos":
			cost.Nanos = n
		}
	})
	f.Cost = cost.Total()
	return id, performance.Figures{}.Merge(f) // sums were added one by one
}
