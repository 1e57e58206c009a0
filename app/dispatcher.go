package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Bounds of what a dispatcher does.
const (
	// eventsAtOnce bounds the events that are read from the log together.
	eventsAtOnce = 200
	// recordAtOnce is how many deliveries are recorded together. Those of one event
	// are never split, so there may be more by one event.
	recordAtOnce = 1000
	// recordSteps bounds a turn of recording.
	recordSteps = 100
	// slotsEach is how many deliveries to one webhook are under way at once, in
	// one process. A slow endpoint holds up nobody else's.
	slotsEach = 4
	// storeTimeout bounds one operation of the storage outside of Record and Dispatch.
	storeTimeout = 5 * time.Second
	// countAtMost bounds the deliveries of one webhook that are counted.
	countAtMost = 10_000
)

// DeliveryMeter measures deliveries.
type DeliveryMeter interface {
	// WebhookAttempt counts an attempt that has ended: "delivered", "retried",
	// "failed" or, called off, "returned".
	WebhookAttempt(outcome string, took time.Duration)
	// WebhookBacklog records how many deliveries to enabled webhooks are pending,
	// and by how much the one that is due longest is late.
	WebhookBacklog(pending int, late time.Duration)
}

// Dispatcher sends events to webhooks: it follows the log of events, records
// what is to be delivered to whom, and delivers it. Several may work on the same
// storage. A turn is one call of Record or Dispatch, which a background job repeats; the
// deliveries that a turn begins go on after it, until [Dispatcher.Drain].
type Dispatcher struct {
	clock    ports.Clock
	ids      ports.IDs
	random   ports.Random
	webhooks ports.WebhookStore
	outbox   ports.Outbox
	log      ports.ActivityLog
	stream   ports.EventStream
	sender   ports.WebhookSender
	meter    DeliveryMeter

	due         ports.Broadcast // when a delivery may be due
	reading     reading         // of Record
	recording   atomic.Bool     // whether the last turn of Record went well
	dispatching atomic.Bool     // whether the last turn of Dispatch went well
	work        context.Context // of deliveries
	abort       context.CancelFunc

	loading sync.Mutex
	known   map[revision.Tag]*webhook.Subscriber // all webhooks, when they were read last

	mu       sync.Mutex
	busy     map[webhook.ID]bool // webhooks whose slots are in use
	stopping bool
	failed   []error // of deliveries since the last turn
	running  sync.WaitGroup
}

// reading remembers how far after the stored position of the outbox events were read.
// The stored position moves only when deliveries are recorded, so events that no webhook
// wants cost no write.
type reading struct {
	outbox activity.Seq // the position of the outbox
	after  activity.Seq // up to which there is nothing left to record
	// stored says that the log does not reach back to after: events are read where
	// they are stored, up to upTo.
	stored bool
	upTo   activity.Seq
}

// NewDispatcher returns a dispatcher that has begun nothing.
func NewDispatcher(clock ports.Clock, ids ports.IDs, random ports.Random, webhooks ports.WebhookStore, outbox ports.Outbox, log ports.ActivityLog,
	stream ports.EventStream, sender ports.WebhookSender, meter DeliveryMeter,
) *Dispatcher {
	work, abort := context.WithCancel(context.Background())
	d := &Dispatcher{
		clock: clock, ids: ids, random: random, webhooks: webhooks, outbox: outbox, log: log, stream: stream, sender: sender, meter: meter,
		work: work, abort: abort, busy: map[webhook.ID]bool{}, known: map[revision.Tag]*webhook.Subscriber{},
	}
	d.recording.Store(true)
	d.dispatching.Store(true)
	return d
}

// Notify says that something may be due.
func (d *Dispatcher) Notify() { d.due.Notify() }

// Notified returns a channel that is closed when something may be due. Ask for it
// before a turn and wait for it after.
func (d *Dispatcher) Notified() <-chan struct{} { return d.due.Wait() }

// Working reports whether the last turns went well.
func (d *Dispatcher) Working() bool { return d.recording.Load() && d.dispatching.Load() }

