package portstest

import (
	"strings"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/webhook"
	"orgd/ports"
)

func webhookStep(h webhook.Webhook, from int64, trail func(audit.Resource, int64, int64) ports.Trail) ports.WebhookChange {
	return ports.WebhookChange{Change: ports.Change[webhook.Webhook]{
		State: h, From: from, Trail: trail(audit.Webhook(string(h.ID)), from, h.Revision),
	}}
}

// secret returns a secret that no other call returned.
func (w *world) secret() (s webhook.Secret) {
	copy(s[:], w.id()[4:])
	s[31] = 0xff
	return s
}

// hooking returns the step that makes a webhook. Members are more of its fields.
func (w *world) hooking(members ...string) ports.WebhookChange {
	text := strings.Join(append([]string{`"url":"https://example.com/hook"`}, members...), ",")
	p := must(must(webhook.ParseNew(value("{" + text + "}"))).Under(webhook.Policy{AllowPrivate: true}))
	h := must(webhook.New(webhook.ID(w.id()), p, w.secret(), activity.Seq(w.made.Load()), w.now()))
	return webhookStep(h, 0, w.trailOf(nil))
}

// hook stores a new webhook.
func (w *world) hook(members ...string) webhook.Webhook {
	w.Helper()
	s := w.hooking(members...)
	w.wantNil("Create", w.Webhooks.Create(w.Context(), s))
	return s.State
}

type webhookChange = func(webhook.Webhook) (ports.WebhookChange, error)

// rewiring returns what applies a patch to a webhook.
func (w *world) rewiring(patch string, r *idempotency.Record) webhookChange {
	p, at, trail := must(webhook.ParsePatch(value(patch))), w.now(), w.trailOf(r)
	head := activity.Seq(w.made.Load())
	return func(h webhook.Webhook) (ports.WebhookChange, error) {
		next, err := h.Change(p, head, at)
		return webhookStep(next, h.Revision, trail), err
	}
}

// rotating returns what gives a webhook another secret.
func (w *world) rotating(r *idempotency.Record) webhookChange {
	fresh, at, trail := w.secret(), w.now(), w.trailOf(r)
	return func(h webhook.Webhook) (ports.WebhookChange, error) {
		next, err := h.Rotate(fresh, at)
		return webhookStep(next, h.Revision, trail), err
	}
}

// unhooking returns what deletes a webhook.
func (w *world) unhooking() webhookChange {
	trail := w.trailOf(nil)
	return func(h webhook.Webhook) (ports.WebhookChange, error) {
		s := webhookStep(h, h.Revision, trail)
		s.Deleted, s.Audit.To = true, 0
		return s, nil
	}
}

// delivering returns what stores a delivery with a webhook that stays as it is.
func (w *world) delivering(d webhook.Delivery, r *idempotency.Record) webhookChange {
	trail := w.trailOf(r)
	return func(h webhook.Webhook) (ports.WebhookChange, error) {
		s := webhookStep(h, h.Revision, trail)
		s.From, s.Audit.From, s.Audit.To, s.Deliver = h.Revision, 0, 0, &d
		return s, nil
	}
}

// webhook reads a webhook that has to exist.
func (w *world) webhook(id webhook.ID) webhook.Webhook {
	w.Helper()
	h, err := w.Webhooks.Webhook(w.Context(), id)
	w.wantNil("Webhook", err)
	return h
}

// rewire applies a change that has to work.
func (w *world) rewire(id webhook.ID, do webhookChange) webhook.Webhook {
	w.Helper()
	h, err := w.Webhooks.Update(w.Context(), id, do)
	w.wantNil("Update", err)
	return h
}

// webhooks lists webhooks in pages of limit.
func (w *world) webhooks(limit int) []webhook.Webhook {
	w.Helper()
	return walk(w, limit, func(last *webhook.Webhook) ([]webhook.Webhook, error) {
		q := webhook.Query{Limit: limit}
		if last != nil {
			q.After = last.ID
		}
		return w.Webhooks.Webhooks(w.Context(), q)
	})
}

// owed returns n deliveries to a webhook, a millisecond apart.
func (w *world) owed(h webhook.Webhook, n int) []webhook.Delivery {
	all := make([]webhook.Delivery, n)
	for i := range all {
		all[i] = h.Deliver(activity.ID(w.id()), w.now())
		if i%2 == 1 {
			all[i].ChangeAt = w.now()
		}
	}
	return all
}

// record stores deliveries of the next events.
func (w *world) record(deliveries ...webhook.Delivery) {
	w.Helper()
	from, err := w.Outbox.Position(w.Context())
	w.wantNil("Place", err)
	ok, err := w.Outbox.Record(w.Context(), from, from+activity.Seq(len(deliveries))+1, deliveries)
	w.wantNil("Record", err)
	if !ok {
		w.Fatalf("Record = false without anybody else")
	}
}

// deliveries lists the deliveries of a webhook in pages of limit.
func (w *world) deliveries(of webhook.ID, limit int) []webhook.Delivery {
	w.Helper()
	return walk(w, limit, func(last *webhook.Delivery) ([]webhook.Delivery, error) {
		q := webhook.DeliveryQuery{Webhook: of, Limit: limit}
		if last != nil {
			at := last.Position()
			q.After = &at
		}
		return w.Outbox.Deliveries(w.Context(), q)
	})
}

// move takes a delivery from one state to another, which has to work.
func (w *world) move(before, after webhook.Delivery) webhook.Delivery {
	w.Helper()
	moved, err := w.Outbox.Move(w.Context(), []ports.Move{{Before: before, After: after}})
	w.wantNil("Move", err)
	if len(moved) != 1 {
		w.Fatalf("Move has moved %d deliveries, want 1", len(moved))
	}
	return moved[0]
}

// attempt makes an attempt to deliver that ends like this.
func (w *world) attempt(d webhook.Delivery, r webhook.Result, at time.Time) webhook.Delivery {
	w.Helper()
	d = w.move(d, d.Begin(at, w.id()))
	return w.move(d, d.Finish(r, at, 0.5, w.id()))
}

var (
	accepted = webhook.Result{Code: 204}
	refused  = webhook.Result{Code: 500, Failure: webhook.BadStatus}
)
