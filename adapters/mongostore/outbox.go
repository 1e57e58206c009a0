package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Outbox keeps deliveries to webhooks.
type Outbox struct{ db *DB }

// outboxID names the document with the position of the outbox in the log.
type positionDoc struct {
	ID       string `bson:"_id"`
	Position int64  `bson:"position"`
}

// Position implements [ports.Outbox].
func (s *Outbox) Position(ctx context.Context) (_ activity.Seq, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.position").End(&err)
	return position(s.db.ask(ctx))
}

func position(r reader) (activity.Seq, error) {
	d, err := singleton[positionDoc](r, outboxID)
	return activity.Seq(d.Position), err
}

// recordAtOnce bounds the deliveries of one transaction.
const recordAtOnce = 1000

// Record implements [ports.Outbox]. The position is written with the
// last of the deliveries: a process that is killed before records the same again.
func (s *Outbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (moved bool, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.record").End(&err)
	for {
		n := min(len(deliveries), recordAtOnce)
		if moved, err = s.record(ctx, from, to, deliveries[:n], n == len(deliveries)); !moved || err != nil {
			return false, err
		}
		if deliveries = deliveries[n:]; len(deliveries) == 0 {
			return true, nil
		}
	}
}

func (s *Outbox) record(ctx context.Context, from, to activity.Seq, some []webhook.Delivery, last bool) (ours bool, err error) {
	return write(ctx, s.db.engine, func(t *tx) (bool, error) {
		position, err := position(t)
		if err != nil || position != from {
			return false, err
		}
		marks, err := marksOf(t, some, func(d webhook.Delivery) webhook.DeliveryID { return d.ID })
		if err != nil {
			return false, err
		}
		for _, d := range some {
			if _, known := marks[string(d.ID)]; !known {
				marks[string(d.ID)] = d.Mark
				t.insert(deliveriesColl, deliveryOf(d), nil)
			}
		}
		if last {
			t.update(metaColl, outboxID, mongodb.Set(mongodb.Is("position", int64(to))), nil)
		}
		return true, nil
	})
}

// marksOf returns the marks of those deliveries that are stored.
func marksOf[T any](r reader, some []T, id func(T) webhook.DeliveryID) (map[string]string, error) {
	ids := make([]string, len(some))
	for i, d := range some {
		ids[i] = string(id(d))
	}
	docs, err := all[deliveryDoc](r, deliveriesColl, bson.D{mongodb.In("_id", ids)}, options.Find().SetProjection(mongodb.By("mark")))
	marks := make(map[string]string, len(docs))
	for _, d := range docs {
		marks[d.ID] = d.Mark
	}
	return marks, err
}

const (
	// dueAtOnce bounds the query for what is due of all webhooks.
	dueAtOnce = 500
	// fewWebhooks is up to how many webhooks one query for each is as fast.
	fewWebhooks = 2
)

// Due implements [ports.Outbox]. The first query is for all webhooks:
// mostly little is due. If there is a backlog, there is one for each webhook.
func (s *Outbox) Due(ctx context.Context, now time.Time, slots map[webhook.ID]int) (_ []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.due").End(&err)
	if len(slots) > fewWebhooks {
		found, err := s.due(ctx, now, dueAtOnce)
		if err != nil {
			return nil, err
		}
		if len(found) < dueAtOnce {
			return limitEach(found, slots), nil
		}
	}
	var due []webhook.Delivery
	for id, n := range slots {
		some, err := s.due(ctx, now, n, mongodb.Is("webhook", string(id)))
		if err != nil {
			return nil, err
		}
		due = append(due, some...)
	}
	return due, nil
}

// limitEach gives every webhook as many of the deliveries, which are all that are
// due, as it has slots.
func limitEach(found []webhook.Delivery, slots map[webhook.ID]int) (due []webhook.Delivery) {
	taken := map[webhook.ID]int{}
	for _, d := range found {
		if taken[d.Webhook] < slots[d.Webhook] {
			taken[d.Webhook]++
			due = append(due, d)
		}
	}
	return due
}

// due returns what is due longest, at most n.
func (s *Outbox) due(ctx context.Context, now time.Time, n int, filter ...bson.E) ([]webhook.Delivery, error) {
	return every(s.db.ask(ctx), deliveriesColl, append(filter, mongodb.Compare("due", "$lte", mongodb.Millis(now))),
		deliveryDoc.delivery, first(n, "due"))
}

// Move implements [ports.Outbox].
func (s *Outbox) Move(ctx context.Context, moves []ports.Move) (_ []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.move").End(&err)
	if len(moves) == 0 {
		return nil, nil
	}
	return write(ctx, s.db.engine, func(t *tx) (moved []webhook.Delivery, err error) {
		marks, err := marksOf(t, moves, func(m ports.Move) webhook.DeliveryID { return m.Before.ID })
		if err != nil {
			return nil, err
		}
		for _, m := range moves {
			id := string(m.After.ID)
			if mark, there := marks[id]; !there || mark != m.Before.Mark {
				continue
			}
			marks[id] = m.After.Mark
			t.replace(deliveriesColl, id, deliveryOf(m.After), nil)
			moved = append(moved, m.After)
		}
		return moved, nil
	})
}

// Delivery implements [ports.Outbox].
func (s *Outbox) Delivery(ctx context.Context, of webhook.ID, id webhook.DeliveryID) (_ webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.get").End(&err)
	d, err := get(s.db.ask(ctx), deliveriesColl, bson.D{mongodb.Is("_id", string(id)), mongodb.Is("webhook", string(of))}, deliveryDoc.delivery)
	return d, mongodb.NotFound(err, "delivery", string(id), webhook.ErrNoDelivery)
}

// Deliveries implements [ports.Outbox].
func (s *Outbox) Deliveries(ctx context.Context, q webhook.DeliveryQuery) (_ []webhook.Delivery, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.list").End(&err)
	filter := bson.D{mongodb.Is("webhook", string(q.Webhook))}
	if q.After != nil {
		filter = append(filter, mongodb.Compare("created", "$lte", mongodb.Millis(q.After.At)),
			mongodb.Behind("$lt", "created", mongodb.Millis(q.After.At), "$lt", "_id", string(q.After.ID)))
	}
	return every(s.db.ask(ctx), deliveriesColl, filter, deliveryDoc.delivery, first(q.Limit, "-created", "-_id"))
}

// DeliveredSince implements [ports.Outbox].
func (s *Outbox) DeliveredSince(ctx context.Context, of webhook.ID, since time.Time) (_ bool, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.delivered").End(&err)
	d, err := oneOrZero[deliveryDoc](s.db.ask(ctx), deliveriesColl, bson.D{
		mongodb.Is("webhook", string(of)), mongodb.Is("status", string(webhook.Delivered)),
		mongodb.Compare("ended", "$gte", mongodb.Millis(since)), mongodb.Is("test", false),
	}, options.FindOne().SetProjection(mongodb.By("_id")))
	return d.ID != "", err
}

// Backlog implements [ports.Outbox].
func (s *Outbox) Backlog(ctx context.Context, of webhook.ID, limit int) (_ int, _ time.Time, err error) {
	defer s.db.observer.Begin(&ctx, "outbox.backlog").End(&err)
	docs, err := all[deliveryDoc](s.db.ask(ctx), deliveriesColl, bson.D{mongodb.Is("webhook", string(of)), mongodb.Exists("due", true)},
		first(limit, "due").SetProjection(mongodb.By("due")))
	if err != nil || len(docs) == 0 {
		return 0, time.Time{}, err
	}
	return len(docs), mongodb.FromMillis(docs[0].Due), nil
}
