package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/ports"
)

// Audit reads the trail of changes.
type Audit struct{ db *DB }

// Entries implements [ports.AuditLog].
func (s *Audit) Entries(ctx context.Context, q audit.Query) (_ []audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.list").End(&err)
	query, args := entriesQuery(q)
	return all(ctx, s.db, "read audit entries", query, args, scanEntry)
}

const selectEntries = "SELECT at, id, actor, action, route, resource, from_revision, to_revision, request_id, change FROM audit"

// Changes implements [ports.AuditLog].
func (s *Audit) Changes(ctx context.Context, ids []string) (_ map[string]audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.changes").End(&err)
	return read(ctx, s.db, func(v *View) (map[string]audit.Entry, error) {
		found := map[string]audit.Entry{}
		for _, id := range ids {
			e, err := scanEntry(v.Row(selectChange, packID(id)))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return nil, wrap(err, "read audit entry", id)
			}
			found[id] = e
		}
		return found, nil
	})
}

const selectChange = "SELECT " + entryColumns + " FROM audit INDEXED BY audit_change WHERE seq NOT NULL AND id = ?"

// An index of the trail.
const (
	byAction     = " INDEXED BY audit_action"
	byActor      = " INDEXED BY audit_actor"
	byDepartment = " INDEXED BY audit_department"
	byResource   = " INDEXED BY audit_resource"
)

// entriesQuery reads along one index, from the position where the page before ended. In an
// index that begins with actions each of them has a query of its own: SQLite merges what
// they find, and reads no more than the page.
func entriesQuery(q audit.Query) (string, []any) {
	f, index := entriesFilter(q)
	var filters []filter
	switch {
	case index == byAction:
		filters = each(f, "action", q.Actions)
	case index == byActor && q.Actions != nil:
		filters = each(f, "action", q.Actions)
	case index == byActor:
		filters = each(f, "action", append(audit.AllButReports(), audit.Reported))
	default:
		among(&f, "action", q.Actions)
		filters = []filter{f}
	}
	var queries []string
	var args []any
	for _, f := range filters {
		queries = append(queries, "SELECT "+entryColumns+" FROM audit"+index+f.where())
		args = append(args, f.args...)
	}
	return strings.Join(queries, " UNION ALL ") + " ORDER BY at DESC, id DESC LIMIT (? + 0)", append(args, q.Limit)
}

// entriesFilter returns what holds for all entries of a query but their action, and the
// index to follow: a resource has fewer entries than a department, and that fewer than
// an actor may have.
func entriesFilter(q audit.Query) (f filter, index string) {
	if len(q.Actions) > 0 {
		index = byAction
	}
	if q.Actor != "" {
		index = byActor
		f.and("actor = ?", q.Actor)
	}
	if q.Department != "" {
		index = byDepartment
		f.and("department_key = ?", string(q.Department))
	}
	if q.Resource != "" {
		index = byResource
		f.and("resource = ?", string(q.Resource))
	}
	if !q.Since.IsZero() {
		f.and("at >= ?", millis(q.Since))
	}
	switch { // one upper bound: SQLite would begin at the first of two
	case q.After != nil && (q.Until.IsZero() || q.After.At.Before(q.Until)):
		f.and("(at, id) < (?, ?)", millis(q.After.At), packID(q.After.ID))
	case !q.Until.IsZero():
		f.and("at < ?", millis(q.Until))
	}
	return f, index
}

const entryColumns = "at, id, actor, action, route, resource, from_revision, to_revision, request_id, change"

func scanEntry(r Row) (audit.Entry, error) { return scanEntryBehind(r) }

// scanEntryBehind scans an entry behind other columns.
func scanEntryBehind(r Row, first ...any) (e audit.Entry, err error) {
	var at int64
	var id []byte
	var change *string
	err = r.Scan(append(first, &at, &id, &e.Actor, (*string)(&e.Action), &e.Route, (*string)(&e.Resource), &e.From, &e.To, &e.RequestID, &change)...)
	e.At, e.ID = fromMillis(at), unpackID(id)
	if err == nil && change != nil {
		e.Change, err = audit.ParseChange(e.Action, *change)
	}
	return e, err
}

// update stores the change that decide makes of what the transaction finds: its trail
// and, if it is effective, what put writes.
func update[C interface{ Effective() bool }](ctx context.Context, db *DB,
	decide func(*Tx) (C, ports.Trail, error), put func(*Tx, C) error,
) (C, error) {
	var step C
	err := db.Write(ctx, func(tx *Tx) (err error) {
		var trail ports.Trail
		if step, trail, err = decide(tx); err != nil {
			return err
		}
		if err := putTrail(tx, trail, step.Effective()); err != nil || !step.Effective() {
			return err
		}
		return put(tx, step)
	})
	if err != nil {
		var none C
		return none, err
	}
	return step, nil
}

// putTrail stores the idempotency record of a change, if there is one, and its audit
// entry, if the change is effective.
func putTrail(tx *Tx, t ports.Trail, effective bool) error {
	if !effective {
		return putRecord(tx, t.Idempotency)
	}
	return putEntry(tx, t.Idempotency, entryArgs(t.Audit))
}

// putEntry stores a trail whose audit entry has become values.
func putEntry(tx *Tx, r *idempotency.Record, entry []any) error {
	if err := putRecord(tx, r); err != nil {
		return err
	}
	insert := insertEntry
	if len(entry) > auditOnly {
		insert, tx.logged = insertChange, true
		if _, err := tx.Exec(nextSeq); err != nil {
			return wrap(err, "number a change", "")
		}
	}
	_, err := tx.Exec(insert, entry...)
	return wrap(err, "write audit entry", "")
}

const (
	// nextSeq numbers a change as SQLite numbers events.
	nextSeq     = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'events'"
	insertEntry = `
INSERT INTO audit (at, id, actor, action, route, resource, from_revision, to_revision, request_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertChange = `
INSERT INTO audit (at, id, actor, action, route, resource, from_revision, to_revision, request_id, change, department_key, seq)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, seq FROM sqlite_sequence WHERE name = 'events'`
	auditOnly = 9 // values of an entry that is not in the change log
)

func entryArgs(e audit.Entry) []any {
	args := []any{millis(e.At), packID(e.ID), e.Actor, string(e.Action), e.Route, string(e.Resource), e.From, e.To, e.RequestID}
	if e.Change == nil {
		return args
	}
	var department any
	if key := e.Change.Department.Key; key != "" {
		department = string(key)
	}
	return append(args, e.Change.Text(), department)
}
