package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"orgd/adapters/agentindex"
	"orgd/adapters/deltas"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/archive"
	"orgd/domain/identity"
	"orgd/ports"
)

// While an archive is being restored there is a table that says which, and how many of its
// records are stored. So no program that knows archives serves the database.
const (
	createRestoring = "CREATE TABLE restoring (archive TEXT NOT NULL, records INTEGER NOT NULL, indexes TEXT NOT NULL) STRICT"
	insertRestoring = "INSERT INTO restoring (archive, records, indexes) VALUES (?, 0, ?)"
	selectRestoring = "SELECT archive, records FROM restoring"
	updateRestoring = "UPDATE restoring SET records = ? WHERE records = ?"
	dropRestoring   = "DROP TABLE restoring"
	selectIndexes   = "SELECT indexes FROM restoring"
)

// Begin implements [ports.Archive].
func (s *Archive) Begin(ctx context.Context, id string) (loaded int64, err error) {
	defer s.db.observer.Begin(&ctx, "archive.begin").End(&err)
	err = s.db.Write(ctx, func(tx *engine.Tx) (err error) {
		loaded, err = beginRestore(tx, id)
		return err
	})
	return loaded, err
}

func beginRestore(tx *engine.Tx, id string) (loaded int64, err error) {
	restoring, err := isRestoring(&tx.View)
	if err != nil {
		return 0, err
	}
	if restoring {
		var of string
		err := tx.Row(selectRestoring).Scan(&of, &loaded)
		if err == nil && of != id {
			err = ports.ErrRestoring
		}
		return loaded, err
	}
	for _, table := range []string{
		"departments", "versions", "agents", "former_agents", "events", "agent_days", "department_days",
		"projects", "audit", "changes", "webhooks", "revocations",
	} {
		var full bool
		if err := tx.Row("SELECT EXISTS (SELECT 1 FROM " + table + ")").Scan(&full); err != nil {
			return 0, err
		}
		if full {
			return 0, ports.ErrNotEmpty
		}
	}
	indexes, err := dropIndexes(tx)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(createRestoring); err != nil {
		return 0, err
	}
	_, err = tx.Exec(insertRestoring, id, indexes)
	return 0, err
}

const selectEventIndexes = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'events' AND sql NOT NULL"

// dropIndexes drops those of events and returns the statements that make them again: to do
// that at the end takes a third of the time, and nobody reads by them until then.
func dropIndexes(tx *engine.Tx) (statements string, err error) {
	indexes, err := sqlite.Rows(&tx.View, selectEventIndexes, nil, func(r sqlite.Row) (x [2]string, err error) {
		err = r.Scan(&x[0], &x[1])
		return x, err
	})
	for _, x := range indexes {
		if err == nil {
			_, err = tx.Exec("DROP INDEX " + x[0])
		}
		statements += x[1] + ";"
	}
	return statements, sqlite.Wrap(err, "drop indexes", "")
}

// Load implements [ports.Archive].
func (s *Archive) Load(ctx context.Context, records []archive.Record, loaded int64) (err error) {
	defer s.db.observer.Begin(&ctx, "archive.load").End(&err)
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		n, err := sqlite.Changed(tx.Exec(updateRestoring, loaded+int64(len(records)), loaded))
		if err != nil || n == 0 { // they are stored already
			return sqlite.Wrap(err, "write how much was restored", "")
		}
		l := loader{tx: tx}
		for _, r := range records {
			if err := l.add(r); err != nil {
				return err
			}
		}
		if err := l.endVersion(false); err != nil {
			return err
		}
		return l.flush()
	})
}

// loader stores records. Rows of the same statement that follow each other are stored
// together: that takes half of the time.
type loader struct {
	tx        *engine.Tx
	statement string
	rows      [][]any
	last      *archive.Version // which is stored when it is known whether the next one has its text
	before    []byte           // of last
}

const rowsAtOnce = 32

// Row stores a row by a statement that ends with the values of one.
func (l *loader) row(statement string, values ...any) error {
	if statement != l.statement || len(l.rows) == rowsAtOnce {
		if err := l.flush(); err != nil {
			return err
		}
	}
	l.statement, l.rows = statement, append(l.rows, values)
	return nil
}

