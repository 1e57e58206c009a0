package sqlitestore

import (
	"fmt"
	"time"

	"orgd/domain/activity"
	"orgd/domain/webhook"
)

const deliveryColumns = "webhook_id, event_id, test, created_at, status, attempt, code, failure, due, begun, ended, mark, id"

const (
	insertDelivery = "INSERT INTO deliveries (" + deliveryColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
	upsertDelivery = "INSERT OR REPLACE INTO deliveries (" + deliveryColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	updateDelivery = `
UPDATE deliveries SET webhook_id = ?, event_id = ?, test = ?, created_at = ?, status = ?, attempt = ?, code = ?,
	failure = ?, due = ?, begun = ?, ended = ?, mark = ?
WHERE id = ? AND mark = ?`

	selectDelivery = "SELECT " + deliveryColumns + " FROM deliveries WHERE id = ?"
	selectDue      = "SELECT " + deliveryColumns + ` FROM deliveries INDEXED BY deliveries_due
WHERE webhook_id = ? AND due <= ? ORDER BY due LIMIT (? + 0)`
)

func putDelivery(tx *Tx, statement string, d webhook.Delivery) error {
	if _, err := tx.Exec(statement, deliveryArgs(d)...); err != nil {
		return fmt.Errorf("sqlitestore: write delivery %s: %w", d.ID, err)
	}
	return nil
}

// deliveryArgs are the values of the columns.
func deliveryArgs(d webhook.Delivery) []any {
	return []any{
		packID(d.Webhook), packID(d.EventID), d.Test, millis(d.CreatedAt), string(d.Status), d.Attempt, d.Last.Code,
		string(d.Last.Failure), millisOrNil(d.Due), millisOrNil(d.Begun), millisOrNil(d.Ended), packID(d.Mark), packID(d.ID),
	}
}

func scanDelivery(r Row) (d webhook.Delivery, err error) {
	var id, of, event, mark []byte
	var created int64
	var due, begun, ended *int64
	err = r.Scan(&of, &event, &d.Test, &created, &d.Status, &d.Attempt, &d.Last.Code,
		&d.Last.Failure, &due, &begun, &ended, &mark, &id)
	d.ID, d.Webhook, d.EventID = webhook.DeliveryID(unpackID(id)), webhook.ID(unpackID(of)), activity.ID(unpackID(event))
	d.CreatedAt, d.Mark = fromMillis(created), unpackID(mark)
	d.Due, d.Begun, d.Ended = fromMillisOrZero(due), fromMillisOrZero(begun), fromMillisOrZero(ended)
	return d, err
}

// millisOrNil is the stored form of a time that may be zero.
func millisOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return millis(t)
}

// fromMillisOrZero returns the time of its stored form.
func fromMillisOrZero(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return fromMillis(*ms)
}

// deliveriesQuery reads along the index of a webhook's list.
func deliveriesQuery(q webhook.DeliveryQuery) (string, []any) {
	var f filter
	f.and("webhook_id = ?", packID(q.Webhook))
	if q.After != nil {
		f.and("(created_at, id) < (?, ?)", millis(q.After.At), packID(q.After.ID))
	}
	return "SELECT " + deliveryColumns + " FROM deliveries INDEXED BY deliveries_list" + f.where() +
		" ORDER BY created_at DESC, id DESC LIMIT (? + 0)", append(f.args, q.Limit)
}
