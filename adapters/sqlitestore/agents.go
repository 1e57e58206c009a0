package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

// Agents keeps agents.
type Agents struct{ db *DB }

// Create implements [ports.AgentStore].
func (s *Agents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.create").End(&err)
	as, err := departmentName(ctx, s.db, asked.Key)
	if errors.Is(err, department.ErrNotFound) {
		return agent.Agent{}, agent.NoDepartment(asked)
	}
	if err != nil {
		return agent.Agent{}, err
	}
	step, err := hire(as)
	if err != nil {
		return agent.Agent{}, err
	}
	if err := s.db.Write(ctx, newAgentWrite(step, nil).create); err != nil {
		return agent.Agent{}, err
	}
	return step.Agent, nil
}

// Update implements [ports.AgentStore]. The change is made beside the writer,
// on what a read found; the writer makes it again only if somebody else was
// faster. So its time goes into storing, and changes that are refused or have
// no effect cost it nothing.
func (s *Agents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.update").End(&err)
	rec, err := s.db.record(ctx, ref)
	if err != nil {
		return agent.Agent{}, err
	}
	before, err := rec.Agent()
	if err != nil {
		return agent.Agent{}, err
	}
	step, err := change(before)
	if err != nil {
		return agent.Agent{}, err
	}
	if !step.Effective() && step.Idempotency == nil {
		return step.Agent, nil
	}
	w := newAgentWrite(step, &rec)
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		current, err := isCurrent(tx, before)
		if err == nil && !current {
			before, w, err = s.db.again(tx, ref, change)
		}
		if err != nil {
			return err
		}
		return w.update(tx, before)
	})
	if err != nil {
		return agent.Agent{}, err
	}
	return w.Agent, nil
}

// again makes a change on what the transaction finds. It returns that, too.
func (db *DB) again(tx *engine.Tx, ref identity.Ref, change func(agent.Agent) (ports.AgentChange, error)) (agent.Agent, *agentWrite, error) {
	rec, err := db.findAgent(&tx.View, ref)
	if err != nil {
		return agent.Agent{}, nil, err
	}
	before, err := rec.Agent()
	if err != nil {
		return agent.Agent{}, nil, err
	}
	step, err := change(before)
	if err != nil {
		return agent.Agent{}, nil, err
	}
	return before, newAgentWrite(step, rec), nil
}

// Agent implements [ports.AgentStore].
func (s *Agents) Agent(ctx context.Context, ref identity.Ref) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.get").End(&err)
	return s.db.agent(ctx, ref)
}

func (db *DB) agent(ctx context.Context, ref identity.Ref) (agent.Agent, error) {
	rec, err := db.record(ctx, ref)
	if err != nil {
		return agent.Agent{}, err
	}
	return rec.Agent()
}

// Record implements [ports.AgentStore].
func (s *Agents) Record(ctx context.Context, ref identity.Ref) (_ agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.get").End(&err)
	rec, err := s.db.record(ctx, ref)
	return rec.Record, err
}

func (db *DB) record(ctx context.Context, ref identity.Ref) (memory.Record, error) {
	if rec, ok := db.Records.Get(ref); ok {
		return rec, db.Refused()
	}
	var found *memory.Record
	since := db.Records.Now()
	err := db.Ask(ctx, func(v *sqlite.View) (err error) {
		found, err = db.findAgent(v, ref)
		return err
	})
	if err != nil {
		return memory.Record{}, err
	}
	db.Records.Put(since, found)
	return *found, nil
}

// The identity of an agent is that of its newest version, and stands there if the version is of
// before that was otherwise. The joins are from the left, so that one that is missing is noticed.
const (
	identityColumn = "coalesce(c.identity, nullif(v.identity, ''))"
	joinIdentity   = " LEFT JOIN current_identities AS c ON c.seq = a.identity" +
		" LEFT JOIN versions AS v ON v.seq = a.identity AND c.seq IS NULL"
	agentColumns = "a.id, a.name, a.name_key, a.order_key, " + identityColumn + ", c.seq IS NULL, a.unversioned, a.owner, a.tags, a.labels, a.status, a.version, a.revision, a.created_at, a.updated_at"
)

