package portstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/revision"
	"orgd/domain/webhook"
	"orgd/ports"
)

// WebhookStore checks the promises of ports.WebhookStore.
func WebhookStore(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"CreateKeepsEverything":        webhookCreate,
		"UpdateKeepsEverything":        webhookUpdate,
		"UnknownIsNotFound":            webhookUnknown,
		"FailedChangeStoresNothing":    webhookFailed,
		"NoEffectStoresOnlyTheRecord":  webhookNoEffect,
		"UsedKeyIsRefused":             webhookUsedKey,
		"EveryStepLeavesItsAuditEntry": webhookAudit,
		"DeletedIsGone":                webhookDelete,
		"StepsStoreDeliveries":         webhookDeliver,
		"StepsReplaceDeliveries":       webhookReplace,
		"PagesWalkEveryWebhookOnce":    webhookPages,
		"PagesEndByBytes":              webhookBytes,
		"TagsNameEveryState":           webhookTags,
		"CursorSurvivesOtherChanges":   webhookCursor,
		"ParallelUpdatesLoseNothing":   webhookParallel,
	})
}

// filtered sets every field of a webhook but its URL.
const filtered = `"event_types":["fired","hired"],"departments":["Straße"," $a.b "],"enabled":false`

func webhookCreate(w *world) {
	for _, h := range []webhook.Webhook{w.hook(), w.hook(filtered), w.hook()} {
		w.want("Webhook", w.webhook(h.ID), h)
	}
}

func webhookUpdate(w *world) {
	id := w.hook().ID
	for _, do := range []webhookChange{
		w.rewiring(`{"url":"http://[::1]:8080/%C3%A9?a=$ne",`+filtered+`}`, nil), w.rotating(nil), w.rotating(nil), w.rewiring(`{"enabled":true,"departments":[]}`, nil),
		func(h webhook.Webhook) (ports.WebhookChange, error) {
			return webhookStep(h.Disable(webhook.Gone, epoch), h.Revision, w.trailOf(nil)), nil
		},
	} {
		before := w.webhook(id)
		want := must(do(before)).State
		got, err := w.Webhooks.Update(w.Context(), id, func(h webhook.Webhook) (ports.WebhookChange, error) {
			w.want("the webhook given to change", h, before)
			return do(h)
		})
		w.wantNil("Update", err)
		w.want("Update", got, want)
		w.want("Webhook", w.webhook(id), want)
	}
}

func webhookUnknown(w *world) {
	h := w.hook()
	for _, id := range []webhook.ID{webhook.ID(w.id()), h.ID[:35], h.ID + "0", "%", ""} {
		_, err := w.Webhooks.Webhook(w.Context(), id)
		w.wantErr("Webhook", err, webhook.ErrNotFound)
		_, err = w.Webhooks.Update(w.Context(), id, w.rewiring(`{"enabled":false}`, nil))
		w.wantErr("Update", err, webhook.ErrNotFound)
	}
}

func webhookFailed(w *world) {
	h := w.hook()
	w.wantNothingStored("Update", errRefused, func(r *idempotency.Record) error {
		do := w.delivering(h.Deliver(activity.ID(w.id()), w.now()), r)
		_, err := w.Webhooks.Update(w.Context(), h.ID, func(h webhook.Webhook) (ports.WebhookChange, error) {
			s := must(do(h))
			s.State.URL, s.State.Revision = "https://other.example", h.Revision+1
			return s, errRefused
		})
		return err
	})
}

func webhookNoEffect(w *world) {
	id := w.hook(`"departments":["Sales"]`).ID
	w.wantOnlyRecord("Update", func(r *idempotency.Record) error {
		_, err := w.Webhooks.Update(w.Context(), id, w.rewiring(`{"enabled":true,"departments":["Sales"]}`, r))
		return err
	})
}

