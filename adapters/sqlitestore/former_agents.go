package sqlitestore

import (
	"context"
	"time"

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

// What is left of agents that were purged. A version that goes costs a look at every agent,
// which may refer to it.
const (
	deletePurgedEvents = `
DELETE FROM events WHERE seq IN (SELECT e.seq FROM purged_agents AS p CROSS JOIN events AS e ON e.agent_id = p.id LIMIT (? + 0))`
	deletePurgedVersions = `
DELETE FROM versions WHERE seq IN (SELECT v.seq FROM purged_agents AS p CROSS JOIN versions AS v ON v.agent_id = p.id LIMIT (? + 0))`
	deletePurgedMoves = `
DELETE FROM label_moves WHERE (agent_id, label, revision) IN (
	SELECT m.agent_id, m.label, m.revision FROM purged_agents AS p CROSS JOIN label_moves AS m ON m.agent_id = p.id LIMIT (? + 0))`
	deletePurgedDays = `
DELETE FROM agent_days WHERE (owner, day) IN (
	SELECT d.owner, d.day FROM purged_agents AS p CROSS JOIN agent_days AS d ON d.owner = p.id LIMIT (? + 0))`
	deletePurgedTotals = `
DELETE FROM agent_totals WHERE agent_id IN (
	SELECT t.agent_id FROM purged_agents AS p CROSS JOIN agent_totals AS t ON t.agent_id = p.id LIMIT (? + 0))`
	deletePurged = "DELETE FROM purged_agents WHERE at <= ?"
)

// removePurged removes what is left of agents that were purged, for a while.
func (db *DB) removePurged(ctx context.Context) (more bool, err error) {
	err = db.Write(ctx, func(tx *engine.Tx) (err error) {
		more, err = removePurged(tx, time.Now().Add(deleteTime), time.Time{})
		return err
	})
	return more && err == nil, err
}

// purgeAtOnce is how many rows one statement removes: others wait for it.
const purgeAtOnce = 20

// anyPurged reports whether there may be anything left of agents that were purged.
func anyPurged(tx *engine.Tx) (found bool, err error) {
	err = tx.Row("SELECT EXISTS (SELECT 1 FROM purged_agents)").Scan(&found)
	return found, sqlite.Wrap(err, "read purged agents", "")
}

// removePurged does so in a transaction, until a time. For agents that were purged before another time it also removes
// the rows that say so.
func removePurged(tx *engine.Tx, enough, before time.Time) (more bool, err error) {
	if purged, err := anyPurged(tx); !purged {
		return false, err
	}
	tx.Changed.DeletedBefore, tx.Changed.Purged = memory.AnyTime, true
	for _, statement := range []string{deletePurgedEvents, deletePurgedVersions, deletePurgedMoves, deletePurgedDays, deletePurgedTotals} {
		for n := int64(purgeAtOnce); n == purgeAtOnce; {
			if time.Now().After(enough) {
				return true, nil
			}
			if n, err = sqlite.Changed(tx.Exec(statement, purgeAtOnce)); err != nil {
				return false, sqlite.Wrap(err, "purge", "")
			}
		}
	}
	_, err = tx.Exec(deletePurged, max(0, sqlite.Millis(before)))
	return false, sqlite.Wrap(err, "purge", "")
}
