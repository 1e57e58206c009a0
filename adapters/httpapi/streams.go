package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"go.uber.org/zap"

	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/domain/session"
	"orgd/ports"
)

// streamTimes is what tests make shorter.
type streamTimes struct {
	heartbeat time.Duration // how long a stream is silent at most
	// write is how long a client may take to accept one write. Who reads nothing
	// is let go then.
	write time.Duration
}

var usualStreamTimes = streamTimes{heartbeat: 15 * time.Second, write: 10 * time.Second}

// errDraining ends the streams of a process that shuts down.
var errDraining = errors.New("httpapi: draining")

// streams are the handlers of the stream of events.
type streams struct {
	svc   *app.Streams
	clock ports.Clock
}

// follow serves GET /activities/stream.
func (h streams) follow(x *exchange) error {
	in, scope, err := h.request(x)
	if err != nil {
		return err
	}
	if x.server.ending.Err() != nil {
		return ports.ErrUnavailable.Because(errDraining)
	}
	x.giveTurn() // it goes on for days
	st, err := h.svc.Open(x.ctx(), in)
	if err != nil {
		return err
	}
	defer st.Close()
	w, err := x.beginEvents(func(p activity.Seq) string { return x.server.sealPosition(scope, p, in.Since) })
	if err != nil || x.Request.Method == http.MethodHead {
		return err
	}
	x.server.parts.Metrics.StreamSubscribers(1)
	defer x.server.parts.Metrics.StreamSubscribers(-1)
	x.endEvents(w, x.relay(st, w))
	return nil
}

// request reads what the client wants to follow, and what its positions are
// bound to.
func (h streams) request(x *exchange) (in app.Follow, scope string, err error) {
	q := x.query()
	agent, typ, window := q.feed()
	if q.err != nil {
		return in, "", q.err
	}
	in = app.Follow{Session: *x.session, Agent: agent, Type: typ, Since: window.Since(h.clock.Now())}
	scope = x.scope(q.scope())
	values, resumed := x.Request.Header["Last-Event-Id"]
	if !resumed {
		return in, scope, nil
	}
	if len(values) != 1 {
		return in, "", errPosition.With("Last-Event-ID: must be given once")
	}
	// The window counts from the time at which the stream was first opened.
	after, since, err := x.server.openPosition(scope, values[0])
	in.After = &after
	if window != 0 {
		in.Since = since
	}
	return in, scope, err
}

var errPosition = fault.New(fault.RequestValidation,
	"Last-Event-ID: is not an id of this stream; begin again without it")

// sealPosition makes the id of a position in the log, for the streams that scope
// names.
func (s *Server) sealPosition(scope string, p activity.Seq, since time.Time) string {
	return s.cursors.seal(scope, position{strconv.FormatInt(int64(p), 36), stamp(since)})
}

// openPosition reads an id that sealPosition made, or returns errPosition.
func (s *Server) openPosition(scope, id string) (p activity.Seq, since time.Time, err error) {
	at, err := s.cursors.open(scope, id, 2)
	if err != nil {
		return 0, time.Time{}, errPosition
	}
	n, err := strconv.ParseInt(at[0], 36, 64)
	if err != nil {
		return 0, time.Time{}, errPosition
	}
	since, err = unstamp(at[1])
	if err != nil {
		return 0, time.Time{}, errPosition
	}
	return activity.Seq(n), since, nil
}

// relay writes what the stream brings until one of the two ends, and returns
// why.
func (x *exchange) relay(st *app.Stream, w *eventWriter) error {
	ctx, end := context.WithCancelCause(x.client)
	defer end(nil)
	defer context.AfterFunc(x.server.ending, func() { end(errDraining) })()
	if err := w.open(st.Position()); err != nil {
		return err
	}
	for {
		stretch, err := st.Next(ctx, x.server.streaming.heartbeat)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case stretch.Resync:
			err = w.resync(stretch.Position)
		case len(stretch.Events) == 0:
			err = w.heartbeat(stretch.Position)
		default:
			err = w.events(stretch)
		}
		if err != nil {
			return err
		}
	}
}

// endEvents ends the answer of a stream. The client has every event up to the
// last id that it got; it may come back with that.
func (x *exchange) endEvents(w *eventWriter, cause error) {
	reason, remark := "failed", "the service cannot go on"
	switch {
	case x.client.Err() != nil, errors.As(cause, new(*unsent)):
		x.server.parts.Metrics.StreamEnded("client")
		return
	case errors.Is(cause, errDraining):
		reason, remark = "drain", "the service shuts down"
	case errors.Is(cause, session.ErrRevoked), errors.Is(cause, session.ErrUnauthorized):
		reason, remark = "session", "the session has ended"
	case errors.Is(cause, app.ErrSlow):
		reason, remark = "slow", "the events were taken too slowly"
	default:
		x.server.log.Error("stream failed", zap.String("instance", x.id), zap.Error(cause))
	}
	x.server.parts.Metrics.StreamEnded(reason)
	if err := w.comment(remark); err != nil {
		x.server.log.Debug("end of a stream not sent", zap.String("instance", x.id), zap.Error(err))
	}
}
