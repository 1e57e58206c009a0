// Package webhooks runs the delivery of events to webhooks: in this process on
// a clock that tests move, over a real store and real connections, and in the
// real program, which is killed in the middle of it.
package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/adapters/webhooksend"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/test/process"
)

var binary string // the program, built once

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

var anywhere = webhook.Policy{AllowHTTP: true, AllowPrivate: true}

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// to moves the clock to a time, never back.
func (c *clock) to(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
}

// even is randomness without jitter.
type even struct{ system.Random }

func (even) Fraction() float64 { return 0.5 }

// quiet is a meter that nobody reads.
type quiet struct{}

func (quiet) WebhookAttempt(string, time.Duration) {}
func (quiet) WebhookBacklog(int, time.Duration)    {}

// post is an organization with its store, where webhooks are delivered from.
type post struct {
	t      *testing.T
	clock  *clock
	stores ports.Stores
	sender ports.WebhookSender
	meter  app.DeliveryMeter
	hooks  *app.Webhooks
}

func newPost(t *testing.T) *post {
	t.Helper()
	cfg := sqlitestore.Default()
	cfg.Dir = t.TempDir()
	db, closeDB, err := sqlitestore.Open(t.Context(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(closeDB)
	send := webhooksend.Default("test")
	send.Policy = anywhere
	sender, closeIdle := webhooksend.New(send)
	t.Cleanup(closeIdle)
	p := &post{
		t: t, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, sender: sender, meter: quiet{},
		stores: db.Stores(),
	}
	p.hooks = app.NewWebhooks(p.clock, system.IDs{}, system.Random{}, anywhere, p.stores.Webhooks, p.stores.Outbox, p.stores.Departments,
		p.stores.Activities, p.stores.Audit, p.stores.Stream, p.dispatcher())
	return p
}

// dispatcher is another one on the same store.
func (p *post) dispatcher() *app.Dispatcher {
	s := p.stores
	return app.NewDispatcher(p.clock, system.IDs{}, even{}, s.Webhooks, s.Outbox, s.Activities, s.Audit, s.Stream, p.sender, p.meter)
}

// round records and delivers what there is at the moment, and returns when all
// of that has ended. It returns the errors of both.
func (p *post) round() (recorded, delivered error) {
	p.t.Helper()
	d := p.dispatcher()
	recorded = d.Record(p.t.Context())
	delivered = d.Dispatch(p.t.Context())
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	if err := d.Drain(ctx); err != nil {
		delivered = err
	}
	return recorded, delivered
}

// works is a round that has to go well.
func (p *post) works() {
	p.t.Helper()
	if recorded, delivered := p.round(); recorded != nil || delivered != nil {
		p.t.Fatalf("round = %v, %v", recorded, delivered)
	}
}

func (p *post) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) call() app.Call {
	return app.Call{Actor: access.Actor{Subject: "ann", Role: access.Admin}, Route: "POST /x", RequestID: "r"}
}

// hook makes a webhook at a URL.
func (p *post) hook(url string) webhook.Webhook {
	p.t.Helper()
	v, err := jsondoc.Parse([]byte(fmt.Sprintf(`{"url":%q}`, url)))
	p.must(err)
	patch, err := webhook.ParseNew(v)
	p.must(err)
	w, err := p.hooks.Register(p.t.Context(), p.call(), patch)
	p.must(err)
	return w
}

// change patches a webhook.
func (p *post) change(id webhook.ID, text string) {
	p.t.Helper()
	v, err := jsondoc.Parse([]byte(text))
	p.must(err)
	patch, err := webhook.ParsePatch(v)
	p.must(err)
	_, err = p.hooks.Change(p.t.Context(), p.call(), id, patch)
	p.must(err)
}

// happen stores n events and returns their ids.
func (p *post) happen(n int) []activity.ID {
	p.t.Helper()
	ids := make([]activity.ID, n)
	reports := make([]ports.Report, n)
	for i := range reports {
		ids[i] = activity.ID(system.IDs{}.NewID())
		data := jsondoc.Object(`{"success":true,"tool":"x"}`)
		reports[i] = ports.Report{Department: "ops", Event: activity.Event{
			ID: ids[i], Type: activity.ToolUsed, At: p.clock.Now(), AgentID: "0190a1b2-0000-7000-8000-00000000000a", AgentName: "Ann", Data: &data,
		}}
	}
	_, err := p.stores.Activities.Append(p.t.Context(), reports, func(ports.Counted) ports.Trail {
		return ports.Trail{Audit: audit.Entry{ID: system.IDs{}.NewID(), At: p.clock.Now(), Actor: "ann"}}
	})
	p.must(err)
	return ids
}

// webhook reads a webhook.
func (p *post) webhook(id webhook.ID) webhook.Webhook {
	p.t.Helper()
	w, err := p.stores.Webhooks.Webhook(p.t.Context(), id)
	p.must(err)
	return w
}

// deliveries reads the deliveries to a webhook, by event.
func (p *post) deliveries(of webhook.ID) map[activity.ID]webhook.Delivery {
	p.t.Helper()
	all, err := p.stores.Outbox.Deliveries(p.t.Context(), webhook.DeliveryQuery{Webhook: of, Limit: 10_000})
	p.must(err)
	byEvent := map[activity.ID]webhook.Delivery{}
	for _, d := range all {
		byEvent[d.EventID] = d
	}
	if len(byEvent) != len(all) {
		p.t.Errorf("%d deliveries of %d events", len(all), len(byEvent))
	}
	return byEvent
}

// receiver is an endpoint that keeps the ids of what it gets.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	ids []string
}

// receive opens an endpoint that answers what answer says of each id.
func receive(t *testing.T, answer func(id string) int) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		var event struct{ ID string }
		body, err := io.ReadAll(in.Body)
		if err != nil {
			return // the sender was killed
		}
		id := in.Header.Get("webhook-id")
		if err := json.Unmarshal(body, &event); err != nil || event.ID != id {
			t.Errorf("the message %s has the body %s, %v", id, body, err)
		}
		status := answer(id)
		if in.Context().Err() == nil {
			r.mu.Lock()
			r.ids = append(r.ids, id)
			r.mu.Unlock()
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(r.Close)
	return r
}

func always(status int) func(string) int { return func(string) int { return status } }

// count tells how many messages have arrived.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ids)
}

// got tells how often each event has arrived.
func (r *receiver) got() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	times := map[string]int{}
	for _, id := range r.ids {
		times[id]++
	}
	return times
}
