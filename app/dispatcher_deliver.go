package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"orgd/domain/fault"
	"orgd/domain/webhook"
	"orgd/ports"
)

const (
	// slotsEach is how many deliveries to one webhook are under way at once, in
	// one process. A slow endpoint holds up nobody else's.
	slotsEach = 4
	// storeTimeout bounds one operation of the storage outside of Record and Dispatch.
	storeTimeout = 5 * time.Second
)

// Dispatch begins to deliver what is due to webhooks that it is not delivering
// to. Call it when [Dispatcher.Notified] says so, and once a second. It returns what went
// wrong with deliveries since the last call.
func (d *Dispatcher) Dispatch(ctx context.Context) error {
	err := errors.Join(d.dispatch(ctx), d.failures())
	d.dispatchFails.Store(err != nil)
	return err
}

func (d *Dispatcher) dispatch(ctx context.Context) error {
	hooks, err := d.webhooks.enabled(ctx)
	if err != nil {
		return err
	}
	slots, byID := map[webhook.ID]int{}, map[webhook.ID]*webhook.Subscriber{}
	for _, w := range hooks {
		if d.isIdle(w.ID) {
			slots[w.ID], byID[w.ID] = slotsEach, w
		}
	}
	if len(slots) == 0 {
		return nil
	}
	leased, err := d.lease(ctx, slots)
	batches := map[webhook.ID][]webhook.Delivery{}
	for _, c := range leased {
		batches[c.Webhook] = append(batches[c.Webhook], c)
	}
	for id, batch := range batches {
		d.begin(byID[id], batch)
	}
	return err
}

// failures returns the errors of deliveries, once.
func (d *Dispatcher) failures() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.failed
	d.failed = nil
	return err
}

func (d *Dispatcher) isIdle(id webhook.ID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.stopping && !d.busy[id]
}

// lease takes what is due, so that no other dispatcher does.
func (d *Dispatcher) lease(ctx context.Context, slots map[webhook.ID]int) ([]webhook.Delivery, error) {
	now := d.clock.Now()
	due, err := d.outbox.Due(ctx, now, slots)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	moves := make([]ports.Move, len(due))
	for i, x := range due {
		moves[i] = ports.Move{Before: x, After: x.Begin(now, d.ids.NewID())}
	}
	return d.outbox.Move(ctx, moves)
}

// begin delivers a batch to w and then what else is due to it, beside the turn.
func (d *Dispatcher) begin(w *webhook.Subscriber, batch []webhook.Delivery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping || d.busy[w.ID] {
		return // another dispatcher takes the batch after its lease
	}
	d.busy[w.ID] = true
	d.running.Go(func() {
		err := guarded(func() error { return d.deliverAll(w, batch) })
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.busy, w.ID)
		d.failed = errors.Join(d.failed, err)
	})
}

// guarded turns a panic into an error.
func guarded(do func() error) (err error) {
	defer fault.Recover(&err, "app: panic while delivering")
	return do()
}

// deliverAll delivers batch by batch until nothing is due or the dispatcher
// stops.
func (d *Dispatcher) deliverAll(w *webhook.Subscriber, batch []webhook.Delivery) error {
	var failed error // to lease some of the batch, which does not keep the rest from its attempts
	for len(batch) > 0 {
		if err := errors.Join(d.deliverBatch(w, batch), failed); err != nil {
			return err
		}
		w, batch, failed = d.next(w.ID)
	}
	return failed
}

// next leases another batch for a webhook as it is now.
func (d *Dispatcher) next(id webhook.ID) (*webhook.Subscriber, []webhook.Delivery, error) {
	if d.work.Err() != nil || d.isStopping() {
		return nil, nil, nil
	}
	ctx, cancel := context.WithTimeout(d.work, storeTimeout)
	defer cancel()
	hooks, err := d.webhooks.enabled(ctx)
	i := slices.IndexFunc(hooks, func(w *webhook.Subscriber) bool { return w.ID == id })
	if err != nil || i < 0 {
		return nil, nil, err
	}
	batch, err := d.lease(ctx, map[webhook.ID]int{id: slotsEach})
	return hooks[i], batch, err
}

func (d *Dispatcher) isStopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping
}

// deliverBatch makes one attempt of each delivery, at once.
func (d *Dispatcher) deliverBatch(w *webhook.Subscriber, batch []webhook.Delivery) error {
	events, err := d.events(batch)
	if err != nil {
		return err
	}
	errs := make([]error, len(batch))
	var all sync.WaitGroup
	for i, x := range batch {
		all.Go(func() {
			errs[i] = guarded(func() error { return d.attempt(w, x, events) })
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
