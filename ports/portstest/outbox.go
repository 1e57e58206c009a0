package portstest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Outbox checks the promises of ports.Outbox.
func Outbox(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"PlaceBeginsAtZero":               outboxPlace,
		"RecordKeepsEverything":           outboxRecord,
		"RecordFromAnotherPlace":          outboxRecordStale,
		"RecordWithoutMoving":             outboxRecordInPlace,
		"RecordedTwiceStaysAsItIs":        outboxRecordTwice,
		"DueIsWhatItsTimeHasCome":         outboxDue,
		"DueIsBoundedByLanes":             outboxSlots,
		"DueOfManyWebhooks":               outboxManySlots,
		"MoveKeepsEverything":             outboxMove,
		"MoveOfWhatHasChanged":            outboxMoveStale,
		"MovesAreIndependent":             outboxMoves,
		"UnknownIsNotFound":               outboxUnknown,
		"PagesWalkEveryDeliveryOnce":      outboxPages,
		"DeliveredSince":                  outboxDeliveredSince,
		"Backlog":                         outboxBacklog,
		"DeliveriesOutliveTheirWebhook":   outboxOrphans,
		"ForgetsOldDeliveries":            outboxDeleteExpired,
		"ParallelRecordsRecordOnce":       outboxParallelRecords,
		"ParallelMovesMoveOnce":           outboxParallelMoves,
		"ParallelClaimsShareTheWork":      outboxParallelClaims,
		"ParallelReplacementsAndAttempts": outboxParallelReplace,
	})
}

func (w *world) wantPlace(want activity.Seq) {
	w.Helper()
	got, err := w.Outbox.Position(w.Context())
	w.wantNil("Place", err)
	w.want("Place", got, want)
}

// wantRecord checks what Record reports.
func (w *world) wantRecord(from, to activity.Seq, deliveries []webhook.Delivery, want bool) {
	w.Helper()
	got, err := w.Outbox.Record(w.Context(), from, to, deliveries)
	w.wantNil("Record", err)
	w.want(fmt.Sprintf("Record from %d", from), got, want)
}

func outboxPlace(w *world) {
	w.wantPlace(0)
	w.wantRecord(0, 1<<53, nil, true)
	w.wantPlace(1 << 53)
	w.wantRecord(1<<53, 1<<53+5, nil, true)
	w.wantPlace(1<<53 + 5)
}

func newestDeliveries(all ...webhook.Delivery) []webhook.Delivery {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b webhook.Delivery) int { return newerDelivery(a.Position(), b.Position()) })
	return all
}

func outboxRecord(w *world) {
	h, other := w.hook(), w.hook()
	a, b := w.owed(h, 3), w.owed(other, 2)
	w.wantRecord(0, 7, append(a, b...), true)
	w.wantPlace(7)
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(a...))
	w.want("Deliveries of the other", w.deliveries(other.ID, 10), newestDeliveries(b...))
	for _, d := range append(a, b...) {
		got, err := w.Outbox.Delivery(w.Context(), d.Webhook, d.ID)
		w.wantNil("Delivery", err)
		w.want("Delivery", got, d)
	}
}

func outboxRecordStale(w *world) {
	h := w.hook()
	w.wantRecord(0, 7, w.owed(h, 1), true)
	for _, from := range []activity.Seq{0, 6, 8} {
		w.wantRecord(from, 9, nil, false)
		w.wantPlace(7)
	}
	w.wantRecord(7, 9, nil, true)
}

// What was recorded before a crash and is recorded again may have been sent in
// between.
// outboxRecordInPlace stores deliveries and leaves the position where it is.
func outboxRecordInPlace(w *world) {
	h := w.hook()
	a := w.owed(h, 3)
	w.wantRecord(0, 7, nil, true)
	w.wantRecord(7, 7, a[:2], true)
	w.wantRecord(7, 7, a, true)
	w.wantPlace(7)
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(a...))
	w.wantRecord(0, 0, w.owed(h, 1), false)
	w.wantPlace(7)
}

