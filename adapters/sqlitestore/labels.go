package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/label"
	"orgd/domain/page"
	"orgd/ports"
)

// Label implements [ports.AgentStore]. The writer makes the change on what it finds: so no
// rule of the department and no entry of the history can change meanwhile.
func (s *Agents) Label(ctx context.Context, ref identity.Ref, label string, version int64, change ports.LabelChange) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.label").End(&err)
	var w *agentWrite
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		var before agent.Agent
		before, w, err = s.db.again(tx, ref, func(a agent.Agent) (step ports.AgentChange, err error) {
			d, err := findDepartment(&tx.View, a.Department().Key)
			if err != nil {
				return step, err
			}
			below, err := isBelow(&tx.View, a.ID(), label, version)
			if err != nil {
				return step, err
			}
			return change(a, d, below)
		})
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

const selectNamed = `
SELECT EXISTS (SELECT 1 FROM label_moves WHERE agent_id = ? AND label = ? AND to_version = ? AND to_version > 0)`

const selectAllNamed = "SELECT to_version FROM label_moves WHERE agent_id = ? AND label = ? ORDER BY revision"

// isBelow reports whether a label of an agent may go back to a version. It reads the whole
// history only if the label has ever named the version.
func isBelow(v *sqlite.View, id agent.ID, label string, version int64) (below bool, err error) {
	err = v.Row(selectNamed, sqlite.PackID(id), label, version).Scan(&below)
	if err == nil && below {
		var named []int64
		named, err = sqlite.Rows(v, selectAllNamed, []any{sqlite.PackID(id), label}, scanNumber)
		below = agent.Below(named, version)
	}
	return below, sqlite.Wrap(err, "read labels of agent", string(id))
}

func scanNumber(r sqlite.Row) (number int64, err error) {
	err = r.Scan(&number)
	return number, err
}

