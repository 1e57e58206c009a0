package sqlitestore

import (
	"context"
	"database/sql"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Outbox keeps deliveries to webhooks.
type Outbox struct{ db *DB }

const selectPosition = "SELECT position FROM outbox WHERE id = 1"

// Position implements [ports.Outbox].
func (s *Outbox) Position(ctx context.Context) (position activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.position").End(&err)
	err = s.db.Ask(ctx, func(v *sqlite.View) error { return v.Row(selectPosition).Scan(&position) })
	return position, sqlite.Wrap(err, "read the position of the outbox", "")
}

const updatePosition = "UPDATE outbox SET position = ? WHERE id = 1 AND position = ?"

// Record implements [ports.Outbox].
func (s *Outbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (moved bool, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.record").End(&err)
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		n, err := sqlite.Changed(tx.Exec(updatePosition, to, from))
		if err != nil {
			return sqlite.Wrap(err, "move the position of the outbox", "")
		}
		if moved = n > 0; !moved {
			return nil
		}
		for _, d := range deliveries {
			if err := putDelivery(tx, insertDelivery, d); err != nil {
				return err
			}
		}
		return nil
	})
	return moved && err == nil, err
}

// Due implements [ports.Outbox].
func (s *Outbox) Due(ctx context.Context, now time.Time, slots map[webhook.ID]int) (_ []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.due").End(&err)
	due, err := sqlite.Read(ctx, s.db, func(v *sqlite.View) (due []webhook.Delivery, err error) {
		for id, n := range slots {
			more, err := sqlite.Rows(v, selectDue, []any{sqlite.PackID(id), sqlite.Millis(now), n}, scanDelivery)
			if err != nil {
				return nil, err
			}
			due = append(due, more...)
		}
		return due, nil
	})
	return due, sqlite.Wrap(err, "read what is due", "")
}

