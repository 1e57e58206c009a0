package webhooks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// A delivery is tried on schedule for three days. Then it is given up, and the
// webhook with it.
func TestThreeDaysOfFailure(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(500))
	w := p.hook(rec.URL)
	id := p.happen(1)[0]
	var at []time.Time
	for n := 1; ; n++ {
		at = append(at, p.clock.Now())
		p.works()
		d := p.deliveries(w.ID)[id]
		if d.Attempt != n || d.Last.Code != 500 {
			t.Fatalf("after %d attempts the delivery is %+v", n, d)
		}
		if d.Status != webhook.Pending {
			break
		}
		p.clock.to(d.Due.Add(-time.Millisecond))
		p.works()
		if got := rec.got()[string(id)]; got != n {
			t.Fatalf("%d attempts were made before the %d. was due", got, n+1)
		}
		p.clock.to(d.Due)
	}
	if took := at[len(at)-1].Sub(at[0]); took < 71*time.Hour || took > 73*time.Hour {
		t.Errorf("the attempts took %v, want about three days", took)
	}
	first := []time.Duration{at[1].Sub(at[0]), at[2].Sub(at[1]), at[3].Sub(at[2])}
	if want := []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}; !slices.Equal(first, want) {
		t.Errorf("the first waits are %v, want %v", first, want)
	}
	if now := p.webhook(w.ID); now.Disabled != webhook.Failing || now.Revision != 2 {
		t.Errorf("the webhook is %+v, want it disabled as failing", now)
	}
	trail, err := p.stores.Audit.Entries(t.Context(), audit.Query{Resource: audit.Webhook(string(w.ID)), Limit: 10})
	p.must(err)
	if len(trail) != 2 || trail[0].Actor != "orgd" || trail[0].From != 1 || trail[0].To != 2 || trail[0].RequestID != string(p.deliveries(w.ID)[id].ID) {
		t.Errorf("the audit trail is %+v, want the service's own entry", trail)
	}
	p.happen(1)
	p.clock.to(p.clock.Now().Add(time.Hour))
	p.works()
	if got := rec.got(); len(got) != 1 || got[string(id)] != webhook.MaxAttempts {
		t.Errorf("%v messages came, want %d of one event", got, webhook.MaxAttempts)
	}
}

// One event that its receiver cannot take does not end the others.
func TestOneBadEvent(t *testing.T) {
	p := newPost(t)
	var bad atomic.Value
	rec := receive(t, func(id string) int {
		if id == bad.Load() {
			return 500
		}
		return 200
	})
	w := p.hook(rec.URL)
	id := p.happen(1)[0]
	bad.Store(string(id))
	for n := range webhook.MaxAttempts {
		if n == 3 {
			p.happen(1) // this one is taken
		}
		p.works()
		p.clock.to(p.deliveries(w.ID)[id].Due)
	}
	if d := p.deliveries(w.ID)[id]; d.Status != webhook.Failed {
		t.Errorf("the bad delivery is %+v, want it given up", d)
	}
	if now := p.webhook(w.ID); !now.Enabled() {
		t.Errorf("the webhook is disabled as %s, want it enabled", now.Disabled)
	}
}

// Whoever began an attempt and died is waited for, and not longer than that.
func TestAbandonedAttempt(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(200))
	w := p.hook(rec.URL)
	id := p.happen(1)[0]
	p.must(p.dispatcher().Record(t.Context()))
	d := p.deliveries(w.ID)[id]
	if _, err := p.stores.Outbox.Move(t.Context(), []ports.Move{{Before: d, After: d.Begin(p.clock.Now(), "dead")}}); err != nil {
		t.Fatal(err)
	}
	p.clock.to(p.clock.Now().Add(webhook.Lease - time.Millisecond))
	p.works()
	if len(rec.got()) != 0 {
		t.Error("the attempt was made again while the first may have been under way")
	}
	p.clock.to(p.clock.Now().Add(time.Millisecond))
	p.works()
	if d := p.deliveries(w.ID)[id]; d.Status != webhook.Delivered || d.Attempt != 2 || rec.got()[string(id)] != 1 {
		t.Errorf("the delivery is %+v, want it delivered by the second attempt", d)
	}
}

