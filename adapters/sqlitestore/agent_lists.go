package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
)

// What an agent is stands in its newest version. The join is from the left, so
// that a version that is missing is noticed.
const (
	agentColumns = "a.id, a.name, a.name_key, a.place, v.identity, a.outside, a.version, a.revision, a.created_at, a.updated_at"
	joinIdentity = " LEFT JOIN versions AS v ON v.seq = a.identity"
)

func scanAgent(r Row) (*record, error) {
	var rec record
	var id, place []byte
	var key string
	var text any // which sql.NullString would make with two more allocations
	var created, updated int64
	if err := r.Scan(&id, &rec.Name, &key, &place, &text, &rec.Unversioned, &rec.Version, &rec.Revision, &created, &updated); err != nil {
		return nil, err
	}
	rec.id = string(id)
	rec.ID, rec.OrderKey = agent.ID(unpackID(id)), agent.OrderKey(unpackID(place))
	rec.key = name.Key(key)
	known, ok := text.(string)
	if !ok {
		return nil, identity.ErrRecordMissing.With("the identity of agent %s is missing from the storage", rec.ID)
	}
	rec.Identity, rec.CreatedAt, rec.UpdatedAt = known, fromMillis(created), fromMillis(updated)
	return &rec, nil
}

// Records implements [ports.AgentStore]. If all agents of the page are
// remembered, the database is asked for their order only: an index has that.
func (s *Agents) Records(ctx context.Context, q agent.Query) (_ []agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.list").End(&err)
	since := s.db.known.now()
	if q.Prefix == "" && !since.isBusy() { // the index of names has no ids
		known, err := s.remembered(ctx, since, q)
		if !errors.Is(err, errForgotten) {
			return known, err
		}
	}
	found, err := s.list(ctx, q)
	if err != nil {
		return nil, err
	}
	s.db.known.put(since, found...)
	records := make([]agent.Record, len(found))
	for i, r := range found {
		records[i] = r.Record
	}
	return records, nil
}

// errForgotten says that not all of a page is remembered.
var errForgotten = errors.New("sqlitestore: not remembered")

func (s *Agents) remembered(ctx context.Context, since stamp, q agent.Query) ([]agent.Record, error) {
	query, args := agentsQuery("a.id", "", q)
	known := make([]agent.Record, 0, min(max(q.Limit, 0), usualPage))
	var filling page.Filling
	var id sql.RawBytes
	err := s.db.Ask(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			if err := r.Scan(&id); err != nil {
				return err
			}
			rec, ok := s.db.known.member(since, id)
			if !ok {
				return errForgotten
			}
			known = append(known, rec.Record)
			return fill(ctx, &filling, rec.Size())
		})
	})
	if err != nil {
		return nil, wrap(err, "list agents", "")
	}
	return known, nil
}

// list reads a page of agents.
func (s *Agents) list(ctx context.Context, q agent.Query) ([]*record, error) {
	var filling page.Filling
	query, args := agentsQuery(agentColumns, joinIdentity, q)
	found := make([]*record, 0, min(max(q.Limit, 0), usualPage))
	err := s.db.Ask(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			rec, err := scanAgent(r)
			if err != nil {
				return err
			}
			found = append(found, rec)
			return fill(ctx, &filling, rec.Size())
		})
	})
	if errors.Is(err, identity.ErrRecordMissing) {
		return nil, fmt.Errorf("sqlitestore: list agents: %v", err) // nobody has asked for this one
	}
	if err != nil {
		return nil, wrap(err, "list agents", "")
	}
	return found, nil
}

// usualPage is how many agents a list makes room for before it reads them.
const usualPage = 200

// agentsQuery reads along one index, from the position where the page before ended.
func agentsQuery(columns, join string, q agent.Query) (string, []any) {
	var f filter
	for _, c := range []struct{ column, value string }{
		{"department_key", string(q.Department)}, {"level", string(q.Level)}, {"status", string(q.Status)},
	} {
		if c.value != "" {
			f.and(c.column+" = ?", c.value)
		}
	}
	index, order := agentsIndex(q), "place, id"
	switch {
	case q.Prefix != "":
		index, order = "agents_name", "name_key"
		f.andPrefix(q)
	case q.After != nil:
		f.and("(place, id) > (?, ?)", packID(q.After.OrderKey), packID(q.After.ID))
	}
	return "SELECT " + columns + " FROM agents AS a INDEXED BY " + index + join + f.where() +
		" ORDER BY " + order + " LIMIT (? + 0)", append(f.args, q.Limit)
}

// agentsIndex returns the index in the order of order keys that leaves out most.
// Each has the filters behind it at its end, so what it does not leave out costs
// no look at the agent.
func agentsIndex(q agent.Query) string {
	switch {
	case q.Department != "":
		return "agents_department"
	case q.Level != "":
		return "agents_level"
	case q.Status != "":
		return "agents_status"
	default:
		return "agents_order"
	}
}

// afterText is greater than any continuation of a text: no UTF-8 has this byte.
const afterText = "\xff"

// andPrefix adds the range of names that begin with the prefix and follow the
// name where the page before ended.
func (f *filter) andPrefix(q agent.Query) {
	f.and("name_key < ?", string(q.Prefix)+afterText)
	if q.After != nil && q.After.Name >= q.Prefix {
		f.and("name_key > ?", string(q.After.Name))
		return
	}
	f.and("name_key >= ?", string(q.Prefix))
}
