package sqlitestore

import (
	"fmt"
	"reflect"
	"strings"

	"orgd/adapters/deltas"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// agentWrite is a step with the values that it stores. It is made before the
// writer takes it: there is one writer, and texts take longer to make than to
// store.
type agentWrite struct {
	ports.AgentChange
	id          []byte  // packed
	before      *record // nil if the agent is new
	packed      []byte  // text of the version before, if there is one
	unversioned string
	tags        string
	entry       auditRow
	events      [][]any // in their order
}

// newAgentWrite returns the write of a step of an agent that is stored as before, or of a new
// one.
func newAgentWrite(s ports.AgentChange, before *record) *agentWrite {
	w := &agentWrite{
		AgentChange: s,
		before:      before,
		id:          packID(s.Agent.ID()),
		unversioned: s.Agent.Unversioned(),
		tags:        tagsText(s.Agent.Tags),
		entry:       newAuditRow(s.Audit),
		events:      make([][]any, len(s.Events)),
	}
	if s.Version != nil && before != nil {
		w.packed = deltas.Pack(before.Version, s.Version.Text, before.stored)
	}
	for i, e := range s.Events {
		w.events[i] = eventArgs(e, s.Agent.Department().Key)
	}
	return w
}

// create stores a new agent.
func (w *agentWrite) create(tx *Tx) error {
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
		return wrap(err, "write identity of agent", string(w.Agent.ID()))
	}
	if err := w.insert(tx, row); err != nil {
		return err
	}
	if err := count(tx, w.Agent.Identity, 1); err != nil {
		return err
	}
	return w.putEvents(tx)
}

// update stores a step of an agent, if it has an effect.
func (w *agentWrite) update(tx *Tx, before agent.Agent) error {
	if !w.Effective() {
		return putRecord(tx, w.Idempotency)
	}
	if err := putEntry(tx, w.Idempotency, w.entry); err != nil {
		return err
	}
	if err := w.replace(tx, before); err != nil {
		return err
	}
	if w.Version != nil { // which has the text of the identity
		tx.became(w.record())
	}
	if err := w.putMoves(tx); err != nil {
		return err
	}
	return w.putEvents(tx)
}

// record is the agent as a read finds it. It has texts of its own: those of the
// step are parts of a request or of the identity before, which would be kept with
// them.
func (w *agentWrite) record() *record {
	a, n := &w.Agent, w.Agent.Name().Clone()
	return &record{
		Record: agent.Record{
			ID: agent.ID(unpackID(w.id)), Name: n.Text, OrderKey: a.OrderKey, Identity: w.Version.Text, Unversioned: w.unversioned,
			Owner: cloned(a.Owner), Tags: tagsOf(w.tags), Labels: agent.LabelsText(a.Labels),
			Status: identity.Status(strings.Clone(string(a.Identity.Status))), Version: a.Version, Revision: a.Revision,
			CreatedAt: fromMillis(millis(a.CreatedAt)), UpdatedAt: fromMillis(millis(a.UpdatedAt)),
		},
		stored: w.Version.Text, id: string(w.id), key: n.Key,
	}
}

func cloned(s *string) *string {
	if s == nil {
		return nil
	}
	c := strings.Clone(*s)
	return &c
}

// putEvents stores the step's events.
func (w *agentWrite) putEvents(tx *Tx) error {
	for i, args := range w.events {
		seq, err := tx.number()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(insertEvent, append(args, seq)...); err != nil {
			return wrap(err, "write event", string(w.Events[i].ID))
		}
		tx.addEvent(args, seq)
	}
	return nil
}

func (w *agentWrite) replace(tx *Tx, before agent.Agent) error {
	switch {
	case w.Deleted:
		return w.remove(tx, before)
	case len(w.Moves) > 0:
		return w.relabel(tx)
	case w.Version == nil:
		return w.amend(tx, before)
	default:
		return w.succeed(tx, before)
	}
}

