package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/agentindex"
	"orgd/adapters/groupcommit"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/name"
	"orgd/ports"
)

// agentIndex returns the index of agents. While it is being read for the first time, it waits.
func (db *DB) agentIndex(ctx context.Context) (*agentindex.Index, error) {
	if err := db.Refused(); err != nil {
		return nil, err
	}
	if x := db.Agents.Published(); x != nil {
		return x, nil
	}
	if err := db.Agents.Err(); err != nil {
		return nil, ports.ErrUnavailable.With("the agents cannot be read").Because(err).After(retryRead)
	}
	select {
	case <-db.Agents.Ready():
		return db.Agents.Published(), nil
	case <-db.Closing():
		return nil, groupcommit.Unavailable(groupcommit.ErrClosing)
	case <-ctx.Done():
		return nil, ports.ErrUnavailable.With("the agents are still being read").Because(errors.Join(ctx.Err(), db.Agents.Err())).After(retryRead)
	}
}

// readIndexed calls fn with a view and the index of the state that it reads.
func (db *DB) readIndexed(ctx context.Context, fn func(*sqlite.View, *agentindex.Index) error) error {
	if _, err := db.agentIndex(ctx); err != nil {
		return err
	}
	return db.Read(ctx, func(v *sqlite.View) error {
		var x *agentindex.Index
		if err := db.Pin(ctx, v, func() { x = db.Agents.Published() }); err != nil {
			return err
		}
		return fn(v, x)
	})
}

// retryRead is the time between two tries to read the index.
const retryRead = time.Second

// readIndex reads the index, until it succeeds or ctx ends.
func (db *DB) readIndex(ctx context.Context) {
	for {
		err := db.tryIndex(ctx)
		if err == nil || ctx.Err() != nil || db.Refused() != nil {
			return
		}
		db.Agents.Fail(err)
		db.log.Error("the agents cannot be read, so there are no lists of them; trying again", zap.Error(err))
		select {
		case <-time.After(retryRead):
		case <-ctx.Done():
		}
	}
}

// tryIndex reads the index on a connection of its own.
func (db *DB) tryIndex(ctx context.Context) error {
	var read *agentindex.Index
	err := db.ReadApart(ctx, func(v *sqlite.View) error {
		err := db.Pin(ctx, v, db.Agents.Collect)
		if err == nil {
			read, err = indexOf(v)
		}
		return err
	})
	if err == nil {
		err = db.Write(ctx, func(*engine.Tx) error { db.Agents.Publish(read); return nil })
	}
	if err == nil {
		err = db.Write(ctx, func(*engine.Tx) error { return nil }) // in a batch that begins with it
	}
	return cmp.Or(err, db.Agents.Err())
}

// What is read of an agent is in few columns: each costs more than what is in it. None of the
// texts before the owner has a line feed.
const selectIndexed = `
SELECT rowid, id, order_key, concat_ws(char(10), name_key, name, department_key, level, status, tags, owner), revision FROM agents`

// indexOf reads the index of a state.
func indexOf(v *sqlite.View) (*agentindex.Index, error) {
	var id, orderKey sql.RawBytes
	var texts string
	entries, err := sqlite.Rows(v, selectIndexed, nil, func(r sqlite.Row) (*agentindex.Entry, error) {
		var f agentindex.Fields
		err := r.Scan(&f.Row, &id, &orderKey, &texts, &f.Revision)
		f.ID, f.OrderKey = string(id), string(orderKey)
		f.Class.Owner = texts
		for _, field := range []*string{&f.NameKey, &f.Name, &f.Class.Department, &f.Class.Level, &f.Class.Status, &f.Class.Tags} {
			*field, f.Class.Owner, _ = strings.Cut(f.Class.Owner, "\n")
		}
		return agentindex.New(f), err
	})
	if err != nil {
		return nil, sqlite.Wrap(err, "read the index of agents", "")
	}
	return agentindex.Of(entries), nil
}

// indexQuery is a query in the form of the index.
func indexQuery(q agent.Query) agentindex.Query {
	s := agentindex.Query{
		Department: string(q.Department), Level: string(q.Level), Status: string(q.Status), Owner: q.Owner, Tags: q.Tags, Prefix: string(q.Prefix),
	}
	if q.After != nil {
		s.After = &agentindex.Position{OrderKey: string(sqlite.PackID(q.After.OrderKey)), ID: string(sqlite.PackID(q.After.ID)), NameKey: string(q.After.Name)}
	}
	return s
}

// memberOf is an agent as a reorder sees it.
func memberOf(e *agentindex.Entry) agent.Member {
	return agent.Member{ID: agent.ID(sqlite.UnpackID([]byte(e.ID()))), Name: name.Key(e.NameKey()), OrderKey: agent.OrderKey(sqlite.UnpackID([]byte(e.OrderKey())))}
}