func (l *loader) flush() error {
	rows := l.rows
	l.rows = l.rows[:0]
	if len(rows) == rowsAtOnce {
		var all []any
		for _, r := range rows {
			all = append(all, r...)
		}
		before, values, _ := strings.Cut(l.statement, "VALUES ")
		_, err := l.tx.Exec(before+"VALUES "+values+strings.Repeat(", "+values, rowsAtOnce-1), all...)
		return sqlite.Wrap(err, "restore", "")
	}
	for _, r := range rows {
		if _, err := l.tx.Exec(l.statement, r...); err != nil {
			return sqlite.Wrap(err, "restore", "")
		}
	}
	return nil
}

const (
	insertTotal      = "INSERT INTO agent_totals (agent_id, tasks_completed) VALUES (?, ?)"
	insertRevocation = "INSERT INTO revocations (" + revocationColumns + ") VALUES (?, ?, ?, ?)"
)

var insertAgentDay, insertDepartmentDay = insertDay("agent_days"), insertDay("department_days")

func insertDay(table string) string {
	columns := "owner, " + dayColumns
	return "INSERT INTO " + table + " (" + columns + ") VALUES (?" + strings.Repeat(", ?", strings.Count(columns, ",")) + ")"
}

// add stores a record, or keeps it for flush.
func (l *loader) add(r archive.Record) error {
	if v, ok := r.(*archive.Version); ok {
		return l.version(v)
	}
	if l.last != nil { // agents refer to their versions
		if err := errors.Join(l.endVersion(false), l.flush()); err != nil {
			return err
		}
	}
	switch r := r.(type) {
	case *archive.Company:
		return l.company(r)
	case *archive.Department:
		return insertDepartment(l.tx, r.Department)
	case *archive.Agent:
		return l.agent(r.Record)
	case *archive.DeletedAgent:
		return l.deletedAgent(r)
	case *archive.LabelMove:
		return l.row(insertMove, moveArgs(sqlite.PackID(r.Agent), r.Move)...)
	case *archive.Event:
		_, err := l.numbered(insertEvent, eventArgs(r.Event, r.Department))
		return err
	case *archive.Day:
		if r.Of == archive.DepartmentDays {
			return l.row(insertDepartmentDay, dayArgs(r.Owner, r.Date, r.Day)...)
		}
		return l.row(insertAgentDay, dayArgs(sqlite.PackID(r.Owner), r.Date, r.Day)...)
	case *archive.AgentTotal:
		return l.row(insertTotal, sqlite.PackID(r.Agent), r.Completed)
	case *archive.Project:
		return l.row(insertProject, projectArgs(r.Project)...)
	case *archive.Entry:
		row := newAuditRow(r.Entry)
		seq, err := l.numbered(row.insert, row.values)
		l.tx.Changed.Entries = append(l.tx.Changed.Entries, row.numbered(seq))
		return err
	case *archive.Webhook:
		return l.row(insertWebhook, append(webhookArgs(r.Webhook), sqlite.Millis(r.CreatedAt))...)
	case *archive.Revocation:
		return l.row(insertRevocation, r.ID, r.By, sqlite.Millis(r.At), sqlite.Millis(r.Until))
	}
	return fmt.Errorf("sqlitestore: restore a record of the part %q", r.Part())
}

// numbered stores a row that has a number in the log behind its other values, and returns it.
func (l *loader) numbered(statement string, values []any) (activity.Seq, error) {
	seq, err := l.tx.Number()
	if err != nil {
		return 0, err
	}
	return seq, l.row(statement, append(values, seq)...)
}

func (l *loader) company(r *archive.Company) error {
	if err := putCompany(l.tx, r.Company); err != nil || !r.Costs {
		return err
	}
	_, err := l.tx.Exec(recordCosts)
	return sqlite.Wrap(err, "write company", "")
}

// version stores the version before this one: without its text, if this one has that packed.
func (l *loader) version(r *archive.Version) error {
	var before []byte
	if last := l.last; last != nil && last.Agent == r.Agent && last.Number == r.Number-1 {
		before = deltas.Pack(last.Number, r.Text, last.Text)
	}
	if err := l.endVersion(before != nil); err != nil {
		return err
	}
	l.last, l.before = r, before
	return nil
}

