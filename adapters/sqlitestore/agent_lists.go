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

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// Records implements [ports.AgentStore]. If all agents of the page are remembered, the database
// is not asked.
func (s *Agents) Records(ctx context.Context, q agent.Query) (_ []agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.list").End(&err)
	found, err := listAgents(ctx, s.db, q, s.records())
	return found, listError(err)
}

// records finds agents as they are stored.
func (s *Agents) records() rowsOf[agent.Record] {
	since := s.db.Records.Now()
	return rowsOf[agent.Record]{
		known: func(e *agentindex.Entry) (agent.Record, bool) {
			rec, ok := s.db.Records.Of(e)
			return rec.Record, ok
		},
		query: selectAgentsByRow,
		scan: func(e *agentindex.Entry, r sqlite.Row) (agent.Record, error) {
			rec, err := s.db.scanEntry(e, r)
			if err != nil {
				return agent.Record{}, err
			}
			s.db.Records.Put(since, rec)
			return rec.Record, nil
		},
	}
}

// Keys implements [ports.AgentStore].
func (s *Agents) Keys(ctx context.Context, q agent.Query) (keys []agent.Key, err error) {
	defer s.db.observer.Begin(&ctx, "agents.keys").End(&err)
	x, err := s.db.agentIndex(ctx)
	if err != nil {
		return nil, err
	}
	q.Prefix, q.After = "", nil
	for e := range x.Select(indexQuery(q)) {
		keys = append(keys, agent.Key{ID: agent.ID(sqlite.UnpackID([]byte(e.ID()))), Name: name.Name{Text: e.Name(), Key: name.Key(e.NameKey())}})
	}
	return keys, nil
}

