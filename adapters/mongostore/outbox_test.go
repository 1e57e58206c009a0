package mongostore

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/receipt"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/ports/portstest"
)

func (o *office) hooking() ports.WebhookStep {
	id := webhook.ID(o.id())
	p := must(webhook.ParseNew(value(`{"url":"https://example.com"}`)))
	h := must(webhook.New(id, p, webhook.Secret{1}, 0, o.now()))
	return ports.WebhookStep{Webhook: h, Note: o.note(audit.Webhook(string(id)), nil)}
}

func (o *office) hook() webhook.Webhook {
	o.Helper()
	s := o.hooking()
	o.must(o.Webhooks.Create(o.Context(), s))
	return s.Webhook
}

// rewire is a change of a webhook.
func (o *office) rewire(h webhook.Webhook, r *receipt.Receipt, do func(webhook.Webhook) ports.WebhookStep) step {
	note := o.note(audit.Webhook(string(h.ID)), r)
	return step{func(ctx context.Context, st portstest.Stores) error {
		_, err := st.Webhooks.Update(ctx, h.ID, func(h webhook.Webhook) (ports.WebhookStep, error) {
			s := do(h)
			s.Note = note
			return s, nil
		})
		return err
	}, r}
}

// delivered is a delivery that was made and has succeeded.
func (o *office) delivered(h webhook.Webhook) webhook.Delivery {
	o.Helper()
	d := h.Deliver(activity.ID(o.id()), o.now())
	if _, err := o.Outbox.Record(o.Context(), 0, 1, []webhook.Delivery{d}); err != nil {
		o.Fatal(err)
	}
	done := d.Begin(o.now(), o.id()).Finish(webhook.Result{Code: 200}, o.now(), 0, o.id())
	if _, err := o.Outbox.Move(o.Context(), []ports.Move{{Before: d, After: done}}); err != nil {
		o.Fatal(err)
	}
	return done
}

// Whoever dies while recording deliveries leaves them to the next: none is lost
// and none is there twice, also if some were sent in between.
func TestCrashWhileRecording(t *testing.T) {
	for _, point := range []string{"outbox.record", "outbox.move"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			h := o.hook()
			var all []webhook.Delivery
			for range 3 {
				all = append(all, h.Deliver(activity.ID(o.id()), o.now()))
			}
			o.db.hook = func(at string) error {
				if at == point {
					return errCrash
				}
				return nil
			}
			if _, err := o.Outbox.Record(t.Context(), 0, 7, all); !errors.Is(err, errCrash) {
				t.Fatalf("Record = %v, want to stop at %s", err, point)
			}
			other := storesOf(o.replica())
			if place, err := other.Outbox.Place(t.Context()); place != 0 || err != nil {
				t.Errorf("Place after the crash = %d, %v, want 0", place, err)
			}
			sent := 0
			due, err := other.Outbox.Due(t.Context(), epoch.Add(time.Minute), map[webhook.ID]int{h.ID: 1})
			o.must(err)
			for _, d := range due { // the other replica is quick
				done := d.Begin(o.now(), o.id()).Finish(webhook.Result{Code: 200}, o.now(), 0, o.id())
				_, err := other.Outbox.Move(t.Context(), []ports.Move{{Before: d, After: done}})
				o.must(err)
				sent++
			}
			if moved, err := other.Outbox.Record(t.Context(), 0, 7, all); !moved || err != nil {
				t.Fatalf("Record after the crash = %t, %v", moved, err)
			}
			found, err := other.Outbox.Deliveries(t.Context(), webhook.DeliveryQuery{Webhook: h.ID, Limit: 10})
			o.must(err)
			done := slices.DeleteFunc(slices.Clone(found), func(d webhook.Delivery) bool { return d.Status == webhook.Pending })
			if len(found) != len(all) || len(done) != sent {
				t.Errorf("%d deliveries of which %d have ended, want %d and %d", len(found), len(done), len(all), sent)
			}
			if place, err := other.Outbox.Place(t.Context()); place != 7 || err != nil {
				t.Errorf("Place = %d, %v, want 7", place, err)
			}
		})
	}
}

