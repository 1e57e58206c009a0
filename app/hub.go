package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/ports"
)

const (
	// lookAgain is how long the hub waits for growth before it reads the log all
	// the same: its end may have moved without events.
	lookAgain = time.Second
	// outageTolerated is how long the hub goes on trying while the log cannot be
	// read. Then the streams end, and their clients may find another replica.
	outageTolerated = 5 * time.Second
	// retryAfter spaces the tries.
	retryAfter = time.Second / 4
)

const (
	// batchEvents bounds what is read of the log at once.
	batchEvents = 200
	// readTimeout bounds one read of the log.
	readTimeout = 5 * time.Second
)

// hub hands the events that enter the log to all streams of the process, so
// that the log is read once for all of them. It reads while somebody listens.
type hub struct {
	log ports.EventStream

	mu     sync.Mutex
	reader *reader // nil while nobody listens
}

// reader is the one who reads while there are listeners.
type reader struct {
	position activity.Seq // everything up to it was handed out
	boxes    map[*inbox]struct{}
	cancel   context.CancelFunc
}

// join hands to the inbox what follows a position. It reports false if some of
// that was handed out already: then its stream has to read it first.
func (h *hub) join(in *inbox, position activity.Seq) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reader != nil && position < h.reader.position {
		return false
	}
	in.reset(position)
	if h.reader == nil {
		ctx, cancel := context.WithCancel(context.Background())
		h.reader = &reader{position: position, boxes: map[*inbox]struct{}{}, cancel: cancel}
		go h.serve(ctx, h.reader)
	}
	h.reader.boxes[in] = struct{}{}
	return true
}

// leave takes an inbox out. The last one ends the reader.
func (h *hub) leave(in *inbox) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reader == nil {
		return
	}
	delete(h.reader.boxes, in)
	if len(h.reader.boxes) == 0 {
		h.reader.cancel()
		h.reader = nil
	}
}

// serve reads until nobody listens or the log cannot be read.
func (h *hub) serve(ctx context.Context, r *reader) {
	if err := h.follow(ctx, r); err != nil {
		h.end(r, err)
	}
}

func (h *hub) follow(ctx context.Context, r *reader) (err error) {
	defer fault.Recover(&err, "app: panic while reading the log")
	worked := time.Now()
	for {
		changed := h.log.Changed()
		pause := lookAgain
		switch more, err := h.turn(ctx, r); {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, activity.ErrTooOld):
			return err
		case err != nil && time.Since(worked) > outageTolerated:
			return err
		case err != nil:
			changed, pause = nil, retryAfter
		case more:
			worked, pause = time.Now(), 0
		default:
			worked = time.Now()
		}
		if !rest(ctx, changed, pause) {
			return nil
		}
	}
}

// rest waits until something has grown or the pause is over. It reports false
// if ctx has ended.
func rest(ctx context.Context, changed <-chan struct{}, pause time.Duration) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
		return false
	}
	return true
}

// turn reads once and hands out what there is. It reports whether it got on and there
// may be more.
func (h *hub) turn(ctx context.Context, r *reader) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	page, err := h.log.After(ctx, r.position, batchEvents)
	if err != nil {
		return false, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	more = page.More && page.Next > r.position
	r.position = page.Next
	for in := range r.boxes {
		in.put(page)
	}
	return more, nil
}

// endAll ends all subscriptions, if there are any.
func (h *hub) endAll(err error) {
	h.mu.Lock()
	r := h.reader
	h.mu.Unlock()
	if r != nil {
		h.end(r, err)
	}
}

// end ends all subscriptions of a reader.
func (h *hub) end(r *reader, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for in := range r.boxes {
		in.fail(err)
	}
	r.cancel()
	if h.reader == r {
		h.reader = nil
	}
}
