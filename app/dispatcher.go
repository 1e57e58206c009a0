package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"orgd/domain/activity"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// countAtMost bounds the deliveries of one webhook that are counted.
const countAtMost = 10_000

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
	webhooks *subscribers
	outbox   ports.Outbox
	log      ports.ActivityLog
	trail    ports.AuditLog
	stream   ports.EventStream
	sender   ports.WebhookSender
	meter    DeliveryMeter

	due           ports.Broadcast // when a delivery may be due
	reading       reading         // of Record
	recordFails   atomic.Bool     // whether the last turn of Record failed
	dispatchFails atomic.Bool     // whether the last turn of Dispatch failed
	work          context.Context // of deliveries
	abort         context.CancelFunc

	mu       sync.Mutex
	busy     map[webhook.ID]bool // webhooks whose slots are in use
	stopping bool
	failed   error // of deliveries since the last turn
	running  sync.WaitGroup
}

// reading remembers how far after the stored position of the outbox events were read.
// The stored position moves when deliveries are recorded, and else once in saveEvery: a
// log without events costs few writes, and whoever comes next begins not far behind.
type reading struct {
	outbox activity.Seq // the position of the outbox
	since  time.Time    // when it moved, as far as this dispatcher knows
	after  activity.Seq // up to which there is nothing left to record
	// stored says that the log does not reach back to after: events are read where
	// they are stored, up to upTo.
	stored bool
	upTo   activity.Seq
}

// NewDispatcher returns a dispatcher that has begun nothing.
func NewDispatcher(clock ports.Clock, ids ports.IDs, random ports.Random, webhooks ports.WebhookStore, outbox ports.Outbox, log ports.ActivityLog, trail ports.AuditLog,
	stream ports.EventStream, sender ports.WebhookSender, meter DeliveryMeter,
) *Dispatcher {
	work, abort := context.WithCancel(context.Background())
	return &Dispatcher{
		clock: clock, ids: ids, random: random, outbox: outbox, log: log, trail: trail, stream: stream, sender: sender, meter: meter,
		webhooks: &subscribers{store: webhooks, known: map[revision.Tag]*webhook.Subscriber{}},
		work:     work, abort: abort, busy: map[webhook.ID]bool{},
	}
}

// Notify says that something may be due.
func (d *Dispatcher) Notify() { d.due.Notify() }

// Notified returns a channel that is closed when something may be due. Ask for it
// before a turn and wait for it after.
func (d *Dispatcher) Notified() <-chan struct{} { return d.due.Wait() }

// Working reports whether the last turns went well.
func (d *Dispatcher) Working() bool { return !d.recordFails.Load() && !d.dispatchFails.Load() }

// Measure records what is pending.
func (d *Dispatcher) Measure(ctx context.Context) error {
	hooks, err := d.webhooks.enabled(ctx)
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
