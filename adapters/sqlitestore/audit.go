package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

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
	return all(ctx, s.db, "read audit entries", query, args, func(r Row) (audit.Entry, error) { return scanEntry(r) })
}

// Changes implements [ports.AuditLog].
func (s *Audit) Changes(ctx context.Context, at []audit.Position) (_ map[string]audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.changes").End(&err)
	return read(ctx, s.db, func(v *View) (map[string]audit.Entry, error) {
		found := map[string]audit.Entry{}
		for _, p := range at {
			e, err := scanEntry(v.Row(selectChange, millis(p.At), packID(p.ID)))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return nil, wrap(err, "read audit entry", p.ID)
			}
			found[p.ID] = e
		}
		return found, nil
	})
}

const (
	entryColumns  = "at, id, actor, action, route, resource, from_revision, to_revision, request_id"
	selectEntries = "SELECT " + entryColumns + ", NULL FROM audit"
	selectChanges = "SELECT " + entryColumns + ", change FROM changes"
	selectChange  = selectChanges + " WHERE at = ? AND id = ?"
)

// entriesQuery reads from the position where the page before ended. The two tables have
// a query each: SQLite merges what they find, and reads no more than the page.
func entriesQuery(q audit.Query) (string, []any) {
	f, index := entriesFilter(q)
	if q.Department != "" {
		f.and("department_key = ?", string(q.Department))
	}
	among(&f, "action", q.Actions)
	query, args := selectChanges+" INDEXED BY changes_"+cmp.Or(index, "time")+f.where(), f.args
	if q.Part != audit.OnlyChanges {
		others, index := entriesFilter(q)
		if q.Part == audit.WithoutReports {
			others.and("resource > 'activities'") // the least of all resources
			index = cmp.Or(index, "others")
		}
		if q.Actor != "" && q.Resource == "" {
			index = "actor"
		}
		if index != "" {
			index = " INDEXED BY audit_" + index
		}
		query, args = query+" UNION ALL "+selectEntries+index+others.where(), append(args, others.args...)
	}
	return query + " ORDER BY at DESC, id DESC LIMIT (? + 0)", append(args, q.Limit)
}

// entriesFilter returns what holds for the entries of a query in both tables, and the
// index to follow if there is a better one than that by time: a resource has few entries.
func entriesFilter(q audit.Query) (f filter, index string) {
	if q.Actor != "" {
		f.and("actor = ?", q.Actor)
	}
	if q.Resource != "" {
		index = "resource"
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

// scanEntry scans an entry, behind other columns.
func scanEntry(r Row, first ...any) (e audit.Entry, err error) {
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
		seq, err := tx.number()
		if err != nil {
			return err
		}
		insert, entry, tx.logged = insertChange, append(entry, seq), true
	}
	_, err := tx.Exec(insert, entry...)
	return wrap(err, "write audit entry", "")
}

const (
	insertEntry  = "INSERT INTO audit (" + entryColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
	insertChange = "INSERT INTO changes (" + entryColumns + ", department_key, change, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	auditOnly    = 9 // values of an entry that is not in the change log
)

func entryArgs(e audit.Entry) []any {
	args := []any{millis(e.At), packID(e.ID), e.Actor, string(e.Action), e.Route, string(e.Resource), e.From, e.To, e.RequestID}
	if e.Change != nil {
		args = append(args, string(e.Change.Department.Key), e.Change.Text())
	}
	return args
}
