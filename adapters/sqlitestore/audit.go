package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/ports"
)

// Audit reads the trail of changes.
type Audit struct{ db *DB }

// Entries implements [ports.AuditLog].
func (s *Audit) Entries(ctx context.Context, q audit.Query) (_ []audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.list").End(&err)
	if q.Actor != "" || q.Resource != "" || q.Department != "" || len(q.Actions) > 0 {
		entries, err := sqlite.Read(ctx, s.db, func(v *sqlite.View) ([]audit.Entry, error) { return filteredEntries(v, q) })
		return entries, sqlite.Wrap(err, "read audit entries", "")
	}
	query, args := entriesQuery(q)
	return sqlite.All(ctx, s.db, "read audit entries", query, args, func(r sqlite.Row) (audit.Entry, error) { return scanEntry(r) })
}

// Changes implements [ports.AuditLog].
func (s *Audit) Changes(ctx context.Context, at []audit.Position) (_ map[string]audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.changes").End(&err)
	return sqlite.Read(ctx, s.db, func(v *sqlite.View) (map[string]audit.Entry, error) {
		found := map[string]audit.Entry{}
		for _, p := range at {
			e, err := scanEntry(v.Row(selectChange, sqlite.Millis(p.At), sqlite.PackID(p.ID)))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return nil, sqlite.Wrap(err, "read audit entry", p.ID)
			}
			found[p.ID] = e
		}
		return found, nil
	})
}

// After implements [ports.AuditLog]. Nothing is cut off but what is deleted.
func (s *Audit) After(ctx context.Context, position activity.Seq, limit int) (page ports.AuditPage, err error) {
	defer s.db.observer.Begin(&ctx, "audit.after").End(&err)
	page, err = sqlite.Read(ctx, s.db, func(v *sqlite.View) (page ports.AuditPage, err error) {
		if page.Next, err = engine.Head(v); err != nil {
			return page, err
		}
		if position < 0 || position > page.Next {
			return page, activity.ErrTooOld
		}
		var seq activity.Seq
		page.Entries, err = sqlite.Rows(v, selectLoggedEntries, []any{position, limit}, func(r sqlite.Row) (audit.Entry, error) {
			return scanEntry(r, (*int64)(&seq))
		})
		if len(page.Entries) == limit {
			page.Next, page.More = seq, true
		}
		return page, err
	})
	if errors.Is(err, activity.ErrTooOld) {
		return page, err
	}
	return page, sqlite.Wrap(err, "read the audit trail", "")
}

// From implements [ports.AuditLog].
func (s *Audit) From(ctx context.Context, p audit.Position, limit int) (_ []audit.Entry, err error) {
	defer s.db.observer.Begin(&ctx, "audit.from").End(&err)
	return sqlite.All(ctx, s.db, "read audit entries", selectEntriesFrom, []any{sqlite.Millis(p.At), sqlite.PackID(p.ID), limit},
		func(r sqlite.Row) (audit.Entry, error) { return scanEntry(r) })
}

// OnCommit implements [ports.AuditLog].
func (s *Audit) OnCommit(f func([]audit.Entry)) { s.db.told = f }

const (
	selectLoggedEntries = "SELECT seq, " + entryColumns + ", change FROM changes WHERE seq > ?1 UNION ALL SELECT seq, " + entryColumns +
		", NULL FROM audit WHERE seq > ?1 ORDER BY seq LIMIT (?2 + 0)"
	selectEntriesFrom = selectChanges + " INDEXED BY changes_time WHERE (at, id) > (?1, ?2) UNION ALL " +
		selectEntries + " INDEXED BY audit_others WHERE (at, id) > (?1, ?2) AND " + notReports + " UNION ALL " +
		selectEntries + " INDEXED BY audit_resource WHERE (at, id) > (?1, ?2) AND " + onlyReports + " ORDER BY at, id LIMIT (?3 + 0)"
)

// update stores the change that decide makes of what the transaction finds: its trail
// and, if it is effective, what put writes.
func update[C interface{ Effective() bool }](ctx context.Context, db *DB,
	decide func(*engine.Tx) (C, ports.Trail, error), put func(*engine.Tx, C) error,
) (C, error) {
	var step C
	err := db.Write(ctx, func(tx *engine.Tx) (err error) {
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
func putTrail(tx *engine.Tx, t ports.Trail, effective bool) error {
	if !effective {
		return putRecord(tx, t.Idempotency)
	}
	return putEntry(tx, t.Idempotency, newAuditRow(t.Audit))
}

// putEntry stores a trail whose audit entry has become a row.
func putEntry(tx *engine.Tx, r *idempotency.Record, entry auditRow) error {
	if err := putRecord(tx, r); err != nil {
		return err
	}
	seq, err := tx.Number()
	if err != nil {
		return err
	}
	c := &tx.Changed
	c.Logged, c.Entries, c.Trail = true, append(c.Entries, entry.numbered(seq)), append(c.Trail, entry.entry)
	_, err = tx.Exec(entry.insert, append(entry.values, seq)...)
	return sqlite.Wrap(err, "write audit entry", "")
}

const (
	insertEntry  = "INSERT INTO audit (" + entryColumns + ", seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	insertChange = "INSERT INTO changes (" + entryColumns + ", department_key, change, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

// auditRow is an entry and how it is stored: the statement, its values without the number, and what a
// block has of it.
type auditRow struct {
	entry   audit.Entry
	insert  string
	values  []any
	blocked memory.BlockRow
}

func newAuditRow(e audit.Entry) auditRow {
	row := auditRow{
		entry:  e,
		insert: insertEntry,
		values: append(make([]any, 0, 12), // with the number that the writer gives it
			sqlite.Millis(e.At), sqlite.PackID(e.ID), e.Actor, string(e.Action), e.Route, string(e.Resource), e.From, e.To, e.RequestID),
		blocked: memory.BlockRow{At: sqlite.Millis(e.At), Digest: newDigest(e.Actor, e.Resource, e.Action)},
	}
	if e.Change != nil {
		row.insert = insertChange
		row.values = append(row.values, string(e.Change.Department.Key), e.Change.Text())
		row.blocked.Digest = ofChange(row.blocked.Digest, e.Change.Department.Key)
	}
	return row
}

// numbered returns what a block has of the entry with a number.
func (r auditRow) numbered(seq activity.Seq) memory.BlockRow {
	r.blocked.Seq = int64(seq)
	return r.blocked
}
