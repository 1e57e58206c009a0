package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

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
		Revision: w.Revision, Created: millis(w.CreatedAt), Updated: millis(w.UpdatedAt),
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
	w.CreatedAt, w.UpdatedAt = fromMillis(d.Created), fromMillis(d.Updated)
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
	var step ports.WebhookChange
	err = s.db.write(ctx, func(t *tx) error {
		before, err := findWebhook(t, id)
		if err != nil {
			return err
		}
		if step, err = change(before); err != nil {
			return err
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
		return nil
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	return step.State, nil
}

// Webhook implements [ports.WebhookStore].
func (s *Webhooks) Webhook(ctx context.Context, id webhook.ID) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.get").End(&err)
	return findWebhook(s.db.ask(ctx), id)
}

func findWebhook(r reader, id webhook.ID) (webhook.Webhook, error) {
	d, err := one[webhookDoc](r, webhooksColl, byID(string(id)))
	if errors.Is(err, mongo.ErrNoDocuments) {
		return webhook.Webhook{}, webhook.ErrNotFound.With("webhook %q not found", id)
	}
	if err != nil {
		return webhook.Webhook{}, err
	}
	return d.webhook()
}

// Webhooks implements [ports.WebhookStore].
func (s *Webhooks) Webhooks(ctx context.Context, q webhook.Query) (_ []webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.list").End(&err)
	return list(s.db.ask(ctx), webhooksColl, bson.D{is("_id", bson.D{is("$gt", string(q.After))})},
		options.Find().SetSort(by("_id")).SetLimit(int64(q.Limit)), webhookDoc.webhook)
}

// tagsQuery is answered from one index, without a webhook being read: no other has its
// order.
func tagsQuery() (filter, order bson.D) {
	return bson.D{is("_id", bson.D{is("$gt", "")})}, by("_id", "revision")
}

// Tags implements [ports.WebhookStore].
func (s *Webhooks) Tags(ctx context.Context) (_ []revision.Tag, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.tags").End(&err)
	filter, order := tagsQuery()
	docs, err := all[webhookDoc](s.db.ask(ctx), webhooksColl, filter, options.Find().SetSort(order).SetProjection(order))
	return every(docs, err, func(d webhookDoc) (revision.Tag, error) { return revision.Tag{ID: d.ID, Revision: d.Revision}, nil })
}