func outboxRecordTwice(w *world) {
	h := w.hook()
	all := w.owed(h, 2)
	w.record(all...)
	done := w.attempt(all[0], accepted, w.now())
	fresh := w.owed(h, 1)
	again := []webhook.Delivery{h.Deliver(all[0].EventID, w.now()), h.Deliver(all[1].EventID, w.now()), fresh[0], fresh[0]}
	w.record(again...)
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(done, all[1], fresh[0]))
}

// due asks for what is due of some webhooks, sorted by id.
func (w *world) due(now time.Time, n int, of ...webhook.ID) []webhook.DeliveryID {
	w.Helper()
	slots := map[webhook.ID]int{}
	for _, id := range of {
		slots[id] = n
	}
	due, err := w.Outbox.Due(w.Context(), now, slots)
	w.wantNil("Due", err)
	ids := make([]webhook.DeliveryID, len(due))
	for i, d := range due {
		ids[i] = d.ID
	}
	slices.Sort(ids)
	return ids
}

func idsOfDeliveries(all ...webhook.Delivery) []webhook.DeliveryID {
	var ids []webhook.DeliveryID
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

func outboxDue(w *world) {
	h, other := w.hook(), w.hook()
	all := w.owed(h, 6)
	w.record(append(all, w.owed(other, 1)...)...)
	fresh, later, done, failed, running := all[0], all[1], all[2], all[3], all[4]
	now := w.now()
	later = w.attempt(later, refused, now)
	w.attempt(done, accepted, now)
	w.attempt(failed, webhook.Result{Code: 410, Failure: webhook.BadStatus}, now)
	running = w.move(running, running.Begin(now, w.id()))
	w.want("Due", w.due(now, 10, h.ID), idsOfDeliveries(fresh, all[5]))
	w.want("Due before they are", w.due(fresh.Due.Add(-time.Millisecond), 10, h.ID), nil)
	w.want("Due at their time", w.due(fresh.Due, 10, h.ID), idsOfDeliveries(fresh))
	w.want("Due just before another attempt", w.due(later.Due.Add(-time.Millisecond), 10, h.ID), idsOfDeliveries(fresh, all[5]))
	w.want("Due at another attempt", w.due(later.Due, 10, h.ID), idsOfDeliveries(fresh, later, all[5]))
	w.want("Due when an attempt is taken for abandoned", w.due(running.Due, 10, h.ID), idsOfDeliveries(fresh, later, running, all[5]))
	due, err := w.Outbox.Due(w.Context(), fresh.Due, map[webhook.ID]int{h.ID: 1})
	w.wantNil("Due", err)
	w.want("Due", due, []webhook.Delivery{fresh})
	due, err = w.Outbox.Due(w.Context(), now, nil)
	w.wantNil("Due", err)
	w.want("Due of nobody", due, nil)
}

// Of many that are due those come first that have been so longest.
func outboxSlots(w *world) {
	h, other := w.hook(), w.hook()
	var all []webhook.Delivery
	for i, d := range w.owed(h, 40) {
		d.Due = epoch.Add(time.Duration(i*17%40) * time.Hour)
		all = append(all, d)
	}
	few := w.owed(other, 2)
	w.record(append(slices.Clone(all), few...)...)
	slices.SortFunc(all, func(a, b webhook.Delivery) int { return a.Due.Compare(b.Due) })
	now := epoch.Add(1000 * time.Hour)
	for _, n := range []int{1, 3, 39, 40, 41} {
		w.want(fmt.Sprintf("Due on %d lanes", n), w.due(now, n, h.ID), idsOfDeliveries(all[:min(n, 40)]...))
	}
	w.want("Due of both", w.due(now, 2, h.ID, other.ID), idsOfDeliveries(append(slices.Clone(all[:2]), few...)...))
	due, err := w.Outbox.Due(w.Context(), now, map[webhook.ID]int{h.ID: 3, other.ID: 1})
	w.wantNil("Due", err)
	w.want("the number that is due on 3 and 1 lanes", len(due), 4)
}

// A webhook with many deliveries does not hide another that has few.
func outboxManySlots(w *world) {
	var ids []webhook.ID
	var want []webhook.Delivery
	var all []webhook.Delivery
	for i := range 20 {
		h := w.hook()
		ids = append(ids, h.ID)
		some := w.owed(h, 1+i*i%50)
		all = append(all, some...)
		want = append(want, some[:min(len(some), 4)]...)
	}
	w.record(all...)
	w.want("Due", w.due(epoch.Add(time.Hour), 4, ids...), idsOfDeliveries(want...))
	w.want("Due of one", w.due(epoch.Add(time.Hour), 4, ids[0]), idsOfDeliveries(all[0]))
}

func outboxMove(w *world) {
	h := w.hook()
	d := w.owed(h, 1)[0]
	w.record(d)
	for range 3 {
		for _, next := range []func(webhook.Delivery) webhook.Delivery{
			func(d webhook.Delivery) webhook.Delivery { return d.Begin(w.now(), w.id()) },
			func(d webhook.Delivery) webhook.Delivery { return d.Finish(refused, w.now(), 0.1, w.id()) },
			func(d webhook.Delivery) webhook.Delivery { return d.Begin(w.now(), w.id()) },
			func(d webhook.Delivery) webhook.Delivery { return d.PutBack(w.now(), w.id()) },
		} {
			want := next(d)
			w.want("Move", w.move(d, want), want)
			got, err := w.Outbox.Delivery(w.Context(), h.ID, d.ID)
			w.wantNil("Delivery", err)
			w.want("Delivery", got, want)
			d = want
		}
	}
	want := d.Begin(w.now(), w.id()).Finish(webhook.Result{Code: 299}, w.now(), 0, w.id())
	w.move(d, want)
	w.want("Deliveries", w.deliveries(h.ID, 10), []webhook.Delivery{want})
}

func outboxMoveStale(w *world) {
	h := w.hook()
	d := w.owed(h, 1)[0]
	w.record(d)
	now := w.move(d, d.Begin(w.now(), w.id()))
	never := w.owed(h, 1)[0]
	for _, before := range []webhook.Delivery{d, never} {
		moved, err := w.Outbox.Move(w.Context(), []ports.Move{{Before: before, After: before.Begin(w.now(), w.id())}})
		w.wantNil("Move", err)
		w.want("Move of what has changed", moved, nil)
	}
	w.want("Deliveries", w.deliveries(h.ID, 10), []webhook.Delivery{now})
}

func outboxMoves(w *world) {
	h, other := w.hook(), w.hook()
	all := append(w.owed(h, 3), w.owed(other, 2)...)
	w.record(all...)
	taken := w.move(all[1], all[1].Begin(w.now(), w.id()))
	var moves []ports.Move
	for _, d := range all {
		moves = append(moves, ports.Move{Before: d, After: d.Begin(w.now(), w.id())})
	}
	want := []webhook.Delivery{moves[0].After, moves[2].After, moves[3].After, moves[4].After}
	got, err := w.Outbox.Move(w.Context(), moves)
	w.wantNil("Move", err)
	w.want("Move", got, want)
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(want[0], taken, want[1]))
	got, err = w.Outbox.Move(w.Context(), nil)
	w.wantNil("Move", err)
	w.want("Move of nothing", got, nil)
}

