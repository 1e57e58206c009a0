package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Webhooks keeps webhooks.
type Webhooks struct{ db *DB }

type webhookDoc struct {
	ID       string `bson:"_id"`
	Doc      string `bson:"doc"`
	Secrets  string `bson:"secrets"`
	Since    int64  `bson:"since"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
}

func webhookOf(w webhook.Webhook) webhookDoc {
	return webhookDoc{
		ID: string(w.ID), Doc: string(w.Canonical()), Secrets: string(w.Secrets.Stored()), Since: int64(w.Since),
		Revision: w.Revision, Created: mongodb.Millis(w.CreatedAt), Updated: mongodb.Millis(w.UpdatedAt),
	}
}

func (d webhookDoc) webhook() (webhook.Webhook, error) {
	w, err := webhook.Parse([]byte(d.Doc))
	if err == nil {
		w.Secrets, err = webhook.ParseSecrets([]byte(d.Secrets))
	}
	if err != nil {
		return webhook.Webhook{}, fmt.Errorf("mongostore: read webhook %s: %w", d.ID, err)
	}
	w.ID, w.Since, w.Revision = webhook.ID(d.ID), activity.Seq(d.Since), d.Revision
	w.CreatedAt, w.UpdatedAt = mongodb.FromMillis(d.Created), mongodb.FromMillis(d.Updated)
	return w, nil
}

// Create implements [ports.WebhookStore].
func (s *Webhooks) Create(ctx context.Context, step ports.WebhookChange) (err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.create").End(&err)
	return s.db.write(ctx, func(t *tx) error {
		t.addTrail(step.Trail, true)
		t.insert(webhooksColl, webhookOf(step.State), nil)
		return nil
	})
}

// Update implements [ports.WebhookStore].
func (s *Webhooks) Update(ctx context.Context, id webhook.ID, change func(webhook.Webhook) (ports.WebhookChange, error)) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.update").End(&err)
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.WebhookChange, err error) {
		before, err := findWebhook(t, id)
		if err != nil {
			return step, err
		}
		if step, err = change(before); err != nil {
			return step, err
		}
		switch {
		case step.Deleted:
			t.remove(webhooksColl, string(id))
		case step.Effective():
			t.replace(webhooksColl, string(id), webhookOf(step.State), nil)
		}
		if step.Deliver != nil {
			t.replace(deliveriesColl, string(step.Deliver.ID), deliveryOf(*step.Deliver), nil)
		}
		t.addTrail(step.Trail, step.Effective())
		return step, nil
	})
	return step.State, err
}

// Webhook implements [ports.WebhookStore].
func (s *Webhooks) Webhook(ctx context.Context, id webhook.ID) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.get").End(&err)
	return findWebhook(s.db.ask(ctx), id)
}

func findWebhook(r reader, id webhook.ID) (webhook.Webhook, error) {
	w, err := get(r, webhooksColl, mongodb.ByID(string(id)), webhookDoc.webhook)
	return w, mongodb.NotFound(err, "webhook", string(id), webhook.ErrNotFound)
}

// Webhooks implements [ports.WebhookStore].
func (s *Webhooks) Webhooks(ctx context.Context, q webhook.Query) (_ []webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.list").End(&err)
	return list(s.db.ask(ctx), webhooksColl, bson.D{mongodb.Compare("_id", "$gt", string(q.After))},
		webhookDoc.webhook, first(q.Limit, "_id"))
}

// tagsQuery is answered from one index, without a webhook being read: no other has its
// order.
func tagsQuery() (filter, order bson.D) {
	return bson.D{mongodb.Compare("_id", "$gt", "")}, mongodb.By("_id", "revision")
}

// Tags implements [ports.WebhookStore].
func (s *Webhooks) Tags(ctx context.Context) (_ []revision.Tag, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.tags").End(&err)
	filter, order := tagsQuery()
	return every(s.db.ask(ctx), webhooksColl, filter, func(d webhookDoc) (revision.Tag, error) {
		return revision.Tag{ID: d.ID, Revision: d.Revision}, nil
	}, options.Find().SetSort(order).SetProjection(order))
}

// deliveryDoc is a delivery.
type deliveryDoc struct {
	ID      string `bson:"_id"`
	Webhook string `bson:"webhook"`
	Event   string `bson:"event"`
	Change  int64  `bson:"change,omitempty"` // 0 for an event
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
		ID: string(d.ID), Webhook: string(d.Webhook), Event: string(d.EventID), Change: mongodb.MillisOrZero(d.ChangeAt), Test: d.Test, Created: mongodb.Millis(d.CreatedAt),
		Status: string(d.Status), Attempt: d.Attempt, Code: d.Last.Code, Failure: string(d.Last.Failure),
		Due: mongodb.MillisOrZero(d.Due), Begun: mongodb.MillisOrZero(d.Begun), Ended: mongodb.MillisOrZero(d.Ended), Mark: d.Mark,
	}
}

func (d deliveryDoc) delivery() (webhook.Delivery, error) {
	return webhook.Delivery{
		ID: webhook.DeliveryID(d.ID), Webhook: webhook.ID(d.Webhook), EventID: activity.ID(d.Event), ChangeAt: mongodb.FromMillisOrZero(d.Change), Test: d.Test,
		CreatedAt: mongodb.FromMillis(d.Created), Status: webhook.Status(d.Status), Attempt: d.Attempt,
		Last: webhook.Result{Code: d.Code, Failure: webhook.Failure(d.Failure)},
		Due:  mongodb.FromMillisOrZero(d.Due), Begun: mongodb.FromMillisOrZero(d.Begun), Ended: mongodb.FromMillisOrZero(d.Ended), Mark: d.Mark,
	}, nil
}
