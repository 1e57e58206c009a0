package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxSilence is after how long without a sign of life a stream is taken for
	// dead. The service sends one every 15 seconds.
	maxSilence = 45 * time.Second
	// defaultReconnect is the wait before a stream that has ended is opened again,
	// unless the service asks for another one.
	defaultReconnect = 2 * time.Second
	// maxReconnect is the longest wait that the service can ask for, and the
	// longest after failures that follow each other, unless an error asks for more.
	maxReconnect = 60 * time.Second
)

// errSilent ends a connection that has died without a word.
var errSilent = errors.New("nothing has come for too long")

// StreamQuery selects events to follow. Conditions that are not empty must all
// hold.
type StreamQuery struct {
	Type EventType
	// Agent is the id or name of an agent.
	Agent string
	// Window leaves out what happened longer ago when the stream was first opened,
	// and is reported late.
	Window ActivityWindow
	// After is the [StreamEvent.Position] to go on behind, of a stream with the same
	// conditions; "" begins now.
	After string
	// Opened, unless it is nil, is called each time a connection is open. What
	// happens from the first call on will come.
	Opened func()
}

// StreamEvent is an event of the stream.
type StreamEvent struct {
	ActivityEvent
	// Position is the place of the event in the order of the stream. A stream that
	// is opened [StreamQuery.After] it brings what follows: nothing is missing and
	// nothing comes twice.
	Position string
	// Resync says that this is no event, but that some before here are missing: the
	// position to go on behind was too old, or refused; then Position is "". [Client.Activities] has those that are
	// kept.
	Resync bool
}

// StreamActivities follows the events as they happen. A connection that ends or
// dies is opened again behind the last event, so the loop sees every event once.
//
// A position that is refused because the service has another cursor key is given up: the
// stream begins now, with a Resync. One of [StreamQuery.After] comes as an error first.
//
// When the connection cannot be opened, the error comes as an item of its own,
// and a loop that goes on has the client try again, after waits that grow to a
// minute. The stream ends when the loop is left or ctx ends; the last item is
// then the error of ctx.
func (c *Client) StreamActivities(ctx context.Context, q StreamQuery) iter.Seq2[StreamEvent, error] {
	s := &stream{client: c, path: "/activities/stream", query: feed(values{url.Values{}}, q.Type, q.Agent, q.Window), place: q.After, opened: q.Opened}
	return items(ctx, s, func(at string, data []byte) (e StreamEvent, err error) {
		e.Position, e.Resync = at, data == nil
		return e, s.decode(at, data, &e.ActivityEvent)
	})
}

// items yields what a stream brings, as make makes it of a position and of the data there,
// which are nil for a resync.
func items[T any](ctx context.Context, s *stream, make func(at string, data []byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s.run(ctx, func(at string, data []byte, err error) bool {
			if err != nil {
				var none T
				return yield(none, err)
			}
			return yield(make(at, data))
		})
	}
}

// stream is a stream between its connections.
type stream struct {
	client    *Client
	path      string
	query     values
	place     string // behind which to go on, or ""
	missed    bool   // whether what happened before the next connection may be missing
	opened    func() // nil, or called when a connection is open
	reconnect time.Duration
}

// found takes what stands at a position, or an error, and returns whether the loop goes on.
type found func(at string, data []byte, err error) bool

// run follows the stream until the loop is left or ctx ends.
func (s *stream) run(ctx context.Context, yield found) {
	s.reconnect = defaultReconnect
	failures, given := 0, s.place
	for ctx.Err() == nil {
		more, err := s.follow(ctx, yield)
		if !more {
			return
		}
		if s.place != "" && errors.Is(err, ErrRequestValidation) { // its key is gone
			own := s.place != given
			s.place, s.missed = "", true
			if own {
				continue
			}
		}
		if err == nil {
			failures = 0
		} else if ctx.Err() == nil {
			if !yield("", nil, err) {
				return
			}
			failures++
		}
		wait := min(s.reconnect<<min(failures, 5), maxReconnect)
		sleep(ctx, max(wait+rand.N(wait/4), retryAfterOf(err))) // the loop sees if ctx has ended
	}
	yield("", nil, fmt.Errorf("client: GET %s: %w", s.path, ctx.Err()))
}

// decode reads the data at a position, unless there are none.
func (s *stream) decode(at string, data []byte, into any) error {
	if data == nil {
		return nil
	}
	if err := decode(data, into); err != nil {
		return fmt.Errorf("client: GET %s: read what is at %s: %w", s.path, at, err)
	}
	return nil
}

// follow opens a connection and yields what comes until it ends. more is false
// if the loop was left. An error says that the connection could not be opened.
func (s *stream) follow(ctx context.Context, yield found) (more bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(maxSilence, func() { cancel(errSilent) })
	defer silence.Stop()
	res, err := s.open(ctx, silence)
	if err != nil {
		return true, err
	}
	if s.opened != nil {
		silence.Stop() // as while the loop is busy
		s.opened()
		silence.Reset(maxSilence)
	}
	more = !s.missed || yield("", nil, nil)
	s.missed = false
	if more {
		more, err = s.relay(res.Body, silence, yield)
	}
	err = errors.Join(err, res.Body.Close())
	s.client.log.LogAttrs(ctx, slog.LevelDebug, "orgd stream has ended",
		slog.Any("error", err), slog.Any("cause", context.Cause(ctx)), slog.String("instance", res.Header.Get(requestID)))
	return more, nil
}

// open opens a connection, with as many attempts as every request has. The
// silence is measured while one is running.
func (s *stream) open(ctx context.Context, silence *time.Timer) (res *http.Response, err error) {
	r := request{
		method: http.MethodGet, path: s.path, accept: eventsType + ", " + jsonType + ";q=0.1",
		query: s.query.Values,
	}
	if s.place != "" {
		r.header = http.Header{"Last-Event-Id": {s.place}}
	}
	p, err := s.client.prepare(r, nil)
	if err != nil {
		return nil, err
	}
	err = s.client.repeat(ctx, p, func() error {
		silence.Reset(maxSilence)
		res, err = s.client.send(ctx, s.client.untimed, p)
		if err != nil {
			silence.Stop()
		}
		return err
	})
	if err == nil && !strings.HasPrefix(res.Header.Get("Content-Type"), eventsType) {
		err = fmt.Errorf("client: GET %s: the answer is %q, not a stream", s.path, res.Header.Get("Content-Type"))
		err = errors.Join(err, res.Body.Close())
	}
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = fmt.Errorf("client: GET %s: %w", s.path, errSilent)
	}
	s.client.report(ctx, p, err)
	return res, err
}

// relay yields what a connection brings. The silence is not measured while the
// loop is busy.
func (s *stream) relay(body io.Reader, silence *time.Timer, yield found) (more bool, err error) {
	for in := newBlockReader(body); ; silence.Reset(maxSilence) {
		b, err := in.next()
		if err != nil {
			return true, err
		}
		silence.Stop()
		if b.retry > 0 {
			s.reconnect = min(b.retry, maxReconnect)
		}
		if b.id != "" {
			s.place = b.id
		}
		switch {
		case b.event == "resync":
			more = yield(s.place, nil, nil)
		case b.event != "" || len(b.data) == 0:
			continue // nothing, or something that a newer service tells
		default:
			more = yield(s.place, b.data, nil)
		}
		if !more {
			return false, nil
		}
	}
}
