package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

var _ ports.Outbox = (*Outbox)(nil)

// Outbox keeps deliveries to webhooks.
type Outbox struct{ db *DB }

const selectPlace = "SELECT place FROM outbox WHERE id = 1"

// Position implements [ports.Outbox].
func (s *Outbox) Position(ctx context.Context) (place activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.place").End(&err)
	err = s.db.Ask(ctx, func(v *View) error { return v.Row(selectPlace).Scan(&place) })
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: read the place of the outbox: %w", err)
	}
	return place, nil
}

const updatePlace = "UPDATE outbox SET place = ? WHERE id = 1 AND place = ?"

// Record implements [ports.Outbox].
func (s *Outbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (moved bool, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.record").End(&err)
	err = s.db.Write(ctx, func(tx *Tx) error {
		n, err := changed(tx.Exec(updatePlace, to, from))
		if err != nil {
			return fmt.Errorf("sqlitestore: move the place of the outbox: %w", err)
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
func (s *Outbox) Due(ctx context.Context, now time.Time, slots map[webhook.ID]int) (due []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.due").End(&err)
	err = s.db.Read(ctx, func(v *View) error {
		for id, n := range slots {
			err := v.Each(selectDue, []any{packID(id), millis(now), n}, func(r Row) error {
				d, err := scanDelivery(r)
				due = append(due, d)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read what is due: %w", err)
	}
	return due, nil
}

// Move implements [ports.Outbox].
func (s *Outbox) Move(ctx context.Context, moves []ports.Move) (moved []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.move").End(&err)
	if len(moves) == 0 {
		return nil, nil
	}
	err = s.db.Write(ctx, func(tx *Tx) error {
		moved = nil
		for _, m := range moves {
			args := append(deliveryArgs(m.After), packID(m.Before.Mark))
			n, err := changed(tx.Exec(updateDelivery, args...))
			if err != nil {
				return fmt.Errorf("sqlitestore: write delivery %s: %w", m.After.ID, err)
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

// changed returns how many rows a statement has changed.
func changed(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Delivery implements [ports.Outbox].
func (s *Outbox) Delivery(ctx context.Context, of webhook.ID, id webhook.DeliveryID) (d webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.get").End(&err)
	err = s.db.Read(ctx, func(v *View) error {
		d, err = scanDelivery(v.Row(selectDelivery, packID(id)))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) || err == nil && d.Webhook != of {
		return webhook.Delivery{}, webhook.ErrNoDelivery.With("delivery %q not found", id)
	}
	if err != nil {
		return webhook.Delivery{}, fmt.Errorf("sqlitestore: read delivery %s: %w", id, err)
	}
	return d, nil
}

// Deliveries implements [ports.Outbox].
func (s *Outbox) Deliveries(ctx context.Context, q webhook.DeliveryQuery) (list []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.list").End(&err)
	query, args := deliveriesQuery(q)
	err = s.db.Read(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			d, err := scanDelivery(r)
			list = append(list, d)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: list deliveries: %w", err)
	}
	return list, nil
}

const selectDeliveredSince = `
SELECT EXISTS (SELECT 1 FROM deliveries INDEXED BY deliveries_delivered
WHERE webhook_id = ? AND ended >= ? AND status = 'delivered' AND test = 0)`

// DeliveredSince implements [ports.Outbox].
func (s *Outbox) DeliveredSince(ctx context.Context, of webhook.ID, since time.Time) (found bool, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.delivered").End(&err)
	err = s.db.Read(ctx, func(v *View) error {
		return v.Row(selectDeliveredSince, packID(of), millis(since)).Scan(&found)
	})
	if err != nil {
		return false, fmt.Errorf("sqlitestore: read deliveries of webhook %s: %w", of, err)
	}
	return found, nil
}

// selectBacklog counts along the index of what is due, from its beginning.
const selectBacklog = `
SELECT count(*), min(due) FROM (SELECT due FROM deliveries INDEXED BY deliveries_due
WHERE webhook_id = ? AND due IS NOT NULL ORDER BY due LIMIT (? + 0))`

// Backlog implements [ports.Outbox].
func (s *Outbox) Backlog(ctx context.Context, of webhook.ID, limit int) (pending int, first time.Time, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.backlog").End(&err)
	var due *int64
	err = s.db.Read(ctx, func(v *View) error {
		return v.Row(selectBacklog, packID(of), limit).Scan(&pending, &due)
	})
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("sqlitestore: count deliveries of webhook %s: %w", of, err)
	}
	return pending, fromMillisOrZero(due), nil
}
