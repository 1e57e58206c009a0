package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"orgd/domain/page"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

var _ ports.WebhookStore = (*Webhooks)(nil)

// Webhooks keeps webhooks.
type Webhooks struct{ db *DB }

const insertWebhook = `
INSERT INTO webhooks (doc, secrets, since, revision, updated_at, id, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)`

// Create implements [ports.WebhookStore].
func (s *Webhooks) Create(ctx context.Context, step ports.WebhookChange) (err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.create").End(&err)
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := putTrail(tx, step.Trail, true); err != nil {
			return err
		}
		w := step.State
		if _, err := tx.Exec(insertWebhook, append(webhookArgs(w), millis(w.CreatedAt))...); err != nil {
			return fmt.Errorf("sqlitestore: write webhook %s: %w", w.ID, err)
		}
		return nil
	})
}

// webhookArgs are the values of what changes, and the id.
func webhookArgs(w webhook.Webhook) []any {
	return []any{string(w.Canonical()), string(w.Secrets.Stored()), w.Since, w.Revision, millis(w.UpdatedAt), packID(w.ID)}
}

// Update implements [ports.WebhookStore].
func (s *Webhooks) Update(ctx context.Context, id webhook.ID, change func(webhook.Webhook) (ports.WebhookChange, error)) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.update").End(&err)
	var step ports.WebhookChange
	err = s.db.Write(ctx, func(tx *Tx) error {
		w, err := findWebhook(&tx.View, id)
		if err != nil {
			return err
		}
		if step, err = change(w); err != nil {
			return err
		}
		if err := putTrail(tx, step.Trail, step.Effective()); err != nil || !step.Effective() {
			return err
		}
		return putWebhook(tx, step)
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	return step.State, nil
}

const (
	updateWebhook = "UPDATE webhooks SET doc = ?, secrets = ?, since = ?, revision = ?, updated_at = ? WHERE id = ?"
	deleteWebhook = "DELETE FROM webhooks WHERE id = ?"
)

func putWebhook(tx *Tx, step ports.WebhookChange) (err error) {
	if step.Deliver != nil {
		if err := putDelivery(tx, upsertDelivery, *step.Deliver); err != nil {
			return err
		}
	}
	if step.Deleted {
		_, err = tx.Exec(deleteWebhook, packID(step.State.ID))
	} else {
		_, err = tx.Exec(updateWebhook, webhookArgs(step.State)...)
	}
	if err != nil {
		return fmt.Errorf("sqlitestore: write webhook %s: %w", step.State.ID, err)
	}
	return nil
}

// Webhook implements [ports.WebhookStore].
func (s *Webhooks) Webhook(ctx context.Context, id webhook.ID) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.get").End(&err)
	var w webhook.Webhook
	err = s.db.Read(ctx, func(v *View) (err error) {
		w, err = findWebhook(v, id)
		return err
	})
	return w, err
}

const (
	webhookColumns = "id, doc, secrets, since, revision, created_at, updated_at"
	selectWebhook  = "SELECT " + webhookColumns + " FROM webhooks WHERE id = ?"
	selectWebhooks = "SELECT " + webhookColumns + " FROM webhooks WHERE id > ? ORDER BY id LIMIT (? + 0)"
)

func findWebhook(v *View, id webhook.ID) (webhook.Webhook, error) {
	w, err := scanWebhook(v.Row(selectWebhook, packID(id)))
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Webhook{}, webhook.ErrNotFound.With("webhook %q not found", id)
	}
	if err != nil {
		return webhook.Webhook{}, fmt.Errorf("sqlitestore: read webhook %s: %w", id, err)
	}
	return w, nil
}

// Webhooks implements [ports.WebhookStore].
func (s *Webhooks) Webhooks(ctx context.Context, q webhook.Query) (list []webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.list").End(&err)
	var filling page.Filling
	err = s.db.Ask(ctx, func(v *View) error {
		return v.Each(selectWebhooks, []any{packID(q.After), q.Limit}, func(r Row) error {
			w, err := scanWebhook(r)
			if err != nil {
				return err
			}
			list = append(list, w)
			return fill(ctx, &filling, w.Size())
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: list webhooks: %w", err)
	}
	return list, nil
}

const selectWebhookTags = "SELECT id, revision FROM webhooks INDEXED BY webhooks_tags ORDER BY id"

// Tags implements [ports.WebhookStore].
func (s *Webhooks) Tags(ctx context.Context) (tags []revision.Tag, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.tags").End(&err)
	err = s.db.Ask(ctx, func(v *View) error {
		return v.Each(selectWebhookTags, nil, func(r Row) error {
			var id []byte
			var t revision.Tag
			err := r.Scan(&id, &t.Revision)
			t.ID = unpackID(id)
			tags = append(tags, t)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read the tags of webhooks: %w", err)
	}
	return tags, nil
}

func scanWebhook(r Row) (webhook.Webhook, error) {
	var id, doc, secrets []byte
	var stored webhook.Webhook
	var created, updated int64
	if err := r.Scan(&id, &doc, &secrets, &stored.Since, &stored.Revision, &created, &updated); err != nil {
		return webhook.Webhook{}, err
	}
	w, err := webhook.Parse(doc)
	if err != nil {
		return webhook.Webhook{}, err
	}
	if w.Secrets, err = webhook.ParseSecrets(secrets); err != nil {
		return webhook.Webhook{}, err
	}
	w.ID, w.Since, w.Revision = webhook.ID(unpackID(id)), stored.Since, stored.Revision
	w.CreatedAt, w.UpdatedAt = fromMillis(created), fromMillis(updated)
	return w, nil
}
