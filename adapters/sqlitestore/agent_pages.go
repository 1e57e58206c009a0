package sqlitestore

import (
	"context"
	"errors"

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/page"
)

// rowsOf finds what a list has of agents: in memory, or in rows of a query that has their numbers
// for its argument, in JSON.
type rowsOf[T page.Row] struct {
	known func(*agentindex.Entry) (T, bool)
	query string
	scan  func(*agentindex.Entry, sqlite.Row) (T, error)
}

const joinAgents = " FROM json_each(?) AS k CROSS JOIN agents AS a ON a.rowid = k.value" + joinIdentity

const (
	selectAgentsByRow = "SELECT " + agentColumns + joinAgents
	selectSearched    = "SELECT a.id, a.revision, " + identityColumn + joinAgents
)

// scanEntry scans the agent of an entry, before other columns.
func (db *DB) scanEntry(e *agentindex.Entry, r sqlite.Row, more ...any) (*memory.Record, error) {
	rec, err := db.scanAgent(r, more...)
	if err == nil && !rec.Is(e) {
		err = agentindex.ErrOvertaken
	}
	return rec, err
}

// in is the source of what ask reads.
func (from rowsOf[T]) in(ask func(func(*sqlite.View) error) error) agentindex.Source[T] {
	return agentindex.Source[T]{Known: from.known, Read: func(missing []*agentindex.Entry, row func(T) error) error {
		numbers := make([]int64, len(missing))
		for i, e := range missing {
			numbers[i] = e.Row()
		}
		return ask(func(v *sqlite.View) error {
			next := 0
			return sqlite.EachOf(v, from.query, numbers, nil, func(r sqlite.Row) error {
				found, err := from.scan(missing[next], r)
				if err != nil {
					return err
				}
				next++
				return row(found)
			})
		})
	}}
}

// pageTries is how often a page is read beside the writer.
const pageTries = 5

// listAgents reads a page of agents, which shows one state: that of the index. A page that is
// overtaken again and again by changes of its agents is read of a state on which nothing is
// committed before it begins.
func listAgents[T page.Row](ctx context.Context, db *DB, q agent.Query, from rowsOf[T]) ([]T, error) {
	beside := from.in(func(fn func(*sqlite.View) error) error { return db.Ask(ctx, fn) })
	for range pageTries {
		x, err := db.agentIndex(ctx)
		if err != nil {
			return nil, err
		}
		found, err := beside.Page(ctx, x, indexQuery(q), q.Limit)
		if !errors.Is(err, agentindex.ErrOvertaken) {
			return found, err
		}
	}
	var found []T
	err := db.readIndexed(ctx, func(v *sqlite.View, x *agentindex.Index) (err error) {
		found, err = from.in(func(fn func(*sqlite.View) error) error { return fn(v) }).Page(ctx, x, indexQuery(q), q.Limit)
		return err
	})
	return found, err
}
