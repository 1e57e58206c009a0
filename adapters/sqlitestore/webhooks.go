package sqlitestore

import (
	"context"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Webhooks keeps webhooks.
type Webhooks struct{ db *DB }

const insertWebhook = `
INSERT INTO webhooks (doc, secrets, since, revision, updated_at, id, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)`

// Create implements [ports.WebhookStore].
func (s *Webhooks) Create(ctx context.Context, step ports.WebhookChange) (err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.create").End(&err)
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := putTrail(tx, step.Trail, true); err != nil {
			return err
		}
		w := step.State
		_, err := tx.Exec(insertWebhook, append(webhookArgs(w), sqlite.Millis(w.CreatedAt))...)
		return sqlite.Wrap(err, "write webhook", string(w.ID))
	})
}

// webhookArgs are the values of what changes, and the id.
func webhookArgs(w webhook.Webhook) []any {
	return []any{string(w.Canonical()), string(w.Secrets.Stored()), w.Since, w.Revision, sqlite.Millis(w.UpdatedAt), sqlite.PackID(w.ID)}
}

// Update implements [ports.WebhookStore].
func (s *Webhooks) Update(ctx context.Context, id webhook.ID, change func(webhook.Webhook) (ports.WebhookChange, error)) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.update").End(&err)
	step, err := update(ctx, s.db, func(tx *engine.Tx) (step ports.WebhookChange, _ ports.Trail, err error) {
		w, err := findWebhook(&tx.View, id)
		if err == nil {
			step, err = change(w)
		}
		return step, step.Trail, err
	}, putWebhook)
	return step.State, err
}

const (
	updateWebhook = "UPDATE webhooks SET doc = ?, secrets = ?, since = ?, revision = ?, updated_at = ? WHERE id = ?"
	deleteWebhook = "DELETE FROM webhooks WHERE id = ?"
)

func putWebhook(tx *engine.Tx, step ports.WebhookChange) (err error) {
	if step.Deliver != nil {
		if err := putDelivery(tx, upsertDelivery, *step.Deliver); err != nil {
			return err
		}
	}
	if step.Deleted {
		_, err = tx.Exec(deleteWebhook, sqlite.PackID(step.State.ID))
	} else {
		_, err = tx.Exec(updateWebhook, webhookArgs(step.State)...)
	}
	return sqlite.Wrap(err, "write webhook", string(step.State.ID))
}

// Webhook implements [ports.WebhookStore].
func (s *Webhooks) Webhook(ctx context.Context, id webhook.ID) (_ webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.get").End(&err)
	return sqlite.Ask(ctx, s.db, func(v *sqlite.View) (webhook.Webhook, error) { return findWebhook(v, id) })
}

const (
	webhookColumns = "id, doc, secrets, since, revision, created_at, updated_at"
	selectWebhook  = "SELECT " + webhookColumns + " FROM webhooks WHERE id = ?"
	selectWebhooks = "SELECT " + webhookColumns + " FROM webhooks WHERE id > ? ORDER BY id LIMIT (? + 0)"
)

func findWebhook(v *sqlite.View, id webhook.ID) (webhook.Webhook, error) {
	w, err := scanWebhook(v.Row(selectWebhook, sqlite.PackID(id)))
	return w, sqlite.NotFound(err, "webhook", string(id), webhook.ErrNotFound)
}

// Webhooks implements [ports.WebhookStore].
func (s *Webhooks) Webhooks(ctx context.Context, q webhook.Query) (_ []webhook.Webhook, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.list").End(&err)
	return sqlite.ReadPage(ctx, s.db, "list webhooks", selectWebhooks, []any{sqlite.PackID(q.After), q.Limit}, scanWebhook)
}

const selectWebhookTags = "SELECT id, revision FROM webhooks INDEXED BY webhooks_tags ORDER BY id"

// Tags implements [ports.WebhookStore].
func (s *Webhooks) Tags(ctx context.Context) (_ []revision.Tag, err error) {
	defer s.db.observer.Begin(&ctx, "webhooks.tags").End(&err)
	return sqlite.All(ctx, s.db, "read the tags of webhooks", selectWebhookTags, nil, func(r sqlite.Row) (t revision.Tag, err error) {
		var id []byte
		err = r.Scan(&id, &t.Revision)
		t.ID = sqlite.UnpackID(id)
		return t, err
	})
}

func scanWebhook(r sqlite.Row) (webhook.Webhook, error) {
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
	w.ID, w.Since, w.Revision = webhook.ID(sqlite.UnpackID(id)), stored.Since, stored.Revision
	w.CreatedAt, w.UpdatedAt = sqlite.FromMillis(created), sqlite.FromMillis(updated)
	return w, nil
}