// cutOutbox fails to store what came of attempts while cut is set.
type cutOutbox struct {
	ports.Outbox
	cut atomic.Bool
}

func (o *cutOutbox) Move(ctx context.Context, moves []ports.Move) ([]webhook.Delivery, error) {
	if o.cut.Load() && moves[0].Before.Attempt == moves[0].After.Attempt { // not a claim
		return nil, ports.ErrUnavailable
	}
	return o.Outbox.Move(ctx, moves)
}

// What was sent and could not be noted is sent again: at least once, not at
// most once.
func TestLostResult(t *testing.T) {
	for status, want := range map[int]webhook.Status{200: webhook.Delivered, 410: webhook.Failed} {
		p := newPost(t)
		cut := &cutOutbox{Outbox: p.stores.Outbox}
		p.stores.Outbox = cut
		rec := receive(t, always(status))
		w := p.hook(rec.URL)
		id := p.happen(1)[0]
		cut.cut.Store(true)
		if _, err := p.round(); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%d: round = %v, want the outage", status, err)
		}
		if d := p.deliveries(w.ID)[id]; d.Status != webhook.Pending || rec.got()[string(id)] != 1 {
			t.Errorf("%d: the delivery is %+v, want it pending", status, d)
		}
		cut.cut.Store(false)
		if disabled := !p.webhook(w.ID).Enabled(); disabled != (status == 410) {
			t.Errorf("%d: disabled = %t", status, disabled)
		} else if disabled {
			p.change(w.ID, `{"enabled":true}`)
		}
		p.clock.to(p.clock.Now().Add(webhook.Lease))
		p.works()
		if d := p.deliveries(w.ID)[id]; d.Status != want || rec.got()[string(id)] != 2 {
			t.Errorf("%d: the delivery is %+v after %d messages, want it %s after 2", status, d, rec.got()[string(id)], want)
		}
	}
}

// A webhook that was changed while an attempt was under way is not disabled for
// what came of that: the next attempt will tell.
func TestChangedMeanwhile(t *testing.T) {
	p := newPost(t)
	good := receive(t, always(200))
	var w webhook.Webhook
	bad := receive(t, func(string) int {
		p.change(w.ID, `{"url":"`+good.URL+`"}`)
		return 410
	})
	w = p.hook(bad.URL)
	p.happen(1)
	p.works()
	if now := p.webhook(w.ID); !now.Enabled() || now.URL != good.URL {
		t.Errorf("the webhook is %+v, want it as it was changed", now)
	}
}

// Of two dispatchers on one store each makes a part of the deliveries.
func TestTwoDispatchers(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(200))
	w := p.hook(rec.URL)
	other := p.hook(rec.URL + "/other")
	ids := p.happen(150)
	var running sync.WaitGroup
	var enough atomic.Bool
	for range 2 {
		d := p.dispatcher()
		running.Go(func() {
			for !enough.Load() {
				if err := errors.Join(d.Record(t.Context()), d.Dispatch(t.Context())); err != nil {
					t.Errorf("turn = %v", err)
				}
				time.Sleep(5 * time.Millisecond)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := d.Drain(ctx); err != nil {
				t.Errorf("Drain = %v", err)
			}
		})
	}
	end := func() { enough.Store(true); running.Wait() }
	defer end()
	eventually(t, time.Minute, "the arrival of every event", func() bool { return rec.count() >= 2*len(ids) })
	end() // what has arrived is noted then
	got := rec.got()
	for _, id := range ids {
		if got[string(id)] != 2 {
			t.Errorf("event %s came %d times, want once for each webhook", id, got[string(id)])
		}
	}
	for _, of := range []webhook.ID{w.ID, other.ID} {
		all := p.deliveries(of)
		for _, id := range ids {
			if d := all[id]; d.Status != webhook.Delivered || d.Attempt != 1 {
				t.Errorf("the delivery is %+v, want it delivered at once", d)
			}
		}
	}
}

