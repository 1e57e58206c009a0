package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
)

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
			rec, err := s.db.scanAgent(r)
			if err != nil {
				return err
			}
			found = append(found, rec)
			return fill(ctx, &filling, rec.Size())
		})
	})
	return found, listError(err)
}

// Keys implements [ports.AgentStore].
func (s *Agents) Keys(ctx context.Context, q agent.Query) (_ []agent.Key, err error) {
	defer s.db.observer.Begin(&ctx, "agents.keys").End(&err)
	q.Prefix, q.After, q.Limit = "", nil, noLimit
	query, args := agentsQuery("a.id, a.name, a.name_key", "", q)
	var id sql.RawBytes
	return all(ctx, s.db, "list agents", query, args, func(r Row) (k agent.Key, err error) {
		err = r.Scan(&id, &k.Name.Text, &k.Name.Key)
		k.ID = agent.ID(unpackID(id))
		return k, err
	})
}

// RecordsOf implements [ports.AgentStore].
func (s *Agents) RecordsOf(ctx context.Context, ids []agent.ID) (_ []agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.list").End(&err)
	var filling page.Filling
	var found []agent.Record
	since := s.db.known.now()
	err = s.db.Read(ctx, func(v *View) error {
		for _, id := range ids {
			rec, ok := s.db.known.member(since, packID(id))
			if !ok {
				read, err := s.db.findAgent(v, identity.Ref{ID: id})
				if errors.Is(err, agent.ErrNotFound) {
					continue
				}
				if err != nil {
					return err
				}
				s.db.known.put(since, read)
				rec = *read
			}
			found = append(found, rec.Record)
			if err := fill(ctx, &filling, rec.Size()); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errFull) {
		err = nil
	}
	return found, listError(err)
}

// noLimit is the limit of a list that ends with its last row.
const noLimit = -1

// Search implements [ports.AgentStore]. All of an agent is read only of a hit, which halves
// the time.
func (s *Agents) Search(ctx context.Context, q agent.SearchQuery) (_ agent.Found, err error) {
	defer s.db.observer.Begin(&ctx, "agents.search").End(&err)
	all := q.Query
	all.Limit = noLimit
	query, args := agentsQuery("a.id, a.order_key, a.name, a.tags, "+identityColumn, joinIdentity, all)
	found := agent.Search(q)
	err = s.db.Read(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			done, err := s.look(v, found, r)
			if done && err == nil {
				err = errFull
			}
			return cmp.Or(err, page.Allow(ctx, found.Bytes))
		})
	})
	return found.Found, listError(err)
}

// look looks at the agent of a row.
func (s *Agents) look(v *View, found *agent.Searching, r Row) (done bool, err error) {
	var id, orderKey sql.RawBytes
	var rec agent.Record
	var tags string
	var text any // null if it is missing
	if err := r.Scan(&id, &orderKey, &rec.Name, &tags, &text); err != nil {
		return true, err
	}
	rec.Tags = tagsOf(tags)
	rec.ID, rec.OrderKey = agent.ID(unpackID(id)), agent.OrderKey(unpackID(orderKey))
	whole := func() (agent.Record, error) {
		found, err := s.db.findAgent(v, identity.Ref{ID: rec.ID})
		if err != nil {
			return agent.Record{}, err
		}
		return found.Record, nil
	}
	var ok bool
	if rec.Identity, ok = text.(string); !ok {
		_, err := whole() // says that
		return true, err
	}
	return found.Look(rec, whole)
}

// listError is the error of a list of agents. That one is incomplete is no answer to who has
// not asked for it.
func listError(err error) error {
	if errors.Is(err, identity.ErrRecordMissing) {
		return fmt.Errorf("sqlitestore: list agents: %v", err)
	}
	return wrap(err, "list agents", "")
}

// usualPage is how many agents a list makes room for before it reads them.
const usualPage = 200

// agentsQuery reads along one index, from the position where the page before ended.
func agentsQuery(columns, join string, q agent.Query) (string, []any) {
	f := agentsFilter(q)
	index, order := agentsIndex(q), "order_key, id"
	if q.Prefix != "" {
		index, order = "agents_name", "name_key"
	}
	return "SELECT " + columns + " FROM agents AS a INDEXED BY " + index + join + f.where() +
		" ORDER BY " + order + " LIMIT (? + 0)", append(f.args, q.Limit)
}