func outboxUnknown(w *world) {
	h, other := w.hook(), w.hook()
	d := w.owed(h, 1)[0]
	w.record(d)
	for _, at := range []struct {
		of webhook.ID
		id webhook.DeliveryID
	}{{other.ID, d.ID}, {h.ID, webhook.DeliveryID(w.id())}, {h.ID, ""}, {h.ID, "%"}, {webhook.ID(w.id()), d.ID}} {
		_, err := w.Outbox.Delivery(w.Context(), at.of, at.id)
		w.wantErr("Delivery", err, webhook.ErrNoDelivery)
	}
	w.want("Deliveries of nobody", w.deliveries(webhook.ID(w.id()), 10), nil)
}

func outboxPages(w *world) {
	h, other := w.hook(), w.hook()
	var all []webhook.Delivery
	for i, d := range w.owed(h, 12) {
		d.CreatedAt = epoch.Add(time.Duration(i/4) * time.Millisecond) // four of each time
		all = append(all, d)
	}
	w.record(append(w.owed(other, 3), all...)...)
	want := newestDeliveries(all...)
	for limit := 1; limit <= len(want)+1; limit++ {
		w.want(fmt.Sprintf("Deliveries in pages of %d", limit), w.deliveries(h.ID, limit), want)
	}
	last := want[len(want)-1].Position()
	got, err := w.Outbox.Deliveries(w.Context(), webhook.DeliveryQuery{Webhook: h.ID, After: &last, Limit: 10})
	w.wantNil("Deliveries", err)
	w.want("Deliveries behind the last", got, nil)
}