const insertVersion = `
INSERT INTO versions (agent_id, number, identity, packed, hash, saved_by, saved_at, imported, restored_from, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// putVersion appends the step's version, without its text, and returns the number of its row.
func (w *agentWrite) putVersion(tx *Tx) (int64, error) {
	v := w.Version
	res, err := tx.Exec(insertVersion, versionArgs(w.id, *v, "", w.packed)...)
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: write version %d of agent %s: %w", v.Number, w.Agent.ID(), err)
	}
	return res.LastInsertId()
}

func versionArgs(id []byte, v identity.Version, text string, before []byte) []any {
	return []any{id, v.Number, text, before, v.Hash, v.SavedBy, millis(v.SavedAt), v.Imported, v.RestoredFrom, v.Reason}
}

const insertAgent = `
INSERT INTO agents (id, name_key, name, department_key, order_key, status, level,
	owner, tags, identity, unversioned, version, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (w *agentWrite) insert(tx *Tx, row int64) error {
	a, c := &w.Agent, &w.Agent.Identity
	_, err := tx.Exec(insertAgent, w.id, string(c.Name.Key), c.Name.Text, string(c.Department.Key),
		packID(a.OrderKey), string(c.Status), string(c.Level), a.Owner, w.tags,
		row, w.unversioned, a.Version, a.Revision, millis(a.CreatedAt), millis(a.UpdatedAt))
	return w.refused(tx, err)
}

// succeed gives an agent its next identity.
func (w *agentWrite) succeed(tx *Tx, before agent.Agent) error {
	if err := w.reindex(tx, before); err != nil {
		return err
	}
	if _, err := w.putVersion(tx); err != nil {
		return err
	}
	a := &w.Agent
	err := tx.change(a.ID(), updateAgent, w.unversioned, a.Version, a.Revision, millis(a.UpdatedAt), w.id)
	if err == nil {
		_, err = tx.Exec(putCurrent, w.Version.Text, w.id)
	}
	if err == nil && w.before.inVersion {
		_, err = tx.Exec(clearVersion, w.id, w.before.Version)
	}
	return w.refused(tx, err)
}

const (
	insertCurrent = "INSERT INTO current_identities (seq, identity) VALUES (?, ?)"
	// putCurrent gives an agent another text.
	putCurrent = "INSERT OR REPLACE INTO current_identities (seq, identity) SELECT identity, ? FROM agents WHERE id = ?"
	// clearVersion removes the text of a version, which the next one has, packed.
	clearVersion = "UPDATE versions SET identity = '' WHERE agent_id = ? AND number = ?"
)

// SQLite writes every index that has a column of the statement, also if the
// value stays. So the columns that are in indexes, which change seldom, have
// statements of their own. The order key stays: only a reorder changes it.
const (
	renameAgent   = "UPDATE agents SET name_key = ?, name = ? WHERE id = ?"
	classifyAgent = "UPDATE agents SET department_key = ?, status = ?, level = ? WHERE id = ?"
	assignAgent   = "UPDATE agents SET owner = ?, tags = ? WHERE id = ?"
	updateAgent   = "UPDATE agents SET unversioned = ?, version = ?, revision = ?, updated_at = ? WHERE id = ?"
)

// reindex follows a change of what an agent is found by.
func (w *agentWrite) reindex(tx *Tx, was agent.Agent) error {
	c, before := &w.Agent.Identity, was.Identity
	if err := w.assign(tx, was); err != nil {
		return err
	}
	if c.Name != before.Name {
		if err := tx.change(c.ID, renameAgent, string(c.Name.Key), c.Name.Text, w.id); err != nil {
			return w.refused(tx, err)
		}
	}
	if c.Department.Key == before.Department.Key && c.Status == before.Status && c.Level == before.Level {
		return nil
	}
	err := tx.change(c.ID, classifyAgent, string(c.Department.Key), string(c.Status), string(c.Level), w.id)
	if err != nil {
		return w.refused(tx, err)
	}
	return recount(tx, before, *c)
}

// assign stores the owner and the tags.
func (w *agentWrite) assign(tx *Tx, before agent.Agent) error {
	if reflect.DeepEqual(w.Agent.Owner, before.Owner) && w.tags == tagsText(before.Tags) {
		return nil
	}
	return w.refused(tx, tx.change(w.Agent.ID(), assignAgent, w.Agent.Owner, w.tags, w.id))
}

const amendAgent = "UPDATE agents SET unversioned = ?, revision = ?, updated_at = ? WHERE id = ?"

// amend changes what is not part of the identity.
func (w *agentWrite) amend(tx *Tx, before agent.Agent) error {
	if err := w.assign(tx, before); err != nil {
		return err
	}
	a := &w.Agent
	err := tx.change(a.ID(), amendAgent, w.unversioned, a.Revision, millis(a.UpdatedAt), w.id)
	return w.refused(tx, err)
}

const (
	deleteAgent  = "DELETE FROM agents WHERE id = ?"
	insertFormer = `
INSERT INTO former_agents (id, name_key, name, department, order_key, identity, unversioned, owner, tags, version, revision,
	created_at, updated_at, deleted_at, deleted_by)
SELECT id, name_key, name, ?, order_key, identity, unversioned, owner, tags, version, revision, created_at, updated_at, ?, ? FROM agents WHERE id = ?`
)

// remove ends an agent. Its versions and events stay.
func (w *agentWrite) remove(tx *Tx, before agent.Agent) error {
	if err := count(tx, before.Identity, -1); err != nil {
		return err
	}
	d := w.Deletion()
	_, err := tx.Exec(insertFormer, d.Department, millis(d.At), d.By, w.id)
	if err == nil {
		err = tx.change(before.ID(), deleteAgent, w.id)
	}
	return wrap(err, "delete agent", string(before.ID()))
}

const selectAgentName = "SELECT name FROM agents WHERE name_key = ?"

// refused gives an error of writing the agent its meaning. The schema itself
// demands that names are unique and that departments exist.
func (w *agentWrite) refused(tx *Tx, err error) error {
	switch {
	case err == nil:
		return nil
	case isTaken(err):
		var holder string
		if err := tx.Row(selectAgentName, string(w.Agent.Name().Key)).Scan(&holder); err != nil {
			return wrap(err, "read the agent with the name of", string(w.Agent.ID()))
		}
		return agent.Taken(holder)
	case isDangling(err):
		return agent.NoDepartment(w.Agent.Department())
	default:
		return wrap(err, "write agent", string(w.Agent.ID()))
	}
}