// scanAgent scans an agent, before other columns.
func (db *DB) scanAgent(r sqlite.Row, more ...any) (*memory.Record, error) {
	var rec memory.Record
	var id, orderKey []byte
	var key string
	var tags string
	var text any // which sql.NullString would make with two more allocations
	var created, updated int64
	err := r.Scan(append([]any{
		&id, &rec.Name, &key, &orderKey, &text, &rec.InVersion, &rec.Unversioned, &rec.Owner, &tags, &rec.Labels, (*string)(&rec.Status),
		&rec.Version, &rec.Revision, &created, &updated,
	}, more...)...)
	if err != nil {
		return nil, err
	}
	if rec.PackedID, rec.PackedKey = string(id), string(orderKey); rec.PackedKey == rec.PackedID {
		rec.PackedKey = rec.PackedID
	}
	rec.ID, rec.OrderKey = agent.ID(sqlite.UnpackID(id)), agent.OrderKey(sqlite.UnpackID(orderKey))
	rec.NameKey = name.Key(key)
	known, ok := text.(string)
	if !ok {
		return nil, identityMissing(rec.ID)
	}
	rec.Stored, rec.Identity, rec.Tags, rec.CreatedAt, rec.UpdatedAt = known, known, sqlite.TagsOf(tags), sqlite.FromMillis(created), sqlite.FromMillis(updated)
	rec.Record, err = db.fields.Complete(rec.Record)
	return &rec, err
}

func identityMissing(id agent.ID) error {
	return identity.ErrRecordMissing.With("the identity of agent %s is missing from the storage", id)
}

const (
	selectAgentByID   = "SELECT " + agentColumns + " FROM agents AS a" + joinIdentity + " WHERE a.id = ?"
	selectAgentByName = "SELECT " + agentColumns + " FROM agents AS a" + joinIdentity + " WHERE a.name_key = ?"
)

func (db *DB) findAgent(v *sqlite.View, ref identity.Ref) (*memory.Record, error) {
	rec, err := db.scanAgent(byRef(v, ref, selectAgentByID, selectAgentByName))
	return rec, noAgent(err, ref)
}

// byRef runs the query that fits the reference.
func byRef(v *sqlite.View, ref identity.Ref, byID, byName string) *sql.Row {
	if ref.ID != "" {
		return v.Row(byID, sqlite.PackID(ref.ID))
	}
	return v.Row(byName, string(ref.Name))
}

// noAgent gives an error of reading an agent its meaning.
func noAgent(err error, ref identity.Ref) error {
	if errors.Is(err, identity.ErrRecordMissing) {
		return err
	}
	return sqlite.NotFound(err, "agent", string(ref.ID)+string(ref.Name), agent.ErrNotFound) // one of the two
}

const selectState = "SELECT revision, order_key FROM agents WHERE id = ?"

// isCurrent reports whether a is as it was when it was read. A reorder gives it
// another order key and no other revision.
func isCurrent(tx *engine.Tx, a agent.Agent) (bool, error) {
	if x := tx.Agents(); x != nil {
		e := x.Get(string(sqlite.PackID(a.OrderKey)), string(sqlite.PackID(a.ID())))
		return e != nil && e.Revision() == a.Revision, nil
	}
	var now int64
	var orderKey []byte
	err := tx.Row(selectState, sqlite.PackID(a.ID())).Scan(&now, &orderKey)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("sqlitestore: read agent %s: %w", a.ID(), err)
	}
	return now == a.Revision && agent.OrderKey(sqlite.UnpackID(orderKey)) == a.OrderKey, nil
}

const (
	selectNameByName = "SELECT id, name, name_key FROM agents WHERE name_key = ?"
	// An agent is in one of the tables: it is found under the id for ever.
	selectNameByID = `
SELECT id, name, name_key FROM agents WHERE id = ?1
UNION ALL SELECT id, name, name_key FROM former_agents WHERE id = ?1`
)

// Resolve implements [ports.AgentStore].
func (s *Agents) Resolve(ctx context.Context, ref identity.Ref) (_ agent.ID, _ name.Name, err error) {
	defer s.db.observer.Begin(&ctx, "agents.trace").End(&err)
	if rec, ok := s.db.Records.Get(ref); ok {
		return rec.ID, name.Name{Text: rec.Name, Key: rec.NameKey}, s.db.Refused()
	}
	var id []byte
	var n name.Name
	err = s.db.Ask(ctx, func(v *sqlite.View) error {
		return byRef(v, ref, selectNameByID, selectNameByName).Scan(&id, &n.Text, &n.Key)
	})
	if err != nil {
		return "", name.Name{}, noAgent(err, ref)
	}
	return agent.ID(sqlite.UnpackID(id)), n, nil
}
