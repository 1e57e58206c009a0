package webhooks

import (
	"context"
	"slices"
	"testing"
	"time"

	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/webhook"
	"orgd/ports"
)

// sparseLog has steps-1 positions before each one of another log, and one call reads one
// position that has no event.
type sparseLog struct {
	ports.EventStream
	end  activity.Seq // more without events
	read []activity.Seq
}

const steps = 50

func (l *sparseLog) Head(ctx context.Context) (activity.Seq, error) {
	head, err := l.EventStream.Head(ctx)
	return head*steps + l.end, err
}

func (l *sparseLog) After(ctx context.Context, position activity.Seq, limit int) (ports.LogPage, error) {
	l.read = append(l.read, position)
	head, err := l.Head(ctx)
	switch {
	case err != nil:
		return ports.LogPage{}, err
	case position >= head-l.end:
		return ports.LogPage{Next: head}, nil
	case position%steps < steps-1:
		return ports.LogPage{Next: position + 1, More: true}, nil
	}
	page, err := l.EventStream.After(ctx, position/steps, 1)
	for i := range page.Events {
		page.Events[i].Seq *= steps
	}
	page.Next, page.More = (position/steps+1)*steps, true
	return page, err
}

// sparse is a post whose log is sparse.
func sparse(t *testing.T) (*post, *sparseLog) {
	p := newPost(t)
	log := &sparseLog{EventStream: p.stores.Stream}
	p.stores.Stream = log
	p.hooks = app.NewWebhooks(p.clock, system.IDs{}, system.Random{}, anywhere, p.stores.Webhooks, p.stores.Outbox, p.stores.Departments,
		p.stores.Activities, p.stores.Audit, log, p.dispatcher())
	return p, log
}

// A long part of the log without events is read in steps, each of which goes on where the
// last one ended.
func TestQuietLogInSteps(t *testing.T) {
	p, log := sparse(t)
	w := p.hook("http://127.0.0.1:9/")
	ids := p.happen(8)
	d := p.dispatcher()
	for turn := 0; len(p.deliveries(w.ID)) < len(ids); turn++ {
		if turn > len(ids) {
			t.Fatalf("%d of %d events are recorded after %d turns", len(p.deliveries(w.ID)), len(ids), turn)
		}
		p.must(d.Record(t.Context()))
	}
	if !slices.IsSorted(log.read) {
		t.Errorf("the log was read from %v, want every read where the last one ended", log.read)
	}
}

// The position of the outbox is stored once a minute without deliveries, too: whoever
// comes next does not begin far behind. It costs no more writes than that.
func TestQuietLogIsRemembered(t *testing.T) {
	p, log := sparse(t)
	w := p.hook("http://127.0.0.1:9/")
	p.happen(1)
	counted := &countedOutbox{Outbox: p.stores.Outbox}
	p.stores.Outbox = counted
	d := p.dispatcher()
	for range 3 {
		p.must(d.Record(t.Context()))
	}
	if n := len(p.deliveries(w.ID)); n != 1 {
		t.Fatalf("%d deliveries are recorded, want 1", n)
	}
	counted.records = 0
	const minutes = 5
	for range minutes * 60 {
		p.clock.to(p.clock.Now().Add(time.Second))
		log.end += 10
		p.must(d.Record(t.Context()))
	}
	if counted.records < minutes-1 || counted.records > minutes {
		t.Errorf("the outbox was written %d times in %d minutes, want once a minute", counted.records, minutes)
	}
	head, err := log.Head(t.Context())
	p.must(err)
	position, err := p.stores.Outbox.Position(t.Context())
	p.must(err)
	if minute := activity.Seq(60 * 10); position < head-minute {
		t.Errorf("the outbox is at %d and the log at %d, want at most a minute between them", position, head)
	}
	log.read = nil
	p.must(p.dispatcher().Record(t.Context()))
	if log.read[0] != position {
		t.Errorf("the next dispatcher begins at %d, want %d", log.read[0], position)
	}
}

// countedOutbox counts what is recorded.
type countedOutbox struct {
	ports.Outbox
	records int
}

func (o *countedOutbox) Record(ctx context.Context, from, to activity.Seq, deliveries []webhook.Delivery) (bool, error) {
	o.records++
	return o.Outbox.Record(ctx, from, to, deliveries)
}
