package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

var _ ports.WebhookStore = (*Webhooks)(nil)

// Webhooks keeps webhooks.
type Webhooks struct{ db *DB }

// NewWebhooks returns the webhooks in db.
func NewWebhooks(db *DB) *Webhooks { return &Webhooks{db} }

// webhookDoc is a webhook or, without doc, the place where one was.
type webhookDoc struct {
	Head     head   `bson:",inline"`
	Doc      string `bson:"doc"`
	Secrets  string `bson:"secrets"`
	Since    int64  `bson:"since"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
}

func webhookFields(w webhook.Webhook) bson.D {
	return bson.D{
		is("doc", string(w.Canonical())), is("secrets", string(w.Secrets.Stored())), is("since", int64(w.Since)),
		is("revision", w.Revision), is("created", millis(w.CreatedAt)), is("updated", millis(w.UpdatedAt)),
	}
}

func (d webhookDoc) webhook() (webhook.Webhook, error) {
	w, err := webhook.Parse([]byte(d.Doc))
	if err == nil {
		w.Secrets, err = webhook.ParseSecrets([]byte(d.Secrets))
	}
	if err != nil {
		return webhook.Webhook{}, fmt.Errorf("mongostore: read webhook %s: %w", d.Head.ID, err)
	}
	w.ID, w.Since, w.Revision = webhook.ID(d.Head.ID), activity.Seq(d.Since), d.Revision
	w.CreatedAt, w.UpdatedAt = fromMillis(d.Created), fromMillis(d.Updated)
	return w, nil
}

// Create implements [ports.WebhookStore].
func (s *Webhooks) Create(ctx context.Context, step ports.WebhookStep) error {
	h := home{webhooksColl, string(step.Webhook.ID)}
	return retry(ctx, func() (bool, error) {
		found, err := s.db.headOrNil(ctx, h) // void: an attempt of this step was fenced
		if err != nil {
			return false, err
		}
		a := s.db.attempt(h, found, step.Note)
		a.set = webhookFields(step.Webhook)
		return s.db.try(ctx, a)
	})
}

// Update implements [ports.WebhookStore].
func (s *Webhooks) Update(ctx context.Context, id webhook.ID, change func(webhook.Webhook) (ports.WebhookStep, error)) (webhook.Webhook, error) {
	var result webhook.Webhook
	err := retry(ctx, func() (bool, error) {
		d, err := s.find(ctx, id)
		if err != nil {
			return false, err
		}
		if d.Head.isFull() {
			return false, s.db.settle(ctx, home{webhooksColl, d.Head.ID}, d.Head.Pending)
		}
		before, err := d.webhook()
		if err != nil {
			return false, err
		}
		step, err := change(before)
		if err != nil {
			return false, err
		}
		result = step.Webhook
		if !step.Deleted && step.Webhook.Revision == step.From && step.Deliver == nil {
			return true, s.db.leaveReceipt(ctx, step.Receipt)
		}
		return s.db.try(ctx, s.changing(d, step))
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	return result, nil
}

func (s *Webhooks) changing(d webhookDoc, step ports.WebhookStep) *attempt {
	a := s.db.attempt(home{webhooksColl, d.Head.ID}, &d.Head, step.Note)
	if step.Deliver != nil {
		deliver := deliveryOf(*step.Deliver)
		deliver.AskedAt = d.Head.Rev + 1
		a.debt.Deliver = &deliver
	}
	if step.Deleted {
		a.unset = []string{"doc", "secrets", "since", "revision", "created", "updated"}
	} else {
		a.set = webhookFields(step.Webhook)
	}
	return a
}

// Webhook implements [ports.WebhookStore].
func (s *Webhooks) Webhook(ctx context.Context, id webhook.ID) (webhook.Webhook, error) {
	d, err := s.find(ctx, id)
	if err != nil {
		return webhook.Webhook{}, err
	}
	return d.webhook()
}

func (s *Webhooks) find(ctx context.Context, id webhook.ID) (d webhookDoc, err error) {
	err = s.db.find(ctx, s.db.coll(webhooksColl), bson.D{is("_id", string(id)), exists("doc", true)}, nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return d, webhook.ErrNotFound.With("webhook %q not found", id)
	}
	return d, err
}

// Webhooks implements [ports.WebhookStore].
func (s *Webhooks) Webhooks(ctx context.Context, q webhook.Query) ([]webhook.Webhook, error) {
	var docs []webhookDoc
	filter := bson.D{is("_id", bson.D{is("$gt", string(q.After))}), exists("doc", true)}
	opts := options.Find().SetSort(bson.D{is("_id", 1)}).SetLimit(int64(q.Limit)).SetProjection(unowed())
	if err := s.db.all(ctx, s.db.coll(webhooksColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	list := make([]webhook.Webhook, len(docs))
	for i, d := range docs {
		w, err := d.webhook()
		if err != nil {
			return nil, err
		}
		list[i] = w
	}
	return list, nil
}
