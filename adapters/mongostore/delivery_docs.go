package mongostore

import (
	"orgd/domain/activity"
	"orgd/domain/webhook"
)

// deliveryDoc is a delivery.
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
}

func deliveryOf(d webhook.Delivery) deliveryDoc {
	return deliveryDoc{
		ID: string(d.ID), Webhook: string(d.Webhook), Event: string(d.EventID), Test: d.Test, Created: millis(d.CreatedAt),
		Status: string(d.Status), Attempt: d.Attempt, Code: d.Last.Code, Failure: string(d.Last.Failure),
		Due: millisOrZero(d.Due), Begun: millisOrZero(d.Begun), Ended: millisOrZero(d.Ended), Mark: d.Mark,
	}
}

func (d deliveryDoc) delivery() (webhook.Delivery, error) {
	return webhook.Delivery{
		ID: webhook.DeliveryID(d.ID), Webhook: webhook.ID(d.Webhook), EventID: activity.ID(d.Event), Test: d.Test,
		CreatedAt: fromMillis(d.Created), Status: webhook.Status(d.Status), Attempt: d.Attempt,
		Last: webhook.Result{Code: d.Code, Failure: webhook.Failure(d.Failure)},
		Due:  fromMillisOrZero(d.Due), Begun: fromMillisOrZero(d.Begun), Ended: fromMillisOrZero(d.Ended), Mark: d.Mark,
	}, nil
}