func outboxDeliveredSince(w *world) {
	h, other := w.hook(), w.hook()
	probe := must(h.Probe(activity.ID(w.id()), w.now()))
	all := append(w.owed(h, 3), probe, w.owed(other, 1)[0])
	w.record(all...)
	at := epoch.Add(time.Hour)
	w.attempt(all[0], refused, at.Add(time.Hour))
	w.attempt(all[1], webhook.Result{Code: 410, Failure: webhook.BadStatus}, at.Add(time.Hour))
	w.attempt(probe, accepted, at.Add(time.Hour))
	w.attempt(all[4], accepted, at.Add(time.Hour))
	wantSince := func(since time.Time, want bool) {
		w.Helper()
		got, err := w.Outbox.DeliveredSince(w.Context(), h.ID, since)
		w.wantNil("DeliveredSince", err)
		w.want("DeliveredSince", got, want)
	}
	wantSince(time.Time{}, false)
	w.attempt(all[2], accepted, at)
	wantSince(at, true)
	wantSince(at.Add(-time.Hour), true)
	wantSince(at.Add(time.Millisecond), false)
}

func outboxBacklog(w *world) {
	h, other := w.hook(), w.hook()
	wantBacklog := func(limit, n int, first time.Time) {
		w.Helper()
		got, at, err := w.Outbox.Backlog(w.Context(), h.ID, limit)
		w.wantNil("Backlog", err)
		w.want("the size of the backlog", got, n)
		w.want("the beginning of the backlog", at, first)
	}
	wantBacklog(10, 0, time.Time{})
	all := w.owed(h, 5)
	w.record(append(w.owed(other, 3), all...)...)
	wantBacklog(10, 5, all[0].Due)
	wantBacklog(5, 5, all[0].Due)
	wantBacklog(4, 4, all[0].Due)
	w.attempt(all[0], accepted, w.now())
	later := w.attempt(all[1], refused, w.now())
	wantBacklog(10, 4, all[2].Due)
	for _, d := range all[2:] {
		w.attempt(d, accepted, w.now())
	}
	wantBacklog(10, 1, later.Due)
}

func outboxOrphans(w *world) {
	h := w.hook()
	all := w.owed(h, 2)
	w.record(all...)
	w.rewire(h.ID, w.unhooking())
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(all...))
	w.want("Due", w.due(epoch.Add(time.Hour), 10, h.ID), idsOfDeliveries(all...))
}

func outboxDeleteExpired(w *world) {
	h := w.hook()
	all := w.owed(h, 3)
	at := all[1].CreatedAt
	w.record(all...)
	done := w.attempt(all[2], accepted, w.now())
	w.deleteExpired(ports.Expiry{Events: at, Audit: at, Now: at})
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(all[0], all[1], done))
	w.deleteExpired(ports.Expiry{Deliveries: at})
	w.want("Deliveries", w.deliveries(h.ID, 10), newestDeliveries(all[1], done))
	w.deleteExpired(ports.Expiry{Deliveries: at.Add(time.Hour)})
	w.want("Deliveries", w.deliveries(h.ID, 10), nil)
	w.want("Webhooks", w.webhooks(10), []webhook.Webhook{h})
	w.wantPlace(4)
}