func webhookUsedKey(w *world) {
	w.wantRecordOnce("Create", func(r *idempotency.Record) error {
		s := w.hooking()
		s.Idempotency = r
		return w.Webhooks.Create(w.Context(), s)
	})
	h := w.hook()
	w.wantRecordOnce("Update", func(r *idempotency.Record) error {
		_, err := w.Webhooks.Update(w.Context(), h.ID, w.rotating(r))
		return err
	})
	w.wantRecordOnce("Update with a delivery", func(r *idempotency.Record) error {
		_, err := w.Webhooks.Update(w.Context(), h.ID, w.delivering(h.Deliver(activity.ID(w.id()), w.now()), r))
		return err
	})
}

func webhookAudit(w *world) {
	s := w.hooking()
	w.wantNil("Create", w.Webhooks.Create(w.Context(), s))
	want := []audit.Entry{s.Audit}
	for _, do := range []webhookChange{
		w.rewiring(`{"enabled":false}`, nil), w.rotating(nil), w.delivering(s.State.Deliver(activity.ID(w.id()), w.now()), nil), w.unhooking(),
	} {
		want = append([]audit.Entry{must(do(w.webhook(s.State.ID))).Audit}, want...)
		w.rewire(s.State.ID, do)
	}
	w.want("Entries", w.entries(audit.Webhook(string(s.State.ID))), want)
}

func webhookDelete(w *world) {
	h, stays := w.hook(), w.hook()
	w.record(w.owed(h, 2)...)
	w.rewire(h.ID, w.unhooking())
	_, err := w.Webhooks.Webhook(w.Context(), h.ID)
	w.wantErr("Webhook", err, webhook.ErrNotFound)
	_, err = w.Webhooks.Update(w.Context(), h.ID, w.unhooking())
	w.wantErr("Update", err, webhook.ErrNotFound)
	w.want("Webhooks", w.webhooks(10), []webhook.Webhook{stays})
}

// A step that leaves the webhook as it is has an effect if it stores a delivery.
func webhookDeliver(w *world) {
	h := w.hook()
	d := must(h.Probe(activity.ID(w.id()), w.now()))
	got := w.rewire(h.ID, w.delivering(d, nil))
	w.want("Update", got, h)
	w.want("Webhook", w.webhook(h.ID), h)
	w.want("Deliveries", w.deliveries(h.ID, 10), []webhook.Delivery{d})
	w.want("the number of entries", len(w.entries(audit.Webhook(string(h.ID)))), 2)
	r := w.newRecord("of a test")
	e := must(h.Probe(activity.ID(w.id()), w.now()))
	w.rewire(h.ID, w.delivering(e, r))
	w.want("the record", w.kept(r), r)
	w.want("Deliveries", w.deliveries(h.ID, 10), []webhook.Delivery{e, d})
}

func webhookReplace(w *world) {
	h := w.hook()
	all := w.owed(h, 2)
	w.record(all...)
	done := w.attempt(all[0], accepted, w.now())
	running := w.move(all[1], all[1].Begin(w.now(), w.id()))
	for _, d := range []webhook.Delivery{done, running} {
		again := must(h.Again(d, w.now(), w.id()))
		w.rewire(h.ID, w.delivering(again, nil))
		got, err := w.Outbox.Delivery(w.Context(), h.ID, d.ID)
		w.wantNil("Delivery", err)
		w.want("the delivery that was asked for again", got, again)
		again = must(h.Again(got, w.now(), w.id())) // and once more
		w.rewire(h.ID, w.delivering(again, nil))
		got, err = w.Outbox.Delivery(w.Context(), h.ID, d.ID)
		w.wantNil("Delivery", err)
		w.want("the delivery that was asked for twice", got, again)
	}
	moved, err := w.Outbox.Move(w.Context(), []ports.Move{{Before: running, After: running.Finish(accepted, w.now(), 0, w.id())}})
	w.wantNil("Move", err)
	w.want("what a move from before has moved", moved, nil)
}

