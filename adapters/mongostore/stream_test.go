package mongostore

import (
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/eventlog"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/domain/webhook"
	"orgd/ports"
)

// reported stores n events.
func reported(t *testing.T, db *DB, n int) []activity.ID {
	t.Helper()
	ids := make([]activity.ID, n)
	reports := make([]ports.Report, n)
	for i := range reports {
		ids[i] = activity.ID(system.IDs{}.NewID())
		reports[i] = ports.Report{Department: "ops", Event: activity.Event{
			ID: ids[i], Type: activity.ToolUsed, At: time.Now().UTC().Truncate(time.Millisecond),
			AgentID: "0190a1b2-0000-7000-8000-00000000000a", AgentName: "Ann",
		}}
	}
	_, err := db.Stores().Activities.Append(t.Context(), reports, func(ports.Counted) ports.Trail {
		return ports.Trail{Audit: audit.Entry{ID: system.IDs{}.NewID(), At: time.Now(), Actor: "ann"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestQuietLogMovesOn: what is no event moves the position, in the window of the
// process and when a page is read from the server.
func TestQuietLogMovesOn(t *testing.T) {
	db := openTest(t)
	s := db.Stores().Stream
	first, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	position := first
	two := eventlog.TimeOf(first)
	two.T += 2 // seconds later
	for until := time.Now().Add(time.Minute); position < eventlog.SeqOf(two, 0); {
		if _, err := db.coll(metaColl).UpdateOne(t.Context(), mongodb.ByID("quiet"), mongodb.Set(mongodb.Is("at", time.Now().String()))); err != nil {
			t.Fatal(err)
		}
		page, err := s.After(t.Context(), position, 10)
		if err != nil || len(page.Events) > 0 || page.Next < position {
			t.Fatalf("After(%d) = %+v, %v", position, page, err)
		}
		position = page.Next
		if position < eventlog.SeqOf(two, 0) && time.Now().After(until) {
			t.Fatalf("the position has moved from %d to %d in a minute", first, position)
		}
		time.Sleep(time.Second / 4)
	}
	now, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := db.catchUps.After(t.Context(), first, now, 10, nil)
	if err != nil || len(page.Events) > 0 || page.More || page.Next < now {
		t.Errorf("a page of the server's = %+v, %v, want it read up to %d", page, err, now)
	}
}

// unread is a meter that nobody reads.
type unread struct{}

func (unread) WebhookAttempt(string, time.Duration) {}
func (unread) WebhookBacklog(int, time.Duration)    {}

// TestWebhooksBehindTheLog: a dispatcher whose position the log does not reach back
// to records every event that is stored, once.
func TestWebhooksBehindTheLog(t *testing.T) {
	db := openTest(t)
	ctx, stream := t.Context(), db.Stores().Stream
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	doc, err := jsondoc.Parse([]byte(`{"url":"http://127.0.0.1:9/"}`))
	must(err)
	patch, err := webhook.ParseNew(doc)
	must(err)
	dispatcher := func() *app.Dispatcher {
		return app.NewDispatcher(system.Clock{}, system.IDs{}, system.Random{}, db.Stores().Webhooks, db.Stores().Outbox,
			db.Stores().Activities, db.Stores().Audit, stream, nil, unread{})
	}
	hooks := app.NewWebhooks(system.Clock{}, system.IDs{}, system.Random{}, webhook.Policy{AllowHTTP: true, AllowPrivate: true},
		db.Stores().Webhooks, db.Stores().Outbox, db.Stores().Departments, db.Stores().Activities, db.Stores().Audit, stream, dispatcher())
	reported(t, db, 2) // for nobody
	w, err := hooks.Register(ctx, app.Call{Route: "POST /x", RequestID: "r"}, patch)
	must(err)
	want := map[activity.ID]bool{}
	happen := func(n int) {
		for _, id := range reported(t, db, n) {
			want[id] = true
		}
	}
	recorded := func(d *app.Dispatcher) {
		t.Helper()
		var got []webhook.Delivery
		for until := time.Now().Add(20 * time.Second); len(got) < len(want) && time.Now().Before(until); {
			must(d.Record(ctx)) // again, while the process has not read its events
			got, err = db.Stores().Outbox.Deliveries(ctx, webhook.DeliveryQuery{Webhook: w.ID, Limit: 10_000})
			must(err)
		}
		for _, x := range got {
			if !want[x.EventID] {
				t.Errorf("a delivery of event %s is recorded, which is not for the webhook", x.EventID)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d deliveries are recorded, want %d", len(got), len(want))
		}
	}
	happen(3)
	recorded(dispatcher())
	happen(450) // more than are read at once
	now, err := db.now(ctx)
	must(err)
	_, err = db.coll(metaColl).UpdateOne(ctx, mongodb.ByID(logID), mongodb.Set(mongodb.Is("cut", now)))
	must(err)
	if _, err := stream.After(ctx, w.Since, 10); !errors.Is(err, activity.ErrTooOld) {
		t.Fatalf("After = %v of a log that was cut off", err)
	}
	d := dispatcher()
	recorded(d)
	happen(3)
	recorded(d)
}

// TestServerKeepsTheTimeOfInsertion: events are stored with times that ascend, also
// within one change, and not behind their commits.
func TestServerKeepsTheTimeOfInsertion(t *testing.T) {
	db := openTest(t)
	reported(t, db, 20)
	upTo, err := db.now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	docs, err := all[eventDoc](db.ask(t.Context()), eventsColl, bson.D{})
	if err != nil || len(docs) != 20 {
		t.Fatalf("%d events, %v", len(docs), err)
	}
	seen := map[bson.Timestamp]bool{}
	for _, d := range docs {
		if at := eventlog.SeqOf(d.Entered, 0); d.Entered.T == 0 || seen[d.Entered] || at > upTo {
			t.Errorf("event %s was inserted at %v, want a time of its own before %d", d.ID, d.Entered, upTo)
		}
		seen[d.Entered] = true
	}
}