// RecordsOf implements [ports.AgentStore].
func (s *Agents) RecordsOf(ctx context.Context, ids []agent.ID) (_ []agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.list").End(&err)
	var filling page.Filling
	var found []agent.Record
	since := s.db.Records.Now()
	err = s.db.Read(ctx, func(v *sqlite.View) error {
		for _, id := range ids {
			rec, ok := s.db.Records.Member(since, sqlite.PackID(id))
			if !ok {
				read, err := s.db.findAgent(v, identity.Ref{ID: id})
				if errors.Is(err, agent.ErrNotFound) {
					continue
				}
				if err != nil {
					return err
				}
				s.db.Records.Put(since, read)
				rec = *read
			}
			found = append(found, rec.Record)
			if err := sqlite.Fill(ctx, &filling, rec.Size()); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, sqlite.ErrFull) {
		err = nil
	}
	return found, listError(err)
}

// Search implements [ports.AgentStore]. All of an agent that is not remembered is read only of
// a hit, which halves the time.
func (s *Agents) Search(ctx context.Context, q agent.SearchQuery) (_ agent.Found, err error) {
	defer s.db.observer.Begin(&ctx, "agents.search").End(&err)
	found := agent.Search(q)
	err = s.db.readIndexed(ctx, func(v *sqlite.View, x *agentindex.Index) error {
		records, from := make([]agent.Record, usualPage), s.searched().in(func(fn func(*sqlite.View) error) error { return fn(v) })
		look := func(i int) error {
			done, err := found.Look(records[i], func() (agent.Record, error) { return s.whole(v, records[i]) })
			if done && err == nil {
				err = errSearched
			}
			return cmp.Or(err, page.Allow(ctx, found.Bytes))
		}
		next := make([]*agentindex.Entry, 0, usualPage)
		for e := range x.Select(indexQuery(q.Query)) {
			if next = append(next, e); len(next) < usualPage {
				continue
			}
			if err := from.Each(next, records, look); err != nil {
				return err
			}
			next = next[:0]
		}
		return from.Each(next, records, look)
	})
	if errors.Is(err, errSearched) {
		err = nil
	}
	return found.Found, listError(err)
}

// errSearched ends a search.
var errSearched = errors.New("sqlitestore: the page of the search is full")

// searched finds what a search looks at of an agent, or all of one that is remembered.
func (s *Agents) searched() rowsOf[agent.Record] {
	found := s.records()
	found.query = selectSearched
	found.scan = func(e *agentindex.Entry, r sqlite.Row) (rec agent.Record, err error) {
		var id sql.RawBytes
		var text any // null if it is missing
		if err := r.Scan(&id, &rec.Revision, &text); err != nil {
			return rec, err
		}
		if string(id) != e.ID() || rec.Revision != e.Revision() {
			return rec, agentindex.ErrOvertaken
		}
		rec.ID, rec.OrderKey = agent.ID(sqlite.UnpackID([]byte(e.ID()))), agent.OrderKey(sqlite.UnpackID([]byte(e.OrderKey())))
		rec.Name, rec.Tags = e.Name(), sqlite.TagsOf(e.Tags())
		var ok bool
		if rec.Identity, ok = text.(string); !ok {
			err = identityMissing(rec.ID)
		}
		return rec, err
	}
	return found
}

// whole returns all of an agent of which a search has what it looks at.
func (s *Agents) whole(v *sqlite.View, rec agent.Record) (agent.Record, error) {
	if rec.Version != 0 { // it was remembered
		return rec, nil
	}
	found, err := s.db.findAgent(v, identity.Ref{ID: rec.ID})
	if err != nil {
		return agent.Record{}, err
	}
	return found.Record, nil
}

// listError is the error of a list of agents. That one is incomplete is no answer to who has
// not asked for it.
func listError(err error) error {
	if errors.Is(err, identity.ErrRecordMissing) {
		return ports.ErrStorage.Because(fmt.Errorf("sqlitestore: list agents: %v", err))
	}
	return sqlite.Wrap(err, "list agents", "")
}

// usualPage is how many agents a list makes room for before it reads them.
const usualPage = 200

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
			ids = append(ids, hex.EncodeToString(sqlite.PackID(ref.ID)))
		} else {
			names = append(names, string(ref.Name))
		}
	}
	err = s.db.Read(ctx, func(v *sqlite.View) error {
		err := eachProfile(v, selectProfilesByID, ids, func(p agent.Profile) { found[identity.Ref{ID: p.ID}] = p })
		if err != nil {
			return err
		}
		return eachProfile(v, selectProfilesByName, names, func(p agent.Profile) { found[identity.Ref{Name: p.Name.Key}] = p })
	})
	if err != nil {
		return nil, sqlite.Wrap(err, "read agents", "")
	}
	maps.DeleteFunc(found, func(_ identity.Ref, p agent.Profile) bool { return p == agent.Profile{} })
	return found, nil
}

// eachProfile calls add for every agent that one of the keys finds.
func eachProfile(v *sqlite.View, query string, keys []string, add func(agent.Profile)) error {
	if len(keys) == 0 {
		return nil
	}
	return sqlite.EachOf(v, query, keys, nil, func(r sqlite.Row) error {
		var p agent.Profile
		var id []byte
		err := r.Scan(&id, &p.Name.Text, &p.Name.Key, &p.Department, &p.DepartmentID)
		p.ID = agent.ID(sqlite.UnpackID(id))
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
	names, err := sqlite.Ask(ctx, s.db, func(v *sqlite.View) (map[agent.ID]string, error) {
		return sqlite.MapOf(v, selectNames, ids, nil, func(r sqlite.Row) (id agent.ID, text string, err error) {
			var at int
			err = r.Scan(&at, &text)
			return ids[at], text, err
		})
	})
	return names, sqlite.Wrap(err, "read names of agents", "")
}

// Counts implements [ports.AgentStore].
func (s *Agents) Counts(ctx context.Context, departments []name.Key) (_ map[name.Key]agent.Counts, err error) {
	defer s.db.observer.Begin(&ctx, "agents.count").End(&err)
	x, err := s.db.agentIndex(ctx)
	if err != nil {
		return nil, err
	}
	counts := make(map[name.Key]agent.Counts, len(departments))
	for _, key := range departments {
		counts[key] = agent.Counts(x.Counts(string(key)))
	}
	return counts, nil
}