// What is under way when the service stops may end; what takes too long is
// called off and due again at once, as if it had not been tried.
func TestDrain(t *testing.T) {
	p := newPost(t)
	arrived, quit := make(chan struct{}), make(chan struct{})
	slow := receive(t, func(string) int {
		arrived <- struct{}{}
		<-quit
		return 200
	})
	t.Cleanup(func() { close(quit) }) // before the receiver is closed
	patient := receive(t, func(string) int {
		time.Sleep(200 * time.Millisecond) // the drain has begun
		return 200
	})
	w, good := p.hook(slow.URL), p.hook(patient.URL)
	id := p.happen(1)[0]
	d := p.dispatcher()
	p.must(d.Record(t.Context()))
	p.must(d.Dispatch(t.Context()))
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- d.Drain(ctx) }()
	eventually(t, time.Minute, "the patient delivery", func() bool { return p.deliveries(good.ID)[id].Status == webhook.Delivered })
	select {
	case err := <-drained:
		t.Errorf("Drain = %v before its time was over", err)
	default:
	}
	cancel()
	if err := <-drained; err != nil {
		t.Errorf("Drain = %v", err)
	}
	if x := p.deliveries(good.ID)[id]; x.Status != webhook.Delivered {
		t.Errorf("the patient delivery is %+v, want it delivered", x)
	}
	if x := p.deliveries(w.ID)[id]; x.Status != webhook.Pending || x.Attempt != 0 || x.Due.After(p.clock.Now()) {
		t.Errorf("the slow delivery is %+v, want it due at once and not counted", x)
	}
	if err := d.Dispatch(t.Context()); err != nil {
		t.Errorf("Dispatch after Drain = %v", err)
	}
	if x := p.deliveries(w.ID)[id]; x.Attempt != 0 {
		t.Errorf("a dispatcher that was drained has begun an attempt: %+v", x)
	}
	p.change(w.ID, `{"url":"`+patient.URL+`"}`)
	p.works()
	if x := p.deliveries(w.ID)[id]; x.Status != webhook.Delivered || x.Attempt != 1 {
		t.Errorf("the slow delivery is %+v, want it delivered by the next dispatcher", x)
	}
}

// grudging is an outbox that stores all but the last of several moves, once it
// has stored some.
type grudging struct {
	ports.Outbox
	stored *atomic.Int64
}

var errGrudging = errors.New("no")

func (g grudging) Move(ctx context.Context, moves []ports.Move) ([]webhook.Delivery, error) {
	if len(moves) == 1 || g.stored.Add(1) == 1 {
		return g.Outbox.Move(ctx, moves)
	}
	moved, err := g.Outbox.Move(ctx, moves[:len(moves)-1])
	return moved, errors.Join(err, errGrudging)
}

// When some of a batch cannot be claimed, what was claimed gets its attempt.
func TestPartlyClaimed(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(200))
	w := p.hook(rec.URL)
	p.happen(7) // the first batch has four
	p.stores.Outbox = grudging{p.stores.Outbox, new(atomic.Int64)}
	d := p.dispatcher()
	p.must(d.Record(t.Context()))
	p.must(d.Dispatch(t.Context()))
	delivered := func() (n int) {
		for _, x := range p.deliveries(w.ID) {
			if x.Status == webhook.Delivered {
				n++
			}
		}
		return n
	}
	eventually(t, time.Minute, "what was claimed", func() bool { return delivered() >= 6 })
	if n := delivered(); n != 6 {
		t.Errorf("%d of 7 are delivered, want all but the one that could not be claimed", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := d.Drain(ctx); !errors.Is(err, errGrudging) {
		t.Errorf("Drain = %v, want what went wrong", err)
	}
}

// panicking is a sender with a mistake.
type panicking struct{}

func (panicking) Send(context.Context, webhook.Message) webhook.Result { panic("secret") }

// A mistake in one delivery ends nothing else, and does not tell what it was
// about.
func TestPanic(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(200))
	w := p.hook(rec.URL)
	id := p.happen(1)[0]
	good := p.sender
	p.sender = panicking{}
	if _, err := p.round(); err == nil || !strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "secret") {
		t.Errorf("round = %v, want where the panic came from and not its value", err)
	}
	p.sender = good
	p.clock.to(p.clock.Now().Add(webhook.Lease))
	p.works()
	if d := p.deliveries(w.ID)[id]; d.Status != webhook.Delivered {
		t.Errorf("the delivery is %+v, want it delivered", d)
	}
}

