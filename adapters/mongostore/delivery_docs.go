package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
	"orgd/domain/webhook"
)

// deliveryDoc is a delivery. Its changes need no home: each is one write under
// the condition of its mark.
type deliveryDoc struct {
	ID      string `bson:"_id"`
	Webhook string `bson:"webhook"`
	Event   string `bson:"event"`
	Test    bool   `bson:"test"`
	Created int64  `bson:"created"`
	Status  string `bson:"status"`
	Attempt int    `bson:"attempt"`
	Code    int    `bson:"code"`
	Failure string `bson:"failure"`
	Due     int64  `bson:"due,omitempty"` // only pending ones have it, which keeps its index small
	Begun   int64  `bson:"begun"`         // 0: not yet
	Ended   int64  `bson:"ended"`         // 0: not yet
	Mark    string `bson:"mark"`
	// Asked is the change by which the delivery was made or asked for again, if
	// it was one.
	Asked string `bson:"asked"`
	// AskedAt counts the writes of the webhook up to that change.
	AskedAt int64 `bson:"asked_at,omitempty"`
}

func deliveryOf(d webhook.Delivery) deliveryDoc {
	return deliveryDoc{
		ID: string(d.ID), Webhook: string(d.Webhook), Event: string(d.EventID), Test: d.Test, Created: millis(d.CreatedAt),
		Status: string(d.Status), Attempt: d.Attempt, Code: d.Last.Code, Failure: string(d.Last.Failure),
		Due: millisOrZero(d.Due), Begun: millisOrZero(d.Begun), Ended: millisOrZero(d.Ended), Mark: d.Mark,
	}
}

func (d deliveryDoc) delivery() webhook.Delivery {
	return webhook.Delivery{
		ID: webhook.DeliveryID(d.ID), Webhook: webhook.ID(d.Webhook), EventID: activity.ID(d.Event), Test: d.Test,
		CreatedAt: fromMillis(d.Created), Status: webhook.Status(d.Status), Attempt: d.Attempt,
		Last: webhook.Result{Code: d.Code, Failure: webhook.Failure(d.Failure)},
		Due:  fromMillisOrZero(d.Due), Begun: fromMillisOrZero(d.Begun), Ended: fromMillisOrZero(d.Ended), Mark: d.Mark,
	}
}

func deliveriesOf(docs []deliveryDoc) []webhook.Delivery {
	list := make([]webhook.Delivery, len(docs))
	for i, d := range docs {
		list[i] = d.delivery()
	}
	return list
}

// change is the update that makes a delivery what d says; what a delivery keeps
// for ever is not among it.
func (d deliveryDoc) change(more ...bson.E) bson.D {
	set := append(bson.D{
		is("status", d.Status), is("attempt", d.Attempt), is("code", d.Code), is("failure", d.Failure),
		is("begun", d.Begun), is("ended", d.Ended), is("mark", d.Mark),
	}, more...)
	if d.Due == 0 {
		return bson.D{is("$set", set), is("$unset", bson.D{is("due", "")})}
	}
	return bson.D{is("$set", append(set, is("due", d.Due)))}
}

// payDelivery stores a delivery that the change op has made or asked for again,
// once: later attempts are not undone by whoever pays late, nor is what a later
// change has asked for.
func (db *DB) payDelivery(ctx context.Context, op string, d deliveryDoc) error {
	d.Asked = op
	stored, err := db.insert(ctx, deliveriesColl, d)
	if stored || err != nil {
		return err
	}
	later := bson.D{is("$not", bson.D{is("$gte", d.AskedAt)})} // than what is there, which may have none
	_, err = db.update(ctx, deliveriesColl, bson.D{is("_id", d.ID), is("asked", bson.D{is("$ne", op)}), is("asked_at", later)},
		d.change(is("asked", op), is("asked_at", d.AskedAt)))
	return err
}

// millisOrZero is the stored form of a time that may be zero.
func millisOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t)
}

// fromMillisOrZero returns the time of its stored form.
func fromMillisOrZero(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return fromMillis(ms)
}
