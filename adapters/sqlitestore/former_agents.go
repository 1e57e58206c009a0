package sqlitestore

import (
	"context"

	"orgd/adapters/groupcommit"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

const (
	selectDeletions = "SELECT id, name, department, deleted_at, deleted_by FROM former_agents"
	deletionsOrder  = " ORDER BY deleted_at DESC, id DESC LIMIT (? + 0)"
)

// Deleted implements [ports.AgentStore].
func (s *Agents) Deleted(ctx context.Context, q agent.Deletions) (_ []agent.Deletion, err error) {
	defer s.db.observer.Begin(&ctx, "agents.deleted").End(&err)
	query, args := deletionsQuery(q)
	return sqlite.All(ctx, s.db, "list deleted agents", query, args, func(r sqlite.Row) (d agent.Deletion, err error) {
		var id []byte
		var at int64
		err = r.Scan(&id, &d.Name, &d.Department, &at, &d.By)
		d.ID, d.At = agent.ID(sqlite.UnpackID(id)), sqlite.FromMillis(at)
		return d, err
	})
}

func deletionsQuery(q agent.Deletions) (string, []any) {
	var f sqlite.Filter
	if q.After != nil {
		f.And("(deleted_at, id) < (?, ?)", sqlite.Millis(q.After.At), sqlite.PackID(q.After.ID))
	}
	return selectDeletions + f.Where() + deletionsOrder, append(f.Args, q.Limit)
}

// The columns are those of an agent, as [DB.scanAgent] reads them, and of its deletion.
const selectFormers = "SELECT a.id, a.name, a.name_key, a.order_key, " + identityColumn + ", c.seq IS NULL, a.unversioned, a.owner, a.tags, '', '', a.version, a.revision, a.created_at, a.updated_at, " +
	"a.department, a.deleted_at, a.deleted_by FROM former_agents AS a" + joinIdentity

const selectFormer = selectFormers + " WHERE a.id = ?"

func (db *DB) former(v *sqlite.View, id agent.ID) (f agent.Former, rec *memory.Record, err error) {
	var at int64
	rec, err = db.scanAgent(v.Row(selectFormer, sqlite.PackID(id)), &f.Department, &at, &f.By)
	if err != nil {
		return f, nil, noAgent(err, identity.Ref{ID: id})
	}
	f.ID, f.Name, f.At = rec.ID, rec.Name, sqlite.FromMillis(at)
	f.Last, err = rec.Agent()
	return f, rec, err
}

const (
	deleteFormer     = "DELETE FROM former_agents WHERE id = ?"
	deleteFormerText = "DELETE FROM current_identities WHERE seq = (SELECT identity FROM former_agents WHERE id = ?)"
)

// removeFormer removes a deleted agent. Its versions stay.
func removeFormer(tx *engine.Tx, w *agentWrite) error {
	_, err := tx.Exec(deleteFormerText, w.id)
	if err == nil {
		_, err = tx.Exec(deleteFormer, w.id)
	}
	return sqlite.Wrap(err, "remove deleted agent", string(w.Agent.ID()))
}

// Restore implements [ports.AgentStore].
func (s *Agents) Restore(ctx context.Context, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.restore").End(&err)
	var w *agentWrite
	err = s.db.Write(ctx, func(tx *engine.Tx) (err error) {
		if w, err = s.changeFormer(tx, id, change); err != nil {
			return err
		}
		if err := removeFormer(tx, w); err != nil {
			return err
		}
		return w.create(tx)
	})
	if err != nil {
		return agent.Agent{}, err
	}
	return w.Agent, nil
}

func (s *Agents) changeFormer(tx *engine.Tx, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (*agentWrite, error) {
	f, before, err := s.db.former(&tx.View, id)
	if err != nil {
		return nil, err
	}
	step, err := change(f)
	if err != nil {
		return nil, err
	}
	return newAgentWrite(step, before), nil
}

const insertPurged = "INSERT INTO purged_agents (id, at) VALUES (?, ?)"

// Purge implements [ports.AgentStore].
func (s *Agents) Purge(ctx context.Context, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (err error) {
	defer s.db.observer.Begin(&ctx, "agents.purge").End(&err)
	var last int64
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		w, err := s.changeFormer(tx, id, change)
		if err != nil {
			return err
		}
		last = w.Agent.Version
		if err := putEntry(tx, w.Idempotency, w.entry); err != nil {
			return err
		}
		if err := removeFormer(tx, w); err != nil {
			return err
		}
		_, err = tx.Exec(insertPurged, w.id, sqlite.Millis(w.Audit.At))
		return sqlite.Wrap(err, "purge agent", string(id))
	})
	if err != nil {
		return err
	}
	s.db.Contents.Remove(string(sqlite.PackID(id)), last)
	for more := true; more; {
		if more, err = s.db.removePurged(ctx); err != nil {
			return groupcommit.Unknown(err)
		}
	}
	return nil
}