// An event that is forgotten before it could be delivered ends its delivery.
func TestForgottenEvent(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(500))
	w := p.hook(rec.URL)
	id := p.happen(1)[0]
	p.works()
	_, err := p.stores.Storage.DeleteExpired(t.Context(), ports.Expiry{Events: p.clock.Now().Add(time.Hour)})
	p.must(err)
	p.clock.to(p.deliveries(w.ID)[id].Due)
	p.works()
	if d := p.deliveries(w.ID)[id]; d.Status != webhook.Failed || d.Last != (webhook.Result{Failure: webhook.NoEvent}) {
		t.Errorf("the delivery is %+v, want it failed for want of the event", d)
	}
	_, err = p.hooks.Redeliver(t.Context(), p.call(), w.ID, p.deliveries(w.ID)[id].ID, nil)
	if !errors.Is(err, webhook.ErrEventGone) {
		t.Errorf("Redeliver = %v, want ErrEventGone", err)
	}
}

// shortLog does not reach back beyond a place, and tells which places it was
// read from.
type shortLog struct {
	ports.EventStream
	begin activity.Seq
	read  []activity.Seq
}

func (l *shortLog) After(ctx context.Context, position activity.Seq, limit int) (ports.LogPage, error) {
	l.read = append(l.read, position)
	if position < l.begin {
		return ports.LogPage{}, activity.ErrTooOld
	}
	return l.EventStream.After(ctx, position, limit)
}

