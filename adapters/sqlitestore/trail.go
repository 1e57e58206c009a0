package sqlitestore

import (
	"fmt"

	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/ports"
)

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
	if _, err := tx.Exec(insertEntry, entry...); err != nil {
		return fmt.Errorf("sqlitestore: write audit entry: %w", err)
	}
	return nil
}

const insertEntry = `
INSERT INTO audit (at, id, actor, route, resource, from_revision, to_revision, request_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

func entryArgs(e audit.Entry) []any {
	return []any{millis(e.At), packID(e.ID), e.Actor, e.Route, string(e.Resource), e.From, e.To, e.RequestID}
}

// upsertRecord takes over a key whose record has expired, and no other.
const upsertRecord = `
INSERT INTO receipts (key, fingerprint, at, departments, status, body, etag, location)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
	fingerprint = excluded.fingerprint, at = excluded.at,
	departments = excluded.departments, status = excluded.status,
	body = excluded.body, etag = excluded.etag, location = excluded.location
WHERE receipts.at < ?`

// putRecord stores an idempotency record, if there is one. It returns
// idempotency.ErrRunning if its key has a record already.
func putRecord(tx *Tx, r *idempotency.Record) error {
	if r == nil {
		return nil
	}
	args := []any{string(r.Key), r.Fingerprint, millis(r.At), joinKeys(r.Departments), nil, nil, nil, nil}
	if r.Reply != nil {
		args = append(args[:4], r.Reply.Status, r.Reply.Body, r.Reply.ETag, r.Reply.Location)
	}
	res, err := tx.Exec(upsertRecord, append(args, millis(r.At.Add(-idempotency.Kept)))...)
	if err != nil {
		return fmt.Errorf("sqlitestore: write idempotency record: %w", err)
	}
	stored, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("sqlitestore: write idempotency record: %w", err)
	}
	if stored == 0 {
		return idempotency.ErrRunning
	}
	return nil
}
