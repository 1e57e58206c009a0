package eventlog

import (
	"context"
	"slices"
	"sync"
	"time"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/ports"
)

// maxWindow bounds the events that a process remembers of the log.
const maxWindow = 16_384

// window is a part of the log that is in memory.
type window struct {
	mu     sync.Mutex
	from   activity.Seq // it has all events behind it; 0: none yet
	to     activity.Seq // and up to it
	events []activity.Logged
}

// Begin empties the window.
func (w *window) begin(from activity.Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from, w.to, w.events = from, from, nil
}

// Reached is how far the log was read.
func (w *window) Reached() activity.Seq {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to
}

// reach remembers that there are no other events up to a position.
func (w *window) reach(to activity.Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = max(w.to, to)
}

func (w *window) push(e activity.Logged) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.events) == 2*maxWindow {
		w.from = w.events[maxWindow-1].Seq
		w.events = slices.Clone(w.events[maxWindow:])
	}
	w.events = append(w.events, e)
	w.to = e.Seq
}

// After returns the first events behind a position, false if it is not in the
// window.
func (w *window) After(position activity.Seq, limit int) (ports.LogPage, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.from == 0 || position < w.from {
		return ports.LogPage{}, false
	}
	i, found := slices.BinarySearchFunc(w.events, position, func(e activity.Logged, at activity.Seq) int { return int(e.Seq - at) })
	if found {
		i++
	}
	page := ports.LogPage{Events: slices.Clone(w.events[i:min(i+limit, len(w.events))]), Next: max(position, w.to)}
	if n := len(page.Events); n == limit {
		page.Next, page.More = page.Events[n-1].Seq, true
	}
	return page, true
}

// Tail follows the log for everybody in the process, from the first call on.
type Tail struct {
	window
	Log     Log
	Changed ports.Broadcast
}

// Run follows the log until the store closes. After an outage it goes on where it
// was; if that is too old it begins anew.
func (t *Tail) Run() {
	ctx := t.Log.Open
	for n := 0; ctx.Err() == nil; n++ {
		from := t.Reached()
		if from == 0 {
			var err error
			if from, err = t.Log.End(ctx); err != nil {
				_ = mongodb.Pause(ctx, n)
				continue
			}
			t.Begin(from)
		}
		if err := t.follow(ctx, from); isTooOld(err) {
			t.Begin(0)
		}
		_ = mongodb.Pause(ctx, n)
	}
}

// Begin discards the window. What entered the log up to there is not followed, so
// whoever waits for it is told to look.
func (t *Tail) Begin(from activity.Seq) {
	t.window.begin(from)
	t.Changed.Notify()
}

// follow reads the log until it cannot be read. One read may take minutes.
func (t *Tail) follow(ctx context.Context, from activity.Seq) error {
	c, err := t.Log.cursor(ctx, from, time.Second)
	if err != nil {
		return err
	}
	defer c.close()
	for ctx.Err() == nil {
		e, reached, err := c.next(ctx)
		switch {
		case err != nil:
			return err
		case e != nil:
			t.push(*e)
			t.Changed.Notify()
		default:
			t.reach(reached)
		}
	}
	return nil
}
