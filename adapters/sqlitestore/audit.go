package sqlitestore

import (
	"context"

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

// entriesQuery reads along one index, from the position where the page before
// ended. A resource has far fewer entries than an actor, so that is the one to
// follow if both are given.
func entriesQuery(q audit.Query) (string, []any) {
	var f filter
	index := ""
	if q.Actor != "" {
		index = " INDEXED BY audit_actor"
		f.and("actor = ?", q.Actor)
	}
	if q.Resource != "" {
		index = " INDEXED BY audit_resource"
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
	return "SELECT at, id, actor, route, resource, from_revision, to_revision, request_id FROM audit" +
		index + f.where() + " ORDER BY at DESC, id DESC LIMIT (? + 0)", append(f.args, q.Limit)
}

func scanEntry(r Row) (e audit.Entry, err error) {
	var at int64
	var id []byte
	err = r.Scan(&at, &id, &e.Actor, &e.Route, &e.Resource, &e.From, &e.To, &e.RequestID)
	e.At, e.ID = fromMillis(at), unpackID(id)
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
	_, err := tx.Exec(insertEntry, entry...)
	return wrap(err, "write audit entry", "")
}

const insertEntry = `
INSERT INTO audit (at, id, actor, route, resource, from_revision, to_revision, request_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

func entryArgs(e audit.Entry) []any {
	return []any{millis(e.At), packID(e.ID), e.Actor, e.Route, string(e.Resource), e.From, e.To, e.RequestID}
}
