package portstest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

type memoryWebhooks struct{ *memory }

type memoryOutbox struct{ *memory }

func (m *memory) storeWebhook(s ports.WebhookChange, err error) (webhook.Webhook, error) {
	if err == nil {
		err = m.free(s.Idempotency)
	}
	if err != nil {
		return webhook.Webhook{}, err
	}
	m.putTrail(s.Trail, s.Effective())
	m.webhooks[s.State.ID] = s.State
	if s.Deleted {
		delete(m.webhooks, s.State.ID)
	}
	if s.Deliver != nil {
		m.deliveries[s.Deliver.ID] = *s.Deliver
	}
	return s.State, nil
}

func (m memoryWebhooks) Create(_ context.Context, s ports.WebhookChange) error {
	defer m.lock()()
	_, err := m.storeWebhook(s, nil)
	return err
}

func (m memoryWebhooks) Update(_ context.Context, id webhook.ID, do func(webhook.Webhook) (ports.WebhookChange, error)) (webhook.Webhook, error) {
	defer m.lock()()
	w, ok := m.webhooks[id]
	if !ok {
		return w, webhook.ErrNotFound
	}
	return m.storeWebhook(do(w))
}

func (m memoryWebhooks) Webhook(_ context.Context, id webhook.ID) (webhook.Webhook, error) {
	defer m.lock()()
	w, ok := m.webhooks[id]
	if !ok {
		return w, webhook.ErrNotFound
	}
	return w, nil
}

func (m memoryWebhooks) Webhooks(ctx context.Context, q webhook.Query) ([]webhook.Webhook, error) {
	defer m.lock()()
	found := sorted(slices.Collect(maps.Values(m.webhooks)), func(w webhook.Webhook) bool { return w.ID > q.After },
		func(a, b webhook.Webhook) int { return cmp.Compare(a.ID, b.ID) })
	return firstPage(ctx, found, q.Limit)
}

func (m memoryWebhooks) Tags(context.Context) ([]revision.Tag, error) {
	defer m.lock()()
	var tags []revision.Tag
	for _, id := range slices.Sorted(maps.Keys(m.webhooks)) {
		tags = append(tags, m.webhooks[id].Tag())
	}
	return tags, nil
}

func (m memoryOutbox) Position(context.Context) (activity.Seq, error) {
	defer m.lock()()
	return m.position, nil
}

func (m memoryOutbox) Record(_ context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (bool, error) {
	defer m.lock()()
	if m.position != from {
		return false, nil
	}
	m.position = to
	for _, d := range deliveries {
		if _, ok := m.deliveries[d.ID]; !ok {
			m.deliveries[d.ID] = d
		}
	}
	return true, nil
}

// pending returns the pending deliveries of a webhook, those that are due
// longest first.
func (m *memory) pending(of webhook.ID) []webhook.Delivery {
	return sorted(slices.Collect(maps.Values(m.deliveries)), func(d webhook.Delivery) bool {
		return d.Webhook == of && d.Status == webhook.Pending
	}, func(a, b webhook.Delivery) int { return a.Due.Compare(b.Due) })
}

func (m memoryOutbox) Due(_ context.Context, now time.Time, slots map[webhook.ID]int) ([]webhook.Delivery, error) {
	defer m.lock()()
	var due []webhook.Delivery
	for id, n := range slots {
		for _, d := range first(m.pending(id), n) {
			if !d.Due.After(now) {
				due = append(due, d)
			}
		}
	}
	return due, nil
}

func (m memoryOutbox) Move(_ context.Context, moves []ports.Move) ([]webhook.Delivery, error) {
	defer m.lock()()
	var moved []webhook.Delivery
	for _, move := range moves {
		if d, ok := m.deliveries[move.Before.ID]; ok && d.Mark == move.Before.Mark {
			m.deliveries[d.ID] = move.After
			moved = append(moved, move.After)
		}
	}
	return moved, nil
}

func (m memoryOutbox) Delivery(_ context.Context, of webhook.ID, id webhook.DeliveryID) (webhook.Delivery, error) {
	defer m.lock()()
	d, ok := m.deliveries[id]
	if !ok || d.Webhook != of {
		return webhook.Delivery{}, webhook.ErrNoDelivery
	}
	return d, nil
}

func (m memoryOutbox) Deliveries(_ context.Context, q webhook.DeliveryQuery) ([]webhook.Delivery, error) {
	defer m.lock()()
	found := sorted(slices.Collect(maps.Values(m.deliveries)), func(d webhook.Delivery) bool {
		return d.Webhook == q.Webhook && (q.After == nil || newerDelivery(*q.After, d.Position()) < 0)
	}, func(a, b webhook.Delivery) int { return newerDelivery(a.Position(), b.Position()) })
	return first(found, q.Limit), nil
}

// newerDelivery is negative if a list shows a before b.
func newerDelivery(a, b webhook.Position) int {
	at := activity.Position{At: a.At, ID: activity.ID(a.ID)}
	return at.Compare(activity.Position{At: b.At, ID: activity.ID(b.ID)})
}

func (m memoryOutbox) DeliveredSince(_ context.Context, of webhook.ID, since time.Time) (bool, error) {
	defer m.lock()()
	for _, d := range m.deliveries {
		if d.Webhook == of && d.Status == webhook.Delivered && !d.Test && !d.Ended.Before(since) {
			return true, nil
		}
	}
	return false, nil
}

func (m memoryOutbox) Backlog(_ context.Context, of webhook.ID, limit int) (int, time.Time, error) {
	defer m.lock()()
	pending := m.pending(of)
	if len(pending) == 0 {
		return 0, time.Time{}, nil
	}
	return min(len(pending), limit), pending[0].Due, nil
}