func webhookPages(w *world) {
	w.want("Webhooks of an empty storage", w.webhooks(1), nil)
	var want []webhook.Webhook
	steps := []ports.WebhookChange{w.hooking(), w.hooking(), w.hooking(filtered), w.hooking(), w.hooking()}
	for _, s := range slices.Backward(steps) { // neither age nor state is the order
		w.wantNil("Create", w.Webhooks.Create(w.Context(), s))
		want = append([]webhook.Webhook{s.State}, want...)
	}
	for limit := 1; limit <= len(want)+1; limit++ {
		w.want(fmt.Sprintf("Webhooks in pages of %d", limit), w.webhooks(limit), want)
	}
}

func webhookBytes(w *world) {
	departments := make([]string, 256)
	for i := range departments {
		departments[i] = quote(fmt.Sprintf("%03d%s", i, strings.Repeat("😀", 125)))
	}
	var want []webhook.Webhook
	for range 24 {
		want = append(want, w.hook(`"departments":[`+strings.Join(departments, ",")+`]`))
	}
	w.want("all Webhooks", shortPages(w, len(want), func(ctx context.Context, last *webhook.Webhook) ([]webhook.Webhook, error) {
		q := webhook.Query{Limit: len(want)}
		if last != nil {
			q.After = last.ID
		}
		return w.Webhooks.Webhooks(ctx, q)
	}), want)
}

func webhookTags(w *world) {
	wantTags := func(hooks ...webhook.Webhook) {
		w.Helper()
		var want []revision.Tag
		for _, h := range hooks {
			want = append(want, h.Tag())
		}
		got, err := w.Webhooks.Tags(w.Context())
		w.wantNil("Tags", err)
		w.want("Tags", got, want)
	}
	wantTags()
	steps := []ports.WebhookChange{w.hooking(), w.hooking(filtered), w.hooking()}
	for _, s := range slices.Backward(steps) {
		w.wantNil("Create", w.Webhooks.Create(w.Context(), s))
	}
	a, b, c := steps[0].State, steps[1].State, steps[2].State
	wantTags(a, b, c)
	b = w.rewire(b.ID, w.rewiring(`{"enabled":true}`, nil))
	c = w.rewire(c.ID, w.rotating(nil))
	c = w.rewire(c.ID, w.delivering(must(c.Probe(activity.ID(w.id()), w.now())), nil))
	wantTags(a, b, c)
	w.rewire(a.ID, w.unhooking())
	wantTags(b, c)
}

func webhookCursor(w *world) {
	var want []webhook.ID
	for range 5 {
		want = append(want, w.hook().ID)
	}
	passing := w.hook(`"departments":["goes"]`).ID
	got := walk(w, 2, func(last *webhook.Webhook) ([]webhook.Webhook, error) {
		q := webhook.Query{Limit: 2}
		if last != nil {
			q.After = last.ID
			w.rewire(passing, w.unhooking())
			passing = w.hook(`"departments":["goes"]`).ID
		}
		return w.Webhooks.Webhooks(w.Context(), q)
	})
	got = slices.DeleteFunc(got, func(h webhook.Webhook) bool { return len(h.Departments) > 0 })
	w.want("the number of webhooks while others come and go", len(got), len(want))
	for i, h := range got {
		w.want("a webhook while others come and go", h.ID, want[i])
	}
}

func webhookParallel(w *world) {
	const each = 6
	id := w.hook().ID
	errs := atOnce(crowd, func(i int) error {
		for j := range each {
			_, err := w.Webhooks.Update(w.Context(), id, func(h webhook.Webhook) (ports.WebhookChange, error) {
				departments := quote(fmt.Sprintf("%d.%d", i, j))
				for _, d := range h.Departments {
					departments += "," + quote(d.Text)
				}
				return w.rewiring(`{"departments":[`+departments+`]}`, nil)(h)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Update", errs)
	h := w.webhook(id)
	w.want("the revision", h.Revision, int64(1+crowd*each))
	w.want("the number of departments", len(h.Departments), crowd*each)
	w.wantTrail(audit.Webhook(string(id)), 1+crowd*each, false)
}