// Replicas record the same events at once.
func outboxParallelRecords(w *world) {
	h := w.hook()
	const rounds = 5
	var want []webhook.Delivery
	for round := range activity.Seq(rounds) {
		all := w.owed(h, 6)
		want = append(want, all...)
		won := make([]bool, crowd)
		errs := atOnce(crowd, func(i int) (err error) {
			won[i], err = w.Outbox.Record(w.Context(), round, round+1, all)
			return err
		})
		w.wantEach("Record", errs)
		n := 0
		for _, ok := range won {
			if ok {
				n++
			}
		}
		w.want("the number of those who moved the place", n, 1)
		w.wantPlace(round + 1)
	}
	w.want("Deliveries", w.deliveries(h.ID, 100), newestDeliveries(want...))
}

func outboxParallelMoves(w *world) {
	h := w.hook()
	d := w.owed(h, 1)[0]
	w.record(d)
	moved := make([][]webhook.Delivery, crowd)
	errs := atOnce(crowd, func(i int) (err error) {
		moved[i], err = w.Outbox.Move(w.Context(), []ports.Move{{Before: d, After: d.Begin(w.now(), w.id())}})
		return err
	})
	w.wantEach("Move", errs)
	winners := slices.Concat(moved...)
	if len(winners) != 1 {
		w.Fatalf("%d of %d have moved the delivery, want 1", len(winners), crowd)
	}
	w.want("Deliveries", w.deliveries(h.ID, 10), winners)
}

// Several replicas take what is due until there is nothing more: each delivery
// is taken once.
func outboxParallelClaims(w *world) {
	h := w.hook()
	all := w.owed(h, 60)
	w.record(all...)
	now := epoch.Add(time.Minute)
	taken := make([][]webhook.Delivery, crowd)
	errs := atOnce(crowd, func(i int) error {
		for {
			due, err := w.Outbox.Due(w.Context(), now, map[webhook.ID]int{h.ID: 4})
			if err != nil || len(due) == 0 {
				return err
			}
			var moves []ports.Move
			for _, d := range due {
				moves = append(moves, ports.Move{Before: d, After: d.Begin(now, w.id())})
			}
			moved, err := w.Outbox.Move(w.Context(), moves)
			if err != nil {
				return err
			}
			taken[i] = append(taken[i], moved...)
		}
	})
	w.wantEach("claiming", errs)
	got := slices.Concat(taken...)
	slices.SortFunc(got, func(a, b webhook.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	w.want("what was taken", idsOfDeliveries(got...), idsOfDeliveries(all...))
}

// A delivery is asked for again while attempts at it are made: in the end it is
// in the state of whoever came last, never in a mixture.
func outboxParallelReplace(w *world) {
	h := w.hook()
	d := w.owed(h, 1)[0]
	w.record(d)
	errs := atOnce(crowd, func(i int) error {
		for range 5 {
			if i%2 == 0 {
				again := must(h.Again(d, w.now(), w.id()))
				if _, err := w.Webhooks.Update(w.Context(), h.ID, w.delivering(again, nil)); err != nil {
					return err
				}
				continue
			}
			found, err := w.Outbox.Delivery(w.Context(), h.ID, d.ID)
			if err != nil {
				return err
			}
			if _, err = w.Outbox.Move(w.Context(), []ports.Move{{Before: found, After: found.Begin(w.now(), w.id())}}); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("asking again and attempting", errs)
	got, err := w.Outbox.Delivery(w.Context(), h.ID, d.ID)
	w.wantNil("Delivery", err)
	if got.Status != webhook.Pending || got.Attempt == 0 && !got.Begun.IsZero() || got.Attempt > 0 && got.Begun.IsZero() || got.EventID != d.EventID {
		w.Errorf("the delivery is %+v, want one of the states that it was given", got)
	}
}
