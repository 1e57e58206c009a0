package sqlitestore

import (
	"fmt"
	"strings"

	"orgd/adapters/agentindex"
	"orgd/adapters/deltas"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// agentWrite is a step with the values that it stores. It is made before the
// writer takes it: there is one writer, and texts take longer to make than to
// store.
type agentWrite struct {
	ports.AgentChange
	id          []byte         // packed
	before      *memory.Record // nil if the agent is new
	packed      []byte         // text of the version before, if there is one
	unversioned string
	tags        string
	indexed     *agentindex.Entry // nil if the agent is deleted
	entry       auditRow
	events      [][]any // in their order
}

// newAgentWrite returns the write of a step of an agent that is stored as before, or of a new
// one.
func newAgentWrite(s ports.AgentChange, before *memory.Record) *agentWrite {
	w := &agentWrite{
		AgentChange: s,
		before:      before,
		id:          sqlite.PackID(s.Agent.ID()),
		unversioned: s.Agent.Unversioned(),
		tags:        agentindex.TagsText(s.Agent.Tags),
		entry:       newAuditRow(s.Audit),
		events:      make([][]any, len(s.Events)),
	}
	if s.Version != nil && before != nil {
		w.packed = deltas.Pack(before.Version, s.Version.Text, before.Stored)
	}
	if !s.Deleted {
		w.indexed = w.index()
	}
	for i, e := range s.Events {
		w.events[i] = eventArgs(e, s.Agent.Department().Key)
	}
	return w
}

// create stores a new agent.
func (w *agentWrite) create(tx *engine.Tx) error {
	if err := putEntry(tx, w.Idempotency, w.entry); err != nil {
		return err
	}
	if w.Version == nil {
		return fmt.Errorf("sqlitestore: write agent %s: a new identity has no version", w.Agent.ID())
	}
	row, err := w.putVersion(tx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(insertCurrent, row, w.Version.Text); err != nil {
		return sqlite.Wrap(err, "write identity of agent", string(w.Agent.ID()))
	}
	if err := w.insert(tx, row); err != nil {
		return err
	}
	return w.putEvents(tx)
}

// update stores a step of an agent, if it has an effect.
func (w *agentWrite) update(tx *engine.Tx, before agent.Agent) error {
	if !w.Effective() {
		return putRecord(tx, w.Idempotency)
	}
	if err := putEntry(tx, w.Idempotency, w.entry); err != nil {
		return err
	}
	now := w.became(before.OrderKey)
	if w.Version != nil { // which has the text of the identity
		now.Record = w.record()
	}
	if err := w.replace(tx, before.Identity, now); err != nil {
		return err
	}
	if err := w.putMoves(tx); err != nil {
		return err
	}
	return w.putEvents(tx)
}

// Record is the agent as a read finds it. It has texts of its own: those of the
// step are parts of a request or of the identity before, which would be kept with
// them.
func (w *agentWrite) record() *memory.Record {
	a, n := &w.Agent, w.Agent.Name().Clone()
	return &memory.Record{
		Record: agent.Record{
			ID: agent.ID(sqlite.UnpackID(w.id)), Name: n.Text, OrderKey: a.OrderKey, Identity: w.Version.Text, Unversioned: w.unversioned,
			Owner: cloned(a.Owner), Tags: sqlite.TagsOf(w.tags), Labels: agent.LabelsText(a.Labels),
			Status: identity.Status(strings.Clone(string(a.Identity.Status))), Version: a.Version, Revision: a.Revision,
			CreatedAt: sqlite.FromMillis(sqlite.Millis(a.CreatedAt)), UpdatedAt: sqlite.FromMillis(sqlite.Millis(a.UpdatedAt)),
		},
		Stored: w.Version.Text, PackedID: string(w.id), PackedKey: string(sqlite.PackID(a.OrderKey)), NameKey: n.Key,
	}
}

// became is what the step makes of an agent that had an order key, or none if it is new.
func (w *agentWrite) became(was agent.OrderKey) memory.AgentChange {
	return memory.AgentChange{Change: agentindex.Change{ID: string(w.id), Was: string(sqlite.PackID(was)), Now: w.indexed}}
}

// index is what the index has of the agent.
func (w *agentWrite) index() *agentindex.Entry {
	a, c := &w.Agent, &w.Agent.Identity
	class := agentindex.Class{Department: string(c.Department.Key), Level: string(c.Level), Status: string(c.Status), Tags: w.tags}
	if a.Owner != nil {
		class.Owner = *a.Owner
	}
	return agentindex.New(agentindex.Fields{
		ID: string(w.id), OrderKey: string(sqlite.PackID(a.OrderKey)), NameKey: string(c.Name.Key), Name: c.Name.Text, Class: class, Revision: a.Revision,
	})
}

func cloned(s *string) *string {
	if s == nil {
		return nil
	}
	c := strings.Clone(*s)
	return &c
}

// putEvents stores the step's events.
func (w *agentWrite) putEvents(tx *engine.Tx) error {
	for i, args := range w.events {
		seq, err := tx.Number()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(insertEvent, append(args, seq)...); err != nil {
			return sqlite.Wrap(err, "write event", string(w.Events[i].ID))
		}
		addEvent(tx, args, seq)
	}
	return nil
}

func (w *agentWrite) replace(tx *engine.Tx, before identity.Content, now memory.AgentChange) error {
	switch {
	case w.Deleted:
		return w.remove(tx, now)
	case len(w.Moves) > 0:
		return w.relabel(tx, now)
	case w.Version == nil:
		return w.refused(tx, tx.ChangeAgent(now, amendAgent, w.amended()...))
	default:
		return w.succeed(tx, before, now)
	}
}

const insertVersion = `
INSERT INTO versions (agent_id, number, identity, packed, hash, saved_by, saved_at, imported, restored_from, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// putVersion appends the step's version, without its text, and returns the number of its row.
func (w *agentWrite) putVersion(tx *engine.Tx) (int64, error) {
	v := w.Version
	res, err := tx.Exec(insertVersion, versionArgs(w.id, *v, "", w.packed)...)
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: write version %d of agent %s: %w", v.Number, w.Agent.ID(), err)
	}
	return res.LastInsertId()
}

func versionArgs(id []byte, v identity.Version, text string, before []byte) []any {
	return []any{id, v.Number, text, before, v.Hash, v.SavedBy, sqlite.Millis(v.SavedAt), v.Imported, v.RestoredFrom, v.Reason}
}

const insertAgent engine.OnAgent = `
INSERT INTO agents (id, name_key, name, department_key, order_key, status, level,
	owner, tags, identity, unversioned, version, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insert stores a new agent.
func (w *agentWrite) insert(tx *engine.Tx, version int64) error {
	a, c := &w.Agent, &w.Agent.Identity
	return w.refused(tx, tx.AddAgent(w.became(""), insertAgent, w.id, string(c.Name.Key), c.Name.Text, string(c.Department.Key),
		sqlite.PackID(a.OrderKey), string(c.Status), string(c.Level), a.Owner, w.tags,
		version, w.unversioned, a.Version, a.Revision, sqlite.Millis(a.CreatedAt), sqlite.Millis(a.UpdatedAt)))
}

// succeed gives an agent its next identity.
func (w *agentWrite) succeed(tx *engine.Tx, before identity.Content, now memory.AgentChange) error {
	c := &w.Agent.Identity
	update, args := updateAgent, append(w.amended(), string(c.Status), string(c.Level), w.Agent.Version)
	if c.Name != before.Name || c.Department.Key != before.Department.Key {
		update, args = renameAgent, append(args, string(c.Name.Key), c.Name.Text, string(c.Department.Key))
	}
	if err := tx.ChangeAgent(now, update, args...); err != nil {
		return w.refused(tx, err)
	}
	if _, err := w.putVersion(tx); err != nil {
		return err
	}
	_, err := tx.Exec(putCurrent, w.Version.Text, w.id)
	if err == nil && w.before.InVersion {
		_, err = tx.Exec(clearVersion, w.id, w.before.Version)
	}
	return sqlite.Wrap(err, "write identity of agent", string(w.Agent.ID()))
}

const (
	insertCurrent = "INSERT INTO current_identities (seq, identity) VALUES (?, ?)"
	// putCurrent gives an agent another text.
	putCurrent = "INSERT OR REPLACE INTO current_identities (seq, identity) SELECT identity, ? FROM agents WHERE id = ?"
	// clearVersion removes the text of a version, which the next one has, packed.
	clearVersion = "UPDATE versions SET identity = '' WHERE agent_id = ? AND number = ?"
)

// SQLite writes an index that has a column of the statement, and looks up what the column refers
// to, also if the value stays. So the name and the department, which change seldom, have a
// statement of their own. The order key stays: only a reorder changes it.
const (
	setAmended  = "UPDATE agents SET owner = ?, tags = ?, unversioned = ?, revision = ?, updated_at = ?"
	setAgent    = setAmended + ", status = ?, level = ?, version = ?"
	amendAgent  = engine.OnAgent(setAmended + " WHERE id = ?")
	updateAgent = engine.OnAgent(setAgent + " WHERE id = ?")
	renameAgent = engine.OnAgent(setAgent + ", name_key = ?, name = ?, department_key = ? WHERE id = ?")
)

// amended are the values of what is not part of the identity.
func (w *agentWrite) amended() []any {
	a := &w.Agent
	return []any{a.Owner, w.tags, w.unversioned, a.Revision, sqlite.Millis(a.UpdatedAt)}
}

const (
	deleteAgent  = engine.OnAgent("DELETE FROM agents WHERE id = ?")
	insertFormer = `
INSERT INTO former_agents (id, name_key, name, department, order_key, identity, unversioned, owner, tags, version, revision,
	created_at, updated_at, deleted_at, deleted_by)
SELECT id, name_key, name, ?, order_key, identity, unversioned, owner, tags, version, revision, created_at, updated_at, ?, ? FROM agents WHERE id = ?`
)

// remove ends an agent. Its versions and events stay.
func (w *agentWrite) remove(tx *engine.Tx, now memory.AgentChange) error {
	d := w.Deletion()
	_, err := tx.Exec(insertFormer, d.Department, sqlite.Millis(d.At), d.By, w.id)
	if err == nil {
		err = tx.ChangeAgent(now, deleteAgent)
	}
	return sqlite.Wrap(err, "delete agent", string(w.Agent.ID()))
}

const selectAgentName = "SELECT name FROM agents WHERE name_key = ?"

// refused gives an error of writing the agent its meaning. The schema itself
// demands that names are unique and that departments exist.
func (w *agentWrite) refused(tx *engine.Tx, err error) error {
	switch {
	case err == nil:
		return nil
	case sqlite.IsTaken(err):
		var holder string
		if err := tx.Row(selectAgentName, string(w.Agent.Name().Key)).Scan(&holder); err != nil {
			return sqlite.Wrap(err, "read the agent with the name of", string(w.Agent.ID()))
		}
		return agent.Taken(holder)
	case sqlite.IsDangling(err):
		return agent.NoDepartment(w.Agent.Department())
	default:
		return sqlite.Wrap(err, "write agent", string(w.Agent.ID()))
	}
}
