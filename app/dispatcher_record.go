package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/webhook"
)

const (
	// eventsAtOnce bounds the events that are read from the log together.
	eventsAtOnce = 200
	// recordAtOnce is how many deliveries are recorded together. Those of one event
	// are never split, so there may be more by one event.
	recordAtOnce = 1000
	// recordSteps and recordTime bound a turn of recording.
	recordSteps = 100
	recordTime  = 10 * time.Second
	// saveEvery is after how long the position of the outbox is stored without deliveries.
	saveEvery = time.Minute
)

// Record records the deliveries of events that have entered the log. Call it
// whenever the log has grown, and once a second, one call after another.
func (d *Dispatcher) Record(ctx context.Context) error {
	begun := time.Now()
	for n := 0; n < recordSteps && time.Since(begun) < recordTime; n++ {
		more, err := d.recordSome(ctx)
		if err != nil || !more {
			d.recordFails.Store(err != nil)
			return err
		}
	}
	return nil // the rest is for the next turn
}

func (d *Dispatcher) recordSome(ctx context.Context) (more bool, err error) {
	position, err := d.outbox.Position(ctx)
	if err != nil {
		return false, err
	}
	hooks, err := d.webhooks.enabled(ctx)
	if err != nil || len(hooks) == 0 {
		return false, err // a webhook that is enabled later begins at the end of the log
	}
	if d.reading.outbox != position { // this or another dispatcher has recorded more
		d.reading = reading{outbox: position, since: d.clock.Now(), after: position}
	}
	if d.reading.stored {
		return d.recordStored(ctx)
	}
	first := slices.MinFunc(hooks, func(a, b *webhook.Subscriber) int { return cmp.Compare(a.Since, b.Since) })
	after := max(d.reading.after, first.Since)
	page, err := d.stream.After(ctx, after, eventsAtOnce)
	if errors.Is(err, activity.ErrTooOld) {
		head, err := d.stream.Head(ctx)
		d.reading = reading{outbox: position, since: d.reading.since, after: after, stored: err == nil, upTo: head}
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	if len(page.Events) == 0 {
		d.reading.after = page.Next
		return page.More && page.Next > after, d.save(ctx)
	}
	// The webhooks are read again after the events: one that was made before any of
	// these events is in the list then.
	if hooks, err = d.webhooks.enabled(ctx); err != nil {
		return false, err
	}
	deliveries, seen := d.match(hooks, page.Events)
	to := page.Next
	if seen < len(page.Events) {
		to = page.Events[seen-1].Seq
	}
	moved, err := d.record(ctx, position, to, deliveries)
	return moved && (seen < len(page.Events) || page.More), err
}

// save stores the position of the outbox if it has been long in memory only.
func (d *Dispatcher) save(ctx context.Context) error {
	r, now := &d.reading, d.clock.Now()
	if r.after <= r.outbox || now.Sub(r.since) < saveEvery {
		return nil
	}
	_, err := d.record(ctx, r.outbox, r.after, nil)
	if err == nil {
		r.since = now
	}
	return err
}

// recordStored records the deliveries of events that the log does not reach back
// to. The position of the outbox moves when all of them are recorded. If a dispatcher
// died before that, the deliveries that it had stored are not stored twice.
func (d *Dispatcher) recordStored(ctx context.Context) (more bool, err error) {
	r := &d.reading
	page, err := d.stream.Stored(ctx, r.after, r.upTo, eventsAtOnce)
	if err != nil {
		return false, err
	}
	if len(page.Events) == 0 {
		_, err := d.record(ctx, r.outbox, r.upTo, nil)
		if err == nil {
			*r = reading{} // the stored position is upTo now
		}
		return err == nil, err
	}
	hooks, err := d.webhooks.enabled(ctx)
	if err != nil {
		return false, err
	}
	for events := page.Events; len(events) > 0; {
		deliveries, seen := d.match(hooks, events)
		if events = events[seen:]; len(deliveries) == 0 {
			continue
		}
		if ours, err := d.record(ctx, r.outbox, r.outbox, deliveries); err != nil || !ours {
			return err == nil, err
		}
	}
	r.after = page.Next
	return true, nil
}

// record moves the outbox and stores deliveries, unless another dispatcher has
// moved it.
func (d *Dispatcher) record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (ours bool, err error) {
	ours, err = d.outbox.Record(ctx, from, to, deliveries)
	if err == nil && len(deliveries) > 0 {
		d.Notify()
	}
	return ours, err
}

// match returns the deliveries of some events, and how many of the events those
// are.
func (d *Dispatcher) match(hooks []*webhook.Subscriber, events []activity.Logged) (deliveries []webhook.Delivery, seen int) {
	now := d.clock.Now()
	for _, e := range events {
		if len(deliveries) >= recordAtOnce {
			break
		}
		seen++
		for _, w := range hooks {
			if w.Wants(e) {
				d := w.Deliver(activity.ID(e.LogID()), now)
				if e.Change != nil {
					d.ChangeAt = e.Change.At
				}
				deliveries = append(deliveries, d)
			}
		}
	}
	return deliveries, seen
}