// What the log does not reach back to is recorded from where events are stored,
// once.
func TestCutOffLog(t *testing.T) {
	p := newPost(t)
	p.happen(2) // for nobody
	rec := receive(t, always(200))
	early := p.hook(rec.URL)
	known := p.happen(3)
	p.works()
	late := p.hook("http://127.0.0.1:9/")
	missed := p.happen(450) // more than are read at once
	p.cutLog()
	next := p.happen(1)
	d := p.dispatcher()
	for range 2 {
		p.must(d.Record(t.Context()))
		for id, want := range map[webhook.ID][]activity.ID{
			early.ID: slices.Concat(known, missed, next), late.ID: slices.Concat(missed, next),
		} {
			got := p.deliveries(id)
			for _, e := range want {
				if _, recorded := got[e]; !recorded {
					t.Errorf("event %s is not recorded", e)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d deliveries are recorded, want %d", len(got), len(want))
			}
		}
	}
	for _, e := range known {
		if x := p.deliveries(early.ID)[e]; x.Status != webhook.Delivered || rec.got()[string(e)] != 1 {
			t.Errorf("the delivery %+v was made %d times, want 1", x, rec.got()[string(e)])
		}
	}
	position, err := p.stores.Outbox.Position(t.Context())
	p.must(err)
	if head, err := p.stores.Stream.Head(t.Context()); err != nil || position != head {
		t.Errorf("the outbox is at %d, want the end of the log, %d, %v", position, head, err)
	}
}

// A dispatcher that dies while it reads stored events leaves the rest to the next
// one, which records nothing twice.
func TestCutOffLogAndDeath(t *testing.T) {
	p := newPost(t)
	rec := receive(t, always(200))
	w := p.hook(rec.URL)
	ids := p.happen(450)
	p.cutLog()
	ctx, cancel := context.WithCancel(t.Context())
	p.stores.Outbox = &dyingOutbox{Outbox: p.stores.Outbox, left: 2, die: cancel}
	if err := p.dispatcher().Record(ctx); err == nil {
		t.Fatal("Record goes well without its storage")
	}
	if n := len(p.deliveries(w.ID)); n == 0 || n >= len(ids) {
		t.Fatalf("%d deliveries were recorded, want some of %d", n, len(ids))
	}
	p.must(p.dispatcher().Record(t.Context()))
	if n := len(p.deliveries(w.ID)); n != len(ids) {
		t.Errorf("%d deliveries are recorded, want %d", n, len(ids))
	}
}

// dyingOutbox records a few times.
type dyingOutbox struct {
	ports.Outbox
	left int
	die  func()
}

func (o *dyingOutbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (bool, error) {
	if o.left--; o.left == 0 {
		o.die()
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return o.Outbox.Record(ctx, from, to, deliveries)
}

// cutLog cuts the log off before what happens next, as retention does with what is
// old.
func (p *post) cutLog() {
	p.t.Helper()
	now := p.clock.Now()
	for _, e := range []ports.Expiry{{Events: now, Now: now.Add(-time.Hour)}, {Events: now, Now: now.Add(time.Hour)}} {
		_, err := p.stores.Storage.DeleteExpired(p.t.Context(), e)
		p.must(err)
	}
	if _, err := p.stores.Stream.After(p.t.Context(), 0, 1); !errors.Is(err, activity.ErrTooOld) {
		p.t.Fatalf("After(0) = %v of a log that was cut off", err)
	}
}

// A new webhook does not read what happened before it; one that is enabled
// again does not read what happened meanwhile.
func TestBeginsAtTheEndOfTheLog(t *testing.T) {
	p := newPost(t)
	log := &shortLog{EventStream: p.stores.Stream}
	p.stores.Stream = log
	p.happen(700)
	p.works() // nobody wants anything
	if len(log.read) != 0 {
		t.Errorf("the log was read from %v for nobody", log.read)
	}
	rec := receive(t, always(200))
	w := p.hook(rec.URL)
	first := p.happen(1)[0]
	p.works()
	if len(log.read) != 1 || log.read[0] != w.Since || w.Since < 700 {
		t.Errorf("the log was read from %v, want from %d only", log.read, w.Since)
	}
	p.change(w.ID, `{"enabled":false}`)
	p.happen(700)
	p.works()
	p.change(w.ID, `{"enabled":true}`)
	second := p.happen(1)[0]
	p.works()
	got := rec.got()
	if len(got) != 2 || got[string(first)] != 1 || got[string(second)] != 1 {
		t.Errorf("%d events came, want the two that happened while the webhook was enabled", len(got))
	}
}

// Everything that is pending at a time is recorded, however much, in bounded
// steps.
func TestManyEventsManyWebhooks(t *testing.T) {
	p := newPost(t)
	var all []webhook.ID
	for range 20 {
		all = append(all, p.hook("http://127.0.0.1:9/").ID)
	}
	ids := p.happen(450)
	d := p.dispatcher()
	for turns := 1; len(p.deliveries(all[0])) < len(ids) && turns < 100; turns++ {
		p.must(d.Record(t.Context())) // as far as it comes in its time
	}
	for _, of := range all {
		if n := len(p.deliveries(of)); n != len(ids) {
			t.Errorf("%d deliveries to %s, want %d", n, of, len(ids))
		}
	}
}

// countedWebhooks counts the webhooks that are read.
type countedWebhooks struct {
	ports.WebhookStore
	read atomic.Int64
}

func (s *countedWebhooks) Webhook(ctx context.Context, id webhook.ID) (webhook.Webhook, error) {
	s.read.Add(1)
	return s.WebhookStore.Webhook(ctx, id)
}

func (s *countedWebhooks) Webhooks(ctx context.Context, q webhook.Query) ([]webhook.Webhook, error) {
	list, err := s.WebhookStore.Webhooks(ctx, q)
	s.read.Add(int64(len(list)))
	return list, err
}

// A dispatcher reads a webhook once, and again only when it has been changed, by
// whomever.
func TestReadsWhatHasChanged(t *testing.T) {
	p := newPost(t)
	counted := &countedWebhooks{WebhookStore: p.stores.Webhooks}
	p.stores.Webhooks = counted
	d := p.dispatcher()
	turns := func(what string, want int64) {
		t.Helper()
		counted.read.Store(0)
		for range 3 {
			p.must(errors.Join(d.Record(t.Context()), d.Measure(t.Context())))
		}
		if got := counted.read.Load(); got != want {
			t.Errorf("%s: %d webhooks were read, want %d", what, got, want)
		}
	}
	turns("none", 0)
	w, off := p.hook("http://127.0.0.1:9/"), p.hook("http://127.0.0.1:9/")
	p.change(off.ID, `{"enabled":false}`)
	turns("two", 2)
	p.must(d.Dispatch(t.Context()))
	turns("no change", 0)
	wanted := p.happen(1)[0]
	turns("an event", 0)
	p.change(w.ID, `{"event_types":["hired"]}`)
	p.happen(1)
	turns("a change", 1)
	p.must(p.hooks.Delete(t.Context(), p.call(), off.ID))
	turns("a deletion", 0)
	if got := p.deliveries(w.ID); len(got) != 1 || got[wanted].Webhook != w.ID {
		t.Errorf("the deliveries are %v, want one, of the event before the change", got)
	}
}

// brokenWebhooks cannot be listed while broken is set.
type brokenWebhooks struct {
	ports.WebhookStore
	broken atomic.Bool
}

func (s *brokenWebhooks) Tags(ctx context.Context) ([]revision.Tag, error) {
	if s.broken.Load() {
		return nil, ports.ErrUnavailable
	}
	return s.WebhookStore.Tags(ctx)
}

// Working tells whether deliveries are made, whichever of the turns fails.
func TestWorking(t *testing.T) {
	p := newPost(t)
	broken := &brokenWebhooks{WebhookStore: p.stores.Webhooks}
	p.stores.Webhooks = broken
	d := p.dispatcher()
	for _, turn := range []func(context.Context) error{d.Record, d.Dispatch} {
		if err := turn(t.Context()); err != nil || !d.Working() {
			t.Errorf("turn = %v, working %t, want it to work", err, d.Working())
		}
		broken.broken.Store(true)
		if err := turn(t.Context()); !errors.Is(err, ports.ErrUnavailable) || d.Working() {
			t.Errorf("turn = %v, working %t, want the outage", err, d.Working())
		}
		broken.broken.Store(false)
		p.must(turn(t.Context()))
	}
	if !d.Working() {
		t.Error("Working = false after the outage")
	}
}

// figures keeps what a meter is told.
type figures struct {
	mu       sync.Mutex
	outcomes map[string]int
	pending  int
	late     time.Duration
}

func (f *figures) WebhookAttempt(outcome string, _ time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outcomes[outcome]++
}

func (f *figures) WebhookBacklog(pending int, late time.Duration) { f.pending, f.late = pending, late }

func TestFigures(t *testing.T) {
	p := newPost(t)
	f := &figures{outcomes: map[string]int{}}
	p.meter = f
	codes := []int{200, 500, 410}
	var hooks []webhook.ID
	for _, code := range codes {
		hooks = append(hooks, p.hook(receive(t, always(code)).URL).ID)
	}
	p.happen(1)
	p.must(p.dispatcher().Record(t.Context()))
	p.clock.to(p.clock.Now().Add(time.Minute))
	p.must(p.dispatcher().Measure(t.Context()))
	if f.pending != 3 || f.late != time.Minute {
		t.Errorf("the backlog is %d, %v late, want 3, a minute late", f.pending, f.late)
	}
	p.works()
	if f.outcomes["delivered"] != 1 || f.outcomes["retried"] != 1 || f.outcomes["failed"] != 1 {
		t.Errorf("outcomes = %v, want one of each", f.outcomes)
	}
	p.must(p.dispatcher().Measure(t.Context()))
	if f.pending != 1 || f.late != 0 {
		t.Errorf("the backlog is %d, %v late, want 1 that is not due", f.pending, f.late)
	}
	p.change(hooks[1], `{"enabled":false}`)
	p.must(p.dispatcher().Measure(t.Context()))
	if f.pending != 0 {
		t.Errorf("the backlog is %d with what waits for a disabled webhook, want 0", f.pending)
	}
}

var _ app.DeliveryMeter = (*figures)(nil)
