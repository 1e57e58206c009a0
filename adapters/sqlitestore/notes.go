package sqlitestore

import (
	"fmt"

	"orgd/domain/audit"
	"orgd/domain/receipt"
	"orgd/ports"
)

// leave stores the note of an effective change.
func leave(tx *Tx, n ports.Note) error {
	return leaveEntry(tx, n.Receipt, entryArgs(n.Audit))
}

// leaveEntry stores a note whose audit entry has become values.
func leaveEntry(tx *Tx, r *receipt.Receipt, entry []any) error {
	if err := putReceipt(tx, r); err != nil {
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

// upsertReceipt takes over a key whose receipt has had its time, and no other.
const upsertReceipt = `
INSERT INTO receipts (key, fingerprint, at, departments, status, body, etag, location)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
	fingerprint = excluded.fingerprint, at = excluded.at,
	departments = excluded.departments, status = excluded.status,
	body = excluded.body, etag = excluded.etag, location = excluded.location
WHERE receipts.at < ?`

// putReceipt stores a receipt, if there is one. It returns receipt.ErrRunning
// if its key has a receipt already.
func putReceipt(tx *Tx, r *receipt.Receipt) error {
	if r == nil {
		return nil
	}
	args := []any{string(r.Key), r.Fingerprint, millis(r.At), joinKeys(r.Departments), nil, nil, nil, nil}
	if r.Reply != nil {
		args = append(args[:4], r.Reply.Status, r.Reply.Body, r.Reply.ETag, r.Reply.Location)
	}
	res, err := tx.Exec(upsertReceipt, append(args, millis(r.At.Add(-receipt.Kept)))...)
	if err != nil {
		return fmt.Errorf("sqlitestore: write receipt: %w", err)
	}
	stored, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("sqlitestore: write receipt: %w", err)
	}
	if stored == 0 {
		return receipt.ErrRunning
	}
	return nil
}