// agentsFilter returns what holds for the agents of a query that are behind its position.
func agentsFilter(q agent.Query) (f filter) {
	f.equals("department_key", string(q.Department))
	f.equals("level", string(q.Level))
	f.equals("status", string(q.Status))
	f.equals("owner", q.Owner)
	f.tagged("tags", q.Tags)
	switch {
	case q.Prefix != "":
		f.andPrefix(q)
	case q.After != nil:
		f.and("(order_key, id) > (?, ?)", packID(q.After.OrderKey), packID(q.After.ID))
	}
	return f
}

// agentsIndex returns the index in the order of order keys that leaves out most.
// Those of a department, a level and a status have the filters behind them at their
// end, so what they do not leave out costs no look at the agent. None has the tags,
// which are long.
func agentsIndex(q agent.Query) string {
	switch {
	case q.Owner != "":
		return "agents_owner"
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

// Profiles are looked up all at once: asking for each would take three times as
// long.
const (
	selectProfilesByID = `
SELECT a.id, a.name, a.name_key, d.name_key, d.id FROM json_each(?) AS k
CROSS JOIN agents AS a ON a.id = unhex(k.value) CROSS JOIN departments AS d ON d.name_key = a.department_key`
	selectProfilesByName = `
SELECT a.id, a.name, a.name_key, d.name_key, d.id FROM json_each(?) AS k
CROSS JOIN agents AS a ON a.name_key = k.value CROSS JOIN departments AS d ON d.name_key = a.department_key`
)

// Find implements [ports.AgentStore].
func (s *Agents) Find(ctx context.Context, refs []identity.Ref) (_ map[identity.Ref]agent.Profile, err error) {
	defer s.db.observer.Begin(&ctx, "agents.find").End(&err)
	found := make(map[identity.Ref]agent.Profile, len(refs))
	if len(refs) == 0 {
		return found, nil
	}
	var ids, names []string
	for _, ref := range refs {
		if _, asked := found[ref]; asked {
			continue
		}
		found[ref] = agent.Profile{}
		if ref.ID != "" {
			ids = append(ids, hex.EncodeToString(packID(ref.ID)))
		} else {
			names = append(names, string(ref.Name))
		}
	}
	err = s.db.Read(ctx, func(v *View) error {
		err := eachProfile(v, selectProfilesByID, ids, func(p agent.Profile) { found[identity.Ref{ID: p.ID}] = p })
		if err != nil {
			return err
		}
		return eachProfile(v, selectProfilesByName, names, func(p agent.Profile) { found[identity.Ref{Name: p.Name.Key}] = p })
	})
	if err != nil {
		return nil, wrap(err, "read agents", "")
	}
	maps.DeleteFunc(found, func(_ identity.Ref, p agent.Profile) bool { return p == agent.Profile{} })
	return found, nil
}

// eachProfile calls add for every agent that one of the keys finds.
func eachProfile(v *View, query string, keys []string, add func(agent.Profile)) error {
	if len(keys) == 0 {
		return nil
	}
	return eachOf(v, query, keys, nil, func(r Row) error {
		var p agent.Profile
		var id []byte
		err := r.Scan(&id, &p.Name.Text, &p.Name.Key, &p.Department, &p.DepartmentID)
		p.ID = agent.ID(unpackID(id))
		add(p)
		return err
	})
}

const selectNames = "SELECT k.key, a.name FROM json_each(?) AS k CROSS JOIN agents AS a ON a.id = unhex(k.value, '-')"

// Names implements [ports.AgentStore].
func (s *Agents) Names(ctx context.Context, ids []agent.ID) (_ map[agent.ID]string, err error) {
	defer s.db.observer.Begin(&ctx, "agents.names").End(&err)
	if len(ids) == 0 {
		return map[agent.ID]string{}, nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids))) // in the order of the index
	names, err := ask(ctx, s.db, func(v *View) (map[agent.ID]string, error) {
		return mapOf(v, selectNames, ids, nil, func(r Row) (id agent.ID, text string, err error) {
			var at int
			err = r.Scan(&at, &text)
			return ids[at], text, err
		})
	})
	return names, wrap(err, "read names of agents", "")
}

// Counts implements [ports.AgentStore].
func (s *Agents) Counts(ctx context.Context, departments []name.Key) (_ map[name.Key]agent.Counts, err error) {
	defer s.db.observer.Begin(&ctx, "agents.count").End(&err)
	return ask(ctx, s.db, func(v *View) (map[name.Key]agent.Counts, error) { return headcounts(v, departments) })
}