// Record records the deliveries of events that have entered the log. Call it
// whenever the log has grown, and once a second, one call after another.
func (d *Dispatcher) Record(ctx context.Context) error {
	for range recordSteps {
		more, err := d.recordSome(ctx)
		if err != nil || !more {
			d.recording.Store(err == nil)
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
	hooks, err := d.enabled(ctx)
	if err != nil || len(hooks) == 0 {
		return false, err // a webhook that is enabled later begins at the end of the log
	}
	if d.reading.outbox != position { // this or another dispatcher has recorded more
		d.reading = reading{outbox: position, after: position}
	}
	if d.reading.stored {
		return d.recordStored(ctx)
	}
	after := max(d.reading.after, earliest(hooks))
	page, err := d.stream.After(ctx, after, eventsAtOnce)
	if errors.Is(err, activity.ErrTooOld) {
		head, err := d.stream.Head(ctx)
		d.reading = reading{outbox: position, after: after, stored: err == nil, upTo: head}
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	if len(page.Events) == 0 {
		d.reading.after = page.Next
		return false, nil
	}
	// The webhooks are read again after the events: one that was made before any of
	// these events is in the list then.
	if hooks, err = d.enabled(ctx); err != nil {
		return false, err
	}
	deliveries, seen := d.match(hooks, page.Events)
	to := page.Next
	if seen < len(page.Events) {
		to = page.Events[seen-1].Seq
	}
	moved, err := d.record(ctx, position, to, deliveries)
	return moved && (seen < len(page.Events) || len(page.Events) == eventsAtOnce), err
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
	hooks, err := d.enabled(ctx)
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

// enabled returns the webhooks that are enabled, in ascending order of id. It reads those
// that have changed since they were read last.
func (d *Dispatcher) enabled(ctx context.Context) (hooks []*webhook.Subscriber, err error) {
	tags, err := d.webhooks.Tags(ctx)
	if err != nil {
		return nil, err
	}
	d.loading.Lock() // one turn reads for all
	defer d.loading.Unlock()
	current := make(map[revision.Tag]bool, len(tags))
	for _, tag := range tags {
		s := d.known[tag]
		if s == nil {
			w, err := d.webhooks.Webhook(ctx, webhook.ID(tag.ID))
			if errors.Is(err, webhook.ErrNotFound) {
				continue // it was deleted in between
			}
			if err != nil {
				return nil, err
			}
			s = w.Subscriber()
			d.known[s.Tag()] = s
		}
		current[s.Tag()] = true
		if s.Enabled() {
			hooks = append(hooks, s)
		}
	}
	maps.DeleteFunc(d.known, func(t revision.Tag, _ *webhook.Subscriber) bool { return !current[t] })
	return hooks, nil
}

// earliest is the position behind which the first of the hooks wants events.
func earliest(hooks []*webhook.Subscriber) activity.Seq {
	position := hooks[0].Since
	for _, w := range hooks {
		position = min(position, w.Since)
	}
	return position
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
				deliveries = append(deliveries, w.Deliver(e.ID, now))
			}
		}
	}
	return deliveries, seen
}

// Dispatch begins to deliver what is due to webhooks that it is not delivering
// to. Call it when [Dispatcher.Notified] says so, and once a second. It returns what went
// wrong with deliveries since the last call.
func (d *Dispatcher) Dispatch(ctx context.Context) error {
	err := errors.Join(d.dispatch(ctx), d.failures())
	d.dispatching.Store(err == nil)
	return err
}

func (d *Dispatcher) dispatch(ctx context.Context) error {
	hooks, err := d.enabled(ctx)
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
	err := errors.Join(d.failed...)
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
		if err != nil {
			d.failed = append(d.failed, err)
		}
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
	hooks, err := d.enabled(ctx)
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

// events reads the events of a batch. Those that were deleted are missing.
func (d *Dispatcher) events(batch []webhook.Delivery) (map[activity.ID]activity.Event, error) {
	ctx, cancel := context.WithTimeout(d.work, storeTimeout)
	defer cancel()
	var ids []activity.ID
	for _, x := range batch {
		if !x.Test {
			ids = append(ids, x.EventID)
		}
	}
	events, err := d.log.Find(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, x := range batch {
		if x.Test {
			events[x.EventID] = x.TestEvent()
		}
	}
	return events, nil
}

// attempt makes one attempt and stores what came of it.
func (d *Dispatcher) attempt(w *webhook.Subscriber, begun webhook.Delivery, events map[activity.ID]activity.Event) error {
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
	d.meter.WebhookAttempt(outcomeOf(ended), took)
	// The webhook first: if the process dies between, the attempt is made again
	// and comes to the same end.
	if err := d.judge(ctx, w, ended); err != nil {
		return err
	}
	_, err := d.outbox.Move(ctx, []ports.Move{{Before: begun, After: ended}})
	return err
}

func outcomeOf(d webhook.Delivery) string {
	if d.Status == webhook.Pending {
		return "retried"
	}
	return string(d.Status)
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

// ownSubject is who the audit trail names for what the service does by itself.
const ownSubject = "orgd"

// disable disables a webhook, unless somebody has changed it since the attempt
// began: then the next attempt decides.
func (d *Dispatcher) disable(ctx context.Context, tried *webhook.Subscriber, why webhook.Reason, because webhook.Delivery) error {
	ch := newChange(d.clock, d.ids, Call{Route: "webhook delivery", RequestID: string(because.ID)})
	ch.call.Actor.Subject = ownSubject
	_, err := d.webhooks.Update(ctx, tried.ID, func(w webhook.Webhook) (ports.WebhookChange, error) {
		if w.Revision != tried.Revision {
			return ch.webhookChange(w, w.Revision), nil
		}
		return ch.webhookChange(w.Disable(why, ch.at), w.Revision), nil
	})
	if errors.Is(err, webhook.ErrNotFound) {
		return nil
	}
	return err
}

// Measure records what is pending.
func (d *Dispatcher) Measure(ctx context.Context) error {
	hooks, err := d.enabled(ctx)
	if err != nil {
		return err
	}
	now := d.clock.Now()
	pending, late := 0, time.Duration(0)
	for _, w := range hooks {
		n, first, err := d.outbox.Backlog(ctx, w.ID, countAtMost)
		if err != nil {
			return err
		}
		if pending += n; n > 0 {
			late = max(late, now.Sub(first))
		}
	}
	d.meter.WebhookBacklog(pending, late)
	return nil
}

// Drain lets deliveries that are under way end until ctx does, calls off the
// rest and returns when nothing is under way any more. What is called off is
// due again at once, for whoever comes next. No turn begins anything after it.
func (d *Dispatcher) Drain(ctx context.Context) error {
	d.mu.Lock()
	d.stopping = true
	d.mu.Unlock()
	defer context.AfterFunc(ctx, d.abort)()
	d.running.Wait()
	d.abort()
	return d.failures()
}
