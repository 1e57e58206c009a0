package app

import (
	"context"
	"errors"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Webhooks are the use cases on webhooks and their deliveries. What is to be
// sent is sent by a [Dispatcher].
type Webhooks struct {
	clock       ports.Clock
	ids         ports.IDs
	random      ports.Random
	policy      webhook.Policy
	webhooks    ports.WebhookStore
	outbox      ports.Outbox
	departments ports.DepartmentStore
	log         ports.ActivityLog
	trail       ports.AuditLog
	stream      ports.EventStream
	dispatcher  *Dispatcher
}

// NewWebhooks returns the use cases on webhooks whose URLs the policy allows.
func NewWebhooks(clock ports.Clock, ids ports.IDs, random ports.Random, policy webhook.Policy, webhooks ports.WebhookStore, outbox ports.Outbox,
	departments ports.DepartmentStore, log ports.ActivityLog, trail ports.AuditLog, stream ports.EventStream, dispatcher *Dispatcher,
) *Webhooks {
	return &Webhooks{
		clock: clock, ids: ids, random: random, policy: policy, webhooks: webhooks, outbox: outbox,
		departments: departments, log: log, trail: trail, stream: stream, dispatcher: dispatcher,
	}
}

// Webhook returns one webhook.
func (s *Webhooks) Webhook(ctx context.Context, id webhook.ID) (webhook.Webhook, error) {
	return s.webhooks.Webhook(ctx, id)
}

// List returns a page of webhooks by id.
func (s *Webhooks) List(ctx context.Context, q webhook.Query) ([]webhook.Webhook, error) {
	return s.webhooks.Webhooks(ctx, q)
}

// grounds are what a patch of a webhook is judged by beside the webhook.
type grounds struct {
	head    activity.Seq // the end of the log
	unknown error        // webhook.ErrDepartment if one does not exist, or nil
}

// survey checks what a patch says by itself and looks up what it depends on.
func (s *Webhooks) survey(ctx context.Context, patch *webhook.Patch) (g grounds, err error) {
	if *patch, err = patch.Under(s.policy); err != nil {
		return g, err
	}
	for _, d := range patch.Departments() {
		_, err := s.departments.Name(ctx, d.Key)
		if errors.Is(err, department.ErrNotFound) {
			g.unknown = webhook.ErrDepartment.With("departments: there is no department %q", d.Text)
			break
		}
		if err != nil {
			return g, err
		}
	}
	g.head, err = s.stream.Head(ctx)
	return g, err
}

// Register creates a webhook, which gets the events from now on. Its secret is
// returned to the caller and nobody else.
func (s *Webhooks) Register(ctx context.Context, c Call, patch webhook.Patch) (webhook.Webhook, error) {
	g, err := s.survey(ctx, &patch)
	if err == nil {
		err = g.unknown
	}
	if err != nil {
		return webhook.Webhook{}, err
	}
	// Two at once may pass this and be one more: the bound keeps work small, it
	// is no promise.
	others, err := s.webhooks.Tags(ctx)
	if err != nil {
		return webhook.Webhook{}, err
	}
	if len(others) >= webhook.Max {
		return webhook.Webhook{}, webhook.ErrFull
	}
	ch := newChange(s.clock, s.ids, c)
	w, err := webhook.New(webhook.ID(s.ids.NewID()), patch, s.random.Key(), g.head, ch.at)
	if err != nil {
		return webhook.Webhook{}, err
	}
	step := ch.webhookChange(audit.WebhookCreated, w, 0)
	step.Trail = withoutReply(step.Trail)
	return w, s.webhooks.Create(ctx, step)
}

// Change merges a patch into a webhook.
func (s *Webhooks) Change(ctx context.Context, c Call, id webhook.ID, patch webhook.Patch) (webhook.Webhook, error) {
	g, err := s.survey(ctx, &patch)
	if err != nil {
		return webhook.Webhook{}, err
	}
	ch := newChange(s.clock, s.ids, c)
	w, err := s.update(ctx, c, id, func(w webhook.Webhook) (ports.WebhookChange, error) {
		if g.unknown != nil {
			return ports.WebhookChange{}, g.unknown
		}
		next, err := w.Change(patch, g.head, ch.at)
		return ch.webhookChange(audit.WebhookUpdated, next, w.Revision), err
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	s.dispatcher.Notify() // one that is enabled again has deliveries to catch up with
	return w, nil
}

// Rotate gives a webhook another secret, which is returned to the caller and nobody
// else.
func (s *Webhooks) Rotate(ctx context.Context, c Call, id webhook.ID) (webhook.Webhook, error) {
	ch, fresh := newChange(s.clock, s.ids, c), webhook.Secret(s.random.Key())
	return s.update(ctx, c, id, func(w webhook.Webhook) (ports.WebhookChange, error) {
		next, err := w.Rotate(fresh, ch.at)
		step := ch.webhookChange(audit.WebhookUpdated, next, w.Revision)
		step.Trail = withoutReply(step.Trail)
		return step, err
	})
}

// Delete removes a webhook. What was to be sent to it is not sent.
func (s *Webhooks) Delete(ctx context.Context, c Call, id webhook.ID) error {
	ch := newChange(s.clock, s.ids, c)
	_, err := s.update(ctx, c, id, func(w webhook.Webhook) (ports.WebhookChange, error) {
		step := ch.webhookChange(audit.WebhookDeleted, w, w.Revision)
		step.Deleted, step.Audit.To = true, 0
		return step, nil
	})
	return err
}

// Test records a delivery of a made-up event. reply makes the answer from it.
func (s *Webhooks) Test(ctx context.Context, c Call, id webhook.ID, reply func(webhook.Delivery) idempotency.Reply) (webhook.Delivery, error) {
	ch, event := newChange(s.clock, s.ids, c), activity.ID(s.ids.NewID())
	return s.deliver(ctx, ch, id, reply, func(w webhook.Webhook) (webhook.Delivery, error) { return w.Probe(event, ch.at) })
}

// Deliveries returns a page of the deliveries to a webhook, the newest first.
func (s *Webhooks) Deliveries(ctx context.Context, q webhook.DeliveryQuery) ([]webhook.Delivery, error) {
	if _, err := s.webhooks.Webhook(ctx, q.Webhook); err != nil {
		return nil, err
	}
	return s.outbox.Deliveries(ctx, q)
}

// Redeliver lets a delivery begin anew. reply makes the answer from it.
func (s *Webhooks) Redeliver(ctx context.Context, c Call, id webhook.ID, delivery webhook.DeliveryID, reply func(webhook.Delivery) idempotency.Reply) (webhook.Delivery, error) {
	if _, err := s.webhooks.Webhook(ctx, id); err != nil {
		return webhook.Delivery{}, err
	}
	d, err := s.outbox.Delivery(ctx, id, delivery)
	if err != nil {
		return webhook.Delivery{}, err
	}
	found, err := findLogged(ctx, s.log, s.trail, []webhook.Delivery{d})
	if err != nil {
		return webhook.Delivery{}, err
	}
	if len(found) == 0 {
		return webhook.Delivery{}, webhook.ErrEventGone
	}
	ch, mark := newChange(s.clock, s.ids, c), s.ids.NewID()
	return s.deliver(ctx, ch, id, reply, func(w webhook.Webhook) (webhook.Delivery, error) { return w.Again(d, ch.at, mark) })
}

// deliver stores a delivery that is made from a webhook as it is then.
func (s *Webhooks) deliver(ctx context.Context, ch change, id webhook.ID, reply func(webhook.Delivery) idempotency.Reply, make func(webhook.Webhook) (webhook.Delivery, error)) (webhook.Delivery, error) {
	var made webhook.Delivery
	_, err := s.update(ctx, ch.call, id, func(w webhook.Webhook) (ports.WebhookChange, error) {
		d, err := make(w)
		made = d
		trail := ch.trail(audit.DeliveryOrdered, audit.Webhook(string(id)), 0, 0, func() idempotency.Reply { return reply(d) })
		return ports.WebhookChange{Change: ports.Change[webhook.Webhook]{State: w, From: w.Revision, Trail: trail}, Deliver: &d}, err
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	s.dispatcher.Notify()
	return made, nil
}

// update is an update of the store under the call's condition.
func (s *Webhooks) update(ctx context.Context, c Call, id webhook.ID, change func(webhook.Webhook) (ports.WebhookChange, error)) (webhook.Webhook, error) {
	return s.webhooks.Update(ctx, id, func(w webhook.Webhook) (ports.WebhookChange, error) {
		if err := c.If.Check(w.Tag()); err != nil {
			return ports.WebhookChange{}, err
		}
		return change(w)
	})
}

func (ch change) webhookChange(a audit.Action, w webhook.Webhook, from int64) ports.WebhookChange {
	trail := ch.trail(a, audit.Webhook(string(w.ID)), from, w.Revision, noReply)
	return ports.WebhookChange{Change: ports.Change[webhook.Webhook]{State: w, From: from, Trail: trail}}
}