const (
	labelAgent  = engine.OnAgent("UPDATE agents SET labels = ?, revision = ?, updated_at = ? WHERE id = ?")
	deleteLabel = "DELETE FROM labels WHERE agent_id = ? AND label = ?"
	insertLabel = `
INSERT INTO labels (label, order_key, agent_id, department_key, status, version)
SELECT ?, order_key, id, department_key, status, ? FROM agents WHERE id = ?`
	insertMove = `
INSERT INTO label_moves (agent_id, label, revision, from_version, to_version, actor, at, reason, way)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// relabel gives an agent that stays the labels that a step has moved.
func (w *agentWrite) relabel(tx *engine.Tx, now memory.AgentChange) error {
	a := &w.Agent
	err := tx.ChangeAgent(now, labelAgent, agent.LabelsText(a.Labels), a.Revision, sqlite.Millis(a.UpdatedAt))
	for _, m := range w.Moves {
		if err == nil {
			_, err = tx.Exec(deleteLabel, w.id, m.Label)
		}
		if err == nil && m.To != 0 {
			_, err = tx.Exec(insertLabel, m.Label, m.To, w.id)
		}
	}
	return sqlite.Wrap(err, "write labels of agent", string(a.ID()))
}

// putMoves stores the entries of the history of labels.
func (w *agentWrite) putMoves(tx *engine.Tx) error {
	for _, m := range w.Moves {
		if _, err := tx.Exec(insertMove, moveArgs(w.id, m)...); err != nil {
			return sqlite.Wrap(err, "write history of a label of agent", string(w.Agent.ID()))
		}
	}
	return nil
}

func moveArgs(id []byte, m agent.Move) []any {
	return []any{id, m.Label, m.Revision, m.From, m.To, m.By, sqlite.Millis(m.At), m.Reason, string(m.Way)}
}

const moveColumns = "label, revision, from_version, to_version, actor, at, reason, way"

const selectMoves = "SELECT " + moveColumns + ` FROM label_moves
WHERE agent_id = ? AND label = ? AND revision < ? ORDER BY revision DESC LIMIT (? + 0)`

// Moves implements [ports.AgentStore].
func (s *Agents) Moves(ctx context.Context, q agent.Moves) (_ []agent.Move, err error) {
	defer s.db.observer.Begin(&ctx, "labels.history").End(&err)
	before := q.Before
	if before == 0 {
		before = math.MaxInt64
	}
	return sqlite.All(ctx, s.db, "read the history of a label", selectMoves, []any{sqlite.PackID(q.Agent), q.Label, before, q.Limit}, scanMove)
}

func scanMove(r sqlite.Row) (m agent.Move, err error) {
	var at int64
	err = r.Scan(&m.Label, &m.Revision, &m.From, &m.To, &m.By, &at, &m.Reason, (*string)(&m.Way))
	m.At = sqlite.FromMillis(at)
	return m, err
}

// Labeled implements [ports.AgentStore]. If all agents of the page are remembered, and the
// contents that the label names, the database is asked for their order only, or not at all.
func (s *Agents) Labeled(ctx context.Context, q agent.LabelQuery) (_ []agent.Resolved, err error) {
	defer s.db.observer.Begin(&ctx, "labels.agents").End(&err)
	if q.Label == label.Latest {
		found, err := listAgents(ctx, s.db, q.Agents(), s.latest())
		return found, sqlite.Wrap(err, "list agents by label", q.Label)
	}
	since := s.db.Records.Now()
	found, err := s.labeled(ctx, q, labeledIDs, s.remember(since))
	if errors.Is(err, errForgotten) {
		found, err = s.labeled(ctx, q, labeledColumns, s.learn(since))
	}
	return found, err
}

const selectLatest = "SELECT " + agentColumns + ", h.hash" + joinAgents +
	" LEFT JOIN versions AS h ON h.agent_id = a.id AND h.number = a.version"

// latest finds agents with their current versions.
func (s *Agents) latest() rowsOf[agent.Resolved] {
	since := s.db.Records.Now()
	return rowsOf[agent.Resolved]{
		known: func(e *agentindex.Entry) (a agent.Resolved, ok bool) {
			rec, ok := s.db.Records.Of(e)
			if !ok {
				return a, false
			}
			content, ok := s.db.Contents.Get(rec.PackedID, rec.Version)
			if !ok {
				return a, false
			}
			a, err := rec.Resolve(label.Latest, rec.Version, content)
			return a, err == nil
		},
		query: selectLatest,
		scan: func(e *agentindex.Entry, r sqlite.Row) (a agent.Resolved, err error) {
			var hash *string // nil if the version is missing
			rec, err := s.db.scanEntry(e, r, &hash)
			if err != nil {
				return a, err
			}
			if hash == nil {
				return a, missingVersion(rec.Version, rec.ID)
			}
			content := identity.Stored{Text: rec.Stored, Hash: *hash}
			s.db.Records.Put(since, rec)
			s.db.Contents.Put(rec.PackedID, rec.Version, content)
			return rec.Resolve(label.Latest, rec.Version, content)
		},
	}
}

func missingVersion(number int64, id agent.ID) error {
	return ports.ErrStorage.Because(fmt.Errorf("sqlitestore: version %d of agent %s is missing", number, id))
}

// errForgotten says that not all of a page is remembered.
var errForgotten = errors.New("sqlitestore: not remembered")

// scanLabeled makes an agent, the number of its version and the content of that of a row.
type scanLabeled func(*sqlite.View, sqlite.Row) (agent.Record, int64, identity.Stored, error)

// labeled reads a page of the agents that have a label.
func (s *Agents) labeled(ctx context.Context, q agent.LabelQuery, columns string, scan scanLabeled) ([]agent.Resolved, error) {
	query, args := labeledQuery(columns, q)
	found := make([]agent.Resolved, 0, min(max(q.Limit, 0), usualPage))
	var filling page.Filling
	err := s.db.Ask(ctx, func(v *sqlite.View) error {
		return v.Each(query, args, func(r sqlite.Row) error {
			rec, number, content, err := scan(v, r)
			if err != nil {
				return err
			}
			a, err := rec.Resolve(q.Label, number, content)
			if err != nil {
				return err
			}
			found = append(found, a)
			return sqlite.Fill(ctx, &filling, a.Size())
		})
	})
	if err != nil && !errors.Is(err, errForgotten) {
		return nil, sqlite.Wrap(err, "list agents by label", q.Label)
	}
	return found, err
}

// Remember returns what reads a row of [labeledIDs], or returns errForgotten.
func (s *Agents) remember(since memory.Stamp) scanLabeled {
	var id sql.RawBytes
	return func(_ *sqlite.View, r sqlite.Row) (_ agent.Record, number int64, _ identity.Stored, err error) {
		if err := r.Scan(&id, &number); err != nil {
			return agent.Record{}, 0, identity.Stored{}, err
		}
		rec, ok := s.db.Records.Member(since, id)
		content, ok2 := s.db.Contents.Get(string(id), number)
		if !ok || !ok2 {
			return agent.Record{}, 0, content, errForgotten
		}
		return rec.Record, number, content, nil
	}
}

// learn returns what reads a row of [labeledColumns], and remembers it.
func (s *Agents) learn(since memory.Stamp) scanLabeled {
	return func(v *sqlite.View, r sqlite.Row) (_ agent.Record, number int64, content identity.Stored, err error) {
		rec, err := s.db.scanAgent(r, &number)
		if err != nil {
			return agent.Record{}, 0, content, err
		}
		s.db.Records.Put(since, rec)
		content, err = s.db.content(v, rec.ID, number)
		if errors.Is(err, identity.ErrVersionNotFound) {
			err = missingVersion(number, rec.ID)
		}
		return rec.Record, number, content, err
	}
}

const joinLabeled = " CROSS JOIN agents AS a ON a.id = l.agent_id"

// What is read of the agents that have a label.
const (
	labeledIDs     = "l.agent_id, l.version FROM labels AS l"
	labeledColumns = agentColumns + ", l.version FROM labels AS l" + joinLabeled + joinIdentity
)

// labeledQuery reads along one index, from the position where the page before ended.
func labeledQuery(from string, q agent.LabelQuery) (string, []any) {
	var f sqlite.Filter
	f.And("l.label = ?", q.Label)
	f.Equals("l.department_key", string(q.Department))
	f.Equals("l.status", string(q.Status))
	f.Equals("a.owner", q.Owner)
	f.Tagged("a.tags", q.Tags)
	if from == labeledIDs && (q.Owner != "" || len(q.Tags) > 0) {
		from += joinLabeled
	}
	if q.After != nil {
		f.And("(l.order_key, l.agent_id) > (?, ?)", sqlite.PackID(q.After.OrderKey), sqlite.PackID(q.After.ID))
	}
	return "SELECT " + from + f.Where() + " ORDER BY l.order_key, l.agent_id LIMIT (? + 0)", append(f.Args, q.Limit)
}