// endVersion stores the last version.
func (l *loader) endVersion(isPacked bool) error {
	r := l.last
	if r == nil {
		return nil
	}
	text := r.Text
	if isPacked {
		text = ""
	}
	l.last = nil
	return l.row(insertVersion, versionArgs(sqlite.PackID(r.Agent), r.Version, text, l.before)...)
}

const selectVersionRow = "SELECT seq FROM versions WHERE agent_id = ? AND number = ?"

// versionRow returns the row that has the identity of an agent.
func (l *loader) versionRow(r agent.Record) (row int64, err error) {
	err = l.tx.Row(selectVersionRow, sqlite.PackID(r.ID), r.Version).Scan(&row)
	if errors.Is(err, sql.ErrNoRows) {
		err = archive.Damaged(archive.Versions, "version %d of agent %s is missing", r.Version, r.ID)
	}
	return row, sqlite.Wrap(err, "read version of agent", string(r.ID))
}

func (l *loader) agent(r agent.Record) error {
	a, err := r.Agent()
	if err != nil {
		return err
	}
	row, err := l.versionRow(r)
	if err != nil {
		return err
	}
	w := newAgentWrite(ports.AgentChange{Step: agent.Step{Agent: a}}, nil)
	if err := w.insert(l.tx, row); err != nil {
		return err
	}
	for _, label := range a.Labels {
		w.Moves = append(w.Moves, agent.Move{Label: label.Name, To: label.Version})
	}
	if len(w.Moves) == 0 {
		return nil
	}
	return w.relabel(l.tx, w.became(a.OrderKey))
}

const insertDeletedAgent = `
INSERT INTO former_agents (id, name_key, name, department, order_key, identity, unversioned, owner, tags, version, revision,
	created_at, updated_at, deleted_at, deleted_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (l *loader) deletedAgent(r *archive.DeletedAgent) error {
	c, err := identity.Parse(r.Last.Identity)
	if err != nil {
		return fmt.Errorf("agent %s: %w", r.ID, err)
	}
	row, err := l.versionRow(r.Last)
	if err != nil {
		return err
	}
	last := r.Last
	return l.row(insertDeletedAgent, sqlite.PackID(r.ID), string(c.Name.Key), last.Name, r.Department, sqlite.PackID(last.OrderKey), row,
		last.Unversioned, last.Owner, agentindex.TagsText(last.Tags), last.Version, last.Revision,
		sqlite.Millis(last.CreatedAt), sqlite.Millis(last.UpdatedAt), sqlite.Millis(r.At), r.By)
}

// End implements [ports.Archive].
func (s *Archive) End(ctx context.Context) (err error) {
	defer s.db.observer.Begin(&ctx, "archive.end").End(&err)
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		var indexes string
		if err := tx.Row(selectIndexes).Scan(&indexes); err != nil {
			return sqlite.Wrap(err, "end a restore", "")
		}
		head := activity.Seq(time.Now().UnixMicro())
		tx.GoOn(head)
		for _, s := range []struct {
			statement string
			args      []any
		}{
			{indexes, nil},
			{"DELETE FROM sqlite_sequence WHERE name = 'events'", nil},
			{engine.InsertSequence, []any{head}},
			{"INSERT OR REPLACE INTO log_marks (at, seq) VALUES (0, ?)", []any{head}},
			{"UPDATE outbox SET position = ?", []any{head}},
			{"UPDATE webhooks SET since = ?", []any{head}},
			{"UPDATE latest_revocation SET at = max(at, (SELECT ifnull(max(at), 0) FROM revocations))", nil},
			{dropRestoring, nil},
			{engine.RenewIncarnation, nil},
		} {
			if _, err := tx.Exec(s.statement, s.args...); err != nil {
				return sqlite.Wrap(err, "end a restore", "")
			}
		}
		tx.Changed.DeletedBefore = memory.AnyTime // events were stored that are not among the newest
		return nil
	})
	if err != nil {
		return err
	}
	return s.db.readIncarnation(ctx)
}
