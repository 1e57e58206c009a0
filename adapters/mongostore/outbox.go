package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

var _ ports.Outbox = (*Outbox)(nil)

// Outbox keeps deliveries to webhooks.
type Outbox struct{ db *DB }

// NewOutbox returns the outbox in db.
func NewOutbox(db *DB) *Outbox { return &Outbox{db} }

// placeID names the document with the place of the outbox.
const placeID = "outbox"

type placeDoc struct {
	ID    string `bson:"_id"`
	Place int64  `bson:"place"`
}

// Place implements [ports.Outbox].
func (s *Outbox) Place(ctx context.Context) (activity.Seq, error) {
	var d placeDoc
	err := s.db.find(ctx, s.db.coll(metaColl), byKey(placeID), nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return 0, nil
	}
	return activity.Seq(d.Place), err
}

// Record implements [ports.Outbox]. The place moves after the deliveries are
// stored: whoever dies between leaves them to be stored again, under the same
// ids.
func (s *Outbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (bool, error) {
	docs := make([]deliveryDoc, len(deliveries))
	for i, d := range deliveries {
		docs[i] = deliveryOf(d)
	}
	if len(docs) > 0 {
		if err := s.db.reach("outbox.record"); err != nil {
			return false, err
		}
		if err := insertAll(ctx, s.db, deliveriesColl, docs); err != nil {
			return false, err
		}
	}
	if err := s.db.reach("outbox.move"); err != nil {
		return false, err
	}
	if from == 0 {
		if err := s.db.ensure(ctx, metaColl, placeDoc{ID: placeID}); err != nil {
			return false, err
		}
	}
	return s.db.update(ctx, metaColl, bson.D{is("_id", placeID), is("place", int64(from))},
		bson.D{is("$set", bson.D{is("place", int64(to))})})
}

const (
	// glanceAt is how many deliveries are looked at to find out what is due.
	glanceAt = 500
	// fewLanes is for how many webhooks it is as quick to ask for each of them.
	fewLanes = 2
)

// Due implements [ports.Outbox]. It looks at what is due of everybody first:
// mostly that is little, and one query tells all. Behind a backlog it asks for
// each webhook.
func (s *Outbox) Due(ctx context.Context, now time.Time, lanes map[webhook.ID]int) ([]webhook.Delivery, error) {
	if len(lanes) > fewLanes {
		all, err := s.due(ctx, now, glanceAt)
		if err != nil {
			return nil, err
		}
		if len(all) < glanceAt {
			return shareOut(all, lanes), nil
		}
	}
	var due []deliveryDoc
	for id, n := range lanes {
		some, err := s.due(ctx, now, n, is("webhook", string(id)))
		if err != nil {
			return nil, err
		}
		due = append(due, some...)
	}
	return deliveriesOf(due), nil
}

// shareOut gives every webhook as many of the deliveries, which are all that are
// due, as it has lanes.
func shareOut(all []deliveryDoc, lanes map[webhook.ID]int) []webhook.Delivery {
	var due []deliveryDoc
	taken := map[string]int{}
	for _, d := range all {
		if taken[d.Webhook] < lanes[webhook.ID(d.Webhook)] {
			taken[d.Webhook]++
			due = append(due, d)
		}
	}
	return deliveriesOf(due)
}

// due returns what is due longest, at most n.
func (s *Outbox) due(ctx context.Context, now time.Time, n int, filter ...bson.E) (docs []deliveryDoc, err error) {
	opts := options.Find().SetSort(bson.D{is("due", 1)}).SetLimit(int64(n))
	err = s.db.all(ctx, s.db.coll(deliveriesColl), append(filter, is("due", bson.D{is("$lte", millis(now))})), &docs, opts)
	return docs, err
}

// Move implements [ports.Outbox].
func (s *Outbox) Move(ctx context.Context, moves []ports.Move) ([]webhook.Delivery, error) {
	won := make([]bool, len(moves))
	dos := make([]func() error, len(moves))
	for i, m := range moves {
		dos[i] = func() (err error) {
			won[i], err = s.move(ctx, m)
			return err
		}
	}
	err := together(dos...)
	var moved []webhook.Delivery
	for i, m := range moves {
		if won[i] {
			moved = append(moved, m.After)
		}
	}
	return moved, err
}

func (s *Outbox) move(ctx context.Context, m ports.Move) (bool, error) {
	after := deliveryOf(m.After)
	won, err := s.db.update(ctx, deliveriesColl, bson.D{is("_id", after.ID), is("mark", m.Before.Mark)}, after.change())
	if won || err != nil {
		return won, err
	}
	// The driver's first try may have moved it and only its answer was lost.
	var now deliveryDoc
	err = s.db.find(ctx, s.db.coll(deliveriesColl), byKey(after.ID), fields("mark"), &now)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil && now.Mark == after.Mark, err
}

// settle pays what a webhook owes, so that deliveries that were asked for are
// seen.
func (s *Outbox) settle(ctx context.Context, of webhook.ID) error {
	return s.db.settleHome(ctx, home{webhooksColl, string(of)})
}

// Delivery implements [ports.Outbox].
func (s *Outbox) Delivery(ctx context.Context, of webhook.ID, id webhook.DeliveryID) (webhook.Delivery, error) {
	if err := s.settle(ctx, of); err != nil {
		return webhook.Delivery{}, err
	}
	var d deliveryDoc
	err := s.db.find(ctx, s.db.coll(deliveriesColl), bson.D{is("_id", string(id)), is("webhook", string(of))}, nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return webhook.Delivery{}, webhook.ErrNoDelivery.With("delivery %q not found", id)
	}
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d.delivery(), nil
}

// Deliveries implements [ports.Outbox].
func (s *Outbox) Deliveries(ctx context.Context, q webhook.DeliveryQuery) ([]webhook.Delivery, error) {
	if err := s.settle(ctx, q.Webhook); err != nil {
		return nil, err
	}
	filter := bson.D{is("webhook", string(q.Webhook))}
	if q.After != nil {
		filter = append(filter, is("created", bson.D{is("$lte", millis(q.After.At))}),
			behind("$lt", "created", millis(q.After.At), "_id", string(q.After.ID)))
	}
	var docs []deliveryDoc
	opts := options.Find().SetSort(bson.D{is("created", -1), is("_id", -1)}).SetLimit(int64(q.Limit))
	if err := s.db.all(ctx, s.db.coll(deliveriesColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	return deliveriesOf(docs), nil
}

// DeliveredSince implements [ports.Outbox].
func (s *Outbox) DeliveredSince(ctx context.Context, of webhook.ID, since time.Time) (bool, error) {
	filter := bson.D{
		is("webhook", string(of)), is("status", string(webhook.Delivered)),
		is("ended", bson.D{is("$gte", millis(since))}), is("test", false),
	}
	err := s.db.find(ctx, s.db.coll(deliveriesColl), filter, fields("_id"), &deliveryDoc{})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil, err
}

// Backlog implements [ports.Outbox].
func (s *Outbox) Backlog(ctx context.Context, of webhook.ID, limit int) (int, time.Time, error) {
	var first []deliveryDoc
	filter := bson.D{is("webhook", string(of)), exists("due", true)}
	opts := options.Find().SetSort(bson.D{is("due", 1)}).SetLimit(1).SetProjection(fields("due"))
	err := s.db.all(ctx, s.db.coll(deliveriesColl), filter, &first, opts)
	if err != nil || len(first) == 0 {
		return 0, time.Time{}, err
	}
	var n int64
	err = s.db.run(ctx, "count in", deliveriesColl, func(ctx context.Context) (err error) {
		n, err = s.db.coll(deliveriesColl).CountDocuments(ctx, filter, options.Count().SetLimit(int64(limit)))
		return err
	})
	return int(n), fromMillis(first[0].Due), err
}