// Who pays a debt late does not undo what became of the delivery since.
func TestLatePayment(t *testing.T) {
	o := newOffice(t)
	h := o.hook()
	d := must(h.Again(o.delivered(h), o.now(), o.id()))
	o.must(o.db.payDelivery(t.Context(), "op", deliveryOf(d)))
	done := d.Begin(o.now(), o.id()).Finish(webhook.Result{Code: 200}, o.now(), 0, o.id())
	if moved, err := o.Outbox.Move(t.Context(), []ports.Move{{Before: d, After: done}}); len(moved) != 1 || err != nil {
		t.Fatalf("Move = %v, %v", moved, err)
	}
	o.must(o.db.payDelivery(t.Context(), "op", deliveryOf(d)))
	got, err := o.Outbox.Delivery(t.Context(), h.ID, d.ID)
	if got.Status != webhook.Delivered || err != nil {
		t.Errorf("Delivery = %+v, %v, want it delivered as before", got, err)
	}
}

// Who pays late what was asked for once more since does not undo that either.
func TestLatePaymentOfTheSame(t *testing.T) {
	o := newOffice(t)
	h := o.hook()
	before := o.delivered(h)
	ask := func(ctx context.Context) error {
		return o.rewire(h, nil, func(h webhook.Webhook) ports.WebhookStep {
			d := must(h.Again(before, o.now(), o.id()))
			return ports.WebhookStep{Webhook: h, From: h.Revision, Deliver: &d}
		}).do(ctx, o.Stores)
	}
	o.stopAt("settle.delivery")
	if err := ask(t.Context()); err == nil {
		t.Fatal("the first change is settled")
	}
	owed, err := o.db.pending(t.Context(), home{webhooksColl, string(h.ID)})
	if len(owed) != 1 || err != nil {
		t.Fatalf("pending = %+v, %v, want one debt", owed, err)
	}
	o.db.hook = nil
	o.must(ask(t.Context()))
	d, err := o.Outbox.Delivery(t.Context(), h.ID, before.ID)
	o.must(err)
	done := d.Begin(o.now(), o.id()).Finish(webhook.Result{Code: 200}, o.now(), 0, o.id())
	if moved, err := o.Outbox.Move(t.Context(), []ports.Move{{Before: d, After: done}}); len(moved) != 1 || err != nil {
		t.Fatalf("Move = %v, %v", moved, err)
	}
	o.must(o.db.pay(t.Context(), home{webhooksColl, string(h.ID)}, owed[0]))
	got, err := o.Outbox.Delivery(t.Context(), h.ID, before.ID)
	if got.Status != webhook.Delivered || err != nil {
		t.Errorf("Delivery = %+v, %v, want it delivered as before", got, err)
	}
}

// Behind a backlog every webhook gets its share.
func TestDueBehindABacklog(t *testing.T) {
	o := newOffice(t)
	busy := o.hook()
	lanes := map[webhook.ID]int{busy.ID: 2}
	var all []webhook.Delivery
	for range glanceAt + 1 {
		all = append(all, busy.Deliver(activity.ID(o.id()), o.now()))
	}
	for range fewLanes {
		h := o.hook()
		lanes[h.ID] = 2
		all = append(all, h.Deliver(activity.ID(o.id()), o.now()))
	}
	_, err := o.Outbox.Record(t.Context(), 0, 1, all)
	o.must(err)
	due, err := o.Outbox.Due(t.Context(), epoch.Add(time.Hour), lanes)
	o.must(err)
	counts := map[webhook.ID]int{}
	for _, d := range due {
		counts[d.Webhook]++
	}
	if len(due) != 2+fewLanes || counts[busy.ID] != 2 || len(counts) != 1+fewLanes {
		t.Errorf("Due = %v, want two of the busy one and one of each other", counts)
	}
}