// Move implements [ports.Outbox].
func (s *Outbox) Move(ctx context.Context, moves []ports.Move) (moved []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.move").End(&err)
	if len(moves) == 0 {
		return nil, nil
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		moved = nil
		for _, m := range moves {
			args := append(deliveryArgs(m.After), sqlite.PackID(m.Before.Mark))
			n, err := sqlite.Changed(tx.Exec(updateDelivery, args...))
			if err != nil {
				return sqlite.Wrap(err, "write delivery", string(m.After.ID))
			}
			if n > 0 {
				moved = append(moved, m.After)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return moved, nil
}

// Delivery implements [ports.Outbox].
func (s *Outbox) Delivery(ctx context.Context, of webhook.ID, id webhook.DeliveryID) (d webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.get").End(&err)
	err = s.db.Ask(ctx, func(v *sqlite.View) error {
		d, err = scanDelivery(v.Row(selectDelivery, sqlite.PackID(id)))
		return err
	})
	if err == nil && d.Webhook != of {
		err = sql.ErrNoRows // it is another webhook's
	}
	if err != nil {
		return webhook.Delivery{}, sqlite.NotFound(err, "delivery", string(id), webhook.ErrNoDelivery)
	}
	return d, nil
}

// Deliveries implements [ports.Outbox].
func (s *Outbox) Deliveries(ctx context.Context, q webhook.DeliveryQuery) (_ []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.list").End(&err)
	query, args := deliveriesQuery(q)
	return sqlite.All(ctx, s.db, "list deliveries", query, args, scanDelivery)
}

const selectDeliveredSince = `
SELECT EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_delivered
WHERE webhook_id = ? AND ended >= ? AND status = 'delivered' AND test = 0)`

// DeliveredSince implements [ports.Outbox].
func (s *Outbox) DeliveredSince(ctx context.Context, of webhook.ID, since time.Time) (found bool, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.delivered").End(&err)
	err = s.db.Ask(ctx, func(v *sqlite.View) error {
		return v.Row(selectDeliveredSince, sqlite.PackID(of), sqlite.Millis(since)).Scan(&found)
	})
	return found, sqlite.Wrap(err, "read deliveries of webhook", string(of))
}

// selectBacklog counts along the index of what is due, from its beginning.
const selectBacklog = `
SELECT count(*), min(due) FROM (SELECT due FROM deliveries INDEXED BY deliveries_due
WHERE webhook_id = ? AND due IS NOT NULL ORDER BY due LIMIT (? + 0))`

// Backlog implements [ports.Outbox].
func (s *Outbox) Backlog(ctx context.Context, of webhook.ID, limit int) (pending int, first time.Time, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.backlog").End(&err)
	var due *int64
	err = s.db.Ask(ctx, func(v *sqlite.View) error {
		return v.Row(selectBacklog, sqlite.PackID(of), limit).Scan(&pending, &due)
	})
	return pending, sqlite.FromMillisOrZero(due), sqlite.Wrap(err, "count deliveries of webhook", string(of))
}

const deliveryColumns = "webhook_id, event_id, change_at, test, created_at, status, attempt, code, failure, due, begun, ended, mark, id"

const (
	insertDelivery = "INSERT INTO deliveries (" + deliveryColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
	upsertDelivery = "INSERT OR REPLACE INTO deliveries (" + deliveryColumns + `)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	updateDelivery = `
UPDATE deliveries SET webhook_id = ?, event_id = ?, change_at = ?, test = ?, created_at = ?, status = ?, attempt = ?, code = ?,
	failure = ?, due = ?, begun = ?, ended = ?, mark = ?
WHERE id = ? AND mark = ?`

	selectDelivery = "SELECT " + deliveryColumns + " FROM deliveries WHERE id = ?"
	selectDue      = "SELECT " + deliveryColumns + ` FROM deliveries INDEXED BY deliveries_due
WHERE webhook_id = ? AND due <= ? ORDER BY due LIMIT (? + 0)`
)

func putDelivery(tx *engine.Tx, statement string, d webhook.Delivery) error {
	_, err := tx.Exec(statement, deliveryArgs(d)...)
	return sqlite.Wrap(err, "write delivery", string(d.ID))
}

// deliveryArgs are the values of the columns.
func deliveryArgs(d webhook.Delivery) []any {
	return []any{
		sqlite.PackID(d.Webhook), sqlite.PackID(d.EventID), sqlite.MillisOrNil(d.ChangeAt), d.Test, sqlite.Millis(d.CreatedAt), string(d.Status), d.Attempt, d.Last.Code,
		string(d.Last.Failure), sqlite.MillisOrNil(d.Due), sqlite.MillisOrNil(d.Begun), sqlite.MillisOrNil(d.Ended), sqlite.PackID(d.Mark), sqlite.PackID(d.ID),
	}
}

func scanDelivery(r sqlite.Row) (d webhook.Delivery, err error) {
	var id, of, event, mark []byte
	var created int64
	var change, due, begun, ended *int64
	err = r.Scan(&of, &event, &change, &d.Test, &created, &d.Status, &d.Attempt, &d.Last.Code,
		&d.Last.Failure, &due, &begun, &ended, &mark, &id)
	d.ID, d.Webhook, d.EventID = webhook.DeliveryID(sqlite.UnpackID(id)), webhook.ID(sqlite.UnpackID(of)), activity.ID(sqlite.UnpackID(event))
	d.CreatedAt, d.ChangeAt, d.Mark = sqlite.FromMillis(created), sqlite.FromMillisOrZero(change), sqlite.UnpackID(mark)
	d.Due, d.Begun, d.Ended = sqlite.FromMillisOrZero(due), sqlite.FromMillisOrZero(begun), sqlite.FromMillisOrZero(ended)
	return d, err
}

// deliveriesQuery reads along the index of a webhook's list.
func deliveriesQuery(q webhook.DeliveryQuery) (string, []any) {
	var f sqlite.Filter
	f.And("webhook_id = ?", sqlite.PackID(q.Webhook))
	if q.After != nil {
		f.And("(created_at, id) < (?, ?)", sqlite.Millis(q.After.At), sqlite.PackID(q.After.ID))
	}
	return "SELECT " + deliveryColumns + " FROM deliveries INDEXED BY deliveries_list" + f.Where() +
		" ORDER BY created_at DESC, id DESC LIMIT (? + 0)", append(f.Args, q.Limit)
}
