package app

import (
	"context"
	"errors"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/webhook"
	"orgd/ports"
)

// events reads the events and changes of a batch. Those that were deleted are missing.
func (d *Dispatcher) events(batch []webhook.Delivery) (map[activity.ID]activity.Logged, error) {
	ctx, cancel := context.WithTimeout(d.work, storeTimeout)
	defer cancel()
	return findLogged(ctx, d.log, d.trail, batch)
}

// findLogged returns what deliveries are of, as far as it is stored.
func findLogged(ctx context.Context, log ports.ActivityLog, trail ports.AuditLog, batch []webhook.Delivery) (map[activity.ID]activity.Logged, error) {
	found := make(map[activity.ID]activity.Logged, len(batch))
	var ids []activity.ID
	var places []audit.Position
	for _, x := range batch {
		switch {
		case x.Test:
			found[x.EventID] = activity.Logged{Event: x.TestEvent()}
		case x.ChangeAt.IsZero():
			ids = append(ids, x.EventID)
		default:
			places = append(places, audit.Position{At: x.ChangeAt, ID: string(x.EventID)})
		}
	}
	events, err := log.Find(ctx, ids)
	if err != nil {
		return nil, err
	}
	for id, e := range events {
		found[id] = activity.Logged{Event: e}
	}
	changes, err := trail.Changes(ctx, places)
	for id, e := range changes {
		found[activity.ID(id)] = activity.LoggedChange(0, e)
	}
	return found, err
}

// attempt makes one attempt and stores what came of it.
func (d *Dispatcher) attempt(w *webhook.Subscriber, begun webhook.Delivery, events map[activity.ID]activity.Logged) error {
	result, took := webhook.Result{Failure: webhook.NoEvent}, time.Duration(0)
	if e, ok := events[begun.EventID]; ok {
		start := time.Now()
		result = d.sender.Send(d.work, w.Message(e, d.clock.Now()))
		took = time.Since(start)
	}
	now, mark := d.clock.Now(), d.ids.NewID()
	// What is stored must not depend on whether the dispatcher stops meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.work), storeTimeout)
	defer cancel()
	if d.work.Err() != nil && result.Failure == webhook.Timeout { // called off
		d.meter.WebhookAttempt("returned", took)
		_, err := d.outbox.Move(ctx, []ports.Move{{Before: begun, After: begun.PutBack(now, mark)}})
		return err
	}
	ended := begun.Finish(result, now, d.random.Fraction(), mark)
	outcome := string(ended.Status)
	if ended.Status == webhook.Pending {
		outcome = "retried"
	}
	d.meter.WebhookAttempt(outcome, took)
	// The webhook first: if the process dies between, the attempt is made again
	// and comes to the same end.
	if err := d.judge(ctx, w, ended); err != nil {
		return err
	}
	_, err := d.outbox.Move(ctx, []ports.Move{{Before: begun, After: ended}})
	return err
}

// judge disables the webhook if an attempt has shown that there is no point in
// more.
func (d *Dispatcher) judge(ctx context.Context, w *webhook.Subscriber, ended webhook.Delivery) error {
	switch {
	case ended.Test:
		return nil
	case ended.Last.Gone():
		return d.disable(ctx, w, webhook.Gone, ended)
	case !ended.Spent():
		return nil
	}
	works, err := d.outbox.DeliveredSince(ctx, w.ID, ended.Begun)
	if err != nil || works {
		return err
	}
	return d.disable(ctx, w, webhook.Failing, ended)
}

// disable disables a webhook, unless somebody has changed it since the attempt
// began: then the next attempt decides.
func (d *Dispatcher) disable(ctx context.Context, tried *webhook.Subscriber, why webhook.Reason, because webhook.Delivery) error {
	ch := newChange(d.clock, d.ids, Call{Route: "webhook delivery", RequestID: string(because.ID)})
	ch.call.Actor.Subject = "orgd" // in the audit trail, for what the service does by itself
	_, err := d.webhooks.store.Update(ctx, tried.ID, func(w webhook.Webhook) (ports.WebhookChange, error) {
		if w.Revision != tried.Revision {
			return ch.webhookChange(audit.WebhookUpdated, w, w.Revision), nil
		}
		return ch.webhookChange(audit.WebhookUpdated, w.Disable(why, ch.at), w.Revision), nil
	})
	if errors.Is(err, webhook.ErrNotFound) {
		return nil
	}
	return err
}
