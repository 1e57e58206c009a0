package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/telemetry"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/fault"
	"orgd/domain/session"
	"orgd/ports"
)

// errDraining ends the streams of a process that shuts down.
var errDraining = errors.New("httpapi: draining")

// streams are the handlers of the stream of events.
type streams struct {
	svc     *app.Streams
	clock   ports.Clock
	metrics *telemetry.Metrics
	times   *streamTimes
	ending  context.Context // streams end with it
}

// follow serves GET /activities/stream.
func (h streams) follow(r *request.Request) error {
	return h.serve(r, func(q *request.Query, now time.Time) app.Follow {
		agent, typ, window := feedFilters(q)
		return app.Follow{Agent: agent, Type: typ, Since: window.Since(now)}
	})
}

// serve serves a stream of what wanted reads of the query.
func (h streams) serve(r *request.Request, wanted func(*request.Query, time.Time) app.Follow) error {
	in, scope, err := h.read(r, wanted)
	if err != nil {
		return err
	}
	if h.ending.Err() != nil {
		return ports.ErrUnavailable.Because(errDraining)
	}
	r.EndTurn() // a stream may last for days
	st, err := h.svc.Open(r.Ctx(), in)
	if err != nil {
		return err
	}
	defer st.Close()
	w, err := beginEvents(r, h.times.write, func(p activity.Seq) string { return sealPosition(r.Env.Cursors, scope, p, in.Since) })
	if err != nil || r.HTTP.Method == http.MethodHead {
		return err
	}
	h.finish(r, w, h.relay(r, st, w))
	return nil
}

// read reads what the client wants to follow, and the scope that its positions are bound
// to.
func (h streams) read(r *request.Request, wanted func(*request.Query, time.Time) app.Follow) (in app.Follow, scope string, err error) {
	q := r.Query()
	in = wanted(q, h.clock.Now())
	if q.Err != nil {
		return in, "", q.Err
	}
	in.Session = *r.Session
	scope = q.Scope()
	values, resumed := r.HTTP.Header["Last-Event-Id"]
	if !resumed {
		return in, scope, nil
	}
	if len(values) != 1 {
		return in, "", errPosition.With("Last-Event-ID: must be given once")
	}
	// The window counts from the time at which the stream was first opened.
	after, since, err := openPosition(r.Env.Cursors, scope, values[0])
	in.After = &after
	if !in.Since.IsZero() {
		in.Since = since
	}
	return in, scope, err
}

var errPosition = fault.New(fault.RequestValidation,
	"Last-Event-ID: is not an id of this stream; begin again without it")

// sealPosition returns the id of a position in the log, for the streams that scope names.
func sealPosition(c protocol.Cursors, scope string, p activity.Seq, since time.Time) string {
	return c.Seal(scope, protocol.Position{strconv.FormatInt(int64(p), 36), protocol.FormatTime(since)})
}

// openPosition reads an id that sealPosition made, or returns errPosition.
func openPosition(c protocol.Cursors, scope, id string) (p activity.Seq, since time.Time, err error) {
	at, err := c.Open(scope, id, 2)
	if err != nil {
		return 0, time.Time{}, errPosition
	}
	n, errSeq := strconv.ParseInt(at[0], 36, 64)
	since, errTime := protocol.ParseTime(at[1])
	if errSeq != nil || errTime != nil {
		return 0, time.Time{}, errPosition
	}
	return activity.Seq(n), since, nil
}

// relay writes the events of the stream until the stream or the client ends, and returns
// the cause.
func (h streams) relay(r *request.Request, st *app.Stream, w *eventWriter) error {
	ctx, end := context.WithCancelCause(r.Client)
	defer end(nil)
	defer context.AfterFunc(h.ending, func() { end(errDraining) })()
	if err := w.open(st.Position()); err != nil {
		return err
	}
	for {
		batch, err := st.Next(ctx, h.times.heartbeat)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case batch.Resync:
			err = w.resync(batch.Position)
		case len(batch.Events) == 0:
			err = w.heartbeat(batch.Position)
		default:
			err = w.events(batch)
		}
		if err != nil {
			return err
		}
	}
}

// finish ends the answer of a stream. The client has every event up to the last id that it
// has received, and may reconnect with that.
func (h streams) finish(r *request.Request, w *eventWriter, cause error) {
	reason, text := "failed", "the service cannot go on"
	switch {
	case r.Client.Err() != nil, errors.As(cause, new(*unsent)):
		h.metrics.StreamEnded("client")
		return
	case errors.Is(cause, errDraining):
		reason, text = "drain", "the service shuts down"
	case errors.Is(cause, session.ErrRevoked), errors.Is(cause, session.ErrUnauthorized):
		reason, text = "session", "the session has ended"
	case errors.Is(cause, app.ErrSlow):
		reason, text = "slow", "the events were taken too slowly"
	case errors.Is(cause, app.ErrStalled): // is logged once, for all streams
	default:
		r.Env.Log.Error("stream failed", zap.String("instance", r.ID), zap.Error(cause))
	}
	h.metrics.StreamEnded(reason)
	if err := w.comment(text); err != nil {
		r.Env.Log.Debug("end of a stream not sent", zap.String("instance", r.ID), zap.Error(err))
	}
}
